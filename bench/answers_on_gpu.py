#!/usr/bin/env python3
"""Runs the answers of the lowering on a real GPU at the tasks' own sizes: checks that they are
correct and compares their time with that of eager PyTorch. measured_answers.py reports the results.

    answers_on_gpu.py pack TASKS ANSWERS PACK      TASKS: output of `kernelmill generate --json`;
                                                   ANSWERS: the folder that `kernelmill answer TASKS
                                                   --json --output ANSWERS` wrote, with the command's
                                                   output in ANSWERS.json
    answers_on_gpu.py judge PACK RESULTS [FIRST LAST]   on a machine with a GPU, torch and nvcc

Every answer runs on three sets of inputs, with TF32 off. An answer that takes longer than LIMIT on
the GPU is "too_slow". An index is correct when it points at an element equal to the reference's
element, for the operators whose choice among equal elements the verifier leaves open
(selections.py, which the GPU machine has too). An element is correct when it is within TOLERANCE of
the reference, relative to its own size and to the root mean square of all elements. When an element
is not, the answer is still correct if it is as close to the float64 result as the reference is.
Times are medians of synchronised runs that alternate between reference and answer; one answer uses
the GPU at a time.
"""

import concurrent.futures
import copy
import fcntl
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "stages/worker/torch_worker"))

MARK = "@@"
TRIALS, RUNS = 3, 15
BATCH = 10  # Answers per build.
LIMIT = 30  # Seconds on the GPU per answer.
ENOUGH = 2000  # Milliseconds of runs after which timing stops, for reference and answer each.
TOLERANCE = {"float32": 1e-3, "float64": 1e-6, "float16": 1e-2, "bfloat16": 4e-2}


def read_lines(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def pack(tasks, answers, output):
    given = read_lines(tasks)
    items = []
    for row, task in enumerate(read_lines(answers + ".json")[:-1]):  # The last line is a summary.
        known = given[row]
        for number, answer in enumerate(task["answers"]):
            if answer["status"] not in (None, "correct"):
                continue
            text = pathlib.Path(answers, f"{task['id']}.cuda.{number}.py").read_text()
            items.append({"key": f"{known['id']}.{number}", "level": known["level"],
                          "operators": known["operators"], "strategies": answer["strategies"],
                          "estimated_speed": answer["estimated_speed"],
                          "modelled_speed": answer["modelled_speed"],
                          "dtype": known["inputs"][0]["dtype"], "flops": known["flops"],
                          "bytes": known["bytes"], "reference": known["reference"],
                          "candidate": text})
    pathlib.Path(output).write_text(json.dumps(items))
    print(len(items), "answers")


def tensors_in(value):
    import torch

    if torch.is_tensor(value):
        return [value]
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in tensors_in(item)]
    return []


def names_equals(expected, got, known):
    """Whether indices point at elements that are equal to those that `expected` points at, each at
    most once. `known`: the SelectionLog's entry for `expected`."""
    import torch

    if known is None or not known[0].is_open:
        return False
    lines, line_of = known[0].lines, known[1].to(expected.device)
    length = lines.shape[-1]
    if not ((got >= 0) & (got < length)).all():
        return False
    one, other = lines[line_of, expected], lines[line_of, got]
    equal = (one == other) | (one != one) & (other != other)
    places = line_of * length
    return bool(equal.all()) and (torch.unique(places + got).numel()
                                  == torch.unique(places + expected).numel())


def agrees(expected, got, log):
    """"" if they agree, otherwise how they differ. `log`: the log of the reference's run, for
    outputs that are indices."""
    import torch

    expected, got = tensors_in(expected), tensors_in(got)
    if len(expected) != len(got):
        return "other results"
    for one, other in zip(expected, got):
        if one.shape != other.shape or one.dtype != other.dtype:
            return "other shape or dtype"
        if log is not None and one.dtype in (torch.int64, torch.int32) and not torch.equal(one, other):
            if names_equals(one, other, log.of(one)):
                continue
        tolerance = TOLERANCE.get(str(one.dtype).removeprefix("torch."), 0)
        one, other = one.double(), other.double()
        finite = one.isfinite()
        size = one[finite].square().mean().sqrt() if finite.any() else 0
        near = (one - other).abs() <= tolerance * (one.abs() + size)
        near |= (one == other) | (one.isnan() & other.isnan())
        if not near.all():
            return f"{int((~near).sum())} of {near.numel()} elements"
    return ""


