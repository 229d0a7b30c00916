#!/usr/bin/env python3
"""Compares the search for near duplicates with a comparison of all pairs, and with datatrove.

    bench/run near_duplicates [--datatrove VENV] [--functions 22000] [--similarity 0.8] [FOLDER…]
    bench/run near_duplicates --memory

The programs are real functions and methods: all below FOLDER with eight lines or more, of which the
ones with the smallest SHA-256 are taken. Without FOLDER they are torch's, which is in .venv. They are
deduplicated in the order of their content_ids. Recall is 1 - (pairs of at least the similarity of which
both are kept) / (all such pairs). VENV is a virtual environment with the packages that
bench/peers/datatrove_minhash.py names; its recall is computed from the same pairs.

--memory searches among 10 thousand and 2 million drawn sets and compares the peaks of memory.
"""

import argparse
import ast
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

from loops import BUILD, ROOT, Goals, peak_memory, run

LOOPS = BUILD / "bench/near_duplicate_loops"
LEAST_LINES, LEAST_FUNCTIONS = 8, 20_000
RECALL, TIMES_AS_FAST, MEMORY_GROWTH = 0.97, 10, 1.5
FEW, MANY = 10_000, 2_000_000


def functions_of(path):
    """The source of each function and method of a file, methods of local classes included."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.end_lineno - node.lineno + 1 >= LEAST_LINES:
                indent = " " * node.col_offset
                yield "".join(line.removeprefix(indent)
                              for line in lines[node.lineno - 1:node.end_lineno])


def functions_below(folders, count):
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    texts = list(functions_of(path))
            except (SyntaxError, ValueError):  # Python of another version, or not UTF-8.
                continue
            found.update((hashlib.sha256(text.encode()).hexdigest(), text) for text in texts)
    return [text for _, text in sorted(found.items())[:count]]


def compare(arguments):
    programs = functions_below(arguments.folders, arguments.functions)
    if len(programs) < LEAST_FUNCTIONS:
        raise SystemExit(f"{len(programs)} functions below {', '.join(map(str, arguments.folders))}, "
                         f"fewer than {LEAST_FUNCTIONS}; name more folders")
    goals = Goals()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        file, kept = folder / "programs.jsonl", folder / "kept"
        file.write_text("".join(json.dumps(text, ensure_ascii=False) + "\n" for text in programs),
                        encoding="utf-8")
        peer = None
        if arguments.datatrove:
            with open(folder / "tokens", "w", encoding="utf-8") as tokens:
                subprocess.run([LOOPS, "tokens", file], stdout=tokens, check=True)
            peer = run(arguments.datatrove / "bin/python", ROOT / "bench/peers/datatrove_minhash.py",
                       folder / "tokens", kept, folder / "datatrove")
        result = run(LOOPS, "pairs", file, arguments.similarity, *([kept] if peer else []))
    ours = result["search"]
    print(f"{result['programs']} functions; {result['pairs']} pairs of at least "
          f"{arguments.similarity}, found by comparing all in {result['exhaustive_seconds']:.0f} s")
    print(f"the search removes {ours['removed']} in {result['seconds']:.2f} s of processor time and "
          f"compares {result['verified']} pairs; recall {ours['recall']:.4f}")
    goals.at_least("  recall", ours["recall"], RECALL)
    goals.at_most("  removed, but not as similar to the kept function that is named", result["wrong"], 0)
    goals.at_most("  removed, but similar to no other", ours["unrelated"], 0)
    if peer:
        theirs = result["other"]
        print(f"datatrove removes {theirs['removed']} in {peer['seconds']:.2f} s; recall "
              f"{theirs['recall']:.4f}; {theirs['unrelated']} of them are similar to no other, "
              f"{theirs['unrepresented']} to none that it keeps")
        goals.at_least("  recall beyond datatrove's", ours["recall"] - theirs["recall"], 0)
        goals.at_least("  times as fast", peer["seconds"] / result["seconds"], TIMES_AS_FAST)
    else:
        print("datatrove was not compared: --datatrove names no environment")
    return goals.failed


def memory():
    goals = Goals()
    few, many = (peak_memory(LOOPS, "memory", count) for count in (FEW, MANY))
    print(f"peak of memory: {few / 1024:.0f} MiB for {FEW} sets, {many / 1024:.0f} MiB for {MANY}")
    goals.at_most("  times as much", many / few, MEMORY_GROWTH)
    return goals.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--datatrove", type=pathlib.Path)
    parser.add_argument("--functions", type=int, default=22_000)
    parser.add_argument("--similarity", type=float, default=0.8)
    parser.add_argument("--memory", action="store_true")
    arguments = parser.parse_args()
    arguments.folders = arguments.folders or [
        ROOT / f".venv/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/torch"]
    return 1 if (memory() if arguments.memory else compare(arguments)) else 0


if __name__ == "__main__":
    sys.exit(main())
