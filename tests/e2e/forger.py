"""Forges a published dataset the way an attacker who knows the format would: shards, digests and
manifest. It shares no code with kernelmill (DatasetManifest, MerkleTree, ShardWriter)."""

import hashlib
import json

import lmdb
import zstandard

import program  # noqa: F401, for sys.path below
import sys

sys.path.insert(0, str(program.ROOT / "bench"))
import dataset_records  # noqa: E402


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def read_records(dataset, shard="records-00000"):
    return [value for _, value in
            dataset_records.shard_values(dataset / "shards" / (shard + ".mdb"))]


def content_id(record):
    digest = hashlib.sha256()
    for field in (record["kind"].encode(), canonical(record["payload"])):
        digest.update(len(field).to_bytes(8, "big") + field)
    return digest.digest()


def merkle_root(records):
    """RFC 6962, section 2.1, over the SHA-256 of the records."""
    def root(leaves):
        if len(leaves) == 1:
            return hashlib.sha256(b"\0" + leaves[0]).digest()
        split = 1
        while 2 * split < len(leaves):
            split *= 2
        return hashlib.sha256(b"\1" + root(leaves[:split]) + root(leaves[split:])).digest()
    leaves = [hashlib.sha256(record).digest() for record in records]
    return (root(leaves) if leaves else hashlib.sha256(b"").digest()).hex()


def write_shard(dataset, records, shard="records-00000"):
    """Replaces the shard and its digests by these encoded records."""
    path = dataset / "shards" / (shard + ".mdb")
    with lmdb.open(str(path), subdir=False, readonly=True, lock=False) as old:
        with old.begin() as transaction:
            meta = json.loads(transaction.get(b"__meta__"))
    path.unlink()
    with lmdb.open(str(path), subdir=False, lock=False, map_size=1 << 26) as store:
        with store.begin(write=True) as transaction:
            transaction.put(b"__meta__", canonical({**meta, "count": len(records)}))
            for number, record in enumerate(records):
                transaction.put(number.to_bytes(8, "big"),
                                zstandard.ZstdCompressor(write_content_size=True).compress(record))
    path.with_suffix(".digests").write_bytes(b"".join(
        content_id(json.loads(record)) + hashlib.sha256(record).digest() for record in records))


def cover_tracks(dataset, **changes):
    """Writes a manifest that lists the files as they are now, with `changes` to its fields."""
    path = dataset / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest["manifest_digest"]
    manifest["files"] = []
    for file in sorted(dataset.rglob("*"), key=lambda p: p.relative_to(dataset).as_posix()):
        name = file.relative_to(dataset).as_posix()
        if not file.is_file() or file.is_symlink() or name.startswith(".run/") or file == path:
            continue
        data = file.read_bytes()
        manifest["files"].append(
            {"path": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    manifest.update(changes)
    manifest["manifest_digest"] = hashlib.sha256(canonical(manifest)).hexdigest()
    path.write_text(json.dumps(manifest, sort_keys=True, indent=2, ensure_ascii=False) + "\n",
                    encoding="utf-8")
