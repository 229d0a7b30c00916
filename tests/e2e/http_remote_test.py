"""Repositories behind an HTTP server (git http-backend): what is fetched of them, several at a time,
again after failures that pass, and not again after those that do not."""

import contextlib
import json
import os
import pathlib
import time
import unittest

import program
import repository
from git_server import Answer, Cut, GitServer, Hold
from program import RETRY, WRONG_USE

LARGE = 3 << 20  # Bytes; more than mine.max_file_bytes.


class HttpRemotes(program.EndToEnd):
    def setUp(self):
        super().setUp()
        self.served = self.folder / "served"
        self.served.mkdir()
        self.server = GitServer(self, self.served)
        self.output = self.folder / "out"
        self.root = program.separate_root(self.folder / "root")

    def make(self, name, noise=0):
        """A served repository. `noise`: so many bytes in files that are read and compress badly."""
        made = repository.sample_repository(self.served / name, files=1)
        for number in range(noise // 50_000):
            made.write(f"noise/file{number}.py",
                       repository.random_text(f"{name}{number}", 50_000))
        made.write("weights.py", repository.random_text(name, LARGE))
        made.commit()
        return made

    def mine(self, *sources, output=None, options=()):
        return program.run("mine", self.configuration(*sources), "--output", output or self.output,
                           "--json", *options, environment={"KERNELMILL_ROOT": str(self.root)})

    def assert_mined(self, done, sources):
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual(summary["counts"]["walk"]["kept"], sources)
        return summary

    def listing(self, folder):
        return {name: (folder / name).read_bytes()
                for name in ("candidates.jsonl", "kernels.jsonl", "mining.json")}

    def forget(self):
        """The next run fetches everything anew."""
        self.root = program.separate_root(self.folder / f"root{len(list(self.folder.iterdir()))}")

    def assert_nobody_asks(self):
        """No git of a run that was killed is left."""
        port = str(self.server.http.server_address[1]).encode()
        deadline = time.monotonic() + 30
        while True:
            left = []
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    words = path.read_bytes()
                    if b"git" in words and port in words:
                        left.append(words)
            if not left:
                return
            self.assertLess(time.monotonic(), deadline, left)
            time.sleep(0.05)

    def test_only_one_commit_and_no_large_file_is_fetched(self):
        self.make("good").commit()
        summary = self.assert_mined(self.mine(self.server.url("good")), 1)
        self.assertEqual(summary["counts"]["walk"]["counters"]["skipped.too_large"], 1)
        self.assertLess(self.server.pack_bytes["good"], LARGE // 10)
        # A server that leaves out nothing makes no difference to what is mined.
        whole = GitServer(self, self.served, partial=False)
        same = self.mine({"git": whole.url("good"), "url": self.server.url("good")},
                         output=self.folder / "whole")
        self.assertEqual(self.assert_mined(same, 1), summary)
        self.assertGreater(whole.pack_bytes["good"], LARGE // 3)
        self.assertEqual(self.listing(self.folder / "whole"), self.listing(self.output))

    def test_nothing_is_fetched_again(self):
        made = self.make("good", noise=400_000)
        self.assert_mined(self.mine(self.server.url("good")), 1)
        first = self.server.pack_bytes["good"]
        made.write("nets/one.py", repository.HEADER + repository.module("One", "x * 2"))
        made.commit()
        self.assert_mined(self.mine(self.server.url("good"), output=self.folder / "next"), 1)
        self.assertLess(self.server.pack_bytes["good"] - first, first / 10)
        # A file that was left out is fetched once it is small enough, though it may be sent as a
        # change of the one that is not there.
        large = (made.folder / "weights.py").read_bytes()
        made.write("weights.py", large[:len(large) // 4])
        made.commit()
        last = self.assert_mined(self.mine(self.server.url("good"), output=self.folder / "last"), 1)
        self.assertNotIn("skipped.too_large", last["counts"]["walk"]["counters"])
        self.assertNotIn("skipped.missing_object", last["counts"]["walk"]["counters"])

    def test_failures_that_pass_are_tried_again(self):
        self.make("good", noise=200_000)
        expected = self.assert_mined(self.mine(self.server.url("good")), 1)
        for number, faults in enumerate((
                [Answer(500), Answer(503)], [Answer(429, Retry_After="3")], [Cut(50_000)],
                [Answer(502), Cut(50_000)],
                [Answer(429, to_pack=True, Retry_After="1"), Answer(500, to_pack=True)])):
            self.forget()
            self.server.requests.clear()
            self.server.fail("good", *faults)
            done = self.mine(self.server.url("good"), output=self.folder / f"out{number}")
            self.assertEqual(self.assert_mined(done, 1), expected)
            self.assertIn("again in ", done.stderr)
        self.forget()
        self.server.requests.clear()
        self.server.fail("good", Answer(429, Retry_After="4"))
        started = time.monotonic()
        self.assert_mined(self.mine(self.server.url("good"), output=self.folder / "late"), 1)
        times = [at for _, _, at in self.server.requests]
        self.assertGreaterEqual(times[1] - times[0], 4)
        self.assertLess(time.monotonic() - started, 60)

    def test_a_host_that_is_asked_too_often_gets_a_pause(self):
        names = [f"good{number}" for number in range(4)]
        for name in names:
            self.make(name)
        self.server.fail(names[0], Answer(429, Retry_After="5"))
        self.server.delay = 0.3
        self.assert_mined(self.mine(*map(self.server.url, names), options=("--fetches", 1)), 4)
        others = [at for name, _, at in self.server.requests if name != names[0]]
        self.assertGreaterEqual(min(others) - self.server.requests[0][2], 5)

    def test_a_server_that_stays_away_ends_the_run(self):
        self.make("good")
        self.server.fail("good", *[Answer(503)] * 5)
        done = self.mine(self.server.url("good"))
        self.assertEqual(done.returncode, RETRY, done.stderr)
        self.assertIn("HTTP 503", done.stderr)
        self.assertIn("run the same command again", done.stderr)
        self.assertEqual(len(self.server.requests), 5)

    def test_a_server_that_asks_for_an_hour_is_not_waited_for(self):
        self.make("good")
        self.server.fail("good", Answer(429, Retry_After="3600"))
        done = self.mine(self.server.url("good"))
        self.assertEqual(done.returncode, RETRY, done.stderr)
        self.assertIn("asks to wait for 3600 s", done.stderr)
        self.assertEqual(len(self.server.requests), 1)

    def test_what_cannot_succeed_is_not_tried_again(self):
        self.make("private")
        self.make("good")
        for name, faults, words in (
                ("nowhere", (), "there is no such repository"),
                ("private", [Answer(401, WWW_Authenticate="Basic realm=x")] * 9, "asks for a login"),
                ("private", [Answer(403)] * 9, "asks for a login")):
            self.server.requests.clear()
            self.server.faults.clear()
            self.server.fail(name, *faults)
            url = self.server.url(name, "user:s3cret@" if faults else "")
            done = self.mine(self.server.url("good"), url)
            self.assertEqual(done.returncode, WRONG_USE, done.stderr)
            self.assertIn(f"source '{self.server.url(name)}'", done.stderr)
            self.assertIn(words, done.stderr)
            self.assertNotIn("s3cret", done.stderr)
            self.assertLessEqual(len(self.server.asked(name)), 2)  # With and without the login.
        done = self.mine({"git": self.server.url("good"), "revision": "f" * 40})
        self.assertEqual(done.returncode, WRONG_USE, done.stderr)
        self.assertIn("has no commit " + "f" * 40, done.stderr)

    def test_a_server_of_the_old_protocol(self):
        made = self.make("good")
        first = made.git("rev-parse", "HEAD")
        made.write("nets/one.py", repository.HEADER)
        last = made.commit()
        old = GitServer(self, self.served, old=True)
        for revision in ("main", last, "2030-01-01"):
            done = self.mine({"git": old.url("good"), "revision": revision},
                             output=self.folder / revision)
            self.assertEqual(self.assert_mined(done, 1)["sources"][0]["commit"], last)
        done = self.mine({"git": old.url("good"), "revision": first})
        self.assertEqual(done.returncode, WRONG_USE, done.stderr)
        self.assertIn("lets no commit be fetched by its id", done.stderr)

    def test_all_sources_that_fail_are_named(self):
        self.make("good")
        done = self.mine(self.server.url("a"), self.server.url("good"), self.server.url("b"))
        self.assertEqual(done.returncode, WRONG_USE, done.stderr)
        self.assertIn(f"source '{self.server.url('a')}'", done.stderr)
        self.assertIn(f"source '{self.server.url('b')}'", done.stderr)
        self.assertIn("2 of 3 sources failed", done.stderr)
        self.assertIn("fetch: " + self.server.url("good") + " at ", done.stderr)

    def test_credentials_are_written_nowhere(self):
        self.make("good")
        private = GitServer(self, self.served, login="user:s3cret")
        refused = self.mine(private.url("good", "user:wr0ng@"), output=self.folder / "refused")
        self.assertEqual(refused.returncode, WRONG_USE, refused.stderr)
        self.assertNotIn("wr0ng", refused.stderr)
        secret = private.url("good", "user:s3cret@")
        mined = self.mine(secret)
        self.assert_mined(mined, 1)
        # A run that is stopped in its first steps still has its plans.
        configuration = self.configuration(secret)
        built = program.run("sft", configuration, "--output", self.folder / "built",
                            environment={"KERNELMILL_ROOT": str(self.root)})
        self.assertEqual(built.returncode, program.DONE, built.stderr)
        process = program.start("sft", configuration, "--output", self.folder / "stopped",
                                env={**os.environ, "KERNELMILL_ROOT": str(self.root)})
        deadline = time.monotonic() + 120
        while not (self.folder / "stopped/.run/steps/ranks.json").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        program.kill_group(process)
        process.communicate(timeout=60)
        for done in (mined, built):
            self.assertNotIn("s3cret", done.stdout + done.stderr)
        folders = [self.output, self.folder / "built", self.folder / "stopped", self.root / ".cache"]
        for folder in folders:
            files = [path for path in folder.rglob("*") if path.is_file()]
            self.assertGreater(len(files), 3)
            for path in files:
                self.assertNotIn(b"s3cret", path.read_bytes(), path)

    def test_several_are_fetched_at_a_time_but_not_all(self):
        names = [f"good{number}" for number in range(6)]
        for name in names:
            self.make(name)
        self.server.delay = 0.5
        self.assert_mined(self.mine(*map(self.server.url, names), options=("--fetches", 3)), 6)
        self.assertGreater(self.server.most_active, 1)
        self.assertLessEqual(self.server.most_active, 3)

    def test_a_run_that_is_killed_while_it_fetches_goes_on(self):
        self.make("small", noise=200_000)
        self.make("large", noise=400_000)
        sources = [self.server.url("small"), self.server.url("large")]
        expected = self.assert_mined(self.mine(*sources, output=self.folder / "expected"), 2)
        self.forget()
        self.server.pack_bytes.clear()
        for _ in range(2):
            hold = Hold(100_000)
            self.server.fail("large", hold)
            process = program.start(
                "mine", self.configuration(*sources), "--output", self.output,
                env={**os.environ, "KERNELMILL_ROOT": str(self.root)})
            self.assertTrue(hold.reached.wait(timeout=60))
            deadline = time.monotonic() + 60
            while not list(self.root.rglob("refs/kernelmill/fetched")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            program.kill_group(process)
            process.communicate(timeout=60)
            hold.released.set()
            self.assert_nobody_asks()
        # As a git that was killed at the worst moment leaves it.
        cached = [path.parent for path in self.root.rglob("HEAD")]
        self.assertEqual(len(cached), 2)
        for folder in cached:
            (folder / "shallow.lock").write_text("")
            (folder / "objects/pack/tmp_pack_x").write_text("PACK")
        done = self.mine(*sources)
        self.assertEqual(self.assert_mined(done, 2), expected)
        self.assertEqual(self.listing(self.output), self.listing(self.folder / "expected"))
        # What was complete was fetched once.
        self.assertLess(self.server.pack_bytes["small"], 250_000)
        for folder in cached:
            self.assertEqual(list((folder / "objects/pack").glob("tmp_*")), [])

    def test_two_runs_share_what_they_fetch(self):
        self.make("good", noise=200_000)
        configuration = self.configuration(self.server.url("good"))
        self.server.delay = 0.5
        processes = [program.start(
            "mine", configuration, "--output", self.folder / f"out{number}",
            env={**os.environ, "KERNELMILL_ROOT": str(self.root)}) for number in range(3)]
        for process in processes:
            _, words = process.communicate(timeout=300)
            self.assertEqual(process.returncode, program.DONE, words)
        self.assertLess(self.server.pack_bytes["good"], 200_000)

    def test_a_repository_reaches_for_nothing_else(self):
        made = self.make("good")
        made.write(".gitmodules", f'[submodule "x"]\n\tpath = x\n\turl = {self.server.url("other")}\n')
        made.write(".lfsconfig", f"[lfs]\n\turl = {self.server.url('other')}\n")
        made.write(".gitattributes", "* filter=lfs\n")
        made.git("add", "--all")
        made.git("update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},x")
        made.git("commit", "--quiet", "--message", "submodule")
        self.assert_mined(self.mine(self.server.url("good")), 1)
        self.assertEqual({name for name, _, _ in self.server.requests}, {"good"})
        self.forget()
        for address in (f"file://{made.folder}", "ext::touch /tmp/x", "ftp://127.0.0.1/x"):
            self.server.fail("good", *[Answer(302, Location=address)] * 5)
            done = self.mine(self.server.url("good"), output=self.folder / "redirected")
            self.assertEqual(done.returncode, WRONG_USE, done.stderr)
            self.assertIn("a redirection that is not followed", done.stderr)
            self.server.faults.clear()


if __name__ == "__main__":
    unittest.main()
