#!/usr/bin/env python3
"""Compiles the slice of every kernel in a dataset with NVRTC, NVIDIA's compiler library. Needs no
GPU.

    bench/kernel_slices.py DATASET [REPOSITORY…] [--list]

A slice is good when it compiles by itself. It is also good when it compiles with the libraries in
its repository (those behind `#include <…>`), provided that the record names what it takes from
them, and when the first name that the compiler does not find is one that the record lists as
missing. The exit code is 1 when fewer than 90 % are good.
"""

import argparse
import collections
import io
import re
import sys
import tempfile
import zipfile

import dataset_records
import nvrtc
from kernel_census import git

VERDICTS = ("compiles", "with libraries", "name reported", "fails")
INCLUDE = re.compile(r"^#include <([^>]+)>", re.MULTILINE)
ERROR = re.compile(r"^slice\.cu\((\d+)\): (?:catastrophic )?error[^:]*: (.*)$", re.MULTILINE)


def libraries_of(repository, codes, folder):
    """Unpacks the files that the slices include from the repository; returns the include paths."""
    wanted = {name for code in codes for name in INCLUDE.findall(code)}
    listing = git(repository, "ls-tree", "-r", "--name-only", "HEAD", text=True).stdout
    bases = {path[:-len(name)] for path in listing.split("\n") for name in wanted
             if "/" in name and path.endswith("/" + name)}
    for base in sorted(bases):
        archive = git(repository, "archive", "--format=zip", "HEAD", base, check=True).stdout
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            files.extractall(folder)
    return [f"{folder}/{base}" for base in sorted(bases)]


def first_error(log, code):
    """(the message, the line of the slice that it refers to)."""
    lines = (nvrtc.PRELUDE + code).split("\n")
    found = ERROR.search(log)
    if found is None:
        return next((line for line in log.split("\n") if "error" in line), log[:200]), ""
    number = int(found[1])
    return found[2], lines[number - 1].strip() if number <= len(lines) else ""


def is_reported(message, line, missing):
    """Whether the message, or its line, contains a name that the record lists."""
    about = set(re.findall(r"\w+", message + " " + line))
    return any(about & set(re.findall(r"\w+", name)) for name in missing)


def judge(compiler, kernel, libraries):
    """(one of VERDICTS, the first error)."""
    code, missing = kernel["code"], kernel["missing"]
    passed, log = compiler.compile(code)
    if passed:
        return "compiles", ""
    if missing and libraries:
        passed, log = compiler.compile(code, libraries)
        if passed:
            return "with libraries", ""
    message, line = first_error(log, code)
    reported = is_reported(message, line, missing)
    return ("name reported" if reported else "fails"), f"{message[:160]} | {line[:100]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dataset", metavar="DATASET")
    parser.add_argument("repositories", nargs="*", metavar="REPOSITORY")
    parser.add_argument("--list", action="store_true", help="print what does not compile by itself")
    options = parser.parse_args()
    by_commit = collections.defaultdict(list)
    for record in dataset_records.records(options.dataset, "kernel"):
        by_commit[record["origins"][0]["commit"]].append(record)
    repositories = {git(path, "rev-parse", "HEAD", text=True).stdout.strip(): path
                    for path in options.repositories}
    compiler = nvrtc.Compiler()
    table = collections.defaultdict(collections.Counter)
    for commit, records in sorted(by_commit.items()):
        with tempfile.TemporaryDirectory() as folder:
            libraries = []
            if commit in repositories:
                codes = [record["payload"]["code"] for record in records]
                libraries = libraries_of(repositories[commit], codes, folder)
            for record in records:
                verdict, error = judge(compiler, record["payload"], libraries)
                origin = record["origins"][0]
                table[origin["url"]][verdict] += 1
                if options.list and verdict != "compiles":
                    print(f"{verdict}: {origin['path']}:{origin['first_line']}: {origin['symbol']}; "
                          f"missing: {', '.join(record['payload']['missing'])}; {error}")
    print(f"{'source':32} {'kernels':>9} " + " ".join(f"{verdict:>15}" for verdict in VERDICTS))
    total = collections.Counter()
    for source, counts in sorted(table.items()):
        total.update(counts)
        print(f"{source:32} {sum(counts.values()):9} "
              + " ".join(f"{counts[verdict]:15}" for verdict in VERDICTS))
    kernels = sum(total.values())
    good = kernels - total["fails"]
    print(f"good: {good} of {kernels} slices ({good / max(1, kernels):.1%})")
    return 0 if kernels and good >= 0.9 * kernels else 1


if __name__ == "__main__":
    sys.exit(main())
