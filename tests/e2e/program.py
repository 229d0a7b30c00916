"""Runs the program under test the way a user does."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("KERNELMILL_BINARY", str(ROOT / "build/release/kernelmill"))
# As in tools/cli/exit_codes.h.
DONE, NEGATIVE, WRONG_USE, ENVIRONMENT, RETRY = 0, 1, 2, 3, 75
# The key `answer` of a configuration: kernels for two tasks, with one variant each.
ANSWERS = {"limit": 2, "variants": 1, "sanitize": False, "profile": False}


def words(arguments, outcomes):
    """The command line. Without `outcomes` a run does all its work: tests compare what two runs do."""
    command = [BINARY, *map(str, arguments)]
    if not outcomes and command[1:2] in (["sft"], ["rft"], ["purge"], ["merge"], ["append"]):
        command.append("--no-outcomes")
    return command


def run(*arguments, environment=None, timeout=600, outcomes=False, **options):
    """Runs `kernelmill ARGUMENTS` to its end; standard output and standard error are text."""
    return subprocess.run(
        words(arguments, outcomes), capture_output=True, text=True, check=False,
        timeout=timeout, env={**os.environ, **(environment or {})}, **options)


def start(*arguments, outcomes=False, **options):
    """Starts `kernelmill ARGUMENTS` as the leader of a new process group."""
    return subprocess.Popen(
        words(arguments, outcomes), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, start_new_session=True, **options)


def kill_group(process, number=signal.SIGKILL):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def validators():
    """The Python with the packages of tools/setup/validators.txt."""
    python = ROOT / ".cache/validators/bin/python"
    if not python.exists():
        raise FileNotFoundError(f"{python} is missing: `./kernelmill test` installs it "
                                "(tools/setup/install --with validators)")
    return python


def separate_root(folder):
    """A new folder for KERNELMILL_ROOT: the checkout, but with nothing in its cache."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name not in (".cache", ".git", "build", "out"):
            (folder / path.name).symlink_to(path)
    return folder


class EndToEnd(unittest.TestCase):
    """A test with its own folder, `self.folder`, which is removed at the end."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def configuration(self, *repositories, name="run", **keys):
        """Writes a configuration (JSON, which is YAML) that mines `repositories`. Tasks are
        answered only if the keys include `answer` (ANSWERS)."""
        path = self.folder / f"{name}.yaml"
        sources = [one if isinstance(one, dict) else {"git": str(one)} for one in repositories]
        keys = {"answer": {"variants": 0}, "perturb": {"mutants": 0}, **keys}
        path.write_text(json.dumps({"seed": 7, "sources": sources, **keys}), encoding="utf-8")
        return path

    def build(self, configuration, output, *options, environment=None):
        """Builds a dataset, which must succeed, and returns its manifest."""
        # One job by default, because each job loads torch, and there are only a few modules.
        jobs = () if "--jobs" in options else ("--jobs", 1)
        done = run("sft", configuration, "--output", output, "--quiet", "--json", *jobs, *options,
                   environment=environment)
        self.assertEqual(done.returncode, DONE, done.stderr)
        return json.loads(done.stdout)

    def audit(self, dataset, *options):
        """Audits a dataset. Returns its verdict, and its findings as (file, record, what)."""
        done = run("audit", dataset, "--json", *options)
        if not done.stdout:
            self.fail(f"audit said nothing on standard output: {done.stderr}")
        report = json.loads(done.stdout)
        findings = report["findings"] + report.get("rederived", {}).get("findings", [])
        self.assertEqual(done.returncode, NEGATIVE if findings else DONE, done.stderr)
        return report["verdict"], [(f["file"], f["record"], f["what"]) for f in findings]
