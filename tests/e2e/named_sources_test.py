"""What the entries of `sources` may say: owner/name, lists of repositories, and days."""

import datetime
import json
import unittest

import program
import repository
from git_server import GitServer
from program import WRONG_USE


def second(day, hour=12):
    """The seconds since 1970 of "2020-01-02", at an hour UTC."""
    at = datetime.datetime.fromisoformat(f"{day}T{hour:02}:00:00+00:00")
    return int(at.timestamp())


class NamedSources(program.EndToEnd):
    def setUp(self):
        super().setUp()
        self.served = self.folder / "served"
        self.served.mkdir()
        self.server = GitServer(self, self.served)
        self.root = program.separate_root(self.folder / "root")
        self.outputs = 0

    def mine(self, *sources, keys=None):
        self.outputs += 1
        return program.run("mine", self.configuration(*sources, **(keys or {})), "--output",
                           self.folder / f"out{self.outputs}", "--json", "--quiet",
                           environment={"KERNELMILL_ROOT": str(self.root)})

    def preview(self, *sources):
        done = program.run("sft", self.configuration(*sources), "--dry-run", "--json", "--output",
                           self.folder / "none", environment={"KERNELMILL_ROOT": str(self.root)})
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        return [source["url"] for source in json.loads(done.stdout)["sources"]]

    def commit_of(self, *sources):
        done = self.mine(*sources)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        (source,) = json.loads(done.stdout)["sources"]
        return source["commit"]

    def assert_refused(self, done, *words):
        self.assertEqual(done.returncode, WRONG_USE, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def dated(self, name):
        """A repository whose branch main has a commit at noon of each of five days, the third of
        them a merge of a branch with one commit of the fifth. Returns it and their ids."""
        made = repository.Repository(self.served / name)
        main = []
        for number in range(5):
            day = f"2020-01-0{number + 1}"
            made.write(f"net{number}.py", repository.HEADER + repository.module(
                f"Net{number}", f"x * {number + 2}.5"))
            made.git("add", "--all")
            tree = made.git("write-tree")
            parents = main[-1:]
            if number == 2:
                parents = parents + [self.store(made, tree, parents, second("2020-01-05", 1))]
            main.append(self.store(made, tree, parents, second(day)))
        made.git("update-ref", "refs/heads/main", main[-1])
        return made, main

    def store(self, made, tree, parents, time):
        person = f"a <a@example.org> {time} +0000"
        return made.store("commit", "".join(
            [f"tree {tree}\n", *(f"parent {parent}\n" for parent in parents),
             f"author {person}\ncommitter {person}\n\nstate\n"]).encode())

    def test_two_words_are_a_repository_of_github(self):
        self.assertEqual(self.preview("lucidrains/vit-pytorch"),
                         ["https://github.com/lucidrains/vit-pytorch"])
        local = self.folder / "owner/name"
        repository.sample_repository(local, files=1)
        self.assert_refused(self.mine("owner/name"), "sources[0].git", "write ./owner/name or "
                            "https://github.com/owner/name")
        self.assertEqual(self.preview("./owner/name"), ["urn:local:name"])

    def test_an_entry_is_one_thing(self):
        for entry in ({"git": "a/b", "list": "c"}, {"list": "c", "tasks": "d"}, {}):
            self.assert_refused(self.mine(entry), "sources[0]: needs one of git: REPOSITORY, list: ")
        self.assert_refused(self.mine({"list": "nowhere.txt"}), "nowhere.txt")
        (self.folder / "all.txt").write_text("a/b\n")
        self.assert_refused(self.mine({"list": "all.txt", "url": "https://x.org"}), "has no url")
        self.assert_refused(self.mine({"git": "a/b", "url": "https://x.org"}, {"list": "all.txt"}),
                            "sources[1]", "named twice")

    def test_a_list(self):
        (self.folder / "all.txt").write_bytes(
            b"\xef\xbb\xbf# What we mine.\r\n\r\n"
            b"lucidrains/vit-pytorch\n"
            b"  facebookresearch/xformers@v0.0.1   # the first release\n"
            b"https://token:s3cret@example.org/a/b.git@feature/x\n"
            b"git@example.org:c/d@pkg@1.0\n"
            b"lucidrains/vit-pytorch\n")
        self.assertEqual(self.preview({"list": "all.txt"}, "lucidrains/vit-pytorch"), [
            "https://github.com/lucidrains/vit-pytorch", "https://github.com/facebookresearch/xformers",
            "https://example.org/a/b.git", "git@example.org:c/d"])

    def test_a_list_is_fetched_at_its_revisions(self):
        made, main = self.dated("one")
        made.git("tag", "v1", main[1])
        (self.folder / "all.txt").write_text(f"{self.server.url('one')}@v1\n")
        self.assertEqual(self.commit_of({"list": "all.txt"}), main[1])
        (self.folder / "all.txt").write_text(f"{self.server.url('one')}\n")
        self.assertEqual(self.commit_of({"list": "all.txt", "revision": "v1"}), main[1])
        self.assertEqual(self.commit_of({"list": "all.txt"}), main[4])
        # The dataset does not tell whether a list named its sources.
        same = [self.mine(source).stdout for source in ({"list": "all.txt"}, self.server.url("one"))]
        self.assertEqual(*same)

    def test_a_malformed_line_is_named(self):
        for line, words in (("vit-pytorch", "neither owner/name of GitHub nor the URL"),
                            ("a/b/c", "neither owner/name"), ("./a", "neither owner/name"),
                            ("https://", "neither owner/name"), ("a/b main", "without white space"),
                            ("a/b@", "a revision must follow"), ("a/b@x..y", "cannot be fetched"),
                            ("a/b@2020-02-30", "there is no day 2020-02-30"),
                            ("-a/b", "neither owner/name"), ("ext::sh -c x", "white space"),
                            ("ext::sh", "neither owner/name")):
            (self.folder / "all.txt").write_text(f"# List\nowner/name\n{line}\n")
            self.assert_refused(self.mine({"list": "all.txt"}), "sources[0].list", "all.txt:3", words)

    def test_a_failing_line_is_named(self):
        (self.folder / "all.txt").write_text(f"\n{self.server.url('nowhere')}\n")
        self.assert_refused(self.mine({"list": "all.txt"}), "all.txt:2", "no such repository")

    def test_a_day(self):
        made, main = self.dated("one")
        whole = GitServer(self, self.served, partial=False)
        for place in (self.server.url("one"), whole.url("one"), str(made.folder)):
            for day, expected in (("2020-01-01", 0), ("2020-01-03", 2), ("2020-01-04", 3),
                                  ("2020-01-05", 4), ("2030-01-01", 4)):
                self.assertEqual(self.commit_of({"git": place, "revision": day}), main[expected],
                                 (place, day))
            self.assert_refused(self.mine({"git": place, "revision": "2019-12-31"}), place,
                                "no commit that is old enough")
            self.assert_refused(self.mine({"git": place, "revision": "2019-02-29"}), place,
                                "there is no day 2019-02-29")
        self.assertEqual(list(self.root.rglob("*.history")), [])

    def test_a_day_ends_at_midnight_utc(self):
        made = repository.Repository(self.served / "late")
        made.git("add", "--all")
        tree, commits = made.git("write-tree"), []
        for time in (second("2020-01-01", 0), second("2020-01-02", 0) - 1, second("2020-01-02", 0)):
            commits.append(self.store(made, tree, commits[-1:], time))
        made.git("update-ref", "refs/heads/main", commits[-1])
        for place in (self.server.url("late"), str(made.folder)):
            self.assertEqual(self.commit_of({"git": place, "revision": "2020-01-01"}), commits[1])
            self.assertEqual(self.commit_of({"git": place, "revision": "2020-01-02"}), commits[2])

    def test_of_a_long_history_only_commits_are_fetched(self):
        made, main = self.dated("long")
        made.git("read-tree", main[-1])
        commits, blob = main[-1:], b""
        for number in range(300):
            blob = repository.random_text(number, 20_000)
            name = made.git("hash-object", "-w", "--stdin", data=blob)
            made.git("update-index", "--add", "--cacheinfo", f"100644,{name},noise.py")
            commits.append(self.store(made, made.git("write-tree"), commits[-1:],
                                      second("2020-02-01") + number))
        made.git("update-ref", "refs/heads/main", commits[-1])
        self.assertEqual(self.commit_of({"git": self.server.url("long"), "revision": "2020-01-04"}),
                         main[3])
        self.assertLess(self.server.pack_bytes["long"], 300 * 400)


if __name__ == "__main__":
    unittest.main()
