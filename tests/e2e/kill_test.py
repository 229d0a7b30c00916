"""kill -9 at random moments, and the same command again, until it is done: the dataset is the one
of a run that nobody disturbed. The 50 kills of kill_long_test.py are the same test."""

import random
import time
import unittest

import program
import repository

KILLS = 5


class Kill(program.EndToEnd):
    kills = KILLS

    def test_a_killed_run_resumes_to_the_same_dataset(self):
        source = repository.sample_repository(self.folder / "source", files=2).folder
        configuration = self.configuration(source, generate={"count": 3, "levels": [1, 2]},
                                           answer=program.ANSWERS)
        began = time.monotonic()
        expected = self.build(configuration, self.folder / "whole")
        whole = time.monotonic() - began

        chance = random.Random(self.kills)
        output, killed, finished = self.folder / "killed", 0, 0
        least = whole / 4
        while killed < self.kills:
            process = program.start("sft", configuration, "--output", output, "--quiet")
            # The process alone: what it started must end by itself.
            began = time.monotonic()
            try:
                process.wait(timeout=chance.uniform(0, whole))
                self.assertEqual(process.returncode, program.DONE, process.stderr.read())
            except program.subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            process.stderr.close()
            if (output / "manifest.json").exists():
                self.assertEqual(self.audit(output), ("consistent", []))
                self.assert_same(output, expected)
                # Done before all the kills were dealt: begin another one. It knows the verdicts
                # that the first run had to work out, and takes less time.
                finished += 1
                output = self.folder / f"killed{finished}"
                whole = max(least, min(whole, 2 * (time.monotonic() - began)))
        manifest = self.build(configuration, output)
        self.assertEqual(manifest["manifest_digest"], expected["manifest_digest"])
        self.assert_same(output, expected)
        self.assertEqual(self.audit(output), ("consistent", []))
        self.assertEqual(self.leftovers(output), [])

    def assert_same(self, output, expected):
        for entry in expected["files"]:
            self.assertEqual((output / entry["path"]).read_bytes(),
                             (self.folder / "whole" / entry["path"]).read_bytes(), entry["path"])

    def leftovers(self, output):
        """Temporary files of killed attempts, which a finished run has swept away."""
        return sorted(str(path.relative_to(output)) for path in output.rglob("*.tmp-*"))


if __name__ == "__main__":
    unittest.main()
