"""Purges datasets of several repositories: the result has the bytes of a dataset that never named what
went, no text of it is left, and a certificate beside it names every record that went."""

import itertools
import json
import pathlib
import random
import re
import unittest

import dataset_bytes
import forger
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


class Purge(program.EndToEnd):
    repositories, choices = 4, 2

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
            repository.write_port(made)
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
                        for data in dataset_bytes.contents(folder)]
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
        for data in dataset_bytes.contents(output):
            self.assertNotIn(b"example.org/1", data)

    def records(self, dataset):
        """The records of a dataset by content_id."""
        records = (json.loads(encoded) for encoded in forger.read_records(dataset))
        return {forger.content_id(record).hex(): record for record in records}

    def test_a_task_and_a_row_go_with_all_that_was_made_of_them(self):
        before, output = self.records(self.whole), self.folder / "purged"
        def is_task(record, mark):
            return record["kind"] == "task" and mark in record["payload"]["code"]
        task = next(name for name, one in before.items() if is_task(one, self.marks[0]))
        other = next(name for name, one in before.items() if is_task(one, self.marks[1]))
        row = next(name for name, one in before.items()
                   if one["kind"] == "training" and one["payload"]["task_id"] == other)
        certificate = self.purge(self.whole, output, "--task", task[:20], "--record", row)
        self.assertEqual(self.audit(output, "--root", certificate["result"]), ("authentic", []))
        gone, left = {task, row}, self.records(output)
        for _ in before:  # What is made from what goes, until there is no more.
            gone |= {name for name, one in before.items() for derivation in one["lineage"]
                     if gone & set(derivation["inputs"])}
        self.assertEqual({one["content_id"] for one in certificate["removed"]}, gone)
        self.assertEqual((set(before) - set(left), certificate["added"]), (gone, []))
        self.assertEqual((certificate["tasks"], certificate["records"]), ([task[:20]], [row]))
        counts = json.loads((output / "manifest.json").read_text("utf-8"))["counts"]
        self.assertEqual(counts["admit"]["dropped"], {"record_excluded": 1})
        # The quarantine holds a class of the same source, which shares these words.
        for data in dataset_bytes.contents(output):
            self.assertFalse(any(part in data for part in self.substrings(0)))
            self.assertFalse(any(name.encode() in data for name in (task, row)))
        # The configuration of the result makes it again.
        self.assertEqual(self.audit(output, "--rederive", 5)[0], "consistent")
        done = program.run("diff", self.whole, output, "--json")
        self.assertEqual(done.returncode, program.NEGATIVE, done.stderr)
        difference = json.loads(done.stdout)
        self.assertEqual(difference["removed"], certificate["removed"])
        self.assertEqual(difference["added"], [])
        self.assertIn("exclude_records", difference["configuration"])
        self.assertEqual({one["content_id"] for one in difference["changed"]},
                         {name for name, one in left.items() if one != before[name]})

    def test_a_merge_is_the_run_over_the_sources_of_both(self):
        a, b, merged = (self.folder / name for name in ("a", "b", "merged"))
        self.build(self.configuration(*self.sources[2:], name="a"), a)
        self.build(self.configuration(*self.sources[:3], name="b"), b)
        done = program.run("merge", a, b, "--output", merged, "--quiet", "--json", "--jobs", 1)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        done = program.run("diff", merged, self.whole)
        self.assertEqual(done.returncode, program.DONE, done.stdout)
        self.assertEqual((merged / "manifest.json").read_bytes(),
                         (self.whole / "manifest.json").read_bytes())
        # What was purged from one of them is not taken from the other.
        (self.folder / "a.removal.json").write_text(json.dumps(
            {"kind": "kernelmill_removal", "repositories": ["https://example.org/0",
                                                            "https://example.org/1"]}))
        left = self.folder / "left"
        done = program.run("merge", b, a, "--output", left, "--quiet", "--jobs", 1)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.assertEqual((left / "manifest.json").read_bytes(), (a / "manifest.json").read_bytes())
        # Nor does it come back later.
        passed_on = json.loads((self.folder / "left.removal.json").read_text("utf-8"))
        self.assertEqual(passed_on["earlier_repositories"],
                         ["https://example.org/0", "https://example.org/1"])
        again = self.purge(left, self.folder / "less", "--repo", "https://example.org/2")
        self.assertEqual(again["repositories"], ["https://example.org/2"])
        self.assertEqual(again["earlier_repositories"], passed_on["earlier_repositories"])
        for words, said in (((a, b, "--output", a), "names the dataset"),
                            ((a, self.folder / "nothing", "--output", left), "nothing")):
            done = program.run("merge", *words)
            self.assertEqual(done.returncode, program.WRONG_USE)
            self.assertIn(said, done.stderr)

    def test_licence_texts_and_notice_name_every_source_that_is_left(self):
        notice = (self.whole / "NOTICE").read_text("utf-8")
        for source in self.sources:
            self.assertIn(source["url"] + " (", notice)
        self.assertIn("    Copyright (c) 2020 Somebody\n", notice)
        texts = {path.name: path.read_text("utf-8") for path in (self.whole / "LICENSES").iterdir()}
        self.assertEqual(texts, {repository.blob_id(repository.LICENCE) + ".txt":
                                 repository.LICENCE})

    def test_a_source_that_is_gone_can_be_purged(self):
        folder = self.folder / "moved"
        pathlib.Path(self.sources[2]["git"]).rename(folder)
        self.addCleanup(folder.rename, self.sources[2]["git"])
        self.purge(self.whole, self.folder / "purged", "--repo", "https://example.org/2")

    def test_what_cannot_be_purged_is_said(self):
        for words, said in ((("--repo", "https://example.org/9"), "its sources are: https"),
                            (("--licence", "GPL-3.0-only"), "does not allow GPL-3.0-only"),
                            (("--task", "zz"), "hexadecimal"),
                            (("--record", "0" * 64), "no record"),
                            ((), "say what is to go")):
            done = program.run("purge", self.whole, "--output", self.folder / "none", *words)
            self.assertEqual(done.returncode, program.WRONG_USE)
            self.assertIn(said, done.stderr)
        done = program.run("purge", self.whole, "--output", self.whole, "--repo",
                           "https://example.org/1")
        self.assertEqual(done.returncode, program.WRONG_USE)
        self.assertIn("names the dataset", done.stderr)

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
