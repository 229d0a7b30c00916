"""Of 5,000 generated tasks, at least 99.5 % run in torch as written, with finite results."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import generated_tasks  # noqa: E402


class Generate(unittest.TestCase):
    def test_five_thousand(self):
        done = subprocess.run(
            [os.environ["KERNELMILL_BINARY"], "generate", "--count", "5000", "--seed", "1", "--json"],
            capture_output=True, text=True, check=True)
        tasks = [json.loads(line) for line in done.stdout.splitlines()]
        faults = [(task["id"], reason) for task in tasks
                  if (reason := generated_tasks.fault(task["check"]))]
        self.assertEqual(len(tasks), 5000)
        self.assertLessEqual(len(faults), 25, faults[:4])


if __name__ == "__main__":
    unittest.main()
