"""Admission against a loop that only forks, builds and runs the same modules just as often: one
fork, two builds, three forwards. It looks at nothing. What admission runs on tensors without data
(a build and a forward) is a check of its own, and not in the loop. Shapes in symbols are left out.

    bench/run admission [REPOSITORY…]

Without arguments over the last repository by name; at most 60 modules. Both sides work on one
module after the other, with one thread of torch, and with torch imported before the clock starts.
"""

import json
import pathlib
import sys
import tempfile

from loops import BUILD, ROOT, Goals, rounds, run

FORK_LOOP = """
import json, os, pathlib, sys, time
import torch
torch.set_num_threads(1)
texts = [path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py"))]
start = time.perf_counter()
for text in texts:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            code = compile(text, "task.py", "exec")
            for draws in 2, 1:
                names = {"__name__": "task"}
                exec(code, names)
                module = names["Model"](*names["get_init_inputs"]()).eval()
                for _ in range(draws):
                    with torch.no_grad():
                        module(*names["get_inputs"]())
            status = 0
        finally:
            os._exit(status)
    os.waitpid(child, 0)
print(json.dumps({"seconds": time.perf_counter() - start}))
"""


def main():
    repositories = sys.argv[1:] or sorted(map(str, (ROOT / ".cache/bench/repositories").iterdir()))[-1:]
    goals = Goals()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        loops = BUILD / "bench/admission_loops"
        print(f"{run(loops, 'prepare', folder, 60, *repositories)['tasks']} modules", flush=True)
        seconds, _ = rounds(3, {
            "ours": lambda: run(loops, "admit", folder),
            "bare": lambda: run(sys.executable, "-c", FORK_LOOP, folder / "tasks"),
        })
        goals.at_least("speed against forking, building and running alone",
                       seconds["bare"] / seconds["ours"], 0.7)
    return min(goals.failed, 1)


if __name__ == "__main__":
    sys.exit(main())
