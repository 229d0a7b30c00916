"""Changes a published dataset in the ways of somebody who knows the format and writes a manifest that
fits: the audit must find each change and name the file, and the row if one was hit. Each case is a
function of FORGERIES; what it changes, forger.cover_tracks() covers."""

import json
import os
import shutil
import unittest

import pyarrow as arrow
import pyarrow.parquet as parquet
import zstandard

import forger
import lmdb
import program
import repository

SHARD, DIGESTS = "shards/records-00000.mdb", "shards/records-00000.digests"
LINES, PACKED, PARQUET = "data/train.jsonl", "data/train.jsonl.zst", "data/train-00000-of-00001.parquet"
LICENCE = f"LICENSES/{repository.blob_id(repository.LICENCE)}.txt"
# Of each forgery: its function, the files of which one must be named, and what the finding says.
FORGERIES = []


def forgery(*files, record=""):
    """Registers a forgery. Its function changes the dataset in a folder and may return changes to the
    manifest. `record`: how the finding's record begins."""
    def register(function):
        FORGERIES.append((function.__name__, function, files, record))
        return function
    return register


def added(path, content=b"{}\n"):
    def change(dataset):
        (dataset / path).parent.mkdir(parents=True, exist_ok=True)
        (dataset / path).write_bytes(content)
    FORGERIES.append((f"adds {path}", change, (path,), ""))


def replaced(path, old, new):
    def change(dataset):
        text = (dataset / path).read_text("utf-8")
        assert old in text, (path, old)
        (dataset / path).write_text(text.replace(old, new, 1), "utf-8")
    return change


for name in ("data/train-evil.parquet", "data/train-00001-of-00002.parquet", "data/validation.jsonl",
             "data/test.jsonl", "data/evil/train.parquet", "train.parquet", "data/train.jsonl.bak",
             "load_dataset.py", "dataset_infos.json", ".gitattributes", "shards/evil.mdb",
             "shards/records-00001.digests", "quarantine/slice.mdb", "retry/round.json",
             "scores.json", "README.md.orig", ".run.json", f"LICENSES/{'0' * 40}.txt", "LICENSES/MIT.txt"):
    added(name)
for name in ("README.md", "report.html", "configuration.json", "mixture.json",
             "near_duplicates.jsonl", "NOTICE", LICENCE, LINES, PACKED, PARQUET, SHARD, DIGESTS):
    FORGERIES.append((f"removes {name}", lambda dataset, name=name: (dataset / name).unlink(),
                      (name,), ""))
for name, path, old, new in (
        ("the card's licence", "README.md", "- mit", "- apache-2.0"),
        ("the card's data files", "README.md", "path: \"data/", "path: \"https://x.org/"),
        ("the card's size", "README.md", "n<1K", "1K<n<10K"),
        ("the card's root", "README.md", "    ", "    0"),
        ("a script in the report", "report.html", "</body>", "<script>0</script></body>"),
        ("the report's title", "report.html", "<title>", "<title>better "),
        ("the shares of the mixture", "configuration.json", "\"shape_reasoning\": 8",
         "\"shape_reasoning\": 9"),
        ("a commit", "configuration.json", "\"revision\": \"", "\"revision\": \"0"),
        ("a source", "configuration.json", "\"url\": \"urn", "\"url\": \"https"),
        ("an allowed licence", "configuration.json", "    \"MIT\",\n", ""),
        ("an unknown key", "configuration.json", "\"limit\": 0,", "\"limit\": 0,\n  \"limits\": 0,"),
        ("a missing key", "configuration.json", "  \"limit\": 0,\n", ""),
        ("the layout of JSON", "configuration.json", "\"limit\": 0", "\"limit\":  0"),
        ("a format fewer", "configuration.json", "    \"parquet\",\n", ""),
        ("fewer rows in a file", "configuration.json", "rows_per_parquet_file\": 50000",
         "rows_per_parquet_file\": 2"),
        ("a factor of the mixture", "mixture.json", "\"shape_reasoning\": ", "\"shape_reasoning\": 1"),
        ("a factor of a task", "mixture.json", ": 0.1", ": 0.2"),
        ("an unknown family", "mixture.json", "\"analyze\"", "\"analyse\""),
        ("no mixture", "mixture.json", "{", "["),
        ("a holder in the notice", "NOTICE", "Copyright (c) 2020 Somebody", "Copyright (c) 2020 I"),
        ("a licence in the notice", "NOTICE", "  MIT: stated", "  CC0-1.0: stated"),
        ("a source in the notice", "NOTICE", "urn:local:", "https://example.org/"),
        ("a holder in a licence text", LICENCE, "Somebody", "Nobody"),
        ("an answer in JSON lines", LINES, "float32", "float16")):
    # Factors of a whole family cannot be told from shares of its rows, but the card has both.
    files = {"the shares of the mixture": ("README.md",),
             "a factor of the mixture": ("README.md",), "a format fewer": (PARQUET,),
             "fewer rows in a file": (PARQUET,)}.get(name, (path,))
    FORGERIES.append((name, replaced(path, old, new), files, "row 0" if path == LINES else ""))


