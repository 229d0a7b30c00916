#!/usr/bin/env python3
"""Compares the verdicts of the CPU executor on real answers with the results on a real GPU.

    device_agreement.py pack VERDICTS CHECKOUT RUN PACK   answers and tasks at the verdicts' sizes
    device_agreement.py judge PACK RESULTS                on a machine with a GPU, torch and nvcc
    device_agreement.py compare VERDICTS RESULTS          the table; 1 when under 98 % agree

VERDICTS is the verdicts.jsonl of `kernelmill verify --kernelbench CHECKOUT --run RUN --policy
kernelbench`. `judge` follows KernelBench's protocol: seed 42 before get_init_inputs() and before
each constructor, five trials, allclose with 1e-4; TF32 is off, so that the reference is float32.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "@@"
TRIALS, TOLERANCE, SECONDS = 5, 1e-4, 200
SAYS_NOTHING = {"unsupported", "undecided", "reference_failed", "infra"}


def read_lines(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def pack(verdicts, checkout, run, output):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "stages/worker"))
    from torch_worker.task_sizes import Sizes, same_names

    items = []
    for line in read_lines(verdicts):
        level, problem = re.match(r"level_(\d+)_problem_(\d+)_", line["key"]).groups()
        path, = pathlib.Path(checkout, f"KernelBench/level{level}").glob(f"{problem}_*.py")
        sizes = Sizes(path.read_text())
        chosen = line["verdict"]["sizes"]
        renamed = {name: [sizes.sites[size["id"]]["value"], size["value"]]
                   for size in chosen for name in size["names"]}
        candidate = pathlib.Path(run, line["key"] + "_kernel.py").read_text()
        items.append({"key": line["key"],
                      "reference": sizes.apply({size["id"]: size["value"] for size in chosen}),
                      "candidate": same_names(candidate, renamed)})
    pathlib.Path(output).write_text(json.dumps(items))


def seed(value):
    import torch

    torch.manual_seed(value)
    torch.cuda.manual_seed(value)


def on_device(values):
    import torch

    return [value.cuda() if torch.is_tensor(value) else value for value in values]


def compare_trials(reference, candidate, get_inputs):
    """"correct", or how the first trial differs."""
    import torch

    for trial in range(TRIALS):
        seed(1000 + trial)
        inputs = on_device(get_inputs())
        copies = [value.clone() if torch.is_tensor(value) else value for value in inputs]
        seed(1000 + trial)
        expected = reference(*inputs)
        seed(1000 + trial)
        got = candidate(*copies)
        torch.cuda.synchronize()
        if expected.shape != got.shape or not torch.allclose(expected, got, TOLERANCE, TOLERANCE):
            return "wrong"
    return "correct"


def judge_one(item):
    """The status of one answer. Runs in a process of its own."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    names = {}
    exec(compile(item["reference"], "reference.py", "exec"), names)
    seed(42)
    arguments = on_device(names["get_init_inputs"]())
    with torch.no_grad():
        seed(42)
        reference = names["Model"](*arguments)
        get_inputs = names["get_inputs"]
        try:
            exec(compile(item["candidate"], "candidate.py", "exec"), names)
            seed(42)
            candidate = names["ModelNew"](*arguments).cuda()
            torch.cuda.synchronize()
        except BaseException as error:  # SystemExit too
            return "not_built" if "building ext" in str(error) else "not_loaded"
        try:
            return compare_trials(reference.cuda(), candidate, get_inputs)
        except BaseException:
            return "crashed"


def judge_apart(item):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "item.json")
        path.write_text(json.dumps(item))
        environment = {**os.environ, "TORCH_EXTENSIONS_DIR": folder, "MAX_JOBS": "2"}
        try:
            done = subprocess.run([sys.executable, __file__, "one", path], capture_output=True,
                                  text=True, timeout=SECONDS, env=environment, cwd=folder)
        except subprocess.TimeoutExpired:
            return {"key": item["key"], "status": "timed_out"}
    found = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    return {"key": item["key"], "status": found[-1][len(MARK):] if found else "crashed"}


def judge(path, output):
    items = json.loads(pathlib.Path(path).read_text())
    with open(output, "w") as file, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for future in concurrent.futures.as_completed(
                [pool.submit(judge_apart, item) for item in items]):
            print(json.dumps(future.result()), file=file, flush=True)


def compare(verdicts, results):
    ours = {line["key"]: line["verdict"] for line in read_lines(verdicts)}
    table, decided, apart = collections.Counter(), 0, []
    for result in read_lines(results):
        verdict = ours[result["key"]]
        table[verdict["status"], result["status"]] += 1
        if verdict["status"] not in SAYS_NOTHING:
            decided += 1
            if (verdict["status"] == "correct") != (result["status"] == "correct"):
                apart.append((result["key"], verdict["status"], verdict["reason"],
                              result["status"]))
    for (here, there), count in sorted(table.items()):
        print(f"{here:18} on the GPU {there:12} {count:4}")
    for line in apart:
        print("apart:", *line)
    share = 1 - len(apart) / decided if decided else 0
    print(f"{decided} decided, {share:.1%} agree")
    return 0 if share >= 0.98 else 1


if __name__ == "__main__":
    command, *arguments = sys.argv[1:] or ["help"]
    if command == "one":
        status = judge_one(json.loads(pathlib.Path(arguments[0]).read_text()))
        print(f"\n{MARK}{status}", flush=True)
        os._exit(0)  # Skips the cleanup of whatever the answer has left behind.
    elif command in ("pack", "judge", "compare"):
        sys.exit({"pack": pack, "judge": judge, "compare": compare}[command](*arguments))
    else:
        sys.exit(__doc__)
