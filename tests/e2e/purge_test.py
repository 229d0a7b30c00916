"""Purges datasets of several repositories: the result has the bytes of a dataset that never named what
went, no text of it is left, and a certificate beside it names every record that went."""

import itertools
import json
import pathlib
import random
import re
import unittest

import lmdb
import zstandard

import program
import repository

SUBSTRING = 32  # Bytes.
BARE_X = r"\bx\b"


def own_words(number):
    """A module of repository `number` with a text that no other repository has."""
    # No two of these names share as many bytes as SUBSTRING.
    mark = f"of_{number}_{'abcdefgh'[number] * 40}"
    return (repository.HEADER + f"\n\nclass Net{number}(nn.Module):\n    def __init__(self, dim):\n"
            f"        super().__init__()\n        self.proj = nn.Linear(dim, 24)\n\n"
            f"    def forward(self, x):\n        {mark} = self.proj(x)\n"
            f"        return {re.sub(BARE_X, mark, repository.BODIES[number])}\n"), mark


def contents(dataset):
    """Every byte of a dataset that a reader can see: files, and the values of its shards."""
    for path in sorted(pathlib.Path(dataset).rglob("*")):
        if not path.is_file() or ".run" in path.parts:
            continue
        data = path.read_bytes()
        yield data
        if path.suffix == ".zst":
            yield zstandard.ZstdDecompressor().stream_reader(data).read()
        if path.suffix == ".mdb":
            with lmdb.open(str(path), subdir=False, readonly=True, lock=False) as store:
                with store.begin() as transaction:
                    for key, value in transaction.cursor():
                        yield key if key.startswith(b"__") else zstandard.decompress(value)


class Purge(program.EndToEnd):
    repositories, choices = 4, 3

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = program.EndToEnd()
        cls.made.setUp()
        cls.addClassCleanup(cls.made.doCleanups)
        cls.sources, cls.marks = [], []
        for number in range(cls.repositories):
            text, mark = own_words(number)
            made = repository.Repository(cls.made.folder / f"source{number}")
            made.write("nets/net.py", text)
            # What all have is one record with several origins. What is refused has a text of its own.
            made.write("nets/shared.py", repository.GOOD_MODULE)
            made.write("nets/unsafe.py", "import os\n" + text.replace("dim, 24", "os.getpid(), 24")
                       .replace(f"Net{number}", f"Unsafe{number}"))
            made.commit()
            cls.sources.append({"git": str(made.folder), "url": f"https://example.org/{number}"})
            cls.marks.append(mark)
        cls.whole = cls.made.folder / "whole"
        cls.made.build(cls.made.configuration(*cls.sources), cls.whole)

    def purge(self, dataset, output, *options):
        done = program.run("purge", dataset, "--output", output, "--quiet", "--json", "--jobs", 1,
                           *options)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        return json.loads(done.stdout)

    def substrings(self, number):
        mark = self.marks[number].encode()
        return [mark[at:at + SUBSTRING] for at in range(len(mark) - SUBSTRING + 1)]

    def test_random_choices_equal_runs_that_never_named_them(self):
        chance = random.Random(7)
        choices = [list(choice) for size in (1, 2, 3)
                   for choice in itertools.combinations(range(self.repositories), size)]
        for choice in chance.sample(choices, self.choices):
            with self.subTest(choice):
                name = "".join(map(str, choice))
                options = [word for number in choice
                           for word in ("--repo", f"https://example.org/{number}")]
                certificate = self.purge(self.whole, self.folder / name, *options)
                left = [one for number, one in enumerate(self.sources) if number not in choice]
                never = self.folder / f"never{name}"
                self.build(self.configuration(*left, name=name), never)
                self.assertEqual((self.folder / name / "manifest.json").read_bytes(),
                                 (never / "manifest.json").read_bytes())
                self.assertEqual(self.audit(self.folder / name, "--root", certificate["result"]),
                                 ("authentic", []))
                seen = [data for folder in (self.folder / name,
                                            pathlib.Path(f"{self.folder / name}.quarantine"))
                        for data in contents(folder)]
                for number in range(self.repositories):
                    found = any(part in data for part in self.substrings(number) for data in seen)
                    self.assertEqual(found, number not in choice, number)

    def test_the_certificate_names_what_went_and_lies_beside(self):
        output = self.folder / "purged"
        certificate = self.purge(self.whole, output, "--repo", "https://example.org/1",
                                 "--reason", "asked for by its owner")
        self.assertEqual({key: value for key, value in certificate.items() if key != "version"},
                         json.loads((self.folder / "purged.removal.json").read_text("utf-8")))
        self.assertEqual(certificate["repositories"], ["https://example.org/1"])
        self.assertEqual(certificate["reason"], "asked for by its owner")
        before = json.loads((self.whole / "manifest.json").read_text("utf-8"))
        after = json.loads((output / "manifest.json").read_text("utf-8"))
        self.assertEqual(certificate["dataset"], before["manifest_digest"])
        self.assertEqual(certificate["result"], after["manifest_digest"])
        self.assertEqual(len(certificate["removed"]) - len(certificate["added"]),
                         sum(before["records"].values()) - sum(after["records"].values()))
        self.assertNotEqual(certificate["removed"], [])
        for data in contents(output):
            self.assertNotIn(b"example.org/1", data)

    def test_a_source_that_is_gone_can_be_purged(self):
        folder = self.folder / "moved"
        pathlib.Path(self.sources[2]["git"]).rename(folder)
        self.addCleanup(folder.rename, self.sources[2]["git"])
        self.purge(self.whole, self.folder / "purged", "--repo", "https://example.org/2")

    def test_what_cannot_be_purged_is_said(self):
        for words, said in ((("--repo", "https://example.org/9"), "its sources are: https"),
                            (("--licence", "GPL-3.0-only"), "does not allow GPL-3.0-only"),
                            ((), "say what is to go")):
            done = program.run("purge", self.whole, "--output", self.folder / "none", *words)
            self.assertEqual(done.returncode, program.WRONG_USE)
            self.assertIn(said, done.stderr)
        done = program.run("purge", self.whole, "--output", self.whole, "--repo",
                           "https://example.org/1")
        self.assertEqual(done.returncode, program.WRONG_USE)
        self.assertIn("names the dataset itself", done.stderr)

    def test_rejects_are_shown_with_their_place(self):
        done = program.run("rejects", self.whole, "--step", "slice", "--source",
                           "https://example.org/1", "--text")
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.assertIn("slice unsafe_import", done.stdout)
        self.assertRegex(done.stdout, r"nets/unsafe\.py:\d+")
        self.assertIn("class Unsafe1", done.stdout)
        self.assertTrue(done.stdout.endswith("1 reject of %s\n" % self.whole))
        lines = program.run("rejects", self.whole, "--json").stdout.splitlines()
        self.assertEqual(len(lines), self.repositories)
        self.assertEqual({json.loads(line)["reason"] for line in lines}, {"unsafe_import"})
        none = program.run("rejects", self.whole, "--reason", "licence").stdout
        self.assertTrue(re.match(r"0 rejects of ", none))


if __name__ == "__main__":
    unittest.main()