@forgery("near_duplicates.jsonl")
def a_near_duplicate(dataset):
    (dataset / "near_duplicates.jsonl").write_bytes(b"{\"removed\":\"00\"}\n")


@forgery("near_duplicates.jsonl")
def text_among_near_duplicates(dataset):
    (dataset / "near_duplicates.jsonl").write_bytes(b"see https://x.org\n")


def lines_of(dataset):
    return (dataset / LINES).read_bytes().splitlines(keepends=True)


@forgery(LINES, record="row 1")
def a_line_is_removed(dataset):
    lines = lines_of(dataset)
    (dataset / LINES).write_bytes(b"".join(lines[:1] + lines[2:]))


@forgery(LINES, record="row 2")
def a_line_is_repeated(dataset):
    lines = lines_of(dataset)
    (dataset / LINES).write_bytes(b"".join(lines[:2] + lines[1:]))


@forgery(LINES, record="row 2")
def a_line_of_text_is_added(dataset):
    lines = lines_of(dataset)
    (dataset / LINES).write_bytes(b"".join(lines[:2] + [b"evil\n"] + lines[2:]))


@forgery(LINES, record="row 6")
def a_line_is_appended(dataset):
    lines = lines_of(dataset)
    (dataset / LINES).write_bytes(b"".join(lines + lines[-1:]))


@forgery(LINES, record="row 0")
def lines_change_places(dataset):
    lines = lines_of(dataset)
    (dataset / LINES).write_bytes(b"".join([lines[1], lines[0]] + lines[2:]))


@forgery(PACKED, record="row 3")
def a_compressed_line_is_changed(dataset):
    lines = lines_of(dataset)
    lines[3] = lines[3].replace(b"float32", b"float64", 1)
    (dataset / PACKED).write_bytes(zstandard.ZstdCompressor().compress(b"".join(lines)))


@forgery(PACKED)
def a_second_frame_is_appended(dataset):
    with open(dataset / PACKED, "ab") as file:
        file.write(zstandard.ZstdCompressor().compress(b"{}\n"))


def change_table(dataset, change):
    parquet.write_table(change(parquet.read_table(dataset / PARQUET)), dataset / PARQUET)


@forgery(PARQUET, record="row 2")
def a_parquet_row_is_removed(dataset):
    change_table(dataset, lambda t: arrow.concat_tables([t.slice(0, 2), t.slice(3)]))


@forgery(PARQUET, record="row 1")
def a_parquet_row_is_added(dataset):
    change_table(dataset, lambda t: arrow.concat_tables([t.slice(0, 1), t]))


@forgery(PARQUET, record="row 0")
def a_parquet_value_is_changed(dataset):
    change_table(dataset, lambda t: t.set_column(
        t.schema.get_field_index("family"), "family",
        arrow.array(["translate"] + t["family"].to_pylist()[1:])))


@forgery(PARQUET)
def a_parquet_column_is_added(dataset):
    change_table(dataset, lambda t: t.append_column("evil", arrow.array(["x"] * len(t))))


@forgery(DIGESTS, record="record 1 (")
def a_digest_is_changed(dataset):
    data = bytearray((dataset / DIGESTS).read_bytes())
    data[64 + 40] ^= 1
    (dataset / DIGESTS).write_bytes(data)


@forgery(DIGESTS, SHARD)
def digests_are_cut(dataset):
    (dataset / DIGESTS).write_bytes((dataset / DIGESTS).read_bytes()[:-64])


@forgery(SHARD)
def a_shard_has_a_key_more(dataset):
    with lmdb.open(str(dataset / SHARD), subdir=False, lock=False, map_size=1 << 26) as store:
        with store.begin(write=True) as transaction:
            transaction.put(b"zzz", b"evil")


