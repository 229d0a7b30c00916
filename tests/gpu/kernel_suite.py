"""Runs the kernel suite's checks on a real GPU, to confirm that they expect what a device does.

    python tests/gpu/kernel_suite.py [TOPIC…]

Needs torch with CUDA and nvcc. Each kernels/TOPIC.cu is built by torch's own extension loader, and
the checks are those that run on the CPU executor. Topics are left out that only the executor
guarantees: fresh memory filled with NaN, faults that the process survives, the list of launches.
Prints one line per check and then "N checks, M failed"; the exit status is 1 if any failed.
"""

import concurrent.futures
import importlib
import os
import pathlib
import sys
import traceback
import types

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "stages" / "verify" / "kernels"
# These test the executor itself, its bindings or another backend's names, or have intentional bugs.
OTHER_TOPICS = {"address_spaces", "alignment", "barriers", "bindings", "block_turns",
                "bounds_patterns",
                "counting", "faults",
                "musa_forms", "musa_names", "out_of_bounds", "race_patterns", "races",
                "runtime_api", "streams", "torch_library", "uninitialized"}
EXECUTOR_ONLY = {"async_copies.check_what_is_not_awaited_is_not_there",
                 "shared_memory.check_nothing_is_inherited", "warps.check_lanes_that_are_not_there",
                 "shared_memory.check_dynamic", "launches.check_positions",
                 "launches.check_keywords_and_defaults"}
FLAGS = ["-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__",
         "-U__CUDA_NO_BFLOAT16_CONVERSIONS__", "-U__CUDA_NO_HALF2_OPERATORS__"]


def executor_stub():
    """km_cuda for the checks; on a real device the device decides the order of threads."""
    module = types.ModuleType("km_cuda")
    module.configure = module.reset = lambda **_: None
    module.findings = module.launches = list
    module.fault = lambda: None
    module.is_device = True
    return module


def build(topic):
    from torch.utils import cpp_extension
    try:
        return cpp_extension.load("suite_" + topic, [str(KERNELS / (topic + ".cu"))],
                                  extra_cuda_cflags=FLAGS)
    except Exception as error:
        return error


def main(wanted):
    import torch

    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "%d.%d" % torch.cuda.get_device_capability())
    os.environ.setdefault("MAX_JOBS", "1")
    sys.path.insert(0, str(KERNELS))
    sys.modules["km_cuda"] = executor_stub()
    torch.set_default_device("cuda")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    topics = wanted or sorted(
        path.stem for path in KERNELS.glob("*.cu") if path.stem not in OTHER_TOPICS)
    # Threads suffice, because builds only wait for nvcc.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        extensions = dict(zip(topics, pool.map(build, topics)))
    count = failed = 0
    for topic, extension in extensions.items():
        if isinstance(extension, Exception):
            print(f"failed {topic}: {str(extension)[-3000:]}", flush=True)
            failed += 1
            continue
        module = importlib.import_module(topic)
        for name in sorted(name for name in vars(module) if name.startswith("check_")):
            fault = name.startswith("check_fault") and topic != "launch_limits"
            if fault or f"{topic}.{name}" in EXECUTOR_ONLY:
                continue
            torch.manual_seed(0)
            count += 1
            try:
                getattr(module, name)(extension)
                torch.cuda.synchronize()
                print(f"ok {topic}.{name}", flush=True)
            except Exception:
                failed += 1
                print(f"failed {topic}.{name}: {traceback.format_exc()[-1500:]}", flush=True)
    print(f"{count} checks, {failed} failed on {torch.cuda.get_device_name()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
