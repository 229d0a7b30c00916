"""Environment failures: each gives a clear message and the exit code that the README documents, and
publishes nothing incomplete."""

import functools
import json
import os
import resource
import signal
import subprocess
import unittest

import program
import repository
from program import DONE, ENVIRONMENT, NEGATIVE, RETRY, WRONG_USE


@functools.cache
def undisturbed():
    """The manifest digest of the dataset when nothing fails."""
    test = program.EndToEnd()
    test.setUp()
    try:
        source = repository.sample_repository(test.folder / "source", files=1)
        return test.build(test.configuration(source.folder), test.folder / "out")["manifest_digest"]
    finally:
        test.doCleanups()


class Faults(program.EndToEnd):
    def setUp(self):
        super().setUp()
        self.source = repository.sample_repository(self.folder / "source", files=1)
        self.output = self.folder / "out"

    def sft(self, configuration, *options, **more):
        return program.run("sft", configuration, "--output", self.output, "--jobs", 1, *options,
                           **more)

    def start(self, configuration):
        return program.start("sft", configuration, "--output", self.output, "--jobs", 1)

    def assert_refused(self, done, code, *words):
        """The program ended with `code` and a last line that contains all of `words`, and published
        nothing."""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        last = done.stderr.strip().splitlines()[-1]
        self.assertTrue(last.startswith("kernelmill: "), done.stderr)
        for word in words:
            self.assertIn(word, last)
        self.assert_unpublished()

    def assert_unpublished(self):
        self.assertFalse((self.output / "manifest.json").exists())

    def assert_resumes(self, configuration):
        manifest = self.build(configuration, self.output)
        self.assertEqual(self.audit(self.output), ("consistent", []))
        self.assertEqual(manifest["manifest_digest"], undisturbed())


class Configuration(Faults):
    def write(self, text):
        path = self.folder / "written.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def test_unknown_keys_come_with_a_suggestion(self):
        good = f"sources:\n  - git: {self.source.folder}\n"
        for text, words in {
                "seeds: 7\n" + good: ("written.yaml:1:", "'seeds'", "did you mean 'seed'?"),
                good + "mine:\n  max_entrys: 3\n":
                    ("written.yaml:4:", "max_entrys", "did you mean", "max_entries"),
                "sources:\n  - got: x\n": ("written.yaml:2:", "'sources[0].got'",
                                          "did you mean", "git"),
                good + "zzzzzzzzzzzz: 1\n": ("zzzzzzzzzzzz", "kernelmill config")}.items():
            with self.subTest(text):
                self.assert_refused(self.sft(self.write(text)), WRONG_USE, *words)
                self.assertFalse(self.output.exists())
        self.assert_refused(self.sft(self.write(good), "--set", "sed=3"), WRONG_USE, "--set sed",
                            "did you mean 'seed'?")

    def test_wrong_types_name_line_and_key(self):
        good = f"sources:\n  - git: {self.source.folder}\n"
        for text, words in {
                "seed: seven\n" + good: ("written.yaml:1:", "seed: must be an integer",
                                         "'seven'"),
                "seed: [7]\n" + good: ("seed: must be an integer, not a list",),
                "sources: 3\n": ("sources: must be a list of mappings",),
                "sources:\n  - git: [a]\n": ("git: must be a string",),
                "seed: 7\n": ("sources", "at least one repository", "generate.count"),
                "sources: []\n": ("sources", "at least one repository"),
                "seed: 7\nseed: 8\n" + good: ("seed",),
                "a: [\n": ("not YAML",),
                "- 1\n- 2\n": ("written.yaml",),
                "": ("sources", "at least one repository")}.items():
            with self.subTest(text):
                self.assert_refused(self.sft(self.write(text)), WRONG_USE, *words)
        self.assert_refused(self.sft(self.write(good), "--set", "partitions=few"), WRONG_USE,
                            "partitions: must be an integer")
        for value in (0, -3):
            self.assert_refused(self.sft(self.write(good), "--set", f"partitions={value}"), WRONG_USE,
                                "partitions")

    def test_what_does_not_exist_is_named(self):
        nowhere = self.folder / "nowhere"
        self.assert_refused(self.sft(nowhere), WRONG_USE, str(nowhere))
        configuration = self.configuration(nowhere)
        self.assert_refused(self.sft(configuration), WRONG_USE, str(nowhere), "no such folder")
        (self.folder / "plain").mkdir()
        configuration = self.configuration(self.folder / "plain")
        self.assert_refused(self.sft(configuration), WRONG_USE, "plain", "not a Git repository")
        configuration = self.configuration({"git": str(self.source.folder), "revision": "v9"})
        self.assert_refused(self.sft(configuration), WRONG_USE, str(self.source.folder), "'v9'")
        configuration = self.configuration("file://" + str(nowhere))
        self.assert_refused(self.sft(configuration), WRONG_USE, str(nowhere))
        for address in ("--upload-pack=touch /tmp/x", "ext::sh -c true", ""):
            with self.subTest(address):
                self.assert_refused(self.sft(self.configuration(address)), WRONG_USE, "source")
        done = program.run("audit", nowhere)
        self.assert_refused(done, WRONG_USE, str(nowhere), "not a dataset")

    def test_the_command_line(self):
        for arguments in (("sft",), ("nonsense",), ("sft", "x", "--jobs", "many"),
                          ("audit", self.folder, "--root", "xyz")):
            done = program.run(*arguments)
            self.assertEqual(done.returncode, WRONG_USE, arguments)
            self.assertTrue(done.stderr)


