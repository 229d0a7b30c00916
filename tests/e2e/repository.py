"""Creates small Git repositories with git itself, and objects that git would never create."""

import hashlib
import os
import pathlib
import random
import struct
import subprocess
import zlib

IDENTITY = {
    "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"}
LICENCE = """MIT License

Copyright (c) 2020 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software
"""
HEADER = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
GOOD_MODULE = HEADER + """

class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up = nn.Linear(dim, 40)
        self.down = nn.Linear(40, dim)

    def forward(self, x):
        return x + self.down(torch.sigmoid(self.up(x)))
"""
# Different operators, so that no two modules are one record.
BODIES = ("x * torch.sigmoid(x)", "torch.tanh(x) + 0.5 * x", "torch.softmax(x * 2.0, dim=-1)",
          "x - torch.mean(x, dim=-1, keepdim=True)", "torch.sqrt(x.abs()) + x",
          "torch.transpose(F.gelu(x), -1, -2)", "torch.cumsum(x, dim=-1)",
          "torch.cat([x, x * 3.0], dim=-1)", "torch.sum(x.pow(2), dim=1)",
          "torch.nan_to_num(x / 0.0) * float('nan')")


def blob_id(text):
    """The name that Git gives to a file with this text."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def module(name, body):
    return (f"\n\nclass {name}(nn.Module):\n    def __init__(self, dim):\n"
            f"        super().__init__()\n        self.proj = nn.Linear(dim, 24)\n\n"
            f"    def forward(self, x):\n        x = self.proj(x)\n        return {body}\n")


class Repository:
    """A work tree at `folder` with branch main and a licence that mining accepts."""

    def __init__(self, folder, licence=LICENCE):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        if licence:
            self.write("LICENSE", licence)

    @property
    def git_dir(self):
        return self.folder / ".git"

    def git(self, *arguments, data=None):
        """Runs git in the folder, which must succeed. Returns its output without surrounding
        space."""
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", "-c", "core.protectNTFS=false",
             "-C", str(self.folder), *arguments], input=data, capture_output=True, check=False,
            env={"PATH": os.environ["PATH"], **IDENTITY})
        if done.returncode != 0:
            raise AssertionError(f"git {arguments}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="surrogateescape").strip()

    def write(self, path, content):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self):
        """Commits everything in the folder. Returns the commit's id."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "state")
        return self.git("rev-parse", "HEAD")

    def store(self, kind, content):
        """Stores a loose object without git's checks of its content."""
        data = f"{kind} {len(content)}".encode() + b"\0" + content
        name = hashlib.sha1(data).hexdigest()
        path = self.git_dir / "objects" / name[:2] / name[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(zlib.compress(data))
        return name

    def store_tree(self, entries):
        """Stores a tree of (mode, name, id), sorted as Git requires; names are bytes."""
        ordered = sorted(entries, key=lambda e: e[1] + (b"/" if e[0] == "40000" else b""))
        return self.store("tree", b"".join(
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(target)
            for mode, name, target in ordered))

    def store_blob(self, content):
        return self.store("blob", content if isinstance(content, bytes) else content.encode())

    def point_main_at(self, tree):
        """Creates a commit of `tree` and points main at it."""
        commit = self.store("commit", (
            f"tree {tree}\nauthor a <a@example.org> 978307200 +0000\n"
            "committer a <a@example.org> 978307200 +0000\n\nstate\n").encode())
        head = self.git_dir / "refs/heads/main"
        head.parent.mkdir(parents=True, exist_ok=True)
        head.write_text(commit + "\n", encoding="utf-8")
        return commit


def sample_repository(folder, files=5):
    """A repository with two modules per file: most are admitted, and one has infinite results. It
    also has a module that is not allowed to run and a file that is not UTF-8."""
    repository = Repository(folder)
    for number in range(files):
        text = HEADER
        for which in range(2):
            body = BODIES[(2 * number + which) % len(BODIES)]
            text += module(f"Net{number}{'ab'[which]}", body)
        repository.write(f"nets/net{number}.py", text)
    repository.write("nets/unsafe.py", "import os\n" + HEADER + module("Unsafe", "os.getpid() * x"))
    repository.write("nets/latin.py", "# caf\u00e9\n".encode("latin-1") + HEADER.encode())
    repository.commit()
    return repository


def write_port(repository, name="scale"):
    """Adds a kernel with its host code for CUDA, and another file with its version for MUSA."""
    for platform, suffix in (("cuda", "cu"), ("musa", "mu")):
        repository.write(f"ops/{platform}/{name}_{platform}.{suffix}", (
            f"#include <{platform}_runtime.h>\n\n"
            f"__global__ void {name}_{platform}(const float* x, float* y, int n) {{\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n\n"
            f"void {name}(const float* x, float* y, int n) {{\n"
            f"  {name}_{platform}<<<(n + 255) / 256, 256>>>(x, y, n);\n"
            f"  {platform}GetLastError();\n}}\n"))


def random_text(seed, size):
    """So many bytes of comments that compress badly and are equal for equal seeds."""
    numbers = random.Random(seed)
    return "".join(f"# {numbers.getrandbits(256):064x}\n" for _ in range(size // 67)).encode()


def make_bare(folder):
    """An empty repository."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True,
                   env={**os.environ, **IDENTITY})


def _varint(number):
    """Git's little-endian encoding of sizes, with seven bits per byte."""
    encoded = b""
    while number > 0x7f:
        encoded += bytes([number & 0x7f | 0x80])
        number >>= 7
    return encoded + bytes([number])


def bomb_delta(base_size, copies):
    """A delta that copies the first 16 MiB - 1 of its base `copies` times, with four bytes for each
    copy."""
    most = 0xffffff
    return _varint(base_size) + _varint(copies * most) + b"\xf0\xff\xff\xff" * copies


def write_pack(git_dir, objects):
    """Writes a pack and its index. `objects` are (name, type, content, base). With a base,
    `content` is a delta against the object of that name. Names need not match the content."""
    kinds = {"commit": 1, "tree": 2, "blob": 3, "delta": 7}
    pack = b"PACK" + struct.pack(">II", 2, len(objects))
    entries = []
    for name, kind, content, base in objects:
        first, rest = len(content) & 15, len(content) >> 4
        head = bytes([kinds["delta" if base else kind] << 4 | first | (0x80 if rest else 0)])
        head += _varint(rest) if rest else b""
        body = head + (bytes.fromhex(base) if base else b"") + zlib.compress(content)
        entries.append((name, len(pack), zlib.crc32(body)))
        pack += body
    checksum = hashlib.sha1(pack).digest()
    entries.sort()
    index = b"\xfftOc" + struct.pack(">I", 2)
    for first in range(256):
        index += struct.pack(">I", sum(int(name[:2], 16) <= first for name, _, _ in entries))
    index += b"".join(bytes.fromhex(name) for name, _, _ in entries)
    index += b"".join(struct.pack(">I", crc) for _, _, crc in entries)
    index += b"".join(struct.pack(">I", offset) for _, offset, _ in entries)
    index += checksum
    folder = git_dir / "objects/pack"
    folder.mkdir(exist_ok=True)
    (folder / f"pack-{checksum.hex()}.pack").write_bytes(pack + checksum)
    (folder / f"pack-{checksum.hex()}.idx").write_bytes(index + hashlib.sha1(index).digest())
