#!/usr/bin/env python3
"""Measures how many samples `rft` gets through, by part.

    bench/run rft [SAMPLES]      default 2,000 samples for the parts without judging

The samples are answers of the tests, right and wrong ones. They are judged once without stored
verdicts (cold), and once more with them (warm). Figures are seconds of processor time, which other
work on the machine affects little; starting torch, which a run does once, is not in them.
"""

import itertools
import json
import pathlib
import sys
import tempfile

from loops import BUILD, ROOT, Goals, run
from processor_time import watched

sys.path.insert(0, str(ROOT / "tests/e2e"))
import verify_run  # noqa: E402
from program import BINARY  # noqa: E402

LOOP = BUILD / "bench/rft_loops"
ROUNDS, CORES = 5, 2
# The largest share of a cold verification that all other parts may take together.
SHARE = 0.05


def judged_seconds(folder):
    """{"cold", "warm"}: seconds for one sample."""
    checkout, samples = verify_run.lay_out(folder)
    environment = verify_run.own_root(folder)
    seconds = {}
    for state in ("cold", "warm"):
        out, _, parts = watched(
            (BINARY, "verify", "--kernelbench", checkout, "--run", samples, "--jobs", CORES,
             "--output", folder / state, "--json"), environment)
        summary = json.loads(out)
        parts.pop("start", None)
        seconds[state] = sum(parts.values()) / (summary["judged"] + summary["reused"])
        if summary["reused"] != (0 if state == "cold" else len(verify_run.ANSWERS)):
            raise SystemExit(f"{state}: {summary['reused']} verdicts were stored before")
    return seconds


def write_samples(path, count):
    answers = itertools.cycle(map(verify_run.read_answer, verify_run.ANSWERS))
    with path.open("w") as file:
        for number, (task, code) in zip(range(count), answers):
            message = f"Attempt {number}.\n\n```python\n{code}```\n"
            file.write(json.dumps({"task": task, "message": message, "attempt": number}) + "\n")


def main(count):
    goals = Goals()
    with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as name:
        folder = pathlib.Path(name)
        judged = judged_seconds(folder)
        write_samples(folder / "samples.jsonl", count)
        found = run(LOOP, folder / "samples.jsonl", ROUNDS)
    parts = {part: used / found["samples"] for part, used in found["seconds"].items()}
    parts = {"parse": parts["parse"], "verify, cold": judged["cold"],
             "verify, warm": judged["warm"], "fingerprint": parts["fingerprint"],
             "select": parts["select"]}
    for part, used in parts.items():
        print(f"{part}: {1000 * used:.3f} ms each, "
              f"{CORES / max(used, 1e-9):,.1f} samples a second on {CORES} cores", flush=True)
    others = sum(used for part, used in parts.items() if part != "verify, cold")
    goals.at_most("all but cold verification, in % of it",
                  100 * others / parts["verify, cold"], 100 * SHARE)
    return 1 if goals.failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
