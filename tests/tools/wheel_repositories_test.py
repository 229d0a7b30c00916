"""Tests tools/setup/wheel_repositories: a wheel becomes the same commit id on every machine."""

import hashlib
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/setup/wheel_repositories"
FILES = {
    "toy/__init__.py": "from .net import Net\n",
    "toy/net.py": "class Net:\n    pass\n",
    "toy/a \"quoted\" näme.txt": "",
    "toy/third/.git": "gitdir: elsewhere\n",
    "toy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\nLicense: MIT\n",
    "toy-1.0.dist-info/WHEEL":
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "toy-1.0.dist-info/RECORD": "",
}


class WheelRepositories(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def wheel(self, files=None):
        """Writes a wheel where pip finds it, and the list that requests it."""
        path = self.folder / "links" / "toy-1.0-py3-none-any.whl"
        path.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in (files or FILES).items():
                archive.writestr(name, text)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.list = self.folder / "wheels.txt"
        self.list.write_text(f"# One.\ntoy==1.0 --hash=sha256:{digest}\n", encoding="utf-8")
        return digest

    def run_script(self, target, umask=0o022, **environment):
        return subprocess.run(
            [SCRIPT, target, self.list], capture_output=True, text=True, umask=umask, check=False,
            env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.folder / "links"),
                 **environment})

    def git(self, repository, *arguments):
        return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True,
                              check=True).stdout

    def test_the_commit_follows_from_the_wheel_alone(self):
        self.wheel()
        commits = set()
        hostile = self.folder / "gitconfig"
        hostile.write_text("[core]\n\tautocrlf = true\n[user]\n\tname = Somebody\n"
                           "[init]\n\tdefaultBranch = other\n", encoding="utf-8")
        for name, umask, environment in (
                ("one", 0o022, {}), ("two with space", 0o077, {"TZ": "Asia/Tokyo"}),
                ("three", 0o002, {"GIT_CONFIG_GLOBAL": str(hostile), "GIT_AUTHOR_NAME": "Somebody",
                                  "GIT_COMMITTER_DATE": "1 +0100", "LANG": "de_DE.UTF-8"})):
            target = self.folder / name
            done = self.run_script(target, umask, **environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            repository, = (target / "repositories").iterdir()
            self.assertEqual(self.git(repository, "symbolic-ref", "HEAD"), "refs/heads/main\n")
            commits.add(self.git(repository, "rev-parse", "HEAD"))
            self.git(repository, "fsck", "--strict")
        self.assertEqual(len(commits), 1)

    def test_the_tree_holds_the_files_of_the_wheel(self):
        self.wheel()
        self.run_script(self.folder / "out")
        repository, = (self.folder / "out/repositories").iterdir()
        paths = self.git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")[:-1]
        self.assertEqual(paths, sorted((set(FILES) - {"toy/third/.git"}), key=str.encode))
        self.assertEqual(self.git(repository, "show", "HEAD:toy/net.py"), FILES["toy/net.py"])
        self.assertEqual(self.git(repository, "config", "remote.origin.url"), "pkg:pypi/toy@1.0\n")

    def test_the_configuration_names_the_repositories(self):
        self.wheel()
        self.run_script(self.folder / "out")
        repository, = (self.folder / "out/repositories").iterdir()
        config = (self.folder / "out/sources.yaml").read_text(encoding="utf-8")
        self.assertTrue(config.endswith(
            f'seed: 7\nsources:\n  - git: "{repository}"\n    url: "pkg:pypi/toy@1.0"\n'), config)

    def test_a_second_run_needs_no_wheel(self):
        self.wheel()
        self.run_script(self.folder / "out")
        (self.folder / "links/toy-1.0-py3-none-any.whl").unlink()
        done = self.run_script(self.folder / "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_hash_is_refused(self):
        digest = self.wheel()
        self.list.write_text(f"toy==1.0 --hash=sha256:{digest[::-1]}\n", encoding="utf-8")
        done = self.run_script(self.folder / "out")
        self.assertEqual(done.returncode, 3)
        self.assertIn("toy==1.0 is not the wheel with the hash", done.stderr)
        self.assertFalse((self.folder / "out/sources.yaml").exists())

    def test_a_path_out_of_the_tree_is_refused(self):
        for name in ("../escaped.py", "/absolute.py", "toy//x.py", "toy/line\nbreak.py"):
            self.wheel({**FILES, name: "x"})
            done = self.run_script(self.folder / "out")
            self.assertEqual(done.returncode, 3, name)
            self.assertRegex(done.stderr, "the wheel holds a path")
            self.assertFalse(list((self.folder / "out/repositories").glob("*.git")))
        self.assertFalse((self.folder / "escaped.py").exists())

    def test_a_line_that_is_no_pinned_wheel(self):
        self.list = self.folder / "wheels.txt"
        self.list.write_text("toy>=1.0\n", encoding="utf-8")
        done = self.run_script(self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("wheels.txt:1:", done.stderr)

    def test_the_script_can_be_run(self):
        self.assertTrue(SCRIPT.stat().st_mode & stat.S_IXUSR)


if __name__ == "__main__":
    unittest.main()
