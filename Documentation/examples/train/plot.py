#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draw the logs of train.py: loss over time, and the bytes of each rail.

    ./plot.py plot.png uet.csv tcp.csv
"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot   # noqa: E402: after the choice of what draws


def read(path):
    """The columns of a log, by name."""
    with open(path) as f:
        rows = list(csv.DictReader(f))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def main(image, *paths):
    figure, (loss, rails) = pyplot.subplots(2, 1, sharex=True, figsize=(8, 7))
    for path, line in zip(paths, ("-", "--", ":")):
        name = path.rsplit("/", 1)[-1].removesuffix(".csv")
        columns = read(path)
        seconds = columns.pop("seconds")
        columns.pop("step")
        loss.plot(seconds, columns.pop("loss"), line, label=name)
        for rail, sent in columns.items():
            rails.plot(seconds, [(count - sent[0]) / 1e6 for count in sent], line,
                       label=f"{name} {rail}")
    loss.set_ylabel("loss")
    rails.set_ylabel("sent by node 1 (MB)")
    rails.set_xlabel("time (s)")
    loss.legend()
    rails.legend()
    figure.tight_layout()
    figure.savefig(image)


main(*sys.argv[1:])
