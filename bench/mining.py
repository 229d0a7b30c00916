"""Compares the time of mining with bare loops over the same bytes, which mining cannot beat.

    bench/run mining [REPOSITORY…]

The default is all repositories of wheels.txt. One bare loop inflates the blobs that mining parses
and parses them with tree-sitter; the other one runs CPython's ast.parse and ast.walk over the same
Python files. Ratios are ratios of medians of five rounds; memory is anonymous memory.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from loops import BUILD, ROOT, Goals, peak_memory, rounds, run

AST_LOOP = """
import ast, json, pathlib, sys, time
texts = [path.read_bytes() for path in pathlib.Path(sys.argv[1]).glob("*.py")]
start = time.perf_counter()
for text in texts:
    try:
        for node in ast.walk(ast.parse(text)):
            pass
    except (SyntaxError, ValueError):
        pass
print(json.dumps({"seconds": time.perf_counter() - start}))
"""


def main():
    repositories = sys.argv[1:] or sorted(map(str, (ROOT / ".cache/bench/repositories").iterdir()))
    loops = BUILD / "bench/mining_loops"
    goals = Goals()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "blobs").mkdir()
        dumped = run(loops, "dump", folder / "blobs", *repositories)
        print(f"{len(repositories)} repositories, {dumped['files']} files, {dumped['bytes']} bytes")

        def mine(jobs, sources=repositories):
            shutil.rmtree(folder / "run", ignore_errors=True)
            return run(loops, "mine", jobs, folder / "run", *sources)

        seconds, _ = rounds(5, {
            "bare": lambda: run(loops, "bare", *repositories),
            "ast": lambda: run(sys.executable, "-c", AST_LOOP, folder / "blobs"),
            "one job": lambda: mine(1),
            "two jobs": lambda: mine(2),
        })
        goals.at_least("speed against inflating and parsing alone",
                       seconds["bare"] / seconds["one job"], 0.7)
        goals.at_least("speed against ast.parse and ast.walk", seconds["ast"] / seconds["one job"], 3)
        if (os.cpu_count() or 1) >= 2:
            goals.at_least("speed of two jobs against one",
                           seconds["one job"] / seconds["two jobs"], 1.8)

        by_size = sorted(repositories, key=lambda path: run(loops, "bare", path)["bytes"])
        fifty_sources = [by_size[-1]]
        for i in range(49):
            copy = folder / f"copy-{i}.git"
            subprocess.run(["git", "clone", "--quiet", "--bare", "--local", by_size[0], copy],
                           check=True)
            fifty_sources.append(copy)

        def memory(sources):
            shutil.rmtree(folder / "run", ignore_errors=True)
            return peak_memory(loops, "mine", 1, folder / "run", *sources)

        one, fifty = memory(fifty_sources[:1]), memory(fifty_sources)
        print(f"peak memory: {one} KiB with the largest repository, {fifty} KiB with 49 more")
        goals.at_most("peak memory with 49 repositories more", fifty / one, 1.25)
    return min(goals.failed, 1)


if __name__ == "__main__":
    sys.exit(main())
