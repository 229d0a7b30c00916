"""Measures the speed and the memory of verification.

    bench/run verify rate CHECKOUT RUN     answers per hour, cold and warm, and the time by part
    bench/run verify compile CHECKOUT RUN  the compiler compared with torch's load_inline and g++
    bench/run verify kernels               the executor by kind of kernel, and on two cores
    bench/run verify memory [COUNT]        resident memory while COUNT answers are judged

CHECKOUT is a checkout of KernelBench, RUN the folder of one of its runs. Figures are seconds of
processor time, which other work on the machine affects little; one hour of two cores has 7,200 of
them.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from loops import BUILD, ROOT, Goals, run
from processor_time import watched

sys.path.insert(0, str(ROOT / "tests/e2e"))
import verify_run  # noqa: E402
from program import BINARY  # noqa: E402

LOOPS = BUILD / "bench/verify_loops"
CORE_SECONDS = 2 * 3600
COMPARED = 6
# GCC lacks features of clang that the executor's headers use.
FOR_GCC = """
#include <type_traits>
#define __remove_cvref(T) std::remove_cvref_t<T>
#define __is_void(T) std::is_void_v<T>
#define __is_pointer(T) std::is_pointer_v<T>
#define __is_function(T) std::is_function_v<T>
#define __remove_pointer(T) std::remove_pointer_t<T>
static inline unsigned __builtin_bitreverse32(unsigned x) { return x; }
static inline unsigned long long __builtin_bitreverse64(unsigned long long x) { return x; }
"""
# The times of the executor's prototype on one core, in seconds.
PROTOTYPE = {"elementwise": 0.0073, "row_sum": 0.42, "tiled_matmul": 0.55, "softmax": 0.62,
             "histogram": 0.10}
TIME_KERNELS = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import torch
torch.set_num_threads(1)
import km_cuda
extension = km_cuda.load(sys.argv[2])
def floats(*shape): return torch.rand(*shape)
calls = {
    "elementwise": (floats(1 << 20), floats(1 << 20)),
    "row_sum": (floats(4096, 1024),),
    "tiled_matmul": (floats(512, 512), floats(512, 512)),
    "softmax": (floats(4096, 1024),),
    "histogram": (torch.randint(0, 256, (1 << 20,), dtype=torch.int32),),
}
found = {}
for name, inputs in calls.items():
    times = []
    for _ in range(int(sys.argv[3])):
        km_cuda.reset()
        start = time.process_time()
        getattr(extension, name)(*inputs)
        times.append(time.process_time() - start)
    assert km_cuda.fault() is None, km_cuda.fault()
    found[name] = min(times)
print(json.dumps(found))
"""


def verify(environment, *arguments):
    """(summary, seconds by part, seconds by the clock, resident bytes by part)"""
    start = time.monotonic()
    out, watch, seconds = watched((BINARY, "verify", *arguments, "--json"), environment)
    return json.loads(out), seconds, time.monotonic() - start, watch.resident


def prepare():
    """Compiles what all answers share into the checkout's cache."""
    with tempfile.TemporaryDirectory() as folder:
        checkout, samples = verify_run.lay_out(pathlib.Path(folder), ["honest/relu.md"])
        verify({}, "--kernelbench", checkout, "--run", samples, "--no-cache")


