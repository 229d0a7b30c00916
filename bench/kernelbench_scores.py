"""Compares `kernelmill score` with KernelBench's own analysis of the same results: its
scripts/benchmark_eval_analysis.py, and the Pass@k of its scripts/eval_from_generations.py. Results
are drawn by lot for the problems and baselines of a checkout of KernelBench. Every figure must be
equal. Fails without a checkout.

    python3 -m venv kernelbench && kernelbench/bin/pip install numpy tabulate pydra-config
    kernelbench/bin/python bench/kernelbench_scores.py CHECKOUT [RUNS]
"""

import ast
import contextlib
import io
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = os.environ.get("KERNELMILL_BINARY", ROOT / "build/release/kernelmill")
SAMPLES, KS = 6, [1, 2, 5]


def draw_results(names, times, lot):
    """eval_results.json for some of the problems. Some lack sample 0, and some were not timed for
    the baseline."""
    results = {}
    for name in names:
        if lot.random() < 0.15:
            continue
        chance = lot.random()
        samples = []
        for number in range(SAMPLES):
            compiled = lot.random() < 0.8
            correct = compiled and lot.random() < chance
            mean = times.get(name, {"mean": 1.0})["mean"]
            samples.append({"sample_id": number, "compiled": compiled, "correctness": correct,
                            "metadata": {"hardware": "drawn"},
                            "runtime": mean / lot.lognormvariate(0, 0.6) if correct else -1.0,
                            "runtime_stats": {}})
        if lot.random() < 0.1:
            samples[0]["sample_id"] = SAMPLES
        results[name.split("_")[0]] = samples
    return results


def pass_at_k(checkout):
    """calculate_pass_at_k() of KernelBench, without the imports of its script."""
    import numpy
    script = checkout / "scripts/eval_from_generations.py"
    wanted = ("calc_pass_at_k", "calculate_pass_at_k")
    functions = [node for node in ast.parse(script.read_text()).body
                 if isinstance(node, ast.FunctionDef) and node.name in wanted]
    assert len(functions) == len(wanted), f"{script} lacks {wanted}"
    names = {"np": numpy, "json": json, "os": os}
    exec(compile(ast.Module(functions, []), str(script), "exec"), names)
    return names["calculate_pass_at_k"]


def same(ours, theirs):
    if isinstance(theirs, dict):
        return set(ours) == set(theirs) and all(same(ours[key], theirs[key]) for key in theirs)
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


def main(checkout, runs="6"):
    checkout = pathlib.Path(checkout).resolve()
    baseline = checkout / "results/timing/H100_Modal/baseline_time_torch.json"
    for path in (baseline, checkout / "KernelBench/level1", checkout / "scripts"):
        if not path.exists():
            sys.exit(f"there is no {path}: give a checkout of KernelBench")
    # A package without its __init__.py, which imports torch and the clients of several servers.
    package = types.ModuleType("kernelbench")
    package.__path__ = [str(checkout / "src/kernelbench")]
    sys.modules["kernelbench"] = package
    sys.path.insert(0, str(checkout / "scripts"))
    import benchmark_eval_analysis as theirs
    all_times = json.loads(baseline.read_text())
    figures, differences = 0, []
    for run in range(int(runs)):
        lot, level = random.Random(run), run % 3 + 1
        times = dict(all_times[f"level{level}"])
        for name in lot.sample(sorted(times), 5):
            del times[name]
        names = sorted(path.name for path in (checkout / f"KernelBench/level{level}").glob("*.py"))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "run").mkdir()
            results, own = folder / "run/eval_results.json", folder / "times.json"
            results.write_text(json.dumps(draw_results(names, times, lot)))
            own.write_text(json.dumps({f"level{level}": times}))
            with contextlib.redirect_stdout(io.StringIO()):
                expected = theirs.analyze_greedy_eval(
                    "run", "drawn", "drawn", level, baseline_file=str(own),
                    eval_results_dir=str(folder))
                passes = pass_at_k(checkout)(str(results), KS)
            scores = json.loads(subprocess.run(
                [BINARY, "score", results, "--level", str(level), "--baseline", own, "--kernelbench",
                 checkout, "--k", ",".join(map(str, KS)), "--json"],
                check=True, capture_output=True, text=True).stdout)
        ours = dict(scores["kernelbench"])
        del ours["aligned_count"]
        for name in ("run_name", "level", "hardware"):
            del expected[name]
        ours["pass"] = {f"avg_pass@{k}": scores["all"]["pass_at_k"][str(k)]["value"] for k in KS}
        expected["pass"] = passes["averages"]
        figures += len(ours) - 2 + len(ours["fast_p"]) + len(ours["pass"])
        if not same(ours, expected):
            differences.append((run, ours, expected))
    print(f"{runs} drawn runs: {figures} figures compared, {len(differences)} runs differ")
    for run, ours, expected in differences[:3]:
        print(f"run {run}\n  ours   {ours}\n  theirs {expected}")
    return 1 if differences else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