def median_time(function):
    import torch

    times = []
    for run in range(RUNS):
        if run > 3 and sum(times) > ENOUGH:
            break
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times[min(3, len(times) // 2):])


def in_double(module, values):
    """The result in float64, or None when the module does not run in float64."""
    import torch

    try:
        wide = copy.deepcopy(module).double()
        return wide(*[v.double() if torch.is_tensor(v) and v.is_floating_point() else v
                      for v in values])
    except Exception:
        return None


def no_worse(expected, got, exact):
    """Whether `got` is as close to the float64 result as the reference is. The two may differ from
    each other where a function is discontinuous or amplifies small errors."""
    for one, other, wide in zip(*map(tensors_in, (expected, got, exact))):
        wide = wide.double()
        own = (other.double() - wide).nan_to_num(0, 0, 0).square().mean().sqrt()
        eager = (one.double() - wide).nan_to_num(0, 0, 0).square().mean().sqrt()
        if own > 4 * eager:
            return False
    return True


def judge_one(item, loader, begun):
    """{"status", "eager_ms", "ours_ms"} of one answer. The file `begun` names it while it runs."""
    import torch
    from torch.utils import cpp_extension

    names, built = {}, {}
    exec(compile(item["reference"], "reference.py", "exec"), names)
    cpp_extension.load_inline = loader
    exec(compile(item["candidate"], "candidate.py", "exec"), built)
    arguments = names["get_init_inputs"]()
    torch.manual_seed(42)
    reference = names["Model"](*arguments)
    torch.manual_seed(42)
    candidate = built["ModelNew"](*arguments)
    inputs = []
    for trial in range(TRIALS):
        torch.manual_seed(1000 + trial)
        inputs.append(names["get_inputs"]())
    with open(os.environ["ANSWERS_LOCK"], "w") as lock, torch.no_grad():
        fcntl.flock(lock, fcntl.LOCK_EX)
        begun.write_text(item["key"])
        try:
            return compare(reference.cuda(), candidate.cuda(), inputs)
        finally:
            # Memory that stays allocated on the GPU is missing for the other processes.
            reference.cpu(), candidate.cpu()
            gc.collect()
            torch.cuda.empty_cache()


def compare(reference, candidate, inputs):
    import selections
    import torch

    for values in inputs:
        # The input's memory layout belongs to the task.
        values = [v.to("cuda") if torch.is_tensor(v) else v for v in values]
        expected = reference(*values)
        log = None
        if selections.has_integers(tensors_in(expected)):
            with selections.SelectionLog() as log:
                expected = reference(*values)
        got = candidate(*values)
        torch.cuda.synchronize()
        differs = agrees(expected, got, log)
        if differs:
            exact = in_double(reference, values)
            if exact is None or not no_worse(expected, got, exact):
                return {"status": "wrong", "detail": differs}
        del expected, got
    return {"status": "correct", "eager_ms": median_time(lambda: reference(*values)),
            "ours_ms": median_time(lambda: candidate(*values))}


def sources_of(item):
    """(CUDA source, functions) that the answer passes to load_inline."""
    from torch.utils import cpp_extension

    found = []
    cpp_extension.load_inline = lambda **given: found.append(given)
    exec(compile(item["candidate"], "candidate.py", "exec"), {})
    return found[0]["cuda_sources"], found[0]["functions"]


def build_together(items, folder):
    """Builds many answers in one extension, each in a namespace: {key: functions}."""
    from torch.utils import cpp_extension

    loader = cpp_extension.load_inline
    includes, bodies, names = [], [], {}
    for number, item in enumerate(items):
        source, functions = sources_of(item)
        lines = source.splitlines()
        includes += [line for line in lines if line.startswith("#include") and line not in includes]
        body = "\n".join(line for line in lines if not line.startswith("#include"))
        bodies.append(f"namespace answer{number} {{\n{body}\n}}\n")
        names[item["key"]] = (number, functions)
    cpp_extension.load_inline = loader
    definitions = "".join(f'  m.def("answer{number}_{name}", &answer{number}::{name});\n'
                          for number, functions in names.values() for name in functions)
    path = pathlib.Path(folder, "answers.cu")
    path.write_text("\n".join(includes) + "\n" + "\n".join(bodies)
                    + "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n" + definitions + "}\n")
    module = cpp_extension.load("answers", [str(path)], build_directory=str(folder),
                                extra_cuda_cflags=["-O3"])
    return {key: types.SimpleNamespace(**{name: getattr(module, f"answer{number}_{name}")
                                          for name in functions})
            for key, (number, functions) in names.items()}


def judge_batch(folder):
    """Judges every answer of the folder that has no result yet, one line each."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    items = json.loads(pathlib.Path(folder, "items.json").read_text())
    done = set(pathlib.Path(folder, "done").read_text().split())
    begun = pathlib.Path(folder, "begun")
    built = build_together(items, folder)
    for item in items:
        if item["key"] in done:
            continue
        try:
            result = judge_one(item, lambda **_: built[item["key"]], begun)
        except Exception as error:
            result = {"status": "crashed", "detail": str(error)[-300:]}
        begun.unlink(missing_ok=True)
        print(MARK + json.dumps({"key": item["key"], **result}), flush=True)
        if "CUDA error" in result.get("detail", ""):
            return  # This process cannot run anything further.


def run_batch(folder):
    """Runs a batch: (whether it ended by itself, its output, the end of its errors)."""
    begun, printed, said = (pathlib.Path(folder, name) for name in ("begun", "printed", "said"))
    begun.unlink(missing_ok=True)
    with printed.open("w") as out, said.open("w") as errors:
        process = subprocess.Popen([sys.executable, __file__, "batch", folder], stdout=out,
                                   stderr=errors, env={**os.environ, "MAX_JOBS": "1"})
        while process.poll() is None:
            time.sleep(0.5)
            try:
                late = time.time() - begun.stat().st_mtime > LIMIT
            except FileNotFoundError:
                continue
            if late:
                process.kill()
                process.wait()
                return False, printed.read_text(), ""
    return True, printed.read_text(), said.read_text()


def judge_apart(items):
    """The results of a batch. An answer that ends its process is "crashed"; the others go on."""
    known = {item["key"]: {key: item[key] for key in ("key", "level", "operators", "strategies",
                                                      "estimated_speed", "modelled_speed", "dtype",
                                                      "flops", "bytes")}
             for item in items}
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "items.json").write_text(json.dumps(items))
        while len(results) < len(items):
            pathlib.Path(folder, "done").write_text("\n".join(results))
            ended, printed, said = run_batch(folder)
            before = len(results)
            for line in printed.splitlines():
                if line.startswith(MARK):
                    result = json.loads(line[len(MARK):])
                    results[result["key"]] = result
            if not ended:
                results[pathlib.Path(folder, "begun").read_text()] = {"status": "too_slow"}
            elif len(results) == before:
                culprit = next(item["key"] for item in items if item["key"] not in results)
                results[culprit] = {"status": "crashed", "detail": said[-300:]}
    return [{**known[key], **result} for key, result in results.items()]


def judge(path, output, first=0, last=None):
    items = json.loads(pathlib.Path(path).read_text())[int(first):int(last) if last else None]
    with tempfile.NamedTemporaryFile() as lock, open(output, "w") as file:
        os.environ["ANSWERS_LOCK"] = lock.name
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            batches = [items[at:at + BATCH] for at in range(0, len(items), BATCH)]
            for future in concurrent.futures.as_completed(
                    [pool.submit(judge_apart, batch) for batch in batches]):
                for result in future.result():
                    print(json.dumps(result), file=file, flush=True)


def main(words):
    if len(words) == 2 and words[0] == "batch":
        return judge_batch(words[1])
    if len(words) == 4 and words[0] == "pack":
        return pack(*words[1:])
    if len(words) in (3, 5) and words[0] == "judge":
        return judge(*words[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
