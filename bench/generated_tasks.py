#!/usr/bin/env python3
"""Runs generated tasks in torch without any change: bench/generated_tasks.py [--large] <
tasks.jsonl

Each source has to run and give finite results with the shapes and dtypes of its graph. Prints every
task that fails, and exits with 1 when fewer than 99.5 % pass.
"""

import argparse
import collections
import json
import sys

import torch


def outputs_of(source):
    """The tensors that the task's source returns, taken out of dicts and lists."""
    names = {"__name__": "task"}
    exec(compile(source, "task", "exec"), names)
    torch.manual_seed(0)
    model = names["Model"](*names["get_init_inputs"]()).eval()
    torch.manual_seed(1)
    with torch.no_grad():
        result = model(*names["get_inputs"]())
    return list(result) if isinstance(result, (list, tuple)) else [result]


def fault(task):
    """How the task fails at one of its sizes, or None."""
    try:
        outputs = outputs_of(task["reference"])
    except Exception as error:  # A generated module can raise anything.
        return f"{type(error).__name__}: {error}"
    expected = [(one["dtype"], one["shape"]) for one in task["outputs"]]
    found = [(str(one.dtype).removeprefix("torch."), list(one.shape)) for one in outputs]
    if found != expected:
        return f"returns {found}, not {expected}"
    if not all(torch.isfinite(one).all() for one in outputs if one.is_floating_point()):
        return "not finite"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="at large sizes, not those of checks")
    parser.add_argument("--show", type=int, default=5, help="how many failures to show in full")
    arguments = parser.parse_args()
    torch.set_num_threads(1 if not arguments.large else torch.get_num_threads())
    count, faults, operators = 0, [], collections.Counter()
    for line in sys.stdin:
        task = json.loads(line)
        reason = fault(task if arguments.large else task["check"])
        count += 1
        if reason:
            faults.append((task, reason))
            operators.update(set(task["operators"]))
    for task, reason in faults[: arguments.show]:
        print(f"{task['id']}: {reason}\n{(task if arguments.large else task['check'])['reference']}")
    for task, reason in faults:
        print(f"{task['id']} {' '.join(task['operators'])[:100]}: {reason.splitlines()[0][:160]}")
    if operators:
        print("in tasks that fail:", operators.most_common(12))
    print(f"{count - len(faults)} of {count} run as emitted and are finite "
          f"({(count - len(faults)) / max(count, 1):.2%})")
    return 0 if len(faults) <= 0.005 * count else 1


if __name__ == "__main__":
    sys.exit(main())
