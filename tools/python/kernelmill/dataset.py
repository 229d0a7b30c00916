"""Random access to the rows of a dataset."""

from __future__ import annotations

import hashlib
import json
import operator
import os
from array import array
from collections.abc import Sequence
from typing import Any, Optional, TypedDict, Union, overload

from kernelmill.errors import DatasetError
from kernelmill.shard import Shard, open_shard

RECORD_SCHEMA = "kernelmill.record.v1"
RECORD_VERSION = 1
MANIFEST_VERSION = 1
# An entry of a .digests file consists of the content_id and the record_digest, both SHA-256.
DIGEST_ENTRY_BYTES = 64


class Message(TypedDict):
    role: str
    content: str


class MarkedMessage(Message):
    loss: bool  # Whether it is trained: only the last message of a row is.


class Row(TypedDict):
    """One training record, with the columns of the dataset's data/*.jsonl."""

    content_id: str
    split: str
    family: str
    backend: str
    prompt_template: str
    task_id: str
    candidate: str
    reasoning: str
    reasoning_author: str
    perf_evidence: str
    estimated_speed: float
    trajectory_id: str
    turn: int
    n_turns: int
    messages: list[MarkedMessage]
    prompt: list[Message]  # All messages but the last.
    completion: list[Message]  # The last.
    prompt_tokens: int
    answer_tokens: int
    tokenizer: str
    weight: float
    difficulty_static: float
    curriculum_stage: int
    origins: list[str]
    licences: list[str]


class Dataset(Sequence):
    """The rows of the dataset in folder `path`, in the order of their content_id.

    `split` ("train", "validation") and `family` ("shape_reasoning", …) select rows; None selects
    all. A slice is a Dataset too. A Dataset can be pickled, and it can be used after a fork: every
    process opens the shards itself when it needs them. Nothing is written, not even a lock file.

    The first use compares every shard with the manifest and finds the rows in it. Raises
    DatasetError if the folder is not a dataset or is damaged.
    """

    def __init__(self, path: Union[str, os.PathLike], split: Optional[str] = None,
                 family: Optional[str] = None) -> None:
        self.path = os.fspath(path)
        self.split = split
        self.family = family
        self._files = _record_shards(self.path)
        # The place of row i: the number of its shard, and its number in that shard, in two arrays.
        self._places: Optional[tuple[array, array]] = None
        self._shards: dict[int, Shard] = {}

    def __len__(self) -> int:
        return len(self._index()[0])

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Dataset: ...

    def __getitem__(self, index):
        shards, numbers = self._index()
        if isinstance(index, slice):
            part = Dataset.__new__(Dataset)
            part.__setstate__({**self.__getstate__(), "_places": (shards[index], numbers[index])})
            return part
        position = operator.index(index)
        if position < 0:
            position += len(shards)
        if not 0 <= position < len(shards):
            raise IndexError(f"row {index} of {len(shards)}")
        return self._read(shards[position], numbers[position])

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={value!r}" for name, value in
                         (("split", self.split), ("family", self.family)) if value is not None)
        return f"kernelmill.Dataset({self.path!r}{chosen})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_shards"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._shards = {}

    def _shard(self, number: int) -> Shard:
        if number not in self._shards:
            path = os.path.join(self.path, self._files[number]["path"])
            self._shards[number] = open_shard(path, RECORD_SCHEMA)
        return self._shards[number]

    def _read(self, number: int, index: int) -> Row:
        shard = self._shard(number)
        encoded = shard[index]
        return _row_of(_decode(shard, index, encoded), _content_id(shard, index, encoded))

    def _index(self) -> tuple[array, array]:
        if self._places is None:
            shards, numbers = array("L"), array("L")
            for number, file in enumerate(self._files):
                _verify(self.path, file)
                shard = self._shard(number)
                for index, encoded in enumerate(shard):
                    if self._wants(_decode(shard, index, encoded)):
                        shards.append(number)
                        numbers.append(index)
            self._places = shards, numbers
        return self._places

    def _wants(self, record: dict) -> bool:
        return (record["kind"] == "training"
                and self.split in (None, record["attributes"].get("split"))
                and self.family in (None, record["payload"]["family"]))


