"""The process that reads a repository is confined to it before it opens it."""

import json
import pathlib
import socket
import struct
import subprocess
import unittest

import program
import repository


class Child:
    """The program's child process, with requests written by hand."""

    def __init__(self, test, folder):
        self.channel, other = socket.socketpair()
        self.process = subprocess.Popen([program.BINARY, "untrusted-child"], stdin=other,
                                        stdout=subprocess.DEVNULL,
                                        env={"JE_ARROW_MALLOC_CONF": "background_thread:false"})
        test.addCleanup(self.end)
        other.close()
        self.send(str(folder).encode())
        self.trouble = self.receive()

    def end(self):
        self.channel.close()
        self.process.wait(timeout=60)

    def send(self, frame):
        self.channel.sendall(struct.pack("=Q", len(frame)) + frame)

    def receive(self):
        def take(count):
            data = self.channel.recv(count, socket.MSG_WAITALL)
            assert len(data) == count, "it ended"
            return data
        size, = struct.unpack("=Q", take(8))
        return take(size) if size else b""

    def ask(self, **request):
        self.send(json.dumps(request).encode())
        return json.loads(self.receive()), self.receive()

    def state(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return dict(line.split(":\t", 1) for line in text.splitlines())


def kernel_has_landlock():
    path = pathlib.Path("/sys/kernel/security/lsm")
    with open("/proc/kallsyms", encoding="ascii") as symbols:
        compiled = any(" landlock_restrict_self" in line or "landlock_add_rule" in line
                       for line in symbols)
    return "landlock" in path.read_text(encoding="ascii") if path.exists() else compiled


class Confinement(program.EndToEnd):
    def setUp(self):
        super().setUp()
        self.mine, self.other = (repository.sample_repository(self.folder / name, files=1)
                                 for name in ("mine", "other"))

    def test_it_is_confined_before_the_first_request(self):
        child = Child(self, self.mine.git_dir)
        self.assertEqual(child.trouble, b"")
        state = child.state()
        self.assertEqual((state["NoNewPrivs"], state["Seccomp"], state["Threads"]), ("1", "2", "1"))
        read_what_others_own = 1 << 2
        for name in ("CapPrm", "CapEff", "CapInh", "CapAmb"):
            self.assertIn(int(state[name], 16), (0, read_what_others_own), name)

    def test_it_reads_the_repository_that_it_was_made_for_and_no_other(self):
        child = Child(self, self.mine.git_dir)
        head, body = child.ask(op="commit", git_dir=str(self.mine.git_dir), revision="")
        self.assertEqual((head["reason"], json.loads(body)["commit"]),
                         ("", self.mine.git("rev-parse", "HEAD")))
        if not kernel_has_landlock():
            self.skipTest("the kernel has no Landlock")
        head, _ = child.ask(op="commit", git_dir=str(self.other.git_dir), revision="")
        self.assertEqual(head["reason"], "bad_repository")

    def test_a_link_out_of_the_repository_rejects_it_and_stops_no_run(self):
        if not kernel_has_landlock():
            self.skipTest("the kernel has no Landlock")
        objects = self.mine.git_dir / "objects"
        outside = self.folder / "outside"
        objects.rename(outside)
        objects.symlink_to(outside)
        listed = [{"git": str(one.folder), "url": f"https://example.org/{i}"}
                  for i, one in enumerate((self.mine, self.other))]
        manifest = self.build(self.configuration(*listed), self.folder / "out")
        self.assertEqual(manifest["counts"]["walk"]["kept"], 1)

    def test_one_run_reads_many(self):
        listed = [{"git": str(one.folder), "url": f"https://example.org/{i}"}
                  for i, one in enumerate((self.mine, self.other))]
        manifest = self.build(self.configuration(*listed), self.folder / "out")
        self.assertEqual(manifest["counts"]["walk"]["kept"], 2)


if __name__ == "__main__":
    unittest.main()
