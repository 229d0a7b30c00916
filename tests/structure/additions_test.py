"""Each patch in additions/ adds one part of one kind. It must apply to this tree, touch the files
that CONTRIBUTING.md names for that kind, and leave a tree that follows the rules of
tree_rules.py."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import tree_rules

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = {path.stem: path for path in (ROOT / "tests/structure/additions").glob("*.patch")}


def expanded(text):
    """Expands "a.{h,cc}" to paths."""
    braces = re.search(r"\{([^{}]*)\}", text)
    if braces is None:
        return [text]
    return [path for choice in braces[1].split(",")
            for path in expanded(text[:braces.start()] + choice + text[braces.end():])]


def documented():
    """The files that CONTRIBUTING.md names for each kind of part. NAME stands for the new part."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- additions -->\n(.*?)<!-- /additions -->", page, re.DOTALL)[1]
    rows = [line.strip("|").split("|") for line in table.splitlines()[2:]]
    return {part.strip().replace(" ", "_"):
            sorted(path for text in re.findall("`([^`]*)`", files) for path in expanded(text))
            for part, files, _ in rows}


def touched(patch):
    """The files that a patch creates, and the files that it changes."""
    pairs = re.findall(r"^--- (\S+)\n\+\+\+ b/(\S+)$", patch.read_text(encoding="utf-8"), re.MULTILINE)
    return ({path for before, path in pairs if before == "/dev/null"},
            {path for before, path in pairs if before != "/dev/null"})


class Additions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Copies the files of the tree, so that the checkout is not changed."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.copy = pathlib.Path(folder.name, "tree")
        for path in tree_rules.Tree(ROOT).paths:
            (cls.copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, cls.copy / path)
            (cls.copy / path).chmod((ROOT / path).stat().st_mode | 0o200)
        cls.violations = tree_rules.violations(cls.copy)

    def apply(self, patch, *options):
        # Inside of a repository, git apply would skip files that are not in the repository.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("GIT_")}
        environment["GIT_CEILING_DIRECTORIES"] = str(self.copy.parent.resolve())
        done = subprocess.run(["git", "apply", "--whitespace=error", *options, str(patch)],
                              cwd=self.copy, env=environment, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, f"{patch.name} does not apply:\n{done.stderr}")

    def test_every_kind_of_part_has_a_patch(self):
        self.assertEqual(sorted(documented()), sorted(PATCHES))

    def test_patches_touch_the_documented_files(self):
        rows = documented()
        for kind, patch in sorted(PATCHES.items()):
            with self.subTest(kind):
                created, changed = touched(patch)
                self.assertEqual({path for path in rows[kind] if "NAME" not in path}, changed)
                patterns = [re.escape(path).replace("NAME", "(?P<name>[a-z_]+)", 1)
                            .replace("NAME", "(?P=name)") for path in rows[kind] if "NAME" in path]
                matches = [re.fullmatch(pattern, path) for path in sorted(created)
                           for pattern in patterns if re.fullmatch(pattern, path)]
                self.assertEqual([match[0] for match in matches], sorted(created))
                self.assertEqual(len(patterns), len(created))
                self.assertLessEqual(len({match["name"] for match in matches}), 1)

    def test_patched_trees_keep_the_rules(self):
        for kind, patch in sorted(PATCHES.items()):
            with self.subTest(kind):
                created, changed = touched(patch)
                before = {path: (self.copy / path).read_bytes() for path in changed}
                self.assertFalse([path for path in created if (self.copy / path).exists()])
                self.apply(patch)
                try:
                    self.assertTrue(all((self.copy / path).is_file() for path in created))
                    self.assertFalse([path for path in changed
                                      if (self.copy / path).read_bytes() == before[path]])
                    new = set(tree_rules.violations(self.copy)) - set(self.violations)
                    self.assertEqual(new, set(), "\n" + "\n".join(sorted(new)))
                finally:
                    self.apply(patch, "--reverse")


if __name__ == "__main__":
    unittest.main()