def change_records(dataset, change, settle=True):
    """Changes the records (a list of JSON values) and, with `settle`, the root and the counts."""
    records = [json.loads(value) for value in forger.read_records(dataset)]
    records = [forger.canonical(one) for one in change(records)]
    if settle:
        records.sort(key=lambda r: forger.content_id(json.loads(r)))
    forger.write_shard(dataset, records)
    if not settle:
        return {}
    kinds, splits = {}, {}
    for one in map(json.loads, records):
        kinds[one["kind"]] = kinds.get(one["kind"], 0) + 1
        if one["kind"] == "training":
            split = one["attributes"]["split"]
            splits[split] = splits.get(split, 0) + 1
    counts = {"merkle_root": forger.merkle_root(records), "records": kinds, "rows": splits}
    twins = sum("near_equal_to" in one["attributes"] for one in map(json.loads, records))
    return counts | ({"near_equal_rows": twins} if twins else {})


def changed_row(name, files, change, record=""):
    """Changes the first training record, and everything that covers it but the exports."""
    def forge(dataset):
        def on(records):
            change(next(one for one in records if one["kind"] == "training"))
            return records
        return change_records(dataset, on)
    FORGERIES.append((name, forge, files, record))


changed_row("a weight", (SHARD,), lambda row: row["attributes"].update(weight=7.5), "record")
changed_row("a row that is said to be above the limit", (SHARD,),
            lambda row: row["attributes"].update(weight=0, near_equal_to="0" * 64), "record")
changed_row("a number of tokens", (LINES,),
            lambda row: row["attributes"].update(prompt_tokens=1), "row 0")
changed_row("a split", (LINES,), lambda row: row["attributes"].update(split="validation"), "row 0")
changed_row("an unknown split", (SHARD,), lambda row: row["attributes"].update(split="test"),
            "record")
changed_row("no licence", (SHARD,), lambda row: row.update(licences=[]), "record")
changed_row("a licence that is not allowed", ("configuration.json",),
            lambda row: row["licences"][0].update(spdx="GPL-3.0-only"))
changed_row("another licence", (LINES,),
            lambda row: row["licences"][0].update(spdx="Apache-2.0"), "row 0")
changed_row("no origin", (SHARD,), lambda row: row.update(origins=[]), "record")
changed_row("another origin", ("configuration.json",),
            lambda row: row["origins"][0].update(url="https://example.org/other"))
changed_row("an ancestor from nowhere", (SHARD,),
            lambda row: row["lineage"][-1]["inputs"].append("0" * 64), "record")
changed_row("a record of another kind", (SHARD,), lambda row: row.update(kind="task"), "record")
changed_row("an answer", (LINES,), lambda row: row["payload"]["messages"][-1].update(content="no"))


@forgery("manifest.json")
def a_record_is_removed(dataset):
    return change_records(dataset, lambda records: records[1:], settle=False)


@forgery("manifest.json", SHARD)
def records_change_places(dataset):
    return change_records(dataset, lambda records: [records[1], records[0]] + records[2:],
                          settle=False)


@forgery("manifest.json", LINES)
def a_row_is_removed_with_its_count(dataset):
    def without(records):
        row = next(one for one in records if one["kind"] == "training")
        return [one for one in records if one is not row]
    return change_records(dataset, without)


def changed_manifest(name, change, *files):
    def forge(dataset):
        manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
        change(manifest)
        return {key: value for key, value in manifest.items()
                if key not in ("files", "manifest_digest")}
    FORGERIES.append((name, forge, files or ("manifest.json",), ""))


changed_manifest("a root", lambda m: m.update(merkle_root="0" * 64))
changed_manifest("a count of records", lambda m: m["records"].update(task=7))
changed_manifest("a count of rows", lambda m: m["rows"].update(train=7))
changed_manifest("rows above the limit", lambda m: m.update(near_equal_rows=1))
changed_manifest("a split without rows", lambda m: m["rows"].update(validation=0))
changed_manifest("a sum", lambda m: m["counts"]["slice"].update(kept=7))
changed_manifest("a drop", lambda m: m["counts"]["slice"].update(kept=5, dropped={"limit": 1}),
                 "report.html")
changed_manifest("a reason", lambda m: m["counts"]["slice"].update(rejected={"parse_error": 1}),
                 "README.md", "report.html")
changed_manifest("a counter", lambda m: m["counts"]["read"]["counters"].update(bytes=1),
                 "report.html")
