#!/usr/bin/env python3
"""Reports the measurements of answers_on_gpu.py.

    measured_answers.py report RESULTS…    the share of correct answers, and the speed relative to
                                           eager, by strategy and beside the estimate; exits with 1
                                           when fewer than 99 % are correct
    measured_answers.py speeds RESULTS…    the rows of generators/lowering/measured_speed.cc
"""

import collections
import json
import math
import pathlib
import statistics
import sys

LAUNCHES = 0.1  # Milliseconds; below them the time of an answer is mainly launch overhead.
OFTEN = {"operator": 3, "sixteen": 2}  # The number of answers from which there is a row of its own.
SLOW = 0.3  # Relative to eager: a slower answer is used only as the "before" of a better one.


def results_in(paths):
    return [json.loads(line) for path in paths
            for line in pathlib.Path(path).read_text().splitlines()]


def speed_of(result):
    """Eager's time divided by the answer's, or None."""
    if result["status"] != "correct" or not result["ours_ms"]:
        return None
    return result["eager_ms"] / result["ours_ms"]


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def report(paths):
    results = results_in(paths)
    counts = collections.Counter(result["status"] for result in results)
    agreement = counts["correct"] / max(1, len(results))
    print(f"{len(results)} answers, {100 * agreement:.1f} % right on the GPU: {dict(counts)}")
    for result in results:
        if result["status"] != "correct":
            print(f"  {result['status']}: {result['key']} {' '.join(result['operators'])} "
                  f"({' '.join(result['strategies'])}) {result.get('detail', '')[-120:]!r}")
    report_speeds(results)
    report_estimates(results)
    return 0 if agreement >= 0.99 else 1


def report_speeds(results):
    """Prints speeds of all answers, and by level, size, strategy and operator."""
    groups = collections.defaultdict(list)
    for result in results:
        speed = speed_of(result)
        if speed is None:
            continue
        groups["all"].append(speed)
        groups[f"level {result['level']}"].append(speed)
        size = math.log2(max(1, result["bytes"]) / 2 ** 20)
        groups["size " + ("< 16 MiB" if size < 4 else "< 256 MiB" if size < 8 else ">= 256 MiB")
               ].append(speed)
        if len(result["strategies"]) == 1:
            groups["strategy " + result["strategies"][0]].append(speed)
        if len(result["operators"]) == 1:
            groups["operator " + result["operators"][0]].append(speed)
    print("\nspeed against eager: answers, geometric mean, least, share under "
          f"{SLOW}, share over 1.1")
    for name, speeds in sorted(groups.items()):
        if name.startswith("operator ") and len(speeds) < 3:
            continue
        print(f"  {name:40} {len(speeds):4} {geometric_mean(speeds):6.2f} {min(speeds):6.2f} "
              f"{sum(s < SLOW for s in speeds) / len(speeds):6.2f} "
              f"{sum(s > 1.1 for s in speeds) / len(speeds):6.2f}")


def report_estimates(results):
    """Compares estimated and measured speed for answers with several operators."""
    several = [(result["estimated_speed"] >= SLOW, speed_of(result)) for result in results
               if speed_of(result) and result["level"] > 1]
    for taught in (True, False):
        speeds = [speed for estimate, speed in several if estimate == taught]
        if speeds:
            print(f"above level 1, estimated {'at least' if taught else 'below'} {SLOW}: "
                  f"{len(speeds)} answers, speed {geometric_mean(speeds):.2f}, "
                  f"{sum(s < SLOW for s in speeds)} under {SLOW}")


def speeds(paths):
    """Prints the measured time of kernels relative to the modelled time: for each strategy, and for its
    operators and widths with enough measurements."""
    groups = collections.defaultdict(list)
    for result in results_in(paths):
        speed = speed_of(result)
        if (speed is None or len(result["strategies"]) > 1
                or max(result["eager_ms"], result["ours_ms"]) < LAUNCHES):
            continue
        part = speed / result["modelled_speed"]
        strategy = result["strategies"][0]
        groups[strategy, "", False].append(part)
        if len(result["operators"]) == 1:
            groups[strategy, result["operators"][0], False].append(part)
        if result["dtype"] in ("float16", "bfloat16"):
            groups[strategy, "", True].append(part)
    for (strategy, operator, sixteen), found in sorted(groups.items()):
        alone = bool(operator) and len(found) == len(groups[strategy, "", False])
        if not alone and len(found) >= OFTEN.get("operator" if operator else "sixteen" * sixteen, 1):
            print(f'    {{"{strategy}", "{operator}", {str(sixteen).lower()}, {len(found)}, '
                  f"{statistics.median(found):.2g}}},")


def main(words):
    if len(words) >= 2 and words[0] == "report":
        return report(words[1:])
    if len(words) >= 2 and words[0] == "speeds":
        return speeds(words[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
