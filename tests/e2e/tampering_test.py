"""Changes a published dataset: the audit must detect each change and name the file, and the record
if one was hit. tampering_long_test.py flips 300 bytes."""

import json
import random
import shutil
import unittest

import forger
import lmdb
import program
import repository


def byte_owners(dataset, path):
    """For a shard: (first byte, one past the last, number of the record) of every stored value. Of the
    header of a zstd frame, byte 4 has a bit that no reader looks at, so values begin after it."""
    data = path.read_bytes()
    owners = []
    with lmdb.open(str(path), subdir=False, readonly=True, lock=False) as store:
        with store.begin() as transaction:
            for key, value in transaction.cursor():
                if not key.startswith(b"__") and data.count(value) == 1:
                    at = data.index(value)
                    owners.append((at + 5, at + len(value), int.from_bytes(key, "big")))
    return owners


class Tampering(program.EndToEnd):
    flips = 60

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = program.EndToEnd()
        cls.made.setUp()
        cls.addClassCleanup(cls.made.doCleanups)
        source = repository.sample_repository(cls.made.folder / "source", files=3).folder
        cls.published = cls.made.folder / "published"
        # One dataset with an export and one without, so that forgeries need not forge rows too.
        cls.configuration = cls.made.configuration(source)
        cls.manifest = cls.made.build(cls.configuration, cls.published)
        cls.bare = cls.made.folder / "bare"
        cls.made.build(cls.configuration, cls.bare, "--set", "pack.formats=[]")

    def copy(self, dataset):
        target = self.folder / "copy"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(dataset, target)
        return target

    def records_of(self, dataset):
        return forger.read_records(dataset)

    def test_every_flipped_byte_is_found(self):
        chance = random.Random(self.flips)
        dataset = self.copy(self.published)
        names = [entry["path"] for entry in self.manifest["files"]] + ["manifest.json"]
        owners = {name: byte_owners(dataset, dataset / name)
                  for name in names if name.startswith("shards/") and name.endswith(".mdb")}
        hits = 0
        for _ in range(self.flips):
            # Half of the flips hit a stored value, so that the expected record is known.
            among = owners if chance.random() < 0.5 else names
            name = chance.choice([n for n in among if (dataset / n).stat().st_size])
            whole = (dataset / name).read_bytes()
            at = chance.randrange(len(whole))
            if name in owners and chance.random() < 0.7:
                first, last, _ = chance.choice(owners[name])
                at = chance.randrange(first, last)
            damaged = bytearray(whole)
            damaged[at] ^= 1 << chance.randrange(8)
            (dataset / name).write_bytes(damaged)
            with self.subTest(file=name, at=at):
                verdict, findings = self.audit(dataset)
                self.assertEqual(verdict, "damaged")
                self.assertIn(name, {file for file, _, _ in findings})
                for number in {r for first, last, r in owners.get(name, ()) if first <= at < last}:
                    hits += 1
                    self.assertTrue([True for file, record, _ in findings
                                     if file == name and record.startswith(f"record {number} (")],
                                    (number, findings))
                if name.endswith(".jsonl"):
                    row = whole[:at].count(b"\n")
                    self.assertIn((name, f"row {row}"), {f[:2] for f in findings})
            (dataset / name).write_bytes(whole)
        self.assertGreater(hits, self.flips // 20)
        self.assertEqual(self.audit(dataset), ("consistent", []))

    def test_files_that_go_come_or_shrink(self):
        for name in ("README.md", "shards/records-00000.mdb", "shards/records-00000.digests",
                     "data/train.jsonl", "mixture.json"):
            dataset = self.copy(self.published)
            (dataset / name).unlink()
            verdict, findings = self.audit(dataset)
            self.assertEqual((verdict, name in {f[0] for f in findings}), ("damaged", True), name)
            dataset = self.copy(self.published)
            (dataset / name).write_bytes((self.published / name).read_bytes()[:-1])
            verdict, findings = self.audit(dataset)
            self.assertEqual((verdict, name in {f[0] for f in findings}), ("damaged", True), name)
        dataset = self.copy(self.published)
        (dataset / "data/more.jsonl").write_text("{}\n", encoding="utf-8")
        (dataset / "shards/link").symlink_to("/etc/passwd")
        _, findings = self.audit(dataset)
        self.assertEqual({f[0] for f in findings}, {"data/more.jsonl", "shards/link"})

    def assert_found(self, dataset, *words):
        verdict, findings = self.audit(dataset)
        self.assertEqual(verdict, "damaged")
        for word in words:
            self.assertIn(word, json.dumps(findings))

    def forged(self, encoded, **changes):
        dataset = self.copy(self.bare)
        forger.write_shard(dataset, encoded)
        forger.cover_tracks(dataset, **changes)
        return dataset

    def test_the_forger_can_forge(self):
        dataset = self.copy(self.bare)
        before = (dataset / "manifest.json").read_bytes()
        forger.cover_tracks(dataset)
        self.assertEqual((dataset / "manifest.json").read_bytes(), before)
        records = self.records_of(self.bare)
        root = json.loads(before)["merkle_root"]
        self.assertEqual(forger.merkle_root(records), root)
        self.assertEqual(self.audit(self.forged(records)), ("consistent", []))

    def test_records_removed_added_and_moved(self):
        records = self.records_of(self.bare)
        self.assertGreater(len(records), 5)
        removed = records[:2] + records[3:]
        self.assert_found(self.forged(removed), "merkle_root", "removed")
        moved = records[:2] + [records[3], records[2]] + records[4:]
        self.assert_found(self.forged(moved), "merkle_root")
        # A correct root for moved records does not help, because the order is part of the format.
        self.assert_found(self.forged(moved, merkle_root=forger.merkle_root(moved)),
                          "out of order", "record 3")
        self.assert_found(self.forged(records[:3] + records[2:]), "out of order")
        extra = json.loads(next(r for r in records if json.loads(r)["kind"] == "task"))
        extra["payload"]["code"] += "\n# more\n"
        added = sorted(records + [forger.canonical(extra)],
                       key=lambda r: forger.content_id(json.loads(r)))
        self.assert_found(self.forged(added), "merkle_root", "added")
        # With a new root and new counts the records are consistent with each other, but not with the
        # pages that are made from them. Who forges these too is found by a digest that was kept.
        counts = {**json.loads((self.bare / "manifest.json").read_text("utf-8"))["records"]}
        counts["task"] += 1
        dataset = self.forged(added, merkle_root=forger.merkle_root(added), records=counts)
        self.assertEqual({file for file, _, _ in self.audit(dataset)[1]},
                         {"README.md", "report.html"})
        kept = json.loads((self.bare / "manifest.json").read_text("utf-8"))
        verdict, findings = self.audit(dataset, "--root", kept["manifest_digest"])
        self.assertEqual(verdict, "damaged")
        self.assertIn("this is another dataset", findings[-1][2])
        untouched = self.copy(self.bare)
        self.assertEqual(self.audit(untouched, "--root", kept["manifest_digest"]),
                         ("authentic", []))
        self.assertEqual(self.audit(untouched, "--root", kept["merkle_root"]),
                         ("same_records", []))
        self.assertEqual(self.audit(untouched, "--root", "0" * 64)[0], "another_dataset")

    def test_rederivation_finds_what_is_untouched_identical(self):
        done = program.run("audit", self.published, "--rederive", 100, "--json", "--jobs", 1)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        report = json.loads(done.stdout)["rederived"]
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["identical"], min(100, sum(self.manifest["records"].values())))


if __name__ == "__main__":
    unittest.main()
