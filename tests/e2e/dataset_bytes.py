"""Reads every byte of a published dataset, to show that a text is nowhere in it."""

import pathlib

import lmdb
import zstandard


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
