"""`append` and the outcome store: a dataset with more sources has the bytes of one run over all of
them, and of the old ones only what the store does not have is done again."""

import hashlib
import json
import os
import unittest

import program
import repository


class Append(program.EndToEnd):
    repositories = 3

    def setUp(self):
        super().setUp()
        self.root = program.separate_root(self.folder / "root")
        (self.root / ".cache").mkdir()
        # Compiling the executor takes minutes, and verdicts are not what is asked about here.
        for name in ("extensions", "verdicts"):
            (self.root / ".cache" / name).symlink_to(program.ROOT / ".cache" / name)
        self.environment = {"KERNELMILL_ROOT": str(self.root)}
        self.sources = []
        for number in range(self.repositories):
            made = repository.Repository(self.folder / f"source{number}")
            bodies = repository.BODIES[2 * number:2 * number + 2]
            made.write("nets/net.py", repository.HEADER + "".join(
                repository.module(f"Net{number}{'ab'[which]}", body)
                for which, body in enumerate(bodies)))
            # What all have is one record with several origins.
            made.write("nets/shared.py", repository.GOOD_MODULE)
            made.commit()
            self.sources.append({"git": f"source{number}", "url": f"https://example.org/{number}"})
        self.keys = {"answer": {**program.ANSWERS, "limit": 4, "backends": ["cuda"]},
                     "perturb": {"mutants": 1}}

    def do(self, *arguments, **options):
        return program.run(*arguments, environment=self.environment, outcomes=True, **options)

    def made(self, *arguments):
        done = self.do(*arguments, "--quiet", "--json", "--jobs", 1)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        return json.loads(done.stdout)

    def kept(self):
        """The outcomes in the store, with a hash of the bytes of each."""
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                for path in (self.root / ".cache/outcomes").glob("*/*.outcome")}

    def of_sources(self, numbers, name):
        return self.configuration(*(self.sources[number] for number in numbers), name=name,
                                  **self.keys)

    def more(self, numbers):
        path = self.folder / f"more{numbers[0]}.yaml"
        path.write_text(json.dumps({"sources": [self.sources[number] for number in numbers]}))
        return path

    def test_equals_one_run_and_does_only_the_work_of_the_new_sources(self):
        few, all_of_them = self.of_sources((0, 2), "few"), self.of_sources((0, 1, 2), "all")
        whole = self.made("sft", all_of_them, "--output", self.folder / "whole", "--no-outcomes")
        self.assertGreaterEqual(whole["records"]["candidate"], 4)
        self.assertEqual(self.kept(), {})
        self.made("sft", few, "--output", self.folder / "few")
        before = self.kept()
        appended = self.made("append", self.folder / "few", self.more([1]), "--output",
                             self.folder / "appended")
        self.assertEqual(appended["manifest_digest"], whole["manifest_digest"])
        after = self.kept()
        # Each step has new inputs: the two modules of the new source, and the shared one, whose
        # origins are three now.
        new = len(after) - len(before)
        self.assertLessEqual(before.items(), after.items())
        self.assertGreater(new, 0)
        self.assertLess(new, len(before))
        # A run over all of them makes the same, and has only the work left to do that was too
        # little to be kept: it may take longer now, and be kept.
        again = self.made("sft", all_of_them, "--output", self.folder / "again")
        self.assertEqual(again["manifest_digest"], whole["manifest_digest"])
        self.assertLessEqual(after.items(), self.kept().items())

    def test_appends_to_a_dataset_without_sources(self):
        self.sources, keys = self.sources[:1], {"generate": {"count": 1, "levels": [1]}}
        drawn = self.configuration(name="drawn", **keys)
        self.made("sft", drawn, "--output", self.folder / "drawn")
        both = self.configuration(*self.sources, name="both", **keys)
        whole = self.made("sft", both, "--output", self.folder / "whole", "--no-outcomes")
        appended = self.made("append", self.folder / "drawn", self.more([0]), "--output",
                             self.folder / "appended")
        self.assertEqual(appended["manifest_digest"], whole["manifest_digest"])

    def test_damage_is_found_and_the_work_done_again(self):
        configuration = self.of_sources((0,), "one")
        first = self.made("sft", configuration, "--output", self.folder / "first")
        good = self.kept()
        for number, name in enumerate(sorted(good)):
            path = self.root / ".cache/outcomes" / name[:2] / name
            data = path.read_bytes()
            path.write_bytes((data[:len(data) // 2], b"", data[:-1] + bytes([data[-1] ^ 1]))
                             [number % 3])
        damaged = self.kept()
        second = self.made("sft", configuration, "--output", self.folder / "second")
        self.assertEqual(second["manifest_digest"], first["manifest_digest"])
        # Work that takes too little time to be kept may do so in one run and not in the other.
        again = self.kept()
        mended = {name for name in good if again[name] != damaged[name]}
        self.assertGreater(len(mended), len(good) // 2)
        self.assertEqual({name: again[name] for name in mended},
                         {name: good[name] for name in mended})

    def test_a_store_that_cannot_be_written_ends_the_run(self):
        folder = self.root / ".cache/outcomes"
        folder.write_text("no folder")
        done = self.do("sft", self.of_sources((0,), "one"), "--output", self.folder / "out",
                       "--quiet")
        self.assertNotEqual(done.returncode, program.DONE)
        self.assertIn(str(folder), done.stderr)

    def test_what_cannot_be_appended_is_said(self):
        few = self.folder / "few"
        self.made("sft", self.of_sources((0,), "few"), "--output", few, "--set",
                  "answer.variants=0")
        other = self.folder / "seed.yaml"
        other.write_text(json.dumps({"seed": 8, "sources": [self.sources[1]]}))
        nothing = self.folder / "nothing.yaml"
        nothing.write_text("sources: []")
        (self.folder / "few.removal.json").write_text(json.dumps(
            {"kind": "kernelmill_removal", "repositories": ["https://example.org/2"],
             "earlier_repositories": []}))
        for configuration, output, said in (
                (other, "out", "seed"), (nothing, "out", "names nothing to append"),
                (self.more([2]), "out", "a purge has removed https://example.org/2"),
                (self.more([1]), "few", "names the dataset"),
                (self.folder / "none.yaml", "out", "none.yaml")):
            with self.subTest(said):
                done = self.do("append", few, configuration, "--output", self.folder / output)
                self.assertEqual(done.returncode, program.WRONG_USE, done.stderr)
                self.assertIn(said, done.stderr)
        self.assertFalse(os.path.exists(self.folder / "out/manifest.json"))
        # What was removed stays so in what is made from it.
        self.made("append", few, self.more([1]), "--output", self.folder / "two")
        done = self.do("append", self.folder / "two", self.more([2]), "--output",
                       self.folder / "three")
        self.assertEqual(done.returncode, program.WRONG_USE, done.stderr)
        self.assertIn("a purge has removed https://example.org/2", done.stderr)
        certificate = self.folder / "three.removal.json"
        certificate.write_text(json.dumps({"repositories": [], "result": "of a purge"}))
        before = certificate.read_bytes()
        done = self.do("append", few, self.more([1]), "--output", self.folder / "three")
        self.assertNotEqual(done.returncode, program.DONE)
        self.assertIn(str(certificate), done.stderr)
        self.assertEqual(certificate.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