changed_manifest("more inputs", lambda m: m["counts"]["admit"].update({"in": 60, "kept": 60}))
changed_manifest("measured rows", lambda m: m["counts"]["measure"].update({"in": 5, "kept": 5}))
changed_manifest("no plan", lambda m: m["plan"].pop())
changed_manifest("a step twice", lambda m: m["plan"].append(m["plan"][-1]))
changed_manifest("steps that change places", lambda m: m["plan"].reverse())
changed_manifest("an unknown step", lambda m: m["plan"][0].update(step="steal"))
changed_manifest("a step without plan", lambda m: m["counts"].update(join=m["counts"]["measure"]))
changed_manifest("a version", lambda m: m["versions"].update(torch="9"), "report.html")
changed_manifest("contamination", lambda m: m.update(contaminated=True), "README.md")


# What does not follow from the records and the configuration: only the digest that was kept finds it.
KEPT_DIGEST_ONLY = []
for name, change in (("the identity of a plan", lambda m: m["plan"][0].update(identity="0" * 64)),):
    KEPT_DIGEST_ONLY.append((name, change))


class Forgeries(program.EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = program.EndToEnd()
        cls.made.setUp()
        cls.addClassCleanup(cls.made.doCleanups)
        source = repository.sample_repository(cls.made.folder / "source", files=3).folder
        cls.published = cls.made.folder / "published"
        cls.manifest = cls.made.build(cls.made.configuration(source), cls.published)

    def copy(self, number):
        return shutil.copytree(self.published, self.folder / str(number))

    def test_there_are_sixty(self):
        self.assertGreaterEqual(len(FORGERIES), 60)

    def test_covered_tracks_of_nothing_are_the_dataset(self):
        dataset = self.copy("same")
        forger.cover_tracks(dataset)
        self.assertEqual((dataset / "manifest.json").read_bytes(),
                         (self.published / "manifest.json").read_bytes())
        kept = self.manifest["manifest_digest"]
        self.assertEqual(self.audit(dataset, "--root", kept), ("authentic", []))

    def test_each_is_found_and_named(self):
        kept = self.manifest["manifest_digest"]
        for number, (name, change, files, record) in enumerate(FORGERIES):
            with self.subTest(name):
                dataset = self.copy(number)
                forger.cover_tracks(dataset, **(change(dataset) or {}))
                verdict, findings = self.audit(dataset, "--root", kept)
                self.assertEqual(verdict, "damaged")
                self.assertIn("this is another dataset", findings[-1][2])
                # The last finding is the digest's; the others must do without it.
                self.assertEqual(self.audit(dataset), ("damaged", findings[:-1]))
                self.assertTrue([True for file, place, _ in findings[:-1]
                                 if file in files and place.startswith(record)], findings)

    def test_one_changed_row_is_one_finding(self):
        for number, change in enumerate((a_line_is_removed, a_line_is_repeated,
                                         a_line_of_text_is_added, a_line_is_appended,
                                         a_compressed_line_is_changed, a_parquet_row_is_removed,
                                         a_parquet_row_is_added, a_digest_is_changed)):
            with self.subTest(change.__name__):
                dataset = self.copy(number)
                change(dataset)
                forger.cover_tracks(dataset)
                self.assertEqual(len(self.audit(dataset)[1]), 1)

    def test_what_nothing_else_tells_is_found_by_the_digest(self):
        for number, (name, change) in enumerate(KEPT_DIGEST_ONLY):
            with self.subTest(name):
                dataset = self.copy(number)
                manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
                change(manifest)
                forger.cover_tracks(dataset, plan=manifest["plan"])
                self.assertEqual(self.audit(dataset), ("consistent", []))
                verdict, findings = self.audit(dataset, "--root", self.manifest["manifest_digest"])
                self.assertEqual((verdict, findings[0][0]), ("another_dataset", "manifest.json"))

    def test_links_and_pipes_are_named(self):
        dataset = self.copy("links")
        (dataset / "data/link.parquet").symlink_to("/etc/passwd")
        os.mkfifo(dataset / "data/pipe.jsonl")
        forger.cover_tracks(dataset)
        self.assertEqual({file for file, _, _ in self.audit(dataset)[1]},
                         {"data/link.parquet", "data/pipe.jsonl"})

    def test_a_quarantine_beside_is_compared_with_the_counts(self):
        dataset = self.copy("beside")
        beside = self.folder / "beside.quarantine"
        shutil.copytree(f"{self.published}.quarantine", beside)
        self.assertEqual(self.audit(dataset), ("consistent", []))
        shutil.copy(beside / "read.mdb", beside / "slice.mdb")
        self.assertEqual([file for file, _, _ in self.audit(dataset)[1]], [str(beside / "slice.mdb")])


if __name__ == "__main__":
    unittest.main()