def _record_shards(folder: str) -> list[dict]:
    """The manifest's entries for the shards of records, in order."""
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path, "rb") as file:
            manifest = json.load(file)
        version = manifest["v"]
        files = [entry for entry in manifest["files"]
                 if entry["path"].startswith("shards/records-") and entry["path"].endswith(".mdb")]
    except FileNotFoundError as error:
        raise DatasetError(f"{folder} holds no manifest.json: not a dataset, or a dataset that "
                           "was never published") from error
    except (ValueError, TypeError, KeyError) as error:
        raise DatasetError(f"{path} is damaged: {error!r}") from error
    if version != MANIFEST_VERSION:
        raise DatasetError(f"{path} is of version {version}, which this version of the package does "
                           "not know; install a newer one")
    return sorted(files, key=lambda entry: entry["path"])


def _verify(folder: str, entry: dict) -> None:
    """Compares a shard with its hash in the manifest. LMDB does not check its files, and a damaged
    one can crash the process."""
    path = os.path.join(folder, entry["path"])
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror}") from error
    if digest.hexdigest() != entry["sha256"]:
        raise DatasetError(f"{path} is damaged: its SHA-256 differs from the manifest's; `kernelmill "
                           f"audit {folder}` lists the affected records")


def _content_id(shard: Shard, index: int, encoded: bytes) -> str:
    """The content_id of a record, from the .digests file of the shard. Checks the record against
    its SHA-256 there."""
    path = shard.path[:-len(".mdb")] + ".digests"
    try:
        with open(path, "rb") as file:
            file.seek(index * DIGEST_ENTRY_BYTES)
            entry = file.read(DIGEST_ENTRY_BYTES)
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror}") from error
    half = DIGEST_ENTRY_BYTES // 2
    if entry[half:] != hashlib.sha256(encoded).digest():
        raise DatasetError(f"{shard.path} or {path} is damaged: record {index} and its digest do not "
                           "agree")
    return entry[:half].hex()


def _decode(shard: Shard, index: int, encoded: bytes) -> dict:
    try:
        record = json.loads(encoded)
        version = record["v"]
    except (ValueError, TypeError, KeyError) as error:
        raise DatasetError(f"{shard.path} is damaged: record {index} is unreadable") from error
    if version != RECORD_VERSION:
        raise DatasetError(f"{shard.path}: record {index} is of version {version}, which this "
                           "version of the package does not know; install a newer one")
    return record


def _row_of(record: dict, content_id: str) -> Row:
    payload = {name: value for name, value in record["payload"].items() if name != "v"}
    messages = payload["messages"]
    return {
        "content_id": content_id,
        **payload,
        "messages": [{**message, "loss": number == len(messages)}
                     for number, message in enumerate(messages, 1)],
        "prompt": messages[:-1],
        "completion": messages[-1:],
        **record["attributes"],
        "origins": [_identifier(origin) for origin in record["origins"]],
        "licences": sorted({evidence["spdx"] for evidence in record["licences"]},
                           key=lambda spdx: spdx.encode()),
    }


def _identifier(origin: dict) -> str:
    """The identifier of an origin, as Origin::Identifier() in manifests/origin.h."""
    if "generator" in origin:
        return (f"kernelmill:generated;version={origin['generator']};seed={origin['seed']}"
                f";index={origin['index']}")

    def escape(text: str) -> str:
        return text.replace("%", "%25").replace(";", "%3B")

    if "sha256" in origin:
        return (f"kernelmill:supplied;origin={escape(origin['url'])};path=/{escape(origin['path'])}"
                f";sha256={origin['sha256']};row={origin['row']}")
    if "model" in origin:
        return (f"kernelmill:sampled;model={escape(origin['model'])};"
                f"sampling={escape(origin['sampling'])};prompt={origin['prompt']}")
    return (f"swh:1:cnt:{origin['blob']};origin={escape(origin['url'])}"
            f";anchor=swh:1:rev:{origin['commit']};path=/{escape(origin['path'])}"
            f";lines={origin['first_line']}-{origin['last_line']}")
