#!/usr/bin/env python3
"""Puts every bug class of generators/perturbation into verified answers to generated tasks, and
judges whether the verifier proves the bug.

    bench/run perturbation [TASKS [EACH]]

Exits with 1 when fewer than 25 classes, or fewer than four fifths of the mutants, were proved."""

import sys

from loops import BUILD, Goals, run


def main():
    tasks, each = (int(text) for text in (sys.argv[1:] + ["10", "3"][len(sys.argv) - 1:])[:2])
    table = run(BUILD / "bench/perturbation_loops", tasks, 1, each, 2)
    print(f"{table['right']} right answers of {table['answers']} to {table['tasks']} tasks")
    print(f"{'':12}{'':26}{'sites':>6}{'tried':>6}{'shown':>6}  by")
    order = sorted(table["bugs"].items(), key=lambda item: (item[1]["failure"], item[0]))
    for name, bug in order:
        verdicts = ", ".join(f"{said} {count}" for said, count in sorted(bug["verdicts"].items()))
        print(f"{bug['failure']:12}{name:26}{bug['sites']:6}{bug['tried']:6}{bug['proved']:6}"
              f"  {verdicts}")
    bugs = table["bugs"].values()
    goals = Goals()
    goals.at_least("classes", sum(bug["proved"] > 0 for bug in bugs), 25)
    goals.at_least("share of mutants that show",
                   sum(bug["proved"] for bug in bugs) / max(1, sum(bug["tried"] for bug in bugs)),
                   0.8)
    return goals.failed > 0


if __name__ == "__main__":
    sys.exit(main())