class Disk(Faults):
    def test_a_full_disk(self):
        mount = self.folder / "small"
        mount.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("only root may make a small file system")
        self.addCleanup(subprocess.run, ["umount", "-l", str(mount)], check=False)
        configuration = self.configuration(self.source.folder)
        self.output = mount / "out"
        for size in ("1m", "1536k", "2m"):
            subprocess.run(["mount", "-o", f"remount,size={size}", str(mount)], check=True)
            self.assert_refused(self.sft(configuration), RETRY, str(self.output),
                                "No space left on device", "free some room")
        # Follow the advice in the message.
        subprocess.run(["mount", "-o", "remount,size=64m", str(mount)], check=True)
        self.assert_resumes(configuration)

    def test_a_limit_on_file_sizes(self):
        configuration = self.configuration(self.source.folder)
        for limit in (0, 5000, 14000):
            done = self.sft(configuration, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertIn(done.returncode, (ENVIRONMENT, RETRY), done.stderr)
            self.assertIn(str(self.output), done.stderr.strip().splitlines()[-1])
            self.assert_unpublished()
        self.assert_resumes(configuration)

    def test_an_output_that_cannot_be_written(self):
        configuration = self.configuration(self.source.folder)
        self.output = self.folder / "file"
        self.output.write_text("mine", encoding="utf-8")
        self.assert_refused(self.sft(configuration), WRONG_USE, str(self.output))
        self.assertEqual(self.output.read_text(encoding="utf-8"), "mine")
        # A folder that cannot be created.
        self.output = program.pathlib.Path("/proc/kernelmill")
        self.assert_refused(self.sft(configuration), WRONG_USE, str(self.output))

    def test_a_read_only_file_system(self):
        mount = self.folder / "readonly"
        mount.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(mount)],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("only root may make a read-only file system")
        self.addCleanup(subprocess.run, ["umount", "-l", str(mount)], check=False)
        self.output = mount / "out"
        self.assert_refused(self.sft(self.configuration(self.source.folder)), ENVIRONMENT,
                            str(self.output), "Read-only file system")

    def test_a_folder_that_belongs_to_others(self):
        kept = self.output / "shards/mine.txt"
        kept.parent.mkdir(parents=True)
        kept.write_text("mine", encoding="utf-8")
        self.assert_refused(self.sft(self.configuration(self.source.folder)), WRONG_USE,
                            str(self.output), "do not belong to a run")
        self.assertEqual(kept.read_text(encoding="utf-8"), "mine")


