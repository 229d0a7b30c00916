"""Compares writing and reading shards with LMDB and zstd alone, over the same values.

    bench/run shards

Values are pieces of 1 to 8 KiB of this checkout's sources. Ratios are ratios of medians of five
rounds.
"""

import pathlib
import sys
import tempfile

from loops import BUILD, ROOT, Goals, rounds, run


def main():
    loops = BUILD / "bench/shard_loops"
    goals = Goals()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        texts = pathlib.Path(folder) / "texts"
        texts.mkdir()
        for i, path in enumerate(sorted(ROOT.glob("stages/**/*.cc"))):
            (texts / f"{i:04}").write_bytes(path.read_bytes())

        def write(which):
            path = pathlib.Path(folder) / f"{which}.mdb"
            path.unlink(missing_ok=True)
            return run(loops, "write", which, texts, path)

        def read(which):
            return run(loops, "read", which, texts, pathlib.Path(folder) / "ours.mdb")

        seconds, _ = rounds(5, {"bare": lambda: write("bare"), "ours": lambda: write("ours")})
        goals.at_least("writing against LMDB and zstd alone", seconds["bare"] / seconds["ours"], 0.9)
        seconds, _ = rounds(5, {"bare": lambda: read("bare"), "ours": lambda: read("ours")})
        goals.at_least("warm random reads against LMDB and zstd alone",
                       seconds["bare"] / seconds["ours"], 0.8)
    return min(goals.failed, 1)


if __name__ == "__main__":
    sys.exit(main())
