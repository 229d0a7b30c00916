"""`verify --warm`: processes that stay judge as a cold `verify` does, survive what their clients do,
and end when they are asked to, or are not asked for anything."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import unittest

import program
import verify_run

# A right answer, a wrong one, one that ends its process, and one without code.
ANSWERS = ("honest/relu.md", "native_cheats/decoy_beside_torch.py", "native_cheats/native_exit.py")


class Warm(program.EndToEnd):
    def setUp(self):
        super().setUp()
        # Longer than the name of a socket may be.
        self.environment = verify_run.own_root(self.folder / ("long" * 40))
        self.root = pathlib.Path(self.environment["KERNELMILL_ROOT"])
        self.warm = self.root / ".cache/warm"
        self.addCleanup(self.verify, "--warm", 0)
        self.pairs = []
        for number, name in enumerate(ANSWERS):
            task, code = verify_run.read_answer(name)
            answer = self.folder / f"{number}.py"
            answer.write_text(code)
            self.pairs.append(("--reference", verify_run.FILES / f"tasks/{task}.py",
                               "--candidate", answer))
        prose = self.folder / "prose.md"
        prose.write_text("I cannot do that.")
        self.pairs.append((*self.pairs[0][:3], prose))

    def verify(self, *arguments):
        return program.run("verify", *arguments, environment=self.environment)

    def judged(self, pair, *options):
        done = self.verify(*pair, "--json", *options)
        self.assertIn(done.returncode, (program.DONE, program.NEGATIVE), done.stderr)
        return json.loads(done.stdout)

    def judges(self):
        done = program.run("status", "--json", environment=self.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        return json.loads(done.stdout)["judges"]

    def sent(self, words):
        """What the judge answers to these bytes."""
        path, = self.warm.glob("*.socket")
        inside = os.open(self.warm, os.O_PATH)
        self.addCleanup(os.close, inside)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"/proc/self/fd/{inside}/{path.name}")
            client.sendall(words)
            client.shutdown(socket.SHUT_WR)
            # It says first that it has read the request.
            return client.makefile("rb").read().removeprefix(b"taken\n")

    def end_of(self, pid):
        while pathlib.Path(f"/proc/{pid}").exists():
            time.sleep(0.02)

    def test_verdicts_are_those_of_a_cold_judge(self):
        cold = [self.judged(pair, "--no-cache") for pair in self.pairs]
        self.assertEqual(self.judges(), [])
        warm = [self.judged(pair, "--no-cache", "--warm", 5)
                for pair in self.pairs]
        self.assertEqual(warm, cold)
        self.assertEqual([verdict["status"] for verdict in warm][0], "correct")
        judge, = self.judges()
        self.assertEqual(judge["judged"], len(self.pairs))
        # The store is the same.
        self.assertEqual(self.judged(self.pairs[0]), cold[0])

        # What is no request is not answered, and does no harm.
        self.assertEqual(self.warm.stat().st_mode & 0o777, 0o700)
        for words in (b"", b"{}", b"\xff\x00", b'{"judging": {}'):
            reply = self.sent(words)
            self.assertTrue(reply == b"" or "error" in json.loads(reply), reply)
        self.assertEqual(self.judged(self.pairs[0], "--warm", 5)["status"], "correct")
        self.assertEqual([one["pid"] for one in self.judges()], [judge["pid"]])

        # A client that goes away while it is served.
        leaving = subprocess.Popen(
            [program.BINARY, "verify", *map(str, self.pairs[0]), "--no-cache", "--warm", "5"],
            env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        while not any(one["ends"] == 0 for one in self.judges()):
            self.assertIsNone(leaving.poll())
        leaving.kill()
        leaving.wait()
        self.assertEqual(self.judged(self.pairs[0], "--warm", 5)["status"], "correct")

        # A judge that is ended while it judges gives no verdict, and its client starts no other.
        waiting = subprocess.Popen(
            [program.BINARY, "verify", *map(str, self.pairs[0]), "--no-cache", "--warm", "5"],
            env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        while not any(one["ends"] == 0 for one in self.judges()):
            self.assertIsNone(waiting.poll())
        self.assertIn("ended: 1", self.verify("--warm", 0).stdout)
        _, said = waiting.communicate()
        self.assertEqual(waiting.returncode, program.RETRY, said)
        self.assertEqual(self.judges(), [])

        # A state that cannot be read hides no judge, and names no other process.
        self.judged(self.pairs[0], "--warm", 5)
        judge, = self.judges()
        state, = self.warm.glob("*.json")
        state.write_text('{"pid": -1}')
        self.assertEqual([one["pid"] for one in self.judges()], [judge["pid"]])

        # Killed, it is started again, also by two clients at once.
        os.kill(judge["pid"], signal.SIGKILL)
        self.end_of(judge["pid"])
        self.assertEqual(self.judges(), [])
        both = [subprocess.Popen(
            [program.BINARY, "verify", *map(str, pair), "--json", "--warm", "5"],
            env={**os.environ, **self.environment}, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL) for pair in self.pairs[:2]]
        for process, pair in zip(both, self.pairs):
            said, _ = process.communicate()
            self.assertEqual(json.loads(said), self.judged(pair))
        another, = self.judges()
        self.assertNotEqual(another["pid"], judge["pid"])

        done = self.verify("--warm", 0)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.assertIn("ended: 1", done.stdout)
        self.end_of(another["pid"])
        self.assertEqual(list(self.warm.glob("*.socket")), [])

        # It ends by itself when its time is over, which the last request has set.
        self.judged(self.pairs[0], "--warm", 5)
        last, = self.judges()
        choice = {"policy": "strict", "backend": "cuda", "target": "", "seed": 1, "training": True,
                  "own_size_cpu_ms": 0, "contract": "", "memory": False, "races": False,
                  "count": False}
        reply = json.loads(self.sent(json.dumps(
            {"judging": choice, "secret": "", "reference": {"text": "no task"}, "code": None,
             "renew": False, "stay_minutes": 0}).encode()))
        self.assertIn("verdict", reply)
        self.end_of(last["pid"])

    def test_wrong_use_is_said(self):
        for words, said in (((*self.pairs[0], "--warm", "-1"), "--warm"),
                            (("--kernelbench", self.folder, "--run", self.folder, "--warm", 5),
                             "--warm is for one answer")):
            done = self.verify(*words)
            self.assertEqual(done.returncode, program.WRONG_USE, done.stderr)
            self.assertIn(said, done.stderr)

    def test_a_judge_that_cannot_start_is_said(self):
        self.warm.parent.mkdir(exist_ok=True)
        self.warm.write_text("no folder")
        done = self.verify(*self.pairs[0], "--warm", 5)
        self.assertNotIn(done.returncode, (program.DONE, program.NEGATIVE))
        self.assertIn(str(self.warm), done.stderr)
        with contextlib.suppress(FileNotFoundError):
            self.warm.unlink()


if __name__ == "__main__":
    unittest.main()
