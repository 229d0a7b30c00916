#!/usr/bin/env python3
"""Lets readers judge rows of a dataset without knowing which of them they read.

    bench/run readers draw DATASET OUT --seed N [--rows 60] [--pairs FOLDER]
    bench/run readers score OUT ANSWERS.csv…

`draw` writes a sheet for each drawn row, a rubric, and answers.csv, which each reader fills in.
OUT/key.json says which row a sheet shows; readers must not see it. With --pairs, readers also
compare texts of ours with the texts in FOLDER, one in each file, which people or models have
written about kernels.

`score` compares the filled answers of all readers with the goals: a median of 4 in each family and
column, no row with a false statement, and in half of the pairs ours preferred or equal. It exits
with 1 when a goal is missed, and with 2 when answers are missing or malformed.
"""

import argparse
import pathlib
import sys

import reading_scores
import reading_sheets


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw", help="write reading sheets")
    draw.add_argument("dataset", type=pathlib.Path)
    draw.add_argument("out", type=pathlib.Path, help="a folder that does not exist, or is empty")
    draw.add_argument("--seed", type=int, required=True)
    draw.add_argument("--rows", type=int, default=60)
    draw.add_argument("--pairs", type=pathlib.Path, metavar="FOLDER",
                      help="real texts, one in each file")
    draw.add_argument("--pair-count", type=int, default=12)
    draw.add_argument("--with-code", action="store_true",
                      help="show the code in both texts of a pair instead of in neither")
    score = commands.add_parser("score", help="compare filled answers with the goals")
    score.add_argument("out", type=pathlib.Path)
    score.add_argument("answers", type=pathlib.Path, nargs="+", help="one file from each reader")
    return parser.parse_args(words)


def main(words):
    given = arguments_of(words)
    try:
        if given.command == "draw":
            return reading_sheets.draw(given)
        return reading_scores.score(given.out, given.answers)
    except (OSError, ValueError) as error:
        print(f"readers: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
