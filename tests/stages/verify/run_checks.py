"""Runs the checks of kernels/TOPIC.py on the libraries built from kernels/TOPIC.cu.

    KERNELMILL_BUILD_KIND=plain|memory|races|counts run_checks.py FOLDER_OF_KM_CUDA TOPIC=LIBRARY…

Each function check_…(extension) of a topic raises if it finds a mistake. Prints one line per check,
"ok TOPIC.check" or "failed TOPIC.check: why", and then "N checks".
"""

import importlib
import os
import pathlib
import sys
import traceback

FOLDER = pathlib.Path(__file__).resolve().parent / "kernels"


def main(arguments):
    sys.path[:0] = [arguments[0], str(FOLDER)]
    import torch

    torch.set_num_threads(1)
    import km_cuda

    # The address sanitizer writes its text to standard input, which is /dev/null (sandbox/guard.py).
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    km_cuda.begin()
    count = 0
    for argument in arguments[1:]:
        topic, _, library = argument.partition("=")
        extension = km_cuda.load(library)
        module = importlib.import_module(topic)
        for name in sorted(name for name in vars(module) if name.startswith("check_")):
            km_cuda.configure(seed=0, fresh=0, step_budget=1_000_000_000, warp_width=32,
                              host_by_default=False)
            km_cuda.reset()
            torch.manual_seed(0)
            try:
                getattr(module, name)(extension)
                assert name.startswith("check_fault") or km_cuda.fault() is None, km_cuda.fault()
                print(f"ok {topic}.{name}", flush=True)
            except Exception:
                print(f"failed {topic}.{name}: {traceback.format_exc()}", flush=True)
            count += 1
    print(f"{count} checks")


main(sys.argv[1:])
