"""Reads a dataset of the program with the reader package and with other libraries. All of them must
return the same rows."""

import json
import multiprocessing
import os
import pathlib
import pickle
import random
import shutil
import struct
import sys
import tempfile
import threading
import unittest

# Must be set before `datasets` is imported, which otherwise asks the hub about every name.
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"

import datasets  # noqa: E402
import lmdb  # noqa: E402
import pyarrow.dataset  # noqa: E402
import pyarrow.parquet  # noqa: E402
import torch.utils.data  # noqa: E402
import zstandard  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))

import kernelmill  # noqa: E402
from kernelmill.shard import Shard  # noqa: E402
from small_dataset import BINARY, build_dataset, run  # noqa: E402
from terminal import on_terminal  # noqa: E402


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def setUpModule():
    global folder, dataset, train
    folder = tempfile.TemporaryDirectory()
    dataset = build_dataset(pathlib.Path(folder.name), "mix: {shape_reasoning: 0.75}\n")
    train = lines_of(dataset / "data/train.jsonl")


def tearDownModule():
    folder.cleanup()


def rows_in_child(source, queue):
    queue.put([source[i] for i in range(len(source))])


class Rows(unittest.TestCase):
    def test_are_those_of_the_json_lines(self):
        manifest = json.loads((dataset / "manifest.json").read_text())
        self.assertGreater(len(train), 5)
        self.assertGreater(len(list((dataset / "shards").glob("*.mdb"))), 1)
        for split, count in manifest["rows"].items():
            rows = kernelmill.Dataset(dataset, split=split)
            self.assertEqual(len(rows), count)
            self.assertEqual(list(rows), lines_of(dataset / f"data/{split}.jsonl"))
        self.assertEqual(len(kernelmill.Dataset(dataset)), sum(manifest["rows"].values()))

    def test_of_a_family(self):
        wanted = [row for row in train if row["family"] == "shape_reasoning"]
        self.assertEqual(list(kernelmill.Dataset(dataset, "train", "shape_reasoning")), wanted)
        self.assertEqual(len(kernelmill.Dataset(dataset, family="no such family")), 0)

    def test_index_like_a_list(self):
        rows = kernelmill.Dataset(str(dataset), "train")
        count = len(train)
        for index in (0, 3, count - 1, -1, -count):
            self.assertEqual(rows[index], train[index])
        for index in (count, -count - 1):
            with self.assertRaises(IndexError):
                rows[index]
        with self.assertRaises(TypeError):
            rows["0"]
        for part in (slice(2, 5), slice(None, None, -1), slice(-3, None), slice(count, None)):
            self.assertEqual(list(rows[part]), train[part])
        self.assertEqual(rows[1:][1:][0], train[2])
        self.assertIn(train[4], rows)

    def test_shuffled_from_two_workers(self):
        for context in ("fork", "spawn"):
            rows = kernelmill.Dataset(dataset, "train")
            rows[0]  # Opens the dataset in the parent, before workers are forked.
            loader = torch.utils.data.DataLoader(
                rows, batch_size=2, shuffle=True, num_workers=2, collate_fn=list,
                multiprocessing_context=context, generator=torch.Generator().manual_seed(1))
            seen = [row for batch in loader for row in batch]
            self.assertNotEqual(seen, train)
            self.assertEqual(sorted(seen, key=lambda row: row["content_id"]), train)
            self.assertEqual(rows[0], train[0])

    def test_after_a_fork_in_child_and_parent(self):
        rows = kernelmill.Dataset(dataset, "train")
        self.assertEqual(rows[0], train[0])
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        children = [context.Process(target=rows_in_child, args=(rows, queue)) for _ in range(2)]
        for child in children:
            child.start()
        for _ in children:
            self.assertEqual(queue.get(timeout=60), train)
        for child in children:
            child.join()
            self.assertEqual(child.exitcode, 0)
        self.assertEqual(list(rows), train)

    def test_from_several_threads_and_datasets(self):
        sources = [kernelmill.Dataset(dataset, "train") for _ in range(2)]
        failures = []

        def read(seed):
            order = list(range(len(train))) * 20
            random.Random(seed).shuffle(order)
            for index in order:
                if sources[seed % 2][index] != train[index]:
                    failures.append(index)

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_survive_a_pickle(self):
        rows = kernelmill.Dataset(dataset, "train")
        self.assertEqual(list(pickle.loads(pickle.dumps(rows))), train)
        self.assertEqual(list(pickle.loads(pickle.dumps(rows[2:4]))), train[2:4])

    def test_leave_nothing_behind(self):
        before = sorted(path for path in dataset.rglob("*"))
        list(kernelmill.Dataset(dataset))
        self.assertEqual(sorted(path for path in dataset.rglob("*")), before)


