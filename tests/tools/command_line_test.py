"""Help, errors, completion and the manual of the command line, all of which come from one table."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from small_dataset import BINARY, ROOT
from terminal import on_terminal

GROUPS = {
    "Build a dataset": ["demo", "sft", "rft", "mine", "lock", "generate", "step", "status", "purge",
                        "merge", "append"],
    "Native answers": ["verify", "worker", "serve", "answer", "sample", "score"],
    "Read and prove a dataset": ["inspect", "trace", "audit", "rejects", "diff", "export", "upload",
                                 "download"],
    "About this program": ["config", "help", "completion", "man", "setup", "test"],
}
COMMANDS = [command for commands in GROUPS.values() for command in commands]


def kernelmill(*words, **more):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, check=False,
                          **more)


def options_of(command):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", kernelmill(command, "--help").stdout))


class Errors(unittest.TestCase):
    def assert_wrong_use(self, words, *expected):
        done = kernelmill(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        for text in expected:
            self.assertIn(text, done.stderr)

    def test_an_unknown_command_is_called_so(self):
        self.assert_wrong_use(["verfy"], "unknown command 'verfy'; did you mean 'verify'?")
        self.assert_wrong_use(["xyzzy"], "unknown command 'xyzzy'", "kernelmill --help")
        self.assert_wrong_use(["help", "inspekt"], "unknown command 'inspekt'", "'inspect'")
        self.assert_wrong_use([], "no command was given")
        self.assert_wrong_use(["--versoin"], "unknown option '--versoin'", "'--version'")

    def test_an_unknown_option_is_called_so(self):
        self.assert_wrong_use(["sft", "corpus.yaml", "--ouput", "x"],
                              "sft: unknown option '--ouput'; did you mean '--output'?")
        # The missing argument is not reported as well.
        self.assert_wrong_use(["audit", "--rederve=3"], "unknown option '--rederve'", "'--rederive'")
        self.assert_wrong_use(["status", "a", "b"], "status: unexpected argument 'b'")

    def test_a_value_that_does_not_fit_names_its_option(self):
        for words, expected in (
                (["sft", "c.yaml", "--jobs", "many"],
                 "--jobs: must be a whole number from 1 to 4096, not 'many'"),
                (["generate", "--count", "0"],
                 "--count: must be a whole number of 1 or more, not '0'"),
                (["verify", "--backend", "cude"],
                 "--backend: must be cuda or musa, not 'cude'; did you mean 'cuda'?"),
                (["completion", "tcsh"], "shell: must be bash, fish or zsh, not 'tcsh'"),
                (["verify", "--output"], "--output needs a value: FOLDER"),
                (["answer"], "give REFERENCES or --generated"),
                (["answer", "ref.py", "--count", "3"], "--count requires --generated"),
                (["trace", "out/demo"], "id is required")):
            self.assert_wrong_use(words, expected)

    def test_an_empty_value_is_wrong_use(self):
        for words, name in ((["sft", "c.yaml", "--output", ""], "--output"),
                            (["rft", "c.yaml", "--output", ""], "--output"),
                            (["rft", "c.yaml", "--output="], "--output"),
                            (["mine", "c.yaml", "--output", ""], "--output"),
                            (["sample", "p.jsonl", "--endpoint", "http://h/v1", "--output", ""],
                             "--output"),
                            (["export", "out/demo", "--format", "trl", "--output", ""], "--output"),
                            (["verify", "--reference", "r.py", "--candidate", ""], "--candidate"),
                            (["export", "", "--format", "trl", "--output", "x"], "dataset"),
                            (["audit", ""], "dataset"), (["score", ""], "source"),
                            (["rft", ""], "configuration"), (["score", "v", "--html", ""], "--html")):
            with self.subTest(words):
                self.assert_wrong_use(words, f"{words[0]}: {name} " + (
                    "needs a value" if "--output=" in words else "is empty"))

    def test_renamed_words_name_the_new_ones(self):
        self.assert_wrong_use(["lower", "--count", "3"],
                              "the command 'lower' is now 'answer --generated'")
        self.assert_wrong_use(["answer", "ref.py", "--ways", "2"],
                              "the option --ways is now --variants")
        self.assert_wrong_use(["verify", "--count"], "the option --count is now --profile")
        self.assert_wrong_use(["verify", "--fresh"], "the option --fresh is now --no-cache")

    def test_a_wrong_key_is_wrong_use(self):
        self.assert_wrong_use(["config", "anser"], "unknown key 'anser'")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "corpus.yaml")
            path.write_text("sead: 7\n")
            self.assert_wrong_use(["sft", path, "--dry-run"], "corpus.yaml:1", "'sead'", "'seed'")

    def test_a_missing_input_is_wrong_use(self):
        self.assert_wrong_use(["sft", "/nonexistent/corpus.yaml"], "/nonexistent/corpus.yaml")
        self.assert_wrong_use(["inspect", "/nonexistent"], "/nonexistent")


class Help(unittest.TestCase):
    def test_the_top_help_lists_every_command_in_its_group(self):
        done = kernelmill("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(kernelmill("help").stdout, done.stdout)
        for group, commands in GROUPS.items():
            section = done.stdout.split(f"\n{group}:\n")[1].split("\n\n")[0]
            self.assertEqual(re.findall(r"^  (\w+)  ", section, re.MULTILINE), commands)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_every_command_has_a_description_and_examples_that_parse(self):
        for command in COMMANDS:
            done = kernelmill(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(kernelmill("help", command).stdout, done.stdout)
            self.assertTrue(done.stdout.startswith(f"kernelmill {command}: "))
            examples = re.findall(r"^  kernelmill (.*)$", done.stdout, re.MULTILINE)
            self.assertTrue(examples, command)
            for example in examples:
                words = re.split(r" [|>] ", example)[0].split()
                self.assertEqual(words[0], command)
                for word in words[1:]:
                    if word.startswith("--"):
                        self.assertIn(word, options_of(command))

    def test_what_an_example_may_run_at_once_runs(self):
        for words in (["config"], ["config", "answer.limit"], ["config", "mine"], ["help", "verify"],
                      ["generate", "--count", "20", "--levels", "1,2", "--json"],
                      ["generate", "--count", "5", "--targets", "flops=1e9:1e11"], ["man"]):
            self.assertEqual(kernelmill(*words).returncode, 0, words)

    def test_the_exit_codes_are_the_same_everywhere(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        manual, top = kernelmill("man").stdout, kernelmill("--help").stdout
        for code in (0, 1, 2, 3, 75):
            self.assertRegex(top, rf"(?m)^  {code}  +[A-Z]")
            self.assertIn(f".B {code}\n", manual)
            self.assertIn(f"\n| {code} | ", readme)

    def test_one_key_and_a_prefix(self):
        one = kernelmill("config", "answer.limit").stdout
        self.assertIn("limit: 0", one)
        self.assertNotIn("backends", one)
        group = kernelmill("config", "answer").stdout
        self.assertIn("limit: 0", group)
        self.assertIn("backends:", group)
        self.assertNotIn("partitions", group)
        self.assertIn(group, kernelmill("config").stdout)


class Colours(unittest.TestCase):
    def test_only_on_a_terminal_that_wants_them(self):
        shown = on_terminal([BINARY, "--help"], {"TERM": "xterm", "NO_COLOR": ""})
        self.assertIn("\033[1mBuild a dataset:\033[0m", shown)
        for environment in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}):
            self.assertNotIn("\033", on_terminal([BINARY, "--help"], environment))
        self.assertNotIn("\033", kernelmill("--help", env={**os.environ, "TERM": "xterm"}).stdout)

    def test_help_is_as_wide_as_the_terminal(self):
        # Waits until the terminal's width is set.
        wait = ["sh", "-c", f"sleep 0.5; exec {BINARY} help verify"]
        shown = on_terminal(wait, {"TERM": "dumb"}, columns=60)
        prose = [line for line in shown.splitlines() if not line.startswith("  kernelmill ")]
        self.assertLessEqual(max(map(len, prose)), 60)


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        for shell in ("bash", "zsh", "fish"):
            (cls.folder / shell).write_text(kernelmill("completion", shell).stdout)

    def test_every_script_has_every_command_and_option(self):
        for shell, form in (("bash", "{0}"), ("zsh", "{0}["), ("fish", " -l {1} ")):
            text = (self.folder / shell).read_text()
            for command in COMMANDS:
                self.assertIn(command, text)
                for option in options_of(command) - {"--help"}:
                    if option in ("--reference", "--candidate") or command in ("sft", "test"):
                        self.assertIn(form.format(option, option[2:]), text, (shell, command))

    def test_the_shells_can_read_them(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", self.folder / shell], capture_output=True,
                                      text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def completed(self, line):
        """The completions that bash offers for the last word of `line`."""
        words = line.split(" ")
        script = (f"source {self.folder}/bash; compopt() {{ :; }}; "
                  f"COMP_WORDS=({' '.join(repr(word) for word in words)}); "
                  f"COMP_CWORD={len(words) - 1}; _kernelmill; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True,
                              cwd=self.folder).stdout.split()

    def test_bash_offers_what_fits(self):
        self.assertEqual(self.completed("kernelmill ver"), ["verify"])
        self.assertEqual(self.completed("kernelmill verify --san"), ["--sanitize"])
        self.assertEqual(self.completed("kernelmill verify --sanitize "),
                         ["none", "memory", "race", "all"])
        self.assertEqual(self.completed("kernelmill config answer.lim"), ["answer.limit"])
        self.assertEqual(self.completed("kernelmill sft x.yaml --set answer.lim"), ["answer.limit="])
        self.assertEqual(sorted(self.completed("kernelmill completion ")), ["bash", "fish", "zsh"])
        self.assertEqual(self.completed("kernelmill help insp"), ["inspect"])
        self.assertEqual(sorted(self.completed("kernelmill sft ")), ["bash", "fish", "zsh"])

    def test_an_interactive_bash_completes(self):
        keys = (f"source {self.folder}/bash\nPS1='$ '\n"
                "kernelmill veri\t--pol\tmoo\t# ends\nexit\n")
        shown = on_terminal(["bash", "--norc", "--noprofile", "-i"], {"TERM": "dumb"}, keys,
                            columns=200)
        self.assertIn("kernelmill verify --policy mooreeval # ends", shown)


class Manual(unittest.TestCase):
    def test_it_has_every_command_and_option(self):
        page = kernelmill("man").stdout
        self.assertTrue(page.startswith(".TH KERNELMILL 1"))
        plain = page.replace("\\-", "-")
        for command in COMMANDS:
            section = plain.split(f".SS {command}\n")[1].split("\n.S")[0]
            for option in options_of(command) - {"--help"}:
                self.assertIn(option, section)
        for line in page.splitlines():
            if line.startswith("."):
                self.assertRegex(line, r"^\.(TH|SH|SS|TP|PP|B|I|EX|EE)\b")

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_finds_nothing_wrong(self):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-c"], capture_output=True,
                              text=True, check=True, input=kernelmill("man").stdout)
        self.assertEqual(done.stderr, "")
        for command in COMMANDS:
            self.assertIn(f"kernelmill {command}", done.stdout)


if __name__ == "__main__":
    unittest.main()
