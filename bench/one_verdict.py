"""How long a user waits for one verdict: `verify` of one answer, cold and with --warm.

    bench/run one_verdict [COUNT]     default 6

Each answer gets a text that was never judged, so it is compiled. The two ways take turns, each without
and with `--sanitize all`. Seconds are those of a clock and tell little on a machine with other work;
the ratio of the two medians is the figure.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from loops import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))
import verify_run  # noqa: E402
from program import BINARY  # noqa: E402

ANSWERS = ("honest/relu.md", "honest/row_sum.md", "specialised/fixed_sizes.py")


def seconds(folder, answer, number, *options):
    task, code = verify_run.read_answer(answer)
    candidate = folder / f"{number}.py"
    candidate.write_text(f"{code}\n# {number} {options} {time.time_ns()}\n".replace("'", ""))
    begin = time.monotonic()
    done = subprocess.run(
        [BINARY, "verify", "--reference", verify_run.FILES / f"tasks/{task}.py", "--candidate",
         candidate, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return time.monotonic() - begin


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for sanitize in ("none", "all"):
            ways = {"cold": ("--sanitize", sanitize),
                    "warm": ("--sanitize", sanitize, "--warm", "2")}
            for options in ways.values():  # The executor is compiled, and the warm judge started.
                seconds(folder, ANSWERS[0], 0, *options)
            times = {way: [] for way in ways}
            for number in range(count):
                for way, options in ways.items():
                    times[way].append(
                        seconds(folder, ANSWERS[number % len(ANSWERS)], number, *options))
            cold, warm = (statistics.median(times[way]) for way in ways)
            print(f"--sanitize {sanitize}: cold {cold:.1f} s (to {max(times['cold']):.1f}), "
                  f"warm {warm:.1f} s (to {max(times['warm']):.1f}), {cold / warm:.1f} times")
    subprocess.run([BINARY, "verify", "--warm", "0"], stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
