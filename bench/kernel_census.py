#!/usr/bin/env python3
"""Counts the __global__ functions in Git repositories or folders by text search and bracket
matching.

    bench/kernel_census.py SOURCE… [--list] [--dataset DIR]

A kernel counts when `__global__` leads to a name, a parameter list and a body, outside comments and
strings. Kernels in the body of a #define are counted separately, because they have no text of their
own. With --dataset, looks the kernels up in a dataset that was made from the same sources.
"""

import argparse
import pathlib
import re
import subprocess
import sys

SUFFIXES = (".cu", ".cuh", ".h", ".hpp", ".hh", ".cpp", ".cc", ".c", ".inl", ".mu", ".muh")
# A raw string, a string, a character, a line comment, a block comment.
NOT_CODE = re.compile(r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"'
                      r"|'(?:[^'\\\n]|\\.)'|//[^\n]*|/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*", re.MULTILINE)


def git(source, *arguments, **options):
    return subprocess.run(["git", "-c", "safe.directory=*", "-C", str(source), *arguments],
                          capture_output=True, **options)


def read_files(source):
    """Yields (path, text) of the files in a repository's HEAD or a folder that may have kernels."""
    prefix = git(source, "rev-parse", "--show-prefix")
    if prefix.returncode != 0 or prefix.stdout.strip():
        for path in sorted(pathlib.Path(source).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink():
                yield path.relative_to(source).as_posix(), path.read_bytes().decode("utf-8", "replace")
        return
    for line in git(source, "ls-tree", "-r", "-z", "HEAD", check=True).stdout.split(b"\0")[:-1]:
        about, path = line.split(b"\t", 1)
        name = path.decode("utf-8", "replace")
        if name.endswith(SUFFIXES) and about.split()[1] == b"blob":
            blob = about.split()[2].decode()
            yield name, git(source, "cat-file", "blob", blob, check=True).stdout.decode(
                "utf-8", "replace")


def blank(match):
    """Blanks the text, keeping the number of lines and characters."""
    return re.sub(r"[^\n]", " ", match[0])


def after_brackets(text, at):
    """The position after the bracket pair that opens at `at`."""
    depth = 0
    for position in range(at, len(text)):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


def kernel_at(text, at):
    """The name of the kernel whose `__global__` ends at `at`, or None for a declaration."""
    opening = re.compile(r"(\w+)\s*(?:<[^;{}()]*>\s*)?\(")
    while match := opening.search(text, at):
        if ";" in text[at:match.start()] or "{" in text[at:match.start()]:
            return None
        end = after_brackets(text, match.end() - 1)
        # An attribute with an argument, such as __launch_bounds__(256), can come before the name.
        if match[1].startswith("__") or match[1].isupper() and not re.match(r"\s*[{;]", text[end:]):
            at = end
            continue
        return match[1] if re.match(r"\s*\{", text[end:]) else None
    return None


def kernels_of(text):
    """Yields (name, line, whether it is in a #define) of each kernel in a file."""
    text = NOT_CODE.sub(blank, text)
    for match in DIRECTIVE.finditer(text):
        if "__global__" in match[0] and re.match(r"[ \t]*#[ \t]*define", match[0]):
            body = match[0].replace("\\\n", " \n")
            for inner in re.finditer(r"\b__global__\b", body):
                if name := kernel_at(body, inner.end()):
                    yield name, text.count("\n", 0, match.start() + inner.start()) + 1, True
    text = DIRECTIVE.sub(blank, text)
    for match in re.finditer(r"\b__global__\b", text):
        if name := kernel_at(text, match.end()):
            yield name, text.count("\n", 0, match.start()) + 1, False


def census(source):
    """(path, name, line, in a macro) of each kernel of one source."""
    return [(path, *kernel) for path, text in read_files(source) if "__global__" in text
            for kernel in kernels_of(text)]


def print_dataset(sources, dataset):
    """Prints which kernels the dataset contains; returns whether at least 98 % are there."""
    import dataset_records  # Needs .venv; the census alone does not.

    held = {}
    for record in dataset_records.records(dataset, "kernel"):
        for origin in record["origins"]:
            held[(origin["commit"], origin["path"], origin["symbol"])] = record
    wanted = found = 0
    for source, kernels in sources.items():
        commit = git(source, "rev-parse", "HEAD", text=True).stdout.strip()
        for path, name, line, in_macro in kernels:
            if not in_macro:
                wanted += 1
                if (commit, path, name) in held:
                    found += 1
                else:
                    print(f"missing: {path}:{line}: {name}")
    print(f"in the dataset: {found} of {wanted} kernels ({found / max(1, wanted):.1%})")
    return found >= 0.98 * wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--list", action="store_true", help="print every kernel")
    parser.add_argument("--dataset", metavar="DIR")
    options = parser.parse_args()
    sources = {source: census(source) for source in options.sources}
    for source, kernels in sources.items():
        in_macros = sum(kernel[3] for kernel in kernels)
        print(f"{source.rstrip('/').rpartition('/')[2]}: {len(kernels) - in_macros} kernels in "
              f"{len({kernel[0] for kernel in kernels})} files, {in_macros} in macros")
        if options.list:
            for path, name, line, in_macro in kernels:
                print(f"  {path}:{line}: {name}{' (macro)' if in_macro else ''}")
    if options.dataset and not print_dataset(sources, options.dataset):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
