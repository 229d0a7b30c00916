#!/usr/bin/env python3
"""Counts the nn.Module classes in Git repositories or folders, and how many of them are
self-contained.

    bench/census.py SOURCE… [--json FILE] [--list]
    bench/census.py SOURCE… --dataset DIR

A class counts when its bases lead to torch.nn by name, through the repository's own imports. It is
*self-contained* when its closure (bench/python_closure.py) has at most 400 lines in at most 12
files, imports only the allowed modules, and defines every name that it uses. Every other class has
one reason. With --dataset, looks the self-contained classes up in a dataset that kernelmill wrote
from the same sources, and prints the fate of each.
"""

import argparse
import ast
import collections
import json
import sys

import acceptance
import python_closure

MAX_LINES = 400
MAX_FILES = 12
# Names in torch.nn that are tensors and not modules.
NOT_MODULES = {"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"}


def is_torch_module(dotted):
    parts = dotted.split(".")
    return (parts[:2] == ["torch", "nn"] and parts[-1][:1].isupper()
            and parts[-1] not in NOT_MODULES)


class ModuleClasses:
    """Finds the classes of a repository that derive from nn.Module."""

    def __init__(self, repository):
        self.repository = repository
        self._known = {}

    def reaches(self, path, node):
        key = (path, id(node))
        if key not in self._known:
            self._known[key] = False  # A cycle of base classes does not lead to nn.Module.
            self._known[key] = any(self._base_reaches(path, base) for base in node.bases)
        return self._known[key]

    def _base_reaches(self, path, base):
        if isinstance(base, ast.Subscript):  # Generic bases: Base[int].
            base = base.value
        members = []
        while isinstance(base, ast.Attribute):
            members.insert(0, base.attr)
            base = base.value
        if not isinstance(base, ast.Name):
            return False
        return any(self._reaches_through(found, members)
                   for found in self.repository.resolve(path, base.id))

    def _reaches_through(self, found, members):
        kind = found[0]
        if kind == "external":
            return is_torch_module(".".join([found[1], *members]))
        if kind == "module" and members:
            inner = self.repository.resolve(found[1], members[0])
            return any(self._reaches_through(item, members[1:]) for item in inner)
        if kind != "definition" or members:
            return False
        _, path, _, node = found
        if isinstance(node, ast.ClassDef):
            return self.reaches(path, node)
        # An alias: Base = nn.Module.
        return isinstance(node, ast.Assign) and self._base_reaches(path, node.value)

    def classes(self):
        """Yields (path, name, node, nested) for every class that derives from nn.Module."""
        for path, file in self.repository.files.items():
            top = {id(node) for nodes in file.bindings.values() for node in nodes}
            for node in ast.walk(file.tree):
                if isinstance(node, ast.ClassDef) and self.reaches(path, node):
                    yield path, node, id(node) not in top


def reason_against(closure):
    """The reason why a closure is not self-contained, or None."""
    foreign = sorted({name.partition(".")[0] for name in closure.imports}
                     - python_closure.ALLOWED_IMPORTS)
    if foreign:
        return f"import {foreign[0]}"
    if closure.missing:
        return "unresolved name"
    if closure.lines > MAX_LINES:
        return f"over {MAX_LINES} lines"
    if len(closure.files) > MAX_FILES:
        return f"over {MAX_FILES} files"
    return None


def census(source):
    """The census of one source as a JSON value."""
    repository = python_closure.Repository(source)
    contained, others = [], []
    for path, node, nested in ModuleClasses(repository).classes():
        entry = {"path": path, "class": node.name, "line": node.lineno}
        if nested:
            others.append({**entry, "reason": "inside a function, class or script"})
            continue
        closure = python_closure.closure_of(repository, path, node.name, node)
        entry.update(lines=closure.lines, files=len(closure.files))
        reason = reason_against(closure)
        if reason is None:
            contained.append(entry)
        else:
            others.append({**entry, "reason": reason,
                           "detail": sorted(closure.missing or closure.imports)[:8]})
    order = lambda entry: (entry["path"], entry["line"])
    return {"source": str(source), "commit": python_closure.commit_of(source),
            "files": len(repository.files), "unparsed": repository.unparsed,
            "classes": len(contained) + len(others),
            "self_contained": sorted(contained, key=order), "others": sorted(others, key=order)}


def print_table(results, with_list):
    width = max(len(result["source"].rstrip("/").rpartition("/")[2]) for result in results)
    print(f"{'source':{width}} {'files':>6} {'classes':>8} {'self-contained':>15}")
    for result in results:
        name = result["source"].rstrip("/").rpartition("/")[2]
        share = len(result["self_contained"]) / max(1, result["classes"])
        print(f"{name:{width}} {result['files']:6} {result['classes']:8} "
              f"{len(result['self_contained']):7} {share:6.1%}")
    reasons = collections.Counter(entry["reason"] for result in results for entry in result["others"])
    print("\nnot self-contained:")
    for reason, count in reasons.most_common():
        print(f"{count:7}  {reason}")
    if with_list:
        for result in results:
            for entry in result["self_contained"]:
                print(f"{entry['path']}:{entry['line']}: {entry['class']} "
                      f"{entry['lines']} lines, {entry['files']} files")
            for entry in result["others"]:
                print(f"{entry['path']}:{entry['line']}: {entry['class']}: {entry['reason']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sources", nargs="+", metavar="SOURCE",
                        help="a Git repository (its HEAD is read) or a folder")
    parser.add_argument("--json", metavar="FILE", help="write the whole census there")
    parser.add_argument("--dataset", metavar="DIR", help="a dataset that was made of the sources")
    parser.add_argument("--list", action="store_true", help="print every class")
    options = parser.parse_args()
    results = [census(source) for source in options.sources]
    print_table(results, options.list)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if options.dataset and not acceptance.print_acceptance(results, options.dataset):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
