#!/usr/bin/env python3
"""Draws the plots that compare generated tasks with KernelBench's problems and NNSmith's graphs:
bench/plots/*.svg.

    nnsmith/bin/python bench/peers/nnsmith_graphs.py 1000 10 1 > nnsmith.json
    bench/task_plots.py coverage.json tasks.jsonl nnsmith.json     (see operator_shares.py)

Our tasks are weighted so that levels have KernelBench's proportions.
"""

import collections
import json
import math
import pathlib
import sys

import operator_shares

PLOTS = pathlib.Path(__file__).resolve().parent / "plots"
OPERATORS = 28
SERIES = (("KernelBench", "#444444"), ("kernelmill", "#0072b2"), ("NNSmith", "#e69f00"))
# The rows of the operator table for NNSmith's operators.
TORCH_NAMES = {"NCHWConv2d": "conv2d", "PTMatMul": "matmul", "BatchNorm2d": "batch_norm",
               "LeakyReLU": "leaky_relu", "MaxPool2d": "max_pool2d", "AvgPool2d": "avg_pool2d",
               "TorchReduceSum": "sum", "ReduceMean": "mean", "ReduceMax": "amax",
               "ReduceMin": "amin", "Max": "maximum", "Min": "minimum", "Clip": "clamp",
               "Slice": "slice"}


def torch_name(operator):
    for start, row in (("Concat", "cat"), ("Expand", "expand"), ("Cast", "to")):
        if operator.startswith(start):
            return row
    return TORCH_NAMES.get(operator, operator.lower())


class Drawing:
    """Lines of an SVG file; y grows downwards."""

    def __init__(self, width, height):
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" font-family="sans-serif" font-size="11" fill="#222">',
            f'<rect width="{width}" height="{height}" fill="#fff"/>']

    def text(self, x, y, text, anchor="start", more=""):
        self.lines.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{text}</text>')

    def bar(self, x, y, width, height, colour):
        self.lines.append(f'<rect x="{x:g}" y="{y:g}" width="{width:.1f}" height="{height:g}" '
                          f'fill="{colour}"/>')

    def path(self, points, colour, width=1.0):
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.lines.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" '
                          f'stroke-width="{width:g}"/>')

    def legend(self, x, y):
        for name, colour in SERIES:
            self.bar(x, y - 9, 10, 10, colour)
            self.text(x + 14, y, name)
            x += 100

    def write(self, name):
        PLOTS.mkdir(exist_ok=True)
        (PLOTS / name).write_text("\n".join(self.lines + ["</svg>", ""]), encoding="utf-8")


def draw_operators(shares):
    """`shares`: {series: {operator: share of its tasks}}."""
    ranked = sorted(shares["KernelBench"].items(), key=lambda item: (-item[1], item[0]))
    rows = [name for name, _ in ranked[:OPERATORS]]
    left, width, step = 190, 430, 17
    drawing = Drawing(left + width + 30, 50 + step * len(rows))
    most = max(shares[name].get(row, 0) for name, _ in SERIES for row in rows)
    for percent in range(0, int(100 * most) + 1, 10):
        x = left + width * percent / 100 / most
        drawing.path([(x, 28), (x, 34 + step * len(rows))], "#ddd")
        drawing.text(x, 46 + step * len(rows), f"{percent} %", "middle")
    for i, row in enumerate(rows):
        top = 32 + step * i
        drawing.text(left - 6, top + 11, row, "end")
        for j, (name, colour) in enumerate(SERIES):
            drawing.bar(left, top + 4.5 * j, width * shares[name].get(row, 0) / most, 4.5, colour)
    drawing.legend(left, 18)
    drawing.write("operators.svg")


def draw_shares_below(title, unit, series, low, high, name):
    """Draws cumulative distributions over powers of ten from `low` to `high`.
    `series`: {name: [(value, weight)]}."""
    left, width, height = 44, 560, 200
    drawing = Drawing(left + width + 20, height + 76)
    at = lambda value: left + width * (min(max(math.log10(value), low), high) - low) / (high - low)
    for power in range(low, high + 1):
        x = at(10.0 ** power)
        drawing.path([(x, 30), (x, 30 + height)], "#ddd")
        drawing.text(x, 44 + height, f'10<tspan dy="-4" font-size="8">{power}</tspan>', "middle")
    for percent in (0, 25, 50, 75, 100):
        y = 30 + height * (1 - percent / 100)
        drawing.path([(left, y), (left + width, y)], "#ddd")
        drawing.text(left - 4, y + 4, f"{percent} %", "end")
    for one, colour in SERIES:
        values = sorted(series[one])
        whole, below, points = sum(weight for _, weight in values), 0.0, [(left, 30.0 + height)]
        for value, weight in values:
            below += weight
            x, y = at(max(value, 10.0 ** low)), 30 + height * (1 - below / whole)
            if x - points[-1][0] >= 1 or below == whole:  # One step per pixel is enough.
                points += [(x, points[-1][1]), (x, y)]
            elif points[-1][0] > left:
                points[-1] = (points[-1][0], y)
        drawing.path(points + [(left + width, 30)], colour, 2)
    drawing.legend(left, 18)
    drawing.text(left + width / 2, 66 + height, f"{title}, {unit}", "middle")
    drawing.write(name)


def median(values):
    whole, below = sum(weight for _, weight in values), 0.0
    for value, weight in sorted(values):
        below += weight
        if below >= whole / 2:
            return value


def main():
    problems = json.loads(open(sys.argv[1], encoding="utf-8").read())["problems"]
    tasks = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
    graphs = json.loads(open(sys.argv[3], encoding="utf-8").read().splitlines()[-1])["each"]
    for task in tasks:
        task["elements"] = sum(math.prod(one["shape"]) for one in task["inputs"])
    for graph in graphs:
        graph["operators"] = [torch_name(operator) for operator in graph["operators"]]
    there = collections.Counter(problem["level"] for problem in problems)
    here = collections.Counter(task["level"] for task in tasks)
    weighed = {"KernelBench": [(problem, 1.0) for problem in problems],
               "kernelmill": [(task, there[task["level"]] / here[task["level"]]) for task in tasks],
               "NNSmith": [(graph, 1.0) for graph in graphs]}
    shares = {}
    for series, ones in weighed.items():
        counts, whole = collections.Counter(), sum(weight for _, weight in ones)
        for one, weight in ones:
            for operator in operator_shares.names(one):
                counts[operator] += weight / whole
        shares[series] = counts
    draw_operators(shares)
    sizes = {series: [(one["elements"], weight) for one, weight in ones]
             for series, ones in weighed.items()}
    intensities = {series: [(one["flops"] / one["bytes"], weight) for one, weight in ones
                            if one["bytes"]]  # Views have none.
                   for series, ones in weighed.items()}
    draw_shares_below("elements of a task's inputs", "share of tasks with so many or fewer", sizes,
                      0, 10, "sizes.svg")
    draw_shares_below("FLOPs a byte", "share of tasks with so many or fewer", intensities, -2, 4,
                      "intensities.svg")
    for series, _ in SERIES:
        print(f"{series}: {len(weighed[series])} tasks, median {median(sizes[series]):.3g} elements, "
              f"{median(intensities[series]):.3g} FLOPs a byte of {len(intensities[series])}")


if __name__ == "__main__":
    main()
