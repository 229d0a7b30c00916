"""Reads shards: LMDB files of zstd-compressed values. corpora/shards/shard.h describes the
format."""

from __future__ import annotations

import json
import os
import threading
import weakref
from typing import Iterator, Optional

import lmdb
import zstandard

from kernelmill.errors import DatasetError

META_VERSION = 1
# corpora/shards/zstd_codec.h: a damaged length must not become an allocation.
MAX_VALUE_BYTES = 256 << 20


class Shard:
    """The records of one shard. Threads may share it, and it can be used after a fork. LMDB does
    not allow a process to open a file twice, so use open_shard(), which reuses open shards."""

    def __init__(self, path: str, schema: str) -> None:
        self.path = path
        self._start()
        meta = self._read_meta()
        if meta["schema"] != schema:
            raise DatasetError(f"{path} holds '{meta['schema']}', not '{schema}'")
        self.count: int = meta["count"]
        self._dictionary = None
        if meta["codec"] == "zstd+dictionary":
            self._dictionary = zstandard.ZstdCompressionDict(self._stored(b"__dictionary__"))
        elif meta["codec"] != "zstd":
            raise DatasetError(f"{path} has the codec '{meta['codec']}', which this version of the "
                               "package does not know; install a newer one")

    def _start(self) -> None:
        self._environment: Optional[lmdb.Environment] = None
        self._lock = threading.Lock()
        self._local = threading.local()

    def restart(self) -> None:
        """Called in the child of a fork, which must not use what its parent has opened."""
        if self._environment is not None:
            # Without a lock file, this only unmaps and closes what the child has inherited.
            self._environment.close()
        self._start()

    def _opened(self) -> lmdb.Environment:
        with self._lock:
            if self._environment is None:
                try:
                    # Published shards are never written, so no lock file is needed. Records are
                    # read in random order, so reading ahead is useless.
                    self._environment = lmdb.open(self.path, subdir=False, readonly=True, lock=False,
                                                  readahead=False, meminit=False, create=False)
                except lmdb.Error as error:
                    raise DatasetError(f"{self.path} cannot be opened: {error}") from error
            return self._environment

    def __getitem__(self, index: int) -> bytes:
        """The index-th record, 0 <= index < count."""
        frame = self._stored(index.to_bytes(8, "big"))
        return self._decompress(frame, f"record {index}")

    def __iter__(self) -> Iterator[bytes]:
        for index in range(self.count):
            yield self[index]

    def _stored(self, key: bytes) -> bytes:
        try:
            with self._opened().begin() as transaction:
                value = transaction.get(key)
        except lmdb.Error as error:
            raise DatasetError(f"{self.path} is damaged: {error}") from error
        if value is None:
            raise DatasetError(f"{self.path} is damaged: it lacks key {key!r}")
        return value

    def _read_meta(self) -> dict:
        try:
            meta = json.loads(self._stored(b"__meta__"))
            version = meta["v"]
            known = isinstance(meta["count"], int) and {"schema", "codec"} <= meta.keys()
        except (ValueError, TypeError, KeyError) as error:
            raise DatasetError(f"{self.path} is damaged: its __meta__ is unreadable") from error
        if version != META_VERSION or not known:
            raise DatasetError(f"{self.path} is of version {version}, which this version of the "
                               "package does not know; install a newer one")
        return meta

    def _decompress(self, frame: bytes, what: str) -> bytes:
        # A decompressor must not be used by two threads at the same time.
        decompressor = getattr(self._local, "decompressor", None)
        if decompressor is None:
            decompressor = zstandard.ZstdDecompressor(dict_data=self._dictionary)
            self._local.decompressor = decompressor
        try:
            size = zstandard.frame_content_size(frame)
            if not 0 <= size <= MAX_VALUE_BYTES:
                raise zstandard.ZstdError(f"its length is {size}")
            return decompressor.decompress(frame)
        except zstandard.ZstdError as error:
            raise DatasetError(f"{self.path} is damaged: {what} does not decompress: "
                               f"{error}") from error


_shards: weakref.WeakValueDictionary[str, Shard] = weakref.WeakValueDictionary()
_lock = threading.Lock()


def open_shard(path: str, schema: str) -> Shard:
    """The shard at `path`. It is opened unless this process has opened it already."""
    real = os.path.realpath(path)
    with _lock:
        shard = _shards.get(real)
        if shard is None:
            shard = _shards[real] = Shard(path, schema)
        return shard


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for shard in list(_shards.values()):
        shard.restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