class Damage(unittest.TestCase):
    def setUp(self):
        copy = tempfile.TemporaryDirectory()
        self.addCleanup(copy.cleanup)
        self.copy = pathlib.Path(copy.name, "dataset")
        shutil.copytree(dataset, self.copy)
        self.shard = self.copy / "shards/records-00000.mdb"

    def assert_names(self, name, work):
        with self.assertRaises(kernelmill.DatasetError) as caught:
            work()
        self.assertIn(name, str(caught.exception))

    def test_of_a_shard_is_found_wherever_it_is(self):
        whole = self.shard.read_bytes()
        for at in (0, 20, 5000, len(whole) // 2, len(whole) - 1):
            damaged = bytearray(whole)
            damaged[at] ^= 0x41
            self.shard.write_bytes(damaged)
            self.assert_names("records-00000.mdb", lambda: len(kernelmill.Dataset(self.copy)))
        self.shard.write_bytes(whole[:len(whole) // 2])
        self.assert_names("records-00000.mdb", lambda: len(kernelmill.Dataset(self.copy)))
        self.shard.unlink()
        self.assert_names("records-00000.mdb", lambda: len(kernelmill.Dataset(self.copy)))

    def test_of_digests(self):
        rows = kernelmill.Dataset(self.copy)
        list(rows)
        digests = self.shard.with_suffix(".digests")
        digests.write_bytes(bytes(len(digests.read_bytes())))
        self.assert_names("records-00000.digests", lambda: rows[0])

    def test_of_the_manifest(self):
        manifest = self.copy / "manifest.json"
        manifest.write_text("{")
        self.assert_names("manifest.json", lambda: kernelmill.Dataset(self.copy))
        manifest.write_text('{"v": 99, "files": []}')
        self.assert_names("version 99", lambda: kernelmill.Dataset(self.copy))
        manifest.unlink()
        self.assert_names("no manifest.json", lambda: kernelmill.Dataset(self.copy))


class Shards(unittest.TestCase):
    """Shards that no dataset contains yet: with a dictionary, another schema, or a newer
    version."""

    def write(self, values, meta, dictionary=None):
        path = tempfile.mktemp(suffix=".mdb")
        self.addCleanup(os.unlink, path)
        compressor = zstandard.ZstdCompressor(dict_data=dictionary)
        with lmdb.open(path, subdir=False, lock=False) as environment, \
                environment.begin(write=True) as transaction:
            transaction.put(b"__meta__", json.dumps(meta).encode())
            if dictionary:
                transaction.put(b"__dictionary__", dictionary.as_bytes())
            for number, value in enumerate(values):
                transaction.put(struct.pack(">Q", number), compressor.compress(value))
        return path

    def test_with_a_dictionary(self):
        values = [json.dumps({"row": i, "text": "shape " * (i % 7)}).encode() for i in range(2000)]
        dictionary = zstandard.train_dictionary(2048, values)
        meta = {"v": 1, "schema": "s", "count": len(values), "codec": "zstd+dictionary"}
        self.assertEqual(list(Shard(self.write(values, meta, dictionary), "s")), values)

    def test_of_another_kind_are_refused(self):
        good = {"v": 1, "schema": "s", "count": 1, "codec": "zstd"}
        self.assertEqual(Shard(self.write([b"x"], good), "s")[0], b"x")
        for change in ({"schema": "t"}, {"v": 2}, {"codec": "brotli"}, {"count": None}):
            with self.assertRaises(kernelmill.DatasetError):
                Shard(self.write([b"x"], {**good, **change}), "s")


class Exports(unittest.TestCase):
    def test_parquet_has_the_rows_of_the_json_lines(self):
        files = sorted((dataset / "data").glob("train-*.parquet"))
        self.assertEqual([path.name for path in files],
                         [f"train-{i:05}-of-{len(files):05}.parquet" for i in range(len(files))])
        self.assertGreater(len(files), 1)
        self.assertEqual(len({str(pyarrow.parquet.read_schema(path)) for path in files}), 1)
        table = pyarrow.dataset.dataset([str(path) for path in files]).to_table()
        for column in table.columns:
            self.assertEqual(column.null_count, 0)
        rows = table.to_pylist()
        for row in rows:
            row.update(json.loads(row.pop("metadata")))
        self.assertEqual(rows, train)

    def test_parquet_opens_in_datasets(self):
        with tempfile.TemporaryDirectory() as cache:
            loaded = datasets.load_dataset(str(dataset), cache_dir=cache)
        manifest = json.loads((dataset / "manifest.json").read_text())
        self.assertEqual({split: len(rows) for split, rows in loaded.items()}, manifest["rows"])
        self.assertEqual(loaded["train"][0]["messages"], train[0]["messages"])

    def test_the_default_zstandard_reader_reads_every_line(self):
        for split in json.loads((dataset / "manifest.json").read_text())["rows"]:
            with open(dataset / f"data/{split}.jsonl.zst", "rb") as file:
                text = zstandard.ZstdDecompressor().stream_reader(file).read()
            self.assertEqual(text, (dataset / f"data/{split}.jsonl").read_bytes())

    def test_the_command_writes_them_again(self):
        parquet = ("--rows-per-parquet-file", 5)
        for name, options in (("parquet", parquet), ("jsonl", ()), ("jsonl_zst", ())):
            with tempfile.TemporaryDirectory() as output:
                written = json.loads(run(BINARY, "export", dataset, "--format", name, "--output",
                                         output, *options, "--json"))
                self.assertGreater(len(written["files"]), 0)
                for path in written["files"]:
                    self.assertEqual(pathlib.Path(output, path).read_bytes(),
                                     (dataset / path).read_bytes())


class Package(unittest.TestCase):
    def test_installs_and_needs_no_torch(self):
        with tempfile.TemporaryDirectory() as target:
            source = pathlib.Path(target, "source")
            shutil.copytree(ROOT / "tools/python", source)
            run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                "--no-build-isolation", "--target", f"{target}/site", source)
            program = ("import sys; sys.path.insert(0, sys.argv[1]); import kernelmill; "
                       "print(len(kernelmill.Dataset(sys.argv[2], 'train')), 'torch' in sys.modules,"
                       " kernelmill.__file__.startswith(sys.argv[1]))")
            self.assertEqual(run(sys.executable, "-c", program, f"{target}/site", dataset).split(),
                             [str(len(train)), "False", "True"])


class Inspect(unittest.TestCase):
    def shown(self, environment, *options, limit="2", columns=60):
        # Waits until the terminal's width is set.
        command = ["sh", "-c", 'sleep 0.5; exec "$@"', "sh", BINARY, "inspect", str(dataset),
                   "--limit", limit, *options]
        return on_terminal(command, {"NO_COLOR": "", **environment}, columns=columns)

    def test_lines_are_as_wide_as_the_terminal(self):
        narrow = self.shown({"TERM": "dumb"}, "--no-pager", "--lines", "0")
        narrow = narrow.split("\nmore than these")[0]
        self.assertLessEqual(max(map(len, narrow.splitlines())), 60)
        wide = run(BINARY, "inspect", dataset, "--limit", 2, "--lines", 0)
        self.assertGreater(max(map(len, wide.splitlines())), 60)
        self.assertEqual("".join(narrow.replace("│", "").split()),
                         "".join(wide.replace("│", "").split()))

    def test_the_id_and_the_roles_are_headings(self):
        shown = self.shown({"TERM": "xterm"}, "--no-pager")
        self.assertRegex(shown, r"\A\033\[1m[0-9a-f]{60}")
        self.assertIn("\033[1m  user\033[0m\n", shown)
        self.assertNotIn("\033", self.shown({"TERM": "xterm", "NO_COLOR": "1"}, "--no-pager"))

    def test_a_pager_only_on_a_terminal(self):
        shown = self.shown({"TERM": "dumb", "PAGER": "sed s/^/paged:/"})
        self.assertEqual({line[:6] for line in shown.splitlines() if "more than these" not in line},
                         {"paged:"})
        for options, pager in (("--no-pager", "sed s/^/paged:/"), ("--list", "cat")):
            self.assertNotIn("paged:", self.shown({"TERM": "dumb", "PAGER": pager}, options))
        os.environ["PAGER"] = "sed s/^/paged:/"
        self.addCleanup(os.environ.pop, "PAGER")
        self.assertNotIn("paged:", run(BINARY, "inspect", dataset, "--limit", 1))

    def test_a_pager_that_is_left_early_is_no_failure(self):
        shown = self.shown({"TERM": "dumb", "PAGER": "head -n 1"}, "--lines", "0", limit="50")
        self.assertRegex(shown.strip(), r"\A[0-9a-f]{60,}\Z")


if __name__ == "__main__":
    unittest.main()