def rate(goals, checkout, samples):
    for policy in ("kernelbench", "strict"):
        with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as folder:
            folder = pathlib.Path(folder)
            environment = verify_run.own_root(folder)
            for state, goal in (("cold", 6000), ("built", None), ("warm", 40000)):
                options = ["--no-cache"] if state == "built" else []
                summary, seconds, clock, _ = verify(
                    environment, "--kernelbench", checkout, "--run", samples, "--policy", policy,
                    "--jobs", 2, "--output", folder / f"out-{state}", *options)
                count = summary["judged"] + summary["reused"]
                total = sum(seconds.values())
                parts = ", ".join(f"{part} {used / count:.3f}" for part, used in
                                  sorted(seconds.items(), key=lambda item: -item[1]))
                print(f"{policy}, {state}: {count} answers, {total / count:.3f} s each ({parts}); "
                      f"{clock:.0f} s by the clock", flush=True)
                if goal:
                    goals.at_least(f"{policy}, {state}: answers an hour on two cores",
                                   CORE_SECONDS * count / total, goal)


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_(goals, checkout, samples):
    with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as folder:
        folder = pathlib.Path(folder)
        environment = verify_run.own_root(folder)
        verify(environment, "--kernelbench", checkout, "--run", samples, "--policy", "kernelbench",
               "--jobs", 2, "--limit", 2 * COMPARED, "--output", folder / "out")
        built = folder / "root/.cache/extensions/built"
        sources = [library.parent / "extension.cpp" for library in
                   sorted(built.rglob("extension.so"))][:COMPARED]
        out, _, ours = watched((LOOPS, "compile", *sources), {})
        ours = sum(ours.values())
        import torch.utils.cpp_extension as extension

        os.environ["CCACHE_DISABLE"] = "1"
        os.environ["PATH"] = f"{ROOT}/.venv/bin:{os.environ['PATH']}"
        runtime = json.loads(out)["include"]
        header = folder / "for_gcc.h"
        header.write_text(FOR_GCC + f'#include "{runtime}/cuda_prelude.h"\n')
        before = children_seconds()
        for number, source in enumerate(sources):
            (folder / str(number)).mkdir()
            extension.load_inline(
                f"answer_{number}", [source.read_text()], is_python_module=False,
                build_directory=str(folder / str(number)), extra_include_paths=[runtime + "/include"],
                extra_cflags=["-std=c++20", "-O2", "-march=x86-64-v3", "-w", "-fwrapv", "-include",
                              str(header)],
                extra_ldflags=[f"-L{runtime}", "-l:km_cuda.so", f"-Wl,-rpath,{runtime}"])
        theirs = children_seconds() - before
        print(f"{len(sources)} answers: {ours / len(sources):.2f} s each, "
              f"load_inline {theirs / len(sources):.2f} s", flush=True)
        goals.at_least("speed against load_inline", theirs / ours, 10)


def kernels(goals):
    built = run(LOOPS, "build", ROOT / "bench/verify_kernels.cu")
    command = [sys.executable, "-c", TIME_KERNELS, built["folder"], built["library"]]

    def together(count, rounds):
        start = time.monotonic()
        processes = [subprocess.Popen([*command, str(rounds)], stdout=subprocess.PIPE, text=True)
                     for _ in range(count)]
        outputs = [process.communicate()[0] for process in processes]
        return [json.loads(output) for output in outputs], time.monotonic() - start

    found, = together(1, 5)[0]
    for name, seconds in found.items():
        print(f"{name}: {1000 * seconds:.1f} ms", flush=True)
        goals.at_most(f"{name}, against the study's prototype", seconds / PROTOTYPE[name], 1)
    both = together(2, 5)[0]
    for name, seconds in found.items():
        slower = statistics.mean(one[name] for one in both) / seconds
        goals.at_least(f"{name}: work of two processes against one", 2 / slower, 1.8)


TINY = '''# {number}
import torch
from torch.utils.cpp_extension import load_inline
source = """
__global__ void relu_kernel(const float* x, float* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0.0f ? x[i] : 0.0f;
}}
torch::Tensor relu(torch::Tensor x) {{
  auto out = torch::empty_like(x);
  relu_kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                x.numel());
  return out;
}}
"""
extension = load_inline("tiny", "torch::Tensor relu(torch::Tensor x);", source, functions=["relu"])

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.relu(x)
'''


def memory(goals, most="10000"):
    found = {}
    with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as folder:
        folder = pathlib.Path(folder)
        checkout, samples = verify_run.lay_out(folder, ["honest/relu.md"])
        environment = verify_run.own_root(folder)
        counts = [count for count in (100, 1000, 10000) if count <= int(most)]
        for number in range(counts[-1]):
            (samples / f"level_1_problem_1_sample_{number}_kernel.py").write_text(
                TINY.format(number=number))
        for count in counts:
            _, seconds, _, found[count] = verify(environment, "--kernelbench", checkout, "--run", samples,
                                          "--policy", "kernelbench", "--jobs", 1, "--limit", count,
                                          "--no-cache", "--output", folder / "out")
            sizes = ", ".join(f"{part} {size >> 20} MB" for part, size in found[count].items())
            print(f"{count} answers: {sizes}; {sum(seconds.values()) / count:.3f} s each", flush=True)
    for part in ("program", "references", "candidates"):
        goals.at_most(f"resident memory of {part}, {counts[-1]} answers against {counts[0]}",
                      found[counts[-1]][part] / found[counts[0]][part], 1.25)


def main():
    parts = {"rate": rate, "compile": compile_, "kernels": kernels, "memory": memory}
    if len(sys.argv) < 2 or sys.argv[1] not in parts:
        sys.exit(__doc__)
    goals = Goals()
    prepare()
    parts[sys.argv[1]](goals, *sys.argv[2:])
    return min(goals.failed, 1)


if __name__ == "__main__":
    sys.exit(main())
