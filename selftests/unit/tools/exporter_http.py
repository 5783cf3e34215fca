#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The exporter as its clients see it: over HTTP in both formats, with a failing ueadm, and
scraped by Prometheus, which then evaluates each expression of the dashboard.  Started by
test_exporter.sh, which makes the double of ueadm in UTEST_TMP."""
import json
import os
import re
import socket
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

import pytap

TMP = os.environ["UTEST_TMP"]
PROMETHEUS = os.environ.get("UTEST_PROMETHEUS")
EXPORTER = os.path.abspath("tools/exporter/uet-exporter")
RULES = os.path.join(TMP, "uet.rules.yml")
ENV = dict(os.environ, PATH=f"{TMP}/bin:/usr/bin:/bin")
OPENMETRICS = "application/openmetrics-text"
SERIES = re.compile(r"\buet_\w+")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=20) as reply:
        return reply.headers["Content-Type"], reply.read().decode()


def answers(port, path):
    try:
        return bool(get(port, path))
    except (urllib.error.URLError, ConnectionError):
        return False


def expressions():
    with open(f"{TMP}/uet.json", encoding="utf-8") as file:
        dashboard = json.load(file)
    return [target["expr"] for panel in dashboard["panels"]
            for target in panel.get("targets", [])]


def samples(text):
    """Names of all samples with their labels."""
    return {line.rpartition(" ")[0] for line in text.splitlines()
            if line and not line.startswith("#")}


class Process(unittest.TestCase):
    """A program that the class starts and ends."""

    command = []

    @classmethod
    def start(cls, command, port, path):
        with open(f"{TMP}/log", "wb") as log:
            cls.process = subprocess.Popen(command, env=ENV, cwd=TMP, stdout=log,
                                           stderr=log)
        cls.addClassCleanup(cls.end, cls.process)
        pytap.expect(lambda: answers(port, path), 60)

    @staticmethod
    def end(process):
        process.terminate()
        process.wait()


class Http(Process):
    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.start(["systemd-socket-activate", "-l", f"127.0.0.1:{cls.port}",
                   "-E", f"PATH={ENV['PATH']}", EXPORTER], cls.port, "/metrics")
        with open(f"{TMP}/text", encoding="utf-8") as file:
            cls.of_ueadm = file.read()

    def test_openmetrics_has_each_sample_of_ueadm_with_its_value(self):
        kind, text = get(self.port, "/metrics", Accept=OPENMETRICS)
        self.assertTrue(kind.startswith(OPENMETRICS), kind)
        self.assertTrue(text.endswith("# EOF\n"))
        self.assertEqual(samples(text) - {"uet_scrape_success"}, samples(self.of_ueadm))
        self.assertIn("uet_rx_packets_total 110.0\n", text)
        self.assertIn('job_name="a\\"b"', text)
        self.assertIn("uet_scrape_success 1.0\n", text)

    def test_the_older_format_has_them_as_well(self):
        kind, text = get(self.port, "/metrics")
        self.assertTrue(kind.startswith("text/plain"), kind)
        self.assertEqual(samples(text) - {"uet_scrape_success"}, samples(self.of_ueadm))

    def test_a_failure_of_ueadm_is_one_sample_and_a_reason_in_the_log(self):
        open(f"{TMP}/fail", "w", encoding="utf-8").close()
        self.addCleanup(os.unlink, f"{TMP}/fail")
        self.assertEqual(samples(get(self.port, "/metrics")[1]), {"uet_scrape_success"})
        with open(f"{TMP}/log", encoding="utf-8") as log:
            self.assertIn("ueadm stats --openmetrics: no module", log.read())

    def test_a_text_without_end_counts_as_failure(self):
        self.addCleanup(self.restore)
        with open(f"{TMP}/text", "w", encoding="utf-8") as file:
            file.write(self.of_ueadm.replace("# EOF\n", ""))
        self.assertIn("uet_scrape_success 0.0\n", get(self.port, "/metrics")[1])

    def restore(self):
        with open(f"{TMP}/text", "w", encoding="utf-8") as file:
            file.write(self.of_ueadm)

    def test_without_a_socket_it_says_what_to_start(self):
        done = subprocess.run([EXPORTER], env=ENV, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("start uet-exporter.socket", done.stderr)

    def test_alerts_and_dashboard_use_names_that_exist(self):
        known = {name.partition("{")[0] for name in samples(self.of_ueadm)}
        known.add("uet_scrape_success")
        with open(RULES, encoding="utf-8") as file:
            rules = re.findall(r"expr: (.*(?:\n {10}.*)*)\n", file.read())
        for expr in rules + expressions():
            for name in SERIES.findall(re.sub(r"uet_mem", "", expr)):
                self.assertIn(name, known, expr)


if PROMETHEUS:
    class InPrometheus(Process):
        @classmethod
        def setUpClass(cls):
            exporter, cls.port = free_port(), free_port()
            cls.start(["systemd-socket-activate", "-l", f"127.0.0.1:{exporter}",
                       "-E", f"PATH={ENV['PATH']}", EXPORTER], exporter, "/metrics")
            with open(f"{TMP}/prometheus.yml", "w", encoding="utf-8") as file:
                json.dump({
                    "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                    "rule_files": [RULES],
                    "scrape_configs": [{"job_name": "uet", "static_configs": [
                        {"targets": [f"127.0.0.1:{exporter}"]}]}],
                }, file)
            cls.start([PROMETHEUS, f"--config.file={TMP}/prometheus.yml",
                       f"--storage.tsdb.path={TMP}/tsdb",
                       f"--web.listen-address=127.0.0.1:{cls.port}"], cls.port,
                      "/-/ready")

        def ask(self, path, **query):
            return json.loads(get(self.port, f"/api/v1/{path}?" +
                                  urllib.parse.urlencode(query))[1])

        def values(self, expr):
            return self.ask("query", query=expr)["data"]["result"]

        def test_the_counters_arrive(self):
            pytap.expect(lambda: self.values("uet_rx_packets_total"), 60)
            self.assertEqual(self.values("uet_rx_packets_total")[0]["value"][1], "110")
            self.assertEqual(self.values("uet_scrape_success")[0]["value"][1], "1")
            self.assertEqual(self.values("up")[0]["value"][1], "1")

        def test_each_alert_is_evaluated(self):
            def rules():
                return self.ask("rules")["data"]["groups"][0]["rules"]

            pytap.expect(lambda: all(r["health"] == "ok" for r in rules()), 60)
            self.assertEqual({r["state"] for r in rules()}, {"inactive"})

        def test_each_graph_of_the_dashboard_is_an_expression(self):
            self.assertGreater(len(expressions()), 12)
            for expr in expressions():
                for variable, value in (("$instance", ".*"), ("$__rate_interval", "1m")):
                    expr = expr.replace(variable, value)
                self.assertNotIn("$", expr)
                self.assertEqual(self.ask("query", query=expr)["status"], "success")


pytap.main()
