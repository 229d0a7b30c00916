#!/usr/bin/env python3
"""Measures how much text generated tasks share with KernelBench's problems.

    ./kernelmill generate --count 2000 --seed 1 --json | bench/text_overlap.py KernelBench

A text is a set of 5-grams of Python tokens, without comments and docstrings. Each task is compared
with the most similar problem by the Jaccard similarity. Prints the distribution and, for scale,
that of the problems among each other; exits with 1 when a task has the text of a problem
(similarity 1).
"""

import io
import json
import pathlib
import sys
import tokenize

SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
           tokenize.ENDMARKER, tokenize.ENCODING}
RUN = 5


def runs(code):
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(code).readline)
              if token.type not in SKIPPED]
    words = [token.string for i, token in enumerate(tokens)
             if token.type != tokenize.STRING or not token.string.startswith(('"""', "'''"))]
    return {tuple(words[i:i + RUN]) for i in range(len(words) - RUN + 1)}


def nearest(one, others):
    """The similarity to the most similar of `others`, [(name, runs)], and its name."""
    return max(((len(one & other) / len(one | other), name) for name, other in others if other),
               default=(0.0, ""))


def report(what, found):
    values = sorted(similarity for similarity, _ in found)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    print(f"{what}: {len(values)} texts, similarity to the nearest problem: median {at(0.5):.2f}, "
          f"95 % {at(0.95):.2f}, most {values[-1]:.2f}, {max(found)[1]}")


def main():
    problems = [(str(path.relative_to(sys.argv[1])), runs(path.read_text(encoding="utf-8")))
                for path in sorted(pathlib.Path(sys.argv[1]).glob("KernelBench/level*/*.py"))]
    tasks = [nearest(runs(json.loads(line)["reference"]), problems) for line in sys.stdin]
    report("tasks", tasks)
    report("problems", [nearest(one, problems[:i] + problems[i + 1:])
                        for i, (_, one) in enumerate(problems)])
    equal = sum(similarity == 1 for similarity, _ in tasks)
    print(f"{equal} tasks have a problem's text, {sum(one[0] > 0.7 for one in tasks)} are above 0.7")
    return 1 if equal else 0


if __name__ == "__main__":
    sys.exit(main())
