"""Runs the attack's cases on a real GPU: honest answers must be right there, and a wrong kernel that
is refused here should fail there for some input.

    python tests/gpu/attack_cases.py KIND[/NAME] …     KIND: honest, wrong or cheats

Needs torch with CUDA and nvcc. Each case is built and run in a process of its own, as many at once
as there are processors, with TF32 off. Inputs: six draws of get_inputs(), and a draw that is all
zero, all 0.5, times 64, sorted, and negative. An element is right within 1e-4 (half and bfloat16:
1e-2) of the reference, relative to its own size and to the root mean square of all. Prints
"KIND/NAME.py -> correct", or where it failed and how; "not_built" may be for want of a version of
CUDA. Exit status 1: an honest answer is not right.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parents[1] / "stages/verify/attack_cases"
SECONDS = 300
MARK = "@@"
DRAWS = ["own"] * 6 + ["zero", "constant", "times 64", "sorted", "negative"]


def changed(value, draw, torch):
    if not (torch.is_tensor(value) and value.is_floating_point()):
        return value
    return {"zero": torch.zeros_like, "constant": lambda x: torch.full_like(x, 0.5),
            "times 64": lambda x: x * 64, "negative": lambda x: -x.abs(),
            "sorted": lambda x: x.sort(-1).values if x.dim() else x}.get(draw, lambda x: x)(value)


def is_right(torch, expected, got):
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return False
    tolerance = 1e-2 if expected.dtype in (torch.float16, torch.bfloat16) else 1e-4
    expected, got = expected.double(), got.double()
    finite = expected[expected.isfinite()]
    scale = max(1.0, float(finite.square().mean().sqrt())) if finite.numel() else 1.0
    return torch.allclose(expected, got, tolerance, tolerance * scale, equal_nan=True)


def verdict(task, case):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    reference, candidate = {}, {}
    exec(compile(task.read_text(), "task.py", "exec"), reference)
    arguments = reference["get_init_inputs"]()

    def model(cls):
        torch.manual_seed(42)
        torch.cuda.manual_seed(42)
        return cls(*arguments).cuda().eval()

    right = model(reference["Model"])
    try:
        exec(compile(case.read_text(), "case.py", "exec"), candidate)
        other = model(candidate["ModelNew"])
    except Exception as error:
        return "not_built: " + " ".join(str(error).split())[-300:]
    for seed, draw in enumerate(DRAWS):
        torch.manual_seed(100 + seed)
        inputs = [changed(item.cuda() if torch.is_tensor(item) else item, draw, torch)
                  for item in reference["get_inputs"]()]
        copies = [item.clone() if torch.is_tensor(item) else item for item in inputs]
        try:
            with torch.no_grad():
                expected, got = right(*inputs), other(*copies)
            torch.cuda.synchronize()
        except Exception as error:
            return f"crashed ({draw}): " + " ".join(str(error).split())[:200]
        pairs = zip(*([item] if torch.is_tensor(item) else list(item) for item in (expected, got)))
        if not all(is_right(torch, one, two) for one, two in pairs):
            return f"wrong ({draw})"
    return "correct"


def task_of(case):
    line = next(line for line in case.read_text().splitlines() if line.startswith("# task:"))
    return CASES / "tasks" / (line.partition(":")[2].strip() + ".py")


def judged(case):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TORCH_EXTENSIONS_DIR": folder, "MAX_JOBS": "1"}
        try:
            done = subprocess.run([sys.executable, __file__, "--one", case], cwd=folder, check=False,
                                  capture_output=True, text=True, timeout=SECONDS, env=environment)
        except subprocess.TimeoutExpired:
            return f"no end within {SECONDS} seconds"
    said = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    return said[-1].removeprefix(MARK) if said else "died: " + " ".join(done.stderr.split())[-300:]


def main(wanted):
    if wanted[:1] == ["--one"]:
        case = pathlib.Path(wanted[1])
        print(MARK + verdict(task_of(case), case))
        return 0
    cases = [case for name in wanted for case in sorted(
        CASES.glob(f"{name}.py" if "/" in name else f"{name}/*.py"))]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        running = {pool.submit(judged, case): case for case in cases}
        for done in concurrent.futures.as_completed(running):
            case = running[done]
            print(f"{case.parent.name}/{case.name} -> {done.result()}", flush=True)
            wrong += case.parent.name == "honest" and done.result() != "correct"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
