"""Generated tasks run in torch as written."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import generated_tasks  # noqa: E402

BINARY = os.environ["KERNELMILL_BINARY"]


def generate(*options):
    done = subprocess.run([BINARY, "generate", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Generate(unittest.TestCase):
    def test_sources_run_are_finite_and_give_what_the_graph_says(self):
        _, text, _ = generate("--count", "400", "--seed", "11", "--json")
        tasks = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(len({task["id"] for task in tasks}), 400)
        faults = [(task["id"], task["operators"], generated_tasks.fault(task["check"]))
                  for task in tasks]
        faults = [fault for fault in faults if fault[2]]
        self.assertLessEqual(len(faults), 2, faults[:4])

    def test_a_longer_run_begins_with_a_shorter_one(self):
        short = generate("--count", "20", "--seed", "4", "--json")[1]
        long = generate("--count", "60", "--seed", "4", "--json")[1]
        self.assertTrue(long.startswith(short))

    def test_says_what_is_wrong(self):
        for options, expected in ((["--levels", "5"], "no level 5"),
                                  (["--targets", "flops=1"], "flops=1e9:1e11"),
                                  (["--seed", "-1"],
                                   "--seed: must be a whole number of 0 or more, not '-1'"),
                                  (["--count", "0"],
                                   "--count: must be a whole number of 1 or more, not '0'"),
                                  (["--targets", "flops=1e30:"], "widen --targets")):
            code, _, errors = generate(*options)
            self.assertEqual(code, 2)
            self.assertIn(expected, errors)

    def test_a_request_to_stop(self):
        for request in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([BINARY, "generate", "--count", "1000000000", "--json"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdout.readline()
                process.send_signal(request)
                _, words = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 75, words)

    def test_a_closed_output_is_an_error(self):
        command = f"exec {BINARY} generate --count 1 --json >&-"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("standard output: Bad file descriptor", done.stderr)


if __name__ == "__main__":
    unittest.main()
