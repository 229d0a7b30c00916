"""Locks of sources: the same commits on another day, and the same dataset."""

import json
import unittest

import program
import repository
from git_server import GitServer
from program import WRONG_USE


class SourceLocks(program.EndToEnd):
    def setUp(self):
        super().setUp()
        served = self.folder / "served"
        served.mkdir()
        self.server = GitServer(self, served)
        self.remote = repository.sample_repository(served / "remote", files=1)
        self.local = repository.sample_repository(self.folder / "local", files=2)
        self.root = program.separate_root(self.folder / "root")
        self.environment = {"KERNELMILL_ROOT": str(self.root)}
        self.sources = [{"git": self.server.url("remote"), "revision": "main"}, {"git": "./local"}]
        self.config = self.configuration(*self.sources)

    def change(self):
        for number, made in enumerate((self.remote, self.local)):
            made.write("nets/later.py", repository.HEADER + repository.module(
                f"Later{number}", f"x * {number + 7}.5"))
            made.commit()

    def mine(self, output, *options, config=None):
        return program.run("mine", config or self.config, "--output", output, "--json", "--quiet",
                           *options, environment=self.environment)

    def lock(self, *options):
        done = program.run("lock", self.config, *options, environment=self.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        return done

    def test_a_lock_says_what_was_asked_for_and_found(self):
        remote, local = (one.git("rev-parse", "HEAD") for one in (self.remote, self.local))
        done = self.lock("--json")
        lock = json.loads(done.stdout)
        url = self.server.url("remote")
        self.assertEqual(lock["sources"], [
            {"git": "./local", "revision": "HEAD", "url": "urn:local:local", "commit": local},
            {"git": url, "revision": "main", "url": url, "commit": remote}])
        path = self.folder / "sources.lock"
        first = path.read_bytes()
        # The order of the sources makes no difference, and a run writes the same file.
        self.config = self.configuration(*reversed(self.sources))
        self.lock("--output", self.folder / "again.lock", "--fetches", 1)
        self.assertEqual((self.folder / "again.lock").read_bytes(), first)
        self.assertEqual(self.mine(self.folder / "out").returncode, program.DONE)
        self.assertEqual((self.folder / "out/.run/sources.lock").read_bytes(), first)
        # Later it is replaced.
        self.change()
        self.lock()
        self.assertNotEqual(path.read_bytes(), first)

    def test_a_dataset_can_be_built_again_from_its_lock(self):
        first = self.build(self.config, self.folder / "first", environment=self.environment)
        lock = self.folder / "first/.run/sources.lock"
        self.change()
        again = self.build(self.config, self.folder / "again", "--lock", lock,
                           environment=self.environment)
        self.assertEqual(again, first)
        self.assertEqual((self.folder / "again/.run/sources.lock").read_bytes(), lock.read_bytes())
        self.assertEqual(self.audit(self.folder / "again"), ("consistent", []))
        # On a machine that has fetched nothing, too.
        elsewhere = {"KERNELMILL_ROOT": str(program.separate_root(self.folder / "elsewhere"))}
        self.assertEqual(self.build(self.config, self.folder / "elsewhere/out", "--lock", lock,
                                    environment=elsewhere), first)
        other = self.build(self.config, self.folder / "other", environment=self.environment)
        self.assertNotEqual(other["merkle_root"], first["merkle_root"])
        # The dry run takes the commits of the lock.
        done = program.run("sft", self.config, "--output", self.folder / "none", "--lock", lock,
                           "--dry-run", "--json", environment=self.environment)
        commits = {one["commit"] for one in json.loads(lock.read_text())["sources"]}
        shown = {one.get("commit") for one in json.loads(done.stdout)["sources"]}
        self.assertLessEqual(shown - {None}, commits)

    def test_a_lock_keeps_what_could_not_be_used(self):
        broken = self.configuration(*self.sources, self.server.url("empty"), name="broken")
        (self.folder / "served/empty").mkdir()
        repository.make_bare(self.folder / "served/empty")
        first = self.mine(self.folder / "first", config=broken)
        self.assertEqual(first.returncode, program.DONE, first.stderr)
        self.change()
        again = self.mine(self.folder / "again", "--lock", self.folder / "first/.run/sources.lock",
                          config=broken)
        self.assertEqual(again.stdout, first.stdout)
        lock = self.folder / "first/.run/sources.lock"
        done = program.run("sft", broken, "--output", self.folder / "none", "--lock", lock,
                           "--dry-run", environment=self.environment)
        self.assertIn(self.server.url("empty") + ": would be rejected: bad_repository", done.stdout)

    def test_a_lock_that_does_not_fit_is_refused(self):
        self.lock()
        lock = self.folder / "sources.lock"
        remote = self.server.url("remote")
        for sources, words in (
                (self.sources[:1], "the configuration has no source './local'"),
                ([*self.sources, "other/name"], "source 'https://github.com/other/name'"),
                ([{"git": remote, "revision": "v1"}, self.sources[1]],
                 f"source '{remote}' at revision 'v1'")):
            done = self.mine(self.folder / "out", "--lock", lock,
                             config=self.configuration(*sources, name="other"))
            self.assertEqual(done.returncode, WRONG_USE, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn("kernelmill lock", done.stderr)
        good = json.loads(lock.read_text())
        gone = json.loads(lock.read_text())
        gone["sources"][1]["commit"] = "a" * 40
        short = json.loads(lock.read_text())
        short["sources"][0]["commit"] = "abc"
        twice = {**good, "sources": [*good["sources"], {**good["sources"][0], "url": "x"}]}
        for text, words in ((json.dumps(gone), f"source '{remote}'"), (json.dumps(short), "./local"),
                            (json.dumps(twice), "'./local' at the same revision twice"),
                            ("{}", "sources.lock"), ("no JSON", "sources.lock")):
            lock.write_text(text)
            done = self.mine(self.folder / "out", "--lock", lock)
            self.assertNotEqual(done.returncode, program.DONE, text)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.folder / "out/mining.json").exists())


if __name__ == "__main__":
    unittest.main()
