"""Purges a task from the datasets of rft_test.py."""

import json
import pathlib

import dataset_bytes
import program


def check(test, task, answers, text):
    """Removes the task of `test.base` that `answers` samples answer, all with `text`."""
    output = test.shared / "purged"
    done = program.run("purge", test.base, "--task", task, "--output", output, "--quiet", "--json",
                       "--jobs", 1, environment=test.environment)
    test.assertEqual(done.returncode, program.DONE, done.stderr)
    test.assertIn(task, {one["content_id"] for one in json.loads(done.stdout)["removed"]})
    test.assertEqual(test.audit(output), ("consistent", []))
    counts = json.loads((output / "manifest.json").read_text())["counts"]
    test.assertEqual(counts["join"]["dropped"], {"record_excluded": answers})
    # The samples of the task, their verdicts and its id are nowhere, the quarantine included.
    for folder in (output, pathlib.Path(f"{output}.quarantine")):
        for data in dataset_bytes.contents(folder):
            test.assertNotIn(text, data)
            test.assertNotIn(task.encode(), data)
    done = program.run("purge", test.second, "--task", task, "--output", test.shared / "none",
                       environment=test.environment)
    test.assertEqual(done.returncode, program.WRONG_USE)
    test.assertIn("retry buffer of the round before", done.stderr)
