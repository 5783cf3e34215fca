# SPDX-License-Identifier: GPL-2.0
"""Tests of unittest as facts in the Test Anything Protocol: main() runs those of the
calling script and prints a fact for each.  Level: test."""
import sys
import time
import unittest


class Facts(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.count = 0

    def fact(self, word, test, trace=""):
        self.count += 1
        name = test.id().rpartition(".")[2].removeprefix("test_").replace("_", " ")
        print(f"{word} {self.count} - {name}", flush=True)
        for line in trace.splitlines():
            print(f"# {line}")

    def addSuccess(self, test):
        self.fact("ok", test)

    def addError(self, test, err):
        self.fact("not ok", test, self._exc_info_to_string(err, test))

    addFailure = addError


def expect(condition, seconds=20):
    """Wait until it holds; for what another thread or process does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    wanted = suite.countTestCases()
    print(f"1..{wanted}")
    facts = Facts()
    suite.run(facts)
    sys.exit(facts.count != wanted)
