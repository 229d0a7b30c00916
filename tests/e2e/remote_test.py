"""Repositories behind URLs. Whatever a remote serves is data and is counted. A remote that does not
answer is a network failure, which ends the run with advice on how to continue."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
import unittest

import program
import repository
from program import WRONG_USE, RETRY


class Daemon:
    """Git's own server (git daemon) for the repositories under `folder`."""

    def __init__(self, test, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        process = subprocess.Popen(
            ["git", "daemon", "--export-all", f"--base-path={folder}", f"--port={self.port}",
             "--listen=127.0.0.1", "--informative-errors"],
            env={**os.environ, **repository.IDENTITY, "GIT_CONFIG_COUNT": "1",
                 "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        test.addCleanup(process.wait)
        test.addCleanup(os.killpg, process.pid, signal.SIGTERM)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            time.sleep(0.02)
        test.fail("git daemon does not start")

    def url(self, name):
        return f"git://127.0.0.1:{self.port}/{name}"


class Server:
    """Accepts connections and handles each by `answer`."""

    def __init__(self, test, answer):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.asked = threading.Event()
        self.answer = answer
        self.taken = []
        threading.Thread(target=self.serve, daemon=True).start()
        test.addCleanup(self.end)

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                self.taken.append(connection)
                connection.recv(4096)
                self.asked.set()
                self.answer(connection)

    def end(self):
        self.socket.close()
        for connection in self.taken:
            connection.close()

    def url(self, name):
        return f"git://127.0.0.1:{self.socket.getsockname()[1]}/{name}"


def spoil(path):
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 3, 2 * len(data) // 3, 7):
        data[at] ^= 0xFF
    path.write_bytes(data)


class Remotes(program.EndToEnd):
    def setUp(self):
        super().setUp()
        self.served = self.folder / "served"
        self.served.mkdir()
        self.daemon = Daemon(self, self.served)
        self.good = self.make("good")
        self.output = self.folder / "out"
        self.root = program.separate_root(self.folder / "root")

    def make(self, name):
        return repository.sample_repository(self.served / name, files=1)

    def loose(self, made, revision):
        name = made.git("rev-parse", revision)
        return made.git_dir / "objects" / name[:2] / name[2:]

    def mine(self, *sources):
        return program.run("mine", self.configuration(*sources), "--output", self.output, "--json",
                           environment={"KERNELMILL_ROOT": str(self.root)})

    def damaged(self):
        """Names of served repositories, with the expected message for each."""
        self.make("blob")
        made = self.make("damaged_blob")
        path = next(path for path in made.git("ls-files").split() if path.endswith(".py"))
        spoil(self.loose(made, "HEAD:" + path))
        refused = "its remote sends what Git refuses"
        yield "damaged_blob", refused
        self.loose(self.make("no_commit"), "HEAD").unlink()
        yield "no_commit", refused
        made = self.make("damaged_pack")
        made.git("gc", "--quiet")
        spoil(next((made.git_dir / "objects/pack").glob("*.pack")))
        yield "damaged_pack", refused
        repository.make_bare(self.served / "empty")
        yield "empty", "its remote is empty"
        self.make("unborn").git("symbolic-ref", "HEAD", "refs/heads/nothing")
        yield "unborn", "the HEAD of its remote names no commit"

    def test_what_a_remote_serves_is_data(self):
        chatter = Server(self, lambda connection: (connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n"),
                                                   connection.close()))
        expected = {chatter.url("x"): "its remote does not speak as Git does"}
        for name, detail in self.damaged():
            expected[self.daemon.url(name)] = detail
            expected["file://" + str(self.served / name)] = detail
        listed = [{"git": url, "url": "https://example.org/" + str(i)}
                  for i, url in enumerate(expected)]
        good = [self.daemon.url("good"), "file://" + str(self.good.folder)]
        good[1] = {"git": good[1], "url": "https://example.org/good"}
        done = self.mine(*good, *listed)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        walk = json.loads(done.stdout)["counts"]["walk"]
        self.assertEqual((walk["in"], walk["kept"]), (len(listed) + 2, 2))
        self.assertEqual(walk["rejected"], {"bad_repository": len(listed)})
        lines = (self.output / "rejects.jsonl").read_text(encoding="utf-8").splitlines()
        rejects = [one for one in map(json.loads, lines) if one["step"] == "walk"]
        self.assertEqual({one["origins"][0]["url"]: one["detail"] for one in rejects},
                         {one["url"]: expected[one["git"]] for one in listed})
        # Repeating the command finds nothing changed.
        self.assertEqual(self.mine(*good, *listed).stdout, done.stdout)

    def assert_ends(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.output / "mining.json").exists())

    def test_a_remote_that_does_not_answer_ends_the_run(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            url = f"http://127.0.0.1:{port}/x"
            self.assert_ends(self.mine(self.daemon.url("good"), url), RETRY, url,
                             "run the same command again")

    def test_what_is_not_there_is_a_mistake_of_the_configuration(self):
        self.assert_ends(self.mine(self.daemon.url("nowhere")), WRONG_USE, "no such repository")
        self.assert_ends(self.mine({"git": self.daemon.url("good"), "revision": "v9"}), WRONG_USE,
                         "v9")

    def test_a_request_to_stop_ends_a_fetch(self):
        silent = Server(self, lambda connection: None)
        process = program.start("mine", self.configuration(silent.url("x")), "--output",
                                self.output,
                                env={**os.environ, "KERNELMILL_ROOT": str(self.root)})
        self.addCleanup(process.kill)
        self.assertTrue(silent.asked.wait(timeout=60))
        process.send_signal(signal.SIGTERM)
        _, words = process.communicate(timeout=120)
        self.assertEqual(process.returncode, RETRY, words)
        self.assertIn("the same command resumes", words)


if __name__ == "__main__":
    unittest.main()
