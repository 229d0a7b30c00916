"""Reads the records and rejects of a dataset directly from its shards (corpora/shards/shard.h) with
LMDB, zstd and JSON. The benches use it instead of kernelmill's own reader."""

import json
import pathlib

import lmdb
import zstandard


def shard_values(path, prefix=b""):
    """Yields (key, value) for the keys of one shard that start with `prefix`, in key order."""
    with lmdb.open(str(path), subdir=False, readonly=True, lock=False, readahead=False) as store:
        with store.begin() as transaction:
            dictionary = transaction.get(b"__dictionary__")
            decoder = zstandard.ZstdDecompressor(
                dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None)
            for key, frame in transaction.cursor():
                if key.startswith(prefix) and not key.startswith(b"__"):
                    yield key, decoder.decompress(frame)


def manifest(dataset):
    return json.loads(pathlib.Path(dataset, "manifest.json").read_text(encoding="utf-8"))


def records(dataset, kind):
    """Yields the records of one kind as JSON values."""
    for path in sorted(pathlib.Path(dataset, "shards").glob("*.mdb")):
        for _, value in shard_values(path):
            record = json.loads(value)
            if record["kind"] == kind:
                yield record


def rejects(dataset):
    """Yields the rejects in DIR.quarantine/ as JSON values, without their original bytes."""
    for path in sorted(pathlib.Path(f"{dataset}.quarantine").glob("*.mdb")):
        for _, value in shard_values(path, b"r"):
            yield json.loads(value)
