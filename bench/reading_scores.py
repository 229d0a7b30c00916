"""Scores the answers that readers have given to reading sheets."""

import collections
import csv
import itertools
import json
import math
import re
import statistics
import sys

from reading_sheets import SCORES

LEAST_MEDIAN, LEAST_SHARE = 4, 0.5
Z = 1.96  # For an interval of 95 %.


class Reader:
    """The filled answers of one reader. `errors` lists all that is wrong with them."""

    def __init__(self, path, key, out):
        self.name, self.errors = path.name, []
        self.scores, self.defects, self.preferred = {}, {}, {}
        with path.open(encoding="utf-8-sig", newline="") as file:
            form = csv.DictReader(file)
            missing = {"sheet", *SCORES, "defect"} - set(form.fieldnames or ())
            if missing:
                self.errors.append(f"{path}: the columns {', '.join(sorted(missing))} are missing")
                return
            seen = collections.Counter()
            for line in form:
                # Fields that the line does not have are None, fields too many have the key None.
                line = {column: (value or "").strip() for column, value in line.items() if column}
                self.place = f"{path}, line {form.line_num}, {line['sheet']}"
                seen[line["sheet"]] += 1
                if line["sheet"] in key["sheets"]:
                    self.read_sheet(line, key["sheets"][line["sheet"]], out)
                elif line["sheet"] in key["pairs"]:
                    self.read_pair(line)
                else:
                    self.errors.append(f"{self.place}: there is no such sheet")
        for name in (*key["sheets"], *key["pairs"]):
            if seen[name] != 1:
                self.errors.append(f"{path}: {name} has {seen[name]} lines instead of one")

    def read_sheet(self, line, sheet, out):
        for column in SCORES:
            text = line[column]
            if column == "code" and text == "" and not sheet["has_code"]:
                continue
            if text not in ("1", "2", "3", "4", "5"):
                self.errors.append(
                    f"{self.place}: {column} is {text!r} instead of a number from 1 to 5")
                continue
            self.scores[line["sheet"], column] = int(text)
        if line["defect"]:
            self.read_defect(line, out)

    def read_defect(self, line, out):
        quoted, _, why = (part.strip() for part in line["defect"].partition("||"))
        sheet = " ".join((out / f"{line['sheet']}.md").read_text("utf-8").split())
        parts = [" ".join(part.split())
                 for part in re.split(r"…|\.\.\.", quoted.strip("\"'“”„"))]
        if not why:
            self.errors.append(f"{self.place}: the defect needs `||` and why the sentence is false")
        elif not any(parts) or not all(part in sheet for part in parts):
            self.errors.append(f"{self.place}: {quoted!r} does not stand in the sheet")
        else:
            self.defects[line["sheet"]] = line["defect"]

    def read_pair(self, line):
        choice = line.get("preferred", "")
        if choice.upper() not in ("A", "B", "EQUAL"):
            self.errors.append(f"{self.place}: preferred is {choice!r} instead of A, B or equal")
        self.preferred[line["sheet"]] = choice.upper()


def wilson(successes, count):
    """The interval of 95 % for a share."""
    share, denominator = successes / count, 1 + Z * Z / count
    middle = share + Z * Z / (2 * count)
    half = Z * math.sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return max(0.0, (middle - half) / denominator), min(1.0, (middle + half) / denominator)


def medians(readers, sheets):
    """{family: {column: median over all scores of all readers}}"""
    given = collections.defaultdict(lambda: collections.defaultdict(list))
    for reader in readers:
        for (sheet, column), score in reader.scores.items():
            given[sheets[sheet]["family"]][column].append(score)
    return {family: {column: statistics.median(scores) for column, scores in columns.items()}
            for family, columns in sorted(given.items())}


def report_medians(readers, sheets):
    """Prints the table of medians; the goals that are missed."""
    missed = []
    print(f"{'family':16}" + "".join(f"{column:>10}" for column in SCORES))
    for family, columns in medians(readers, sheets).items():
        print(f"{family:16}" + "".join(f"{columns.get(column, '-'):>10}" for column in SCORES))
        missed += [f"the median of {column} in {family} is {median:g}, below {LEAST_MEDIAN}"
                   for column, median in columns.items() if median < LEAST_MEDIAN]
    return missed


def report_defects(readers, sheets):
    found = collections.defaultdict(list)
    for reader in readers:
        for sheet, defect in reader.defects.items():
            found[sheet].append(f"{reader.name}: {defect}")
    print(f"\nsheets with a false statement: {len(found)} of {len(sheets)}")
    for sheet, defects in sorted(found.items()):
        print(f"  {sheet} ({sheets[sheet]['family']}, row {sheets[sheet]['row']})")
        print("".join(f"    {defect}\n" for defect in defects), end="")
    return [f"{len(found)} of {len(sheets)} sheets with a false statement"] if found else []


def report_agreement(readers):
    for one, other in itertools.combinations(readers, 2):
        apart = [abs(score - other.scores[place]) for place, score in one.scores.items()
                 if place in other.scores]
        within = sum(distance <= 1 for distance in apart) / max(1, len(apart))
        print(f"{one.name} and {other.name}: mean distance {statistics.fmean(apart or [0]):.2f}, "
              f"{100 * within:.0f} % at most 1 apart")


def report_pairs(readers, pairs):
    """A pair counts for us if at least half of its readers prefer our text or find both equal."""
    if not pairs:
        return []
    good = {name: sum(reader.preferred[name] in (pair["ours"], "EQUAL") for reader in readers)
            for name, pair in pairs.items()}
    won = sum(2 * count >= len(readers) for count in good.values())
    share, (low, high) = won / len(pairs), wilson(won, len(pairs))
    print(f"\npairs with ours preferred or equal: {won} of {len(pairs)}, {100 * share:.0f} % "
          f"(95 %: {100 * low:.0f} to {100 * high:.0f} %); of single readers' choices: "
          f"{sum(good.values())} of {len(pairs) * len(readers)}")
    return [f"ours is preferred or equal in {100 * share:.0f} % of the pairs, below "
            f"{100 * LEAST_SHARE:.0f} %"] if share < LEAST_SHARE else []


def score(out, paths):
    key = json.loads((out / "key.json").read_text("utf-8"))
    readers = [Reader(path, key, out) for path in paths]
    errors = [error for reader in readers for error in reader.errors]
    if errors:
        print("\n".join(errors), file=sys.stderr)
        return 2
    missed = report_medians(readers, key["sheets"]) + report_defects(readers, key["sheets"])
    print()
    report_agreement(readers)
    missed += report_pairs(readers, key["pairs"])
    print("".join(f"\nMISSED: {goal}" for goal in missed) or "\nAll goals are met.")
    return 1 if missed else 0
