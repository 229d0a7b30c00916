import os
import re

import km_cuda

CHECKED = os.environ["KERNELMILL_BUILD_KIND"] == "races"
LINES = open(__file__.replace(".py", ".cu"), encoding="utf-8").read().split("\n")
WRONG = ("same", "neighbour", "reduce", "warp", "blocks", "counter", "reuse", "bytes", "last",
         "shuffle")


def check_twins_are_clean(m):
    for seed in (0, 7):
        km_cuda.configure(seed=seed)
        for what in WRONG:
            km_cuda.reset()
            m.run(what, False)
            assert km_cuda.findings() == [], (what, km_cuda.findings())


def check_each_is_found_with_its_line(m):
    if not CHECKED:
        return
    for seed in (0, 7):
        km_cuda.configure(seed=seed)
        for what in WRONG:
            km_cuda.reset()
            m.run(what, True)
            found = km_cuda.findings()
            assert found, what
            for finding in found:
                # In some orders memory is read before it is written.
                assert finding["kind"] == "race" or finding["reason"] == "uninitialized_shared"
                assert finding["file"] == "races.cu", finding
            lines = {finding["line"] for finding in found}
            lines |= {int(line) for finding in found
                      for line in re.findall(r"line (\d+)", finding["message"])}
            markers = {LINES[line - 1].rpartition("// ")[2].lower() for line in lines}
            assert what in markers, (what, found)
