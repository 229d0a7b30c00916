"""Builds a dataset of a few modules with the program."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ["KERNELMILL_BINARY"]
# Works for inputs of any shape.
MODULE = """
class Net{number}(nn.Module):
    def __init__(self, scale={number}.5):
        super().__init__()
        self.scale = nn.Parameter(torch.full((1,), scale))

    def forward(self, x):
        # {remark}
        return torch.softmax(x * self.scale, dim=-1) + torch.relu(x)
"""
MODULES = 12


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                          text=True).stdout


def build_repository(folder, remarks=()):
    """Writes MODULES modules to folder/repository, each in its own file. The remarks are inserted
    into their texts in turn."""
    repository = folder / "repository"
    repository.mkdir()
    shutil.copy(ROOT / "LICENSE", repository)
    for number in range(MODULES):
        remark = remarks[number % len(remarks)] if remarks else number
        text = "import torch\nfrom torch import nn\n\n" + MODULE.format(number=number, remark=remark)
        (repository / f"net{number}.py").write_text(text, encoding="utf-8")
    git = ("git", "-C", repository, "-c", "user.name=t", "-c", "user.email=t@example.org")
    run(*git, "init", "-q")
    run(*git, "add", ".")
    run(*git, "commit", "-qm", "modules")


def build_dataset(folder, settings="", name="dataset"):
    """Mines folder/repository, which is created if necessary, into folder/<name>."""
    if not (folder / "repository").exists():
        build_repository(folder)
    configuration = folder / f"{name}.yaml"
    configuration.write_text(
        f"sources:\n  - git: {folder}/repository\n    url: https://example.org/nets\n"
        "render:\n  validation_share: 0.3\n"
        "dedup: {similarity: 0}\n"  # Otherwise one module would be left.
        "answer: {limit: 1, variants: 1, sanitize: false, profile: false}\n"
        "pack:\n  records_per_shard: 10\n  rows_per_parquet_file: 5\n" + settings)
    run(BINARY, "sft", configuration, "--output", folder / name, "--quiet", "--jobs", 1)
    return folder / name
