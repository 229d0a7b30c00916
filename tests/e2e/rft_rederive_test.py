"""Verdicts and selections that somebody has changed in an RFT dataset are found by deriving them
again."""

import json
import pathlib
import shutil
import tempfile
import unittest

import forger
import program
import rft_test
import verify_run


class Rederived(program.EndToEnd):
    configure = rft_test.Rft.__dict__["configure"]
    build_rft = rft_test.Rft.__dict__["build_rft"]
    audit, rederive = rft_test.Rft.audit, rft_test.Rft.rederive

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-rederive-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.environment = verify_run.own_root(cls.shared)
        cls.tasks = rft_test.write_tasks(cls.shared / "tasks.jsonl")
        lines = cls.shared / "samples.jsonl"
        rft_test.write_samples(lines, rft_test.plain)
        cls.base = cls.shared / "base"
        cls.build_rft(cls.base, cls.configure(lines), "--jobs", 2)

    def test_changed_verdicts_and_selections_are_found_and_named(self):
        changed = self.folder / "changed"
        shutil.copytree(self.base, changed)
        verdicts = changed / "verdicts.jsonl"
        lines = verdicts.read_text().splitlines(keepends=True)
        judged = [i for i, line in enumerate(lines) if '"verdict":{' in line]
        self.assertGreater(len(judged), 1)

        def forge(numbers):
            verdicts.write_text("".join(
                line.replace('"fingerprint":"', '"fingerprint":"0', 1) if i in numbers else line
                for i, line in enumerate(lines)))
            forger.cover_tracks(changed)
            self.assertEqual(self.audit(changed), ("consistent", []))

        forge(judged[1:2])
        self.assertIn(("verdicts.jsonl", f"line {judged[1] + 1}"), self.rederive(changed, 100)[1])
        # The verdicts on the samples of the chosen records' tasks are made again.
        forge(judged)
        _, findings = self.rederive(changed, 3)
        self.assertEqual({file for file, _ in findings}, {"verdicts.jsonl"})
        self.assertLessEqual({place for _, place in findings},
                             {f"line {i + 1}" for i in judged})
        forge([])
        selection = changed / "selection.json"
        text = selection.read_text()
        self.assertIn(": 1,", text)
        selection.write_text(text.replace(": 1,", ": 9,", 1))
        forger.cover_tracks(changed)
        places = [place for file, place in self.rederive(changed, 100)[1]
                  if file == "selection.json"]
        self.assertIn(f"line {text[:text.index(': 1,')].count(chr(10)) + 1}", places)

    def test_a_changed_secret_or_seed_is_found(self):
        changed = self.folder / "changed"
        shutil.copytree(self.base, changed)
        path = changed / "judging.json"
        text = path.read_text()
        judging = json.loads(text)
        self.assertTrue(judging["secret"])
        without_seed = {key: value for key, value in judging.items() if key != "seed"}
        for other in ([], {**judging, "secret": None, "commitment": None}, without_seed,
                      {**judging, "seed": judging["seed"] + 1}, {**judging, "seed": "42"},
                      {**judging, "note": "x"}, {**judging, "secret": "0" * 64}):
            with self.subTest(other):
                path.write_text(json.dumps(other, indent=2) + "\n")
                forger.cover_tracks(changed)
                verdict, findings = self.audit(changed)
                self.assertEqual((verdict, [file for file, _, _ in findings]),
                                 ("damaged", ["judging.json"]))
        path.write_text(text)
        forger.cover_tracks(changed)
        self.assertEqual(self.audit(changed), ("consistent", []))


if __name__ == "__main__":
    unittest.main()
