"""The commands of README's section on clusters, which the tests of this folder run."""

import re
import shlex

import program

SECTION = "## From laptop to cluster"
PREFIXES = ("./kernelmill ", "redis-server ")


def commands():
    """The commands of the section, as lines without their comments."""
    page = (program.ROOT / "README.md").read_text(encoding="utf-8")
    section = page.partition(SECTION)[2].partition("\n## ")[0]
    lines = []
    for block in re.findall(r"^```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
        lines += re.sub(r"\\\n\s*", "", block).splitlines()
    return [re.sub(r"\s+#.*", "", line) for line in lines if line.startswith(PREFIXES)]


def command(beginning, names):
    """The words of the one command that begins so, without the program's name. `names`: what stands
    in a test for some of the words."""
    line, = (line for line in commands() if line.removeprefix("./kernelmill ").startswith(beginning))
    return [names.get(word, word) for word in shlex.split(line)[1:]]