class Interference(Faults):
    def wait_until_done(self, process, step):
        """Waits until the run reports that it has done `step`."""
        for line in process.stderr:
            if line.startswith(step + ": "):
                return
        self.fail("it ended early")

    def test_signals_stop_the_run_and_it_resumes(self):
        configuration = self.configuration(self.source.folder)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                process = self.start(configuration)
                self.wait_until_done(process, "sample")
                # Like a terminal, signal the whole process group.
                os.killpg(process.pid, number)
                _, words = process.communicate(timeout=120)
                self.assertEqual(process.returncode, RETRY, words)
                self.assertIn("the same command resumes", words.splitlines()[-1])
                self.assert_unpublished()
        done = program.run("status", self.output)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("an unfinished run", done.stdout)
        self.assert_resumes(configuration)

    def test_a_second_signal_stops_it_at_once(self):
        process = self.start(self.configuration(self.source.folder))
        self.wait_until_done(process, "fetch")
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, RETRY)
        self.assert_unpublished()

    def test_two_runs_on_one_folder(self):
        configuration = self.configuration(self.source.folder)
        first = self.start(configuration)
        self.wait_until_done(first, "walk")
        self.assert_refused(self.sft(configuration), RETRY, str(self.output),
                            "another kernelmill is working")
        _, words = first.communicate(timeout=600)
        self.assertEqual(first.returncode, DONE, words)
        self.assertEqual(self.audit(self.output), ("consistent", []))

    def test_another_configuration_does_not_resume(self):
        configuration = self.configuration(self.source.folder)
        process = self.start(configuration)
        self.wait_until_done(process, "slice")
        process.kill()
        process.communicate()
        for setting, words in {"mine.slice_lines=17": ("slice", "17"), "partitions=3": ("3",)}.items():
            self.assert_refused(self.sft(configuration, "--set", setting), WRONG_USE,
                                str(self.output), "cannot be resumed", "--restart", *words)
        # New commits in a source change the run's configuration too.
        self.source.write("more.py", "x = 1\n")
        self.source.commit()
        self.assert_refused(self.sft(configuration), WRONG_USE, "cannot be resumed")
        done = self.sft(configuration, "--restart", "--json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(json.loads(done.stdout)["counts"]["walk"]["in"], 1)

    def test_a_finished_dataset_is_not_overwritten(self):
        configuration = self.configuration(self.source.folder)
        first = self.build(configuration, self.output)
        before = self.snapshot()
        self.assertEqual(self.build(configuration, self.output), first)
        done = self.sft(configuration, "--set", "seed=8")
        self.assertEqual(done.returncode, WRONG_USE, done.stderr)
        self.assertIn("holds a finished dataset made from another configuration", done.stderr)
        self.assertEqual(self.snapshot(), before)

    def test_a_file_is_no_output_folder(self):
        self.output.write_text("mine")
        configuration = self.configuration(self.source.folder)
        self.assert_refused(self.sft(configuration), WRONG_USE,
                            f"{self.output} is a file; --output takes a folder")
        self.assertEqual(self.output.read_text(), "mine")
        self.output.unlink()
        self.output.symlink_to(self.folder / "nowhere")
        self.assert_refused(self.sft(configuration), WRONG_USE, "is a link to nothing")
        self.assertFalse((self.folder / "nowhere").exists())

    def snapshot(self):
        return {path: path.read_bytes() for path in self.output.rglob("*")
                if path.is_file() and ".run" not in path.parts}

    def test_a_damaged_intermediate_file_is_named(self):
        configuration = self.configuration(self.source.folder)
        process = self.start(configuration)
        self.wait_until_done(process, "read")
        process.kill()
        process.communicate()
        for name in ("read/part-*.outputs.mdb", "walk/plan.json", "walk/part-*.json"):
            with self.subTest(name):
                victim = sorted((self.output / ".run/steps").glob(name))[-1]
                whole = victim.read_bytes()
                victim.write_bytes(whole[:-7] + b"x" + whole[-6:])
                self.assert_refused(self.sft(configuration), NEGATIVE, str(victim.parent),
                                    "--restart")
                victim.write_bytes(whole)
        self.assert_resumes(configuration)


if __name__ == "__main__":
    unittest.main()
