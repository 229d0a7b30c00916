"""Creates a run folder with our own answers, and a root for the program with empty caches."""

import os
import re

from program import ROOT

FILES = ROOT / "tests/stages/verify"
# One answer of each kind: quick ones, and ones that compile, crash, or are rejected late.
ANSWERS = """
    honest/relu.md honest/row_sum.md
    native_cheats/does_not_compile.py specialised/fixed_sizes.py native_cheats/empty_kernel.py
    native_cheats/native_exit.py native_cheats/decoy_beside_torch.py
    cheats/torch_function.py cheats/matrix_operator.py cheats/python_sum.py
""".split()


def read_answer(name):
    """(task, code) of an answer; for a document with several answers, of the first one."""
    text = (FILES / name).read_text()
    if name.endswith(".md"):
        return (re.search(r"tasks/(\w+)\.py", text)[1],
                re.search(r"^```python\n(.*?)^```$", text, re.M | re.S)[1])
    return re.match(r"# task: (\w+)", text)[1], text


def lay_out(folder, answers=ANSWERS):
    """Writes a checkout with the answers' tasks, and a run folder. Returns both."""
    checkout, samples = folder / "checkout", folder / "run"
    problems, level = [], checkout / "KernelBench/level1"
    level.mkdir(parents=True)
    samples.mkdir()
    for number, answer in enumerate(answers):
        task, code = read_answer(answer)
        if task not in problems:
            problems.append(task)
            problem = level / f"{len(problems)}_{task}.py"
            problem.write_text((FILES / f"tasks/{task}.py").read_text())
        key = f"level_1_problem_{problems.index(task) + 1}_sample_{number}"
        (samples / f"{key}_kernel.py").write_text(code)
    return checkout, samples


def own_root(folder):
    """The environment of a program whose caches are below `folder`. They are empty, except for
    existing build results that take a minute to compile."""
    root = folder / "root"
    extensions = root / ".cache/extensions"
    extensions.mkdir(parents=True)
    for item in ROOT.iterdir():
        if item.name not in (".cache", ".git", "build"):
            (root / item.name).symlink_to(item)
    for entry in (ROOT / ".cache/extensions").glob("*-*"):
        if entry.is_dir():
            for path in [entry, *sorted(entry.rglob("*"))]:
                copy = extensions / path.relative_to(entry.parent)
                if path.is_dir():
                    copy.mkdir()
                else:
                    os.link(path, copy)
    return {"KERNELMILL_ROOT": str(root)}
