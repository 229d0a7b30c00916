#!/usr/bin/env python3
"""Compares our names of MUSA for CUDA's (corpora/kernel_backend.cc) with those that people gave.

    bench/port_names.py [REPOSITORY…] [--mapping FILE…] [--list]

Reads the files of each Git repository that it holds for both platforms (nms_cuda.cu beside
nms_musa.mu), aligns their tokens, and counts the names that stand for each other. A mapping is a
JSON object from CUDA's names to MUSA's, such as those in torch_musa/utils/mapping. The names that a
repository defines itself are left out. The exit code is 1 if one of the pairs of a repository
contradicts our map.
"""

import argparse
import collections
import difflib
import json
import pathlib
import re
import subprocess
import sys

from kernel_census import read_files

LOOPS = pathlib.Path(__file__).parent.parent / "build/release/bench/port_loops"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOKEN = re.compile(r'(?<=#include )[<"][^>"\n]+[>"]|[A-Za-z_]\w*|\d[\w.]*|"[^"\n]*"|\S')
NAME = re.compile(r"[A-Za-z_]\w*$|[<\"][\w./]+\.(?:h|hpp|cuh|muh)[>\"]$")
SPELLINGS = (("cuda", "musa"), ("CUDA", "MUSA"), ("Cuda", "Musa"))
SUFFIXES = ((".cuh", ".muh"), (".cu", ".mu"))


def respelled(text):
    for cuda, musa in SPELLINGS:
        text = text.replace(cuda, musa)
    return text


def with_suffix(path):
    for cuda, musa in SUFFIXES:
        if path.endswith(cuda):
            return path[:-len(cuda)] + musa
    return path


def twins(files):
    """(path, twin) of each file of CUDA's with a version for MUSA."""
    for path in sorted(files):
        found = next((twin for twin in (with_suffix(respelled(path)), respelled(path),
                                        with_suffix(path)) if twin != path and twin in files), None)
        if found:
            yield path, found


def renames(cuda, musa):
    """Yields (CUDA's name, MUSA's) for tokens that stand for each other and differ."""
    old, new = (TOKEN.findall(COMMENT.sub("", text)) for text in (cuda, musa))
    same = difflib.SequenceMatcher(None, [respelled(token) for token in old], new, autojunk=False)
    for kind, i, j, k, l in same.get_opcodes():
        if kind == "equal" or kind == "replace" and j - i == l - k:
            for before, after in zip(old[i:j], new[k:l]):
                if before != after and NAME.match(before) and NAME.match(after):
                    yield before.strip('<>"'), after.strip('<>"')


def ours(pairs):
    """What our map says of the MUSA name of each pair: a name of CUDA's, or ""."""
    pairs = list(pairs)
    text = "".join(f"{cuda}\t{musa}\n" for cuda, musa in pairs)
    done = subprocess.run([LOOPS], input=text, text=True, check=True, capture_output=True)
    return dict(zip(pairs, done.stdout.split("\n")))


def is_own(name, files):
    """Whether the repository defines the name, or has a header of that name."""
    if "." in name:
        return any(path.endswith("/" + name) for path in files)
    define = re.compile(r"#define\s+%s\b|\b%s\s*\([^;{}]*\)\s*(?:const\s*)?\{" % (name, name))
    return any(define.search(text) for text in files.values() if name in text)


def report(title, pairs, kinds, listed):
    """Prints the counts of a source, and the pairs of the kinds that ask for work."""
    counts = collections.Counter(kinds.values())
    print(f"{title}: " + ", ".join(f"{counts[kind]} {kind}" for kind in
                                   ("as ours", "of the repository", "unknown to us", "otherwise")))
    for (cuda, musa), kind in sorted(kinds.items()):
        if kind == "otherwise" or listed and kind == "unknown to us":
            print(f"  {kind}: {cuda} → {musa}, {pairs[cuda, musa]} times")
    return counts["otherwise"]


def kind_of(cuda, known, own):
    if known:
        return "as ours" if known == cuda else "otherwise"
    return "of the repository" if own else "unknown to us"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("repositories", nargs="*", metavar="REPOSITORY")
    parser.add_argument("--mapping", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--list", action="store_true", help="print the names that our map lacks")
    options = parser.parse_args()
    contradictions = 0
    for repository in options.repositories:
        files = dict(read_files(repository))
        pairs = collections.Counter()
        paired = list(twins(files))
        for path, twin in paired:
            pairs.update(renames(files[path], files[twin]))
        known = ours(pairs)
        kinds = {pair: kind_of(pair[0], known[pair], is_own(pair[1], files)) for pair in pairs}
        contradictions += report(f"{repository}, {len(paired)} pairs of files", pairs, kinds,
                                 options.list)
    for path in options.mapping:
        mapping = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        pairs = collections.Counter((cuda, musa) for cuda, musa in mapping.items()
                                    if cuda != musa and not set("\n\t") & set(cuda + musa))
        known = ours(pairs)
        kinds = {pair: kind_of(pair[0], known[pair], False) for pair in pairs}
        report(path, pairs, kinds, options.list)
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
