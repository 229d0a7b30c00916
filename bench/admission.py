"""Compares the time of admission with that of a bare loop, which forks, builds and runs the same
modules equally often (one fork, two builds, three forwards) and checks nothing. The bare loop
leaves out the run on tensors without data (a build and a forward), which is a check of admission.
Neither side traces symbolic shapes.

    bench/run admission [REPOSITORY…]

The default is the last repository by name. At most 60 modules are used. Both sides process one
module after the other, with one torch thread, and import torch before the timing starts.
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
