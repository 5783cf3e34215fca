#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Data-parallel training of a small network, with an all-reduce over UET or TCP.

    ueadm job run -n 8 -- ./train.py uet log.csv

Each rank has the whole network and a part of the samples.  In each step the ranks add up
their gradients, so all of them change their networks in the same way.  Rank 0 writes a
line for each step: step, seconds, loss, and the bytes that each rail has sent.
"""
import argparse
import os
import subprocess
import time

import numpy

from ring import LINKS, all_reduce

SAMPLES = 1024      # of all ranks
CLASSES = 3
LAYERS = (2, 48, 48, CLASSES)
RATE = 0.5


def spirals(random):
    """Points on three arms of a spiral, and the arm of each as a row of 0 and 1."""
    arm = numpy.arange(SAMPLES) % CLASSES
    radius = random.uniform(0.1, 1, SAMPLES)
    angle = 4 * radius + 2 * numpy.pi / CLASSES * arm + random.normal(0, 0.1, SAMPLES)
    points = numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle)], axis=1)
    return points, numpy.eye(CLASSES)[arm]


class Network:
    """Layers of tanh, and a softmax behind the last; all weights are one vector."""

    def __init__(self, random, multiple):
        shapes = [(rows + 1, columns) for rows, columns in zip(LAYERS, LAYERS[1:])]
        sizes = [rows * columns for rows, columns in shapes]
        # One more for the loss, and so many that each rank has as long a part.
        length = -(-(sum(sizes) + 1) // multiple) * multiple
        self.vector, self.gradient = numpy.zeros(length), numpy.zeros(length)
        self.weights, self.gradients, start = [], [], 0
        for shape, size in zip(shapes, sizes):
            self.weights.append(self.vector[start:start + size].reshape(shape))
            self.gradients.append(self.gradient[start:start + size].reshape(shape))
            self.weights[-1][:-1] = random.normal(0, shape[0] ** -0.5,
                                                  (shape[0] - 1, shape[1]))
            start += size

    def learn(self, points, arms):
        """Set the gradient, with the loss behind it: sums over the points."""
        values = [points]
        for weights in self.weights[:-1]:
            values.append(numpy.tanh(values[-1] @ weights[:-1] + weights[-1]))
        scores = values[-1] @ self.weights[-1][:-1] + self.weights[-1][-1]
        scores = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        scores /= scores.sum(axis=1, keepdims=True)
        self.gradient[-1] = -numpy.log((scores * arms).sum(axis=1)).sum()
        error = scores - arms
        for i in reversed(range(len(self.weights))):
            self.gradients[i][:-1] = values[i].T @ error
            self.gradients[i][-1] = error.sum(axis=0)
            error = error @ self.weights[i][:-1].T * (1 - values[i] ** 2)

    def step(self):
        loss = self.gradient[-1] / SAMPLES
        self.gradient[-1] = 0
        self.vector -= RATE / SAMPLES * self.gradient
        return loss


def rail_bytes(rails):
    """The bytes that each netdev has sent."""
    with open("/proc/net/dev") as f:
        lines = dict(line.split(":") for line in f if ":" in line)
    return [int({name.strip(): line for name, line in lines.items()}[rail].split()[8])
            for rail in rails]


def main():
    parser = argparse.ArgumentParser(description="train a small network on all ranks")
    parser.add_argument("link", choices=LINKS)
    parser.add_argument("log", help="CSV file that rank 0 writes")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rails", type=lambda text: text.split(","), default=[],
                        help="netdevs whose bytes are logged")
    parser.add_argument("--at", nargs=2, metavar=("STEP", "CMD"),
                        help="a command that rank 0 runs in front of a step")
    args = parser.parse_args()

    random = numpy.random.default_rng(1)
    points, arms = spirals(random)
    size = int(os.environ["UET_SIZE"])
    network = Network(random, size)
    link = LINKS[args.link](len(network.vector))
    mine = slice(link.rank * SAMPLES // size, (link.rank + 1) * SAMPLES // size)
    log = open(args.log, "w") if link.rank == 0 else None
    if log:
        print("step", "seconds", "loss", *args.rails, sep=",", file=log)
    begin = time.monotonic()
    for step in range(args.steps):
        if log and args.at and step == int(args.at[0]):
            subprocess.run(args.at[1], shell=True, check=True)
        network.learn(points[mine], arms[mine])
        all_reduce(link, network.gradient)
        loss = network.step()
        if log:
            print(step, f"{time.monotonic() - begin:.6f}", repr(float(loss)),
                  *rail_bytes(args.rails), sep=",", file=log, flush=True)
    link.close()


main()
