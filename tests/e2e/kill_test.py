"""Kills a run with SIGKILL at random moments and repeats the command until it is done. The dataset
must be that of an undisturbed run. kill_long_test.py does the same with 50 kills."""

import random
import time
import unittest

import program
import repository

KILLS = 5


class Kill(program.EndToEnd):
    kills = KILLS

    def test_a_killed_run_resumes_to_the_same_dataset(self):
        source = repository.sample_repository(self.folder / "source", files=1).folder
        configuration = self.configuration(source, generate={"count": 2, "levels": [1]},
                                           answer={**program.ANSWERS, "limit": 1})
        began = time.monotonic()
        expected = self.build(configuration, self.folder / "whole")
        whole = time.monotonic() - began

        chance = random.Random(self.kills)
        output, killed, finished = self.folder / "killed", 0, 0
        least = whole / 4
        while killed < self.kills:
            process = program.start("sft", configuration, "--output", output, "--quiet")
            # Only the process itself; the processes that it started must end by themselves.
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
                # The run was done before all kills; begin another one. It is faster, because the
                # verdicts of the first run are cached.
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
        """Temporary files of killed attempts, which a finished run must have removed."""
        return sorted(str(path.relative_to(output)) for path in output.rglob("*.tmp-*"))


if __name__ == "__main__":
    unittest.main()
