"""Tests hostile repositories, all of them in one run: none stops the run, each is counted with its
reason, only the output folder changes, and a good repository among them yields the same records as
alone."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import unittest

import program
import repository

sys.path.insert(0, str(program.ROOT / "bench"))
import dataset_records  # noqa: E402

FAKE = "{:040x}".format
BOMB = 700  # times 16 MiB: more memory than the parser process may have.


class Sources:
    """Each method makes one repository and returns the expected result: the reason for which the
    whole source is rejected, or the counters of skipped entries; None when Git may do either."""

    def __init__(self, folder):
        self.folder = folder

    def make(self, name, **options):
        made = repository.Repository(self.folder / name, **options)
        made.write("net.py", repository.HEADER + repository.module(
            "Net_" + name, "torch.tanh(x) + " + str(len(name))))
        return made

    def make_packed(self, name):
        made = self.make(name)
        made.commit()
        made.git("gc", "--quiet", "--prune=now")
        pack, = (made.git_dir / "objects/pack").glob("*.pack")
        pack.chmod(0o600)
        pack.with_suffix(".idx").chmod(0o600)
        return made, pack

    def corrupt_pack(self, name):
        _, pack = self.make_packed(name)
        data = pack.read_bytes()
        pack.write_bytes(data[:12] + b"\x5a" * (len(data) - 32) + data[-20:])
        return "bad_repository"

    def truncated_pack(self, name):
        _, pack = self.make_packed(name)
        pack.write_bytes(pack.read_bytes()[:40])
        return "bad_repository"

    def empty_pack(self, name):
        _, pack = self.make_packed(name)
        pack.write_bytes(b"")
        return "bad_repository"

    def truncated_index(self, name):
        _, pack = self.make_packed(name)
        index = pack.with_suffix(".idx")
        index.write_bytes(index.read_bytes()[:1000])
        return "bad_repository"

    def lying_index(self, name):
        # Offsets far beyond the end of the pack.
        _, pack = self.make_packed(name)
        index = pack.with_suffix(".idx")
        data = bytearray(index.read_bytes())
        count = int.from_bytes(data[8 + 255 * 4:8 + 256 * 4], "big")
        first = 8 + 256 * 4 + count * 24
        data[first:first + 4 * count] = b"\x7f\xff\xff\xf0" * count
        index.write_bytes(data)
        return "bad_repository"

    def corrupt_blob(self, name):
        made = self.make(name)
        made.commit()
        blob = made.git("rev-parse", "HEAD:net.py")
        victim = made.git_dir / "objects" / blob[:2] / blob[2:]
        victim.chmod(0o600)
        victim.write_bytes(b"no zlib stream")
        return {"skipped.corrupt_object": 1}

    def missing_blob(self, name):
        made = self.make(name)
        made.commit()
        blob = made.git("rev-parse", "HEAD:net.py")
        (made.git_dir / "objects" / blob[:2] / blob[2:]).unlink()
        return {"skipped.missing_object": 1}

    def missing_folder(self, name):
        made = self.make(name)
        made.write("sub/more.py", "x = 1\n")
        made.commit()
        tree = made.git("rev-parse", "HEAD:sub")
        (made.git_dir / "objects" / tree[:2] / tree[2:]).unlink()
        return {"skipped.missing_object": 1}

    def missing_root(self, name):
        self.make(name).point_main_at(FAKE(7))
        return "missing_object"

    def missing_commit(self, name):
        made = self.make(name)
        (made.git_dir / "refs/heads").mkdir(parents=True, exist_ok=True)
        (made.git_dir / "refs/heads/main").write_text(FAKE(7) + "\n", encoding="ascii")
        return "bad_repository"

    def delta_bomb_blob(self, name):
        made = self.make(name)
        repository.write_pack(made.git_dir, [
            (FAKE(1), "blob", bytes(0xffffff), None),
            (FAKE(2), "blob", repository.bomb_delta(0xffffff, BOMB), FAKE(1))])
        made.point_main_at(made.store_tree([("100644", b"bomb.py", FAKE(2))]))
        return {"skipped.too_large": 1}

    def delta_bomb_tree(self, name):
        made = self.make(name)
        repository.write_pack(made.git_dir, [
            (FAKE(1), "tree", bytes(0xffffff), None),
            (FAKE(2), "tree", repository.bomb_delta(0xffffff, BOMB), FAKE(1))])
        made.point_main_at(made.store_tree([("40000", b"folder", FAKE(2))]))
        return {"skipped.corrupt_object": 1}

    def delta_bomb_commit(self, name):
        made = self.make(name)
        repository.write_pack(made.git_dir, [
            (FAKE(1), "commit", bytes(0xffffff), None),
            (FAKE(2), "commit", repository.bomb_delta(0xffffff, BOMB), FAKE(1))])
        (made.git_dir / "refs/heads/main").parent.mkdir(parents=True, exist_ok=True)
        (made.git_dir / "refs/heads/main").write_text(FAKE(2) + "\n", encoding="ascii")
        return "bad_repository"

    def delta_loop(self, name):
        made = self.make(name)
        delta = repository.bomb_delta(0xffffff, 1)
        repository.write_pack(made.git_dir, [(FAKE(2), "tree", delta, FAKE(3)),
                                             (FAKE(3), "tree", delta, FAKE(2))])
        made.point_main_at(made.store_tree([("40000", b"folder", FAKE(2))]))
        return {"skipped.corrupt_object": 1}

    def lying_header(self, name):
        # A loose blob that claims 9 bytes and holds 64 MiB.
        made = self.make(name)
        blob = made.store_blob("x = 'abc'")
        (made.git_dir / "objects" / blob[:2] / blob[2:]).write_bytes(
            repository.zlib.compress(b"blob 9\0" + bytes(64 << 20)))
        made.point_main_at(made.store_tree([("100644", b"net.py", blob)]))
        return {"skipped.corrupt_object": 1}

    def cut_objects(self, name):
        # Truncated streams of a tree and of a blob.
        made = self.make(name)
        blob = made.store_blob("x" * 900)
        folder = made.store_tree([("100644", b"net.py", blob)])
        for one in (blob, folder):
            path = made.git_dir / "objects" / one[:2] / one[2:]
            path.write_bytes(path.read_bytes()[:-6])
        made.point_main_at(made.store_tree([("40000", b"folder", folder),
                                            ("100644", b"net.py", blob)]))
        return {"skipped.corrupt_object": 1}

    def long_object(self, name):
        # The same, with the damage after the first bytes.
        made = self.make(name)
        blob = made.store_blob("x" * 900)
        (made.git_dir / "objects" / blob[:2] / blob[2:]).write_bytes(
            repository.zlib.compress(b"blob 900\0" + bytes(64 << 20)))
        made.point_main_at(made.store_tree([("100644", b"net.py", blob)]))
        return {}

    def ten_billion_paths(self, name):
        made = self.make(name)
        tree = made.store_tree([("100644", b"%d.py" % i, made.store_blob("x = 1\n"))
                                for i in range(10)])
        for _ in range(9):
            tree = made.store_tree([("40000", b"%d" % i, tree) for i in range(10)])
        made.point_main_at(tree)
        size = sum(path.stat().st_size for path in (made.git_dir / "objects").rglob("*"))
        assert size < 100 << 10, size
        return "object_budget"

    def deep_folders(self, name):
        made = self.make(name)
        tree = made.store_tree([("100644", b"net.py", made.store_blob("x = 1\n"))])
        for _ in range(300):
            tree = made.store_tree([("40000", b"d", tree)])
        made.point_main_at(tree)
        return {"skipped.bad_path": 1}

    def alternates(self, name):
        made, _ = self.make_packed(name)
        secret = repository.Repository(self.folder.parent / "secret")
        secret.write("secret.py", repository.GOOD_MODULE)
        secret.commit()
        (made.git_dir / "objects/info").mkdir(exist_ok=True)
        (made.git_dir / "objects/info/alternates").write_text(
            f"{secret.git_dir}/objects\n", encoding="utf-8")
        made.git("update-ref", "refs/heads/main", secret.git("rev-parse", "HEAD"))
        return "bad_repository"

    def _linked(self, name, which):
        made = self.make(name)
        made.commit()
        blob = made.git("rev-parse", "HEAD:net.py")
        target = {"objects": made.git_dir / "objects",
                  "fan": made.git_dir / "objects" / blob[:2],
                  "file": made.git_dir / "objects" / blob[:2] / blob[2:]}[which]
        outside = self.folder.parent / f"outside_{which}"
        target.rename(outside)
        target.symlink_to(outside)
        return "bad_repository"

    def linked_objects(self, name):
        return self._linked(name, "objects")

    def linked_fan(self, name):
        return self._linked(name, "fan")

    def linked_object(self, name):
        return self._linked(name, "file")

    def linked_pack(self, name):
        _, pack = self.make_packed(name)
        outside = self.folder.parent / "outside.pack"
        pack.rename(outside)
        pack.symlink_to(outside)
        return "bad_repository"

    def empty(self, name):
        self.make(name)
        return "bad_repository"

    def no_head(self, name):
        made = self.make(name)
        made.commit()
        (made.git_dir / "HEAD").unlink()
        return "bad_repository"

    def unborn_head(self, name):
        made = self.make(name)
        made.commit()
        made.git("symbolic-ref", "HEAD", "refs/heads/nothing")
        return "bad_repository"

    def head_loop(self, name):
        made = self.make(name)
        made.commit()
        made.git("pack-refs", "--all")
        (made.git_dir / "refs/heads/main").write_text("ref: refs/heads/main\n", encoding="ascii")
        return "bad_repository"

    def head_outside(self, name):
        made = self.make(name)
        made.commit()
        (made.git_dir / "HEAD").unlink()
        (made.git_dir / "HEAD").symlink_to("/etc/passwd")
        return "bad_repository"

    def head_is_a_blob(self, name):
        made = self.make(name)
        made.commit()
        (made.git_dir / "HEAD").write_text(made.git("rev-parse", "HEAD:net.py") + "\n",
                                           encoding="ascii")
        return "bad_repository"

    def broken_config(self, name):
        made = self.make(name)
        made.commit()
        (made.git_dir / "config").write_text("[core\n\x1b]0;x\x07", encoding="ascii")
        return {}

    def other_hash(self, name):
        folder = self.folder / name
        subprocess.run(["git", "init", "--quiet", "--object-format=sha256", str(folder)],
                       check=True, env={**os.environ, **repository.IDENTITY})
        return "bad_repository"

    def detached_head(self, name):
        made = self.make(name)
        made.git("checkout", "--quiet", "--detach", made.commit())
        return {}

    def shallow(self, name):
        made = self.make("origin_of_" + name)
        made.commit()
        made.write("more.py", "x = 1\n")
        made.commit()
        made.git("clone", "--quiet", "--depth=1", "file://" + str(made.folder),
                 str(self.folder / name))
        return {"files": 3}

    def links_and_modules(self, name):
        made = self.make(name)
        (made.folder / "loop.py").symlink_to("loop.py")
        (made.folder / "up").symlink_to("..")
        (made.folder / "passwd.py").symlink_to("/etc/passwd")
        made.commit()
        made.git("update-index", "--add", "--cacheinfo", "160000," + FAKE(7) + ",module")
        made.git("commit", "--quiet", "-m", "submodule")
        return {"skipped.not_a_file": 4}

    def large_blob(self, name):
        made = self.make(name)
        made.write("large.py", bytes(100_000_000))
        made.commit()
        return {"skipped.too_large": 1}

    def bad_names(self, name):
        made = self.make(name)
        blob = made.store_blob("x = 1\n")
        names = (b"..", b".", b"a\x1b[31mb.py", b"tab\t.py", b"line\n.py", b"latin\xe9.py",
                 b"n" * 5000 + b".py", b"a/b.py", b"del\x7f.py")
        made.point_main_at(made.store_tree([("100644", one, blob) for one in names]))
        # Git itself refuses a tree with a slash in a name.
        return None

    def empty_name(self, name):
        made = self.make(name)
        blob = made.store_blob("x = 1\n")
        made.point_main_at(made.store_tree([("100644", b"", blob), ("100644", b"a.py", blob)]))
        return None

    def dots_as_folders(self, name):
        made = self.make(name)
        inner = made.store_tree([("100644", b"escaped.py", made.store_blob("x = 1\n"))])
        made.point_main_at(made.store_tree([("40000", b"..", inner), ("40000", b".git", inner)]))
        return None

    def cut_tree(self, name):
        made = self.make(name)
        made.point_main_at(made.store("tree", b"100644 net.py\0" + b"\1" * 7))
        return "corrupt_object"

    def odd_modes(self, name):
        made = self.make(name)
        blob = made.store_blob("x = 1\n")
        made.point_main_at(made.store_tree([("0", b"a.py", blob), ("777777", b"b.py", blob),
                                            ("100644", b"c.py", blob)]))
        return None


def snapshot(folder, *without):
    """The names, kinds, modes and contents of all files below `folder`, but not below `without`."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        if {path, *path.parents} & set(without):
            continue
        about = path.lstat()
        content = (os.readlink(path) if path.is_symlink() else
                   hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        seen[str(path)] = (about.st_mode, about.st_mtime_ns, content)
    return seen


class HostileRepositories(program.EndToEnd):
    def test_none_stops_the_run(self):
        sources = Sources(self.folder / "sources")
        expected = {name: make(name) for name, make in (
            (name, getattr(sources, name)) for name in vars(Sources)
            if not name.startswith(("_", "make")))}
        good = repository.sample_repository(self.folder / "good", files=1)
        listed = [{"git": str(sources.folder / name), "url": "https://example.org/" + name}
                  for name in expected]
        listed.append({"git": str(good.folder), "url": "https://example.org/good"})
        place = {name: self.folder / name for name in ("home", "tmp", "here")}
        for path in place.values():
            path.mkdir()
        output = self.folder / "out"
        configuration = self.configuration(*listed)
        written = [output, self.folder / "out.quarantine"]
        before = snapshot(self.folder, *written)
        done = program.run("sft", configuration, "--output", output, "--json", "--jobs", 2,
                           cwd=place["here"], environment={"HOME": str(place["home"]),
                                                           "TMPDIR": str(place["tmp"])})
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.assertEqual(snapshot(self.folder, *written), before)
        manifest = json.loads(done.stdout)
        self.assertEqual(self.audit(output), ("consistent", []))

        rejected = {}
        for reject in dataset_records.rejects(output):
            self.assertNotIn(str(self.folder), json.dumps(reject))
            if reject["step"] == "walk":
                origin, = reject["origins"]
                rejected[origin["url"].rpartition("/")[2]] = reject["reason"]
        walk = manifest["counts"]["walk"]
        self.assertEqual(walk["in"], len(listed))
        self.assertEqual({name: reason for name, reason in rejected.items()
                          if expected[name] is not None},
                         {name: reason for name, reason in expected.items()
                          if isinstance(reason, str)})
        for counter in ("skipped.corrupt_object", "skipped.missing_object", "skipped.too_large",
                        "skipped.not_a_file", "skipped.bad_path"):
            with self.subTest(counter):
                self.assertGreaterEqual(
                    walk["counters"].get(counter, 0),
                    sum(counts.get(counter, 0) for counts in expected.values()
                        if isinstance(counts, dict)))
        # The counters account for every entry of every tree.
        skipped = sum(count for name, count in walk["counters"].items()
                      if name.startswith("skipped."))
        self.assertEqual(walk["counters"]["entries"], skipped + walk["counters"]["files"])
        self.assertEqual(walk["outputs"], walk["counters"]["files"])

        texts = [done.stderr] + [(output / name).read_text(encoding="utf-8")
                                 for name in ("README.md", "report.html", "manifest.json")]
        for text in texts:
            for mark in ("\x1b", "\x07", "\x9b", "\u202e", str(self.folder / "sources")):
                self.assertNotIn(mark, text)
        self.assert_good_one_is_unharmed(good, output)

    def assert_good_one_is_unharmed(self, good, output):
        alone = self.folder / "alone"
        self.build(self.configuration({"git": str(good.folder), "url": "https://example.org/good"},
                                      name="alone"), alone)

        def ids(dataset):
            return {json.dumps(task["payload"], sort_keys=True)
                    for task in dataset_records.records(dataset, "task")
                    if any(o["url"].endswith("/good") for o in task["origins"])}
        self.assertTrue(ids(alone))
        self.assertEqual(ids(output), ids(alone))


if __name__ == "__main__":
    unittest.main()
