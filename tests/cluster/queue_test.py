"""`verify` and `rft` with --queue: workers build and judge answers whose keys a Redis server has. The
verdicts and datasets are those of one process, whatever is killed; what cannot be judged is named,
and `status --queue` shows what waits and who is at work."""

import contextlib
import json
import os
import pathlib
import random
import re
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import kills  # noqa: E402
import page  # noqa: E402
import program  # noqa: E402
import redis  # noqa: E402
import rft_test  # noqa: E402
import verify_run  # noqa: E402

ANSWERS = ("honest/relu.md", "native_cheats/does_not_compile.py", "cheats/torch_function.py")
KILLS, PASSWORD = 3, "geheim"
PATIENCE = 300  # Seconds for one run.


class Queue(program.EndToEnd):
    def setUp(self):
        super().setUp()
        if problem := redis.why_not():
            self.skipTest(problem)
        options = page.command("redis-server", {"0.0.0.0": "127.0.0.1",
                                                "$KERNELMILL_QUEUE_PASSWORD": PASSWORD})
        self.server = self.enterContext(redis.Server(self.folder / "redis", *options))
        self.environment = {**verify_run.own_root(self.folder), "KERNELMILL_QUEUE_PASSWORD": PASSWORD}
        self.cache = pathlib.Path(self.environment["KERNELMILL_ROOT"]) / ".cache"
        self.checkout, self.samples = verify_run.lay_out(self.folder, ANSWERS)

    @property
    def verdicts(self):
        return self.samples / "verdicts.jsonl"

    def start(self, *words, **options):
        process = program.start(*words, env={**os.environ, **self.environment}, **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(program.kill_group, process)
        return process

    def lead(self):
        # Under a public seed, verdicts of different stores have equal keys.
        return self.start(*self.of_page("verify --kernelbench"), "--seed", 42)

    def worker(self, pool, *options):
        beginning = {"compile": "worker compile", "execute": "worker execute"}[pool]
        words = self.of_page(beginning)
        if "--idle" in words:
            at = words.index("--idle")  # A test has less time.
            del words[at:at + 2]
        return self.start(*words, "--lease", 2, *options)

    def of_page(self, beginning, **names):
        """The words of a command in README, with the server and folders of this test."""
        return page.command(beginning, {"redis://queue:6379": self.server.url,
                                        "KernelBench": self.checkout,
                                        "KernelBench/runs/mine": self.samples, **names})

    def status(self):
        """The pools of the one queue by name, its answers in quarantine, and the text."""
        words = self.of_page("status --queue")
        done = program.run(*words, "--json", environment=self.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        queue, = json.loads(done.stdout)["queues"]
        self.assertTrue(queue["own"])
        section = (program.ROOT / "tools/cli/json_outputs.md").read_text(encoding="utf-8")
        section = section.split("\n## status\n")[1].split("\n## ")[0]
        documented = set(re.findall(r"`(\w+)`", section))
        for name in (*queue, *(name for pool in queue["pools"] for name in pool)):
            self.assertIn(name, documented)
        text = program.run(*words, environment=self.environment).stdout
        self.assertNotIn("\x1b", text)
        return {pool["pool"]: pool for pool in queue["pools"]}, queue, text

    def wait(self, holds, *processes):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            for process in processes:
                self.assertIsNone(process.poll(), process.stderr)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def end(self, process, code):
        messages = process.stderr.read()
        self.assertEqual(process.wait(), code, messages)
        return messages

    def kept(self):
        """The number of stored verdicts."""
        return len(list(self.cache.glob("verdicts/??/*.json")))

    def built(self):
        return {path.name for path in self.cache.glob("extensions/built/*/*")}

    def expected(self):
        """The bytes of verdicts.jsonl as one process writes it, which leaves a store with builds and
        without verdicts."""
        self.forget_verdicts()
        done = program.run("verify", "--kernelbench", self.checkout, "--run", self.samples,
                           "--seed", 42, environment=self.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        verdicts = self.verdicts.read_bytes()
        self.verdicts.unlink()
        self.forget_verdicts()
        return verdicts

    def forget_verdicts(self):
        for path in self.cache.glob("verdicts/??/*"):
            path.unlink()

    def test_verdicts_are_those_of_one_process(self):
        leader = self.lead()
        self.wait(lambda: len(self.server.entries("compile")) == len(ANSWERS), leader)
        # Only keys, from which the plan gives the texts.
        for entry in self.server.entries("compile"):
            self.assertEqual(set(entry), {"run", "plan", "input", "place"})
            self.assertEqual(entry["run"], str(self.samples))
        pools, queue, text = self.status()
        self.assertEqual((pools["compile"]["waiting"], pools["compile"]["leased"]), (3, 0))
        self.assertEqual((pools["compile"]["workers"], queue["quarantined"]), ([], 0))
        self.assertIn("compile: 3 waiting, 0 leased, 0 workers", text)
        self.end(self.worker("compile", "--idle", 1), program.DONE)
        self.assertEqual(self.server.entries("compile"), [])
        self.assertEqual(len(self.server.entries("execute")), len(ANSWERS))
        self.assertEqual(self.kept(), 0)
        built = self.built()
        self.assertTrue(built)
        self.assertIn("done 3", self.end(self.worker("execute", "--idle", 1), program.DONE))
        self.end(leader, program.DONE)
        self.assertEqual(self.built(), built)  # Execution has found what it needs.
        self.assertEqual(self.server.entries("execute"), [])
        self.assertIsNone(self.server.key("quarantine"))
        by_queue = self.verdicts.read_bytes()
        self.verdicts.unlink()
        self.assertEqual(by_queue, self.expected())

    def test_nothing_is_lost_when_anything_is_killed(self):
        samples, configuration = self.folder / "samples.jsonl", self.folder / "rft.yaml"
        with samples.open("w", encoding="utf-8") as file:
            for attempt, name in enumerate(ANSWERS):
                task, message = rft_test.message(name)
                line = rft_test.plain(task, message, "stop", attempt, f"sample-{attempt}")
                file.write(json.dumps(line) + "\n")
        tasks = rft_test.write_tasks(self.folder / "tasks.jsonl")
        configuration.write_text(json.dumps(
            {"seed": 7, "tasks": [{"file": str(tasks)}], "samples": [{"file": str(samples)}]}))
        whole, output = self.folder / "whole", self.folder / "killed"
        # Steps other than verify take their outcomes from the first run.
        done = program.run("rft", configuration, "--output", whole, "--quiet", "--jobs", 1,
                           environment=self.environment, outcomes=True)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.forget_verdicts()
        workers = {pool: self.worker(pool) for pool in ("compile", "execute")}

        def restart_worker(pool):
            program.kill_group(workers[pool])
            workers[pool].wait()
            workers[pool] = self.worker(pool)

        def restart_server():
            self.server.kill()
            self.server.start()

        leader, killed = kills.during(
            lambda: self.start(*self.of_page("rft samples", **{"samples.yaml": configuration}),
                               "--output", output, "--jobs", 1, outcomes=True),
            {"compile": lambda: restart_worker("compile"),
             "execute": lambda: restart_worker("execute"), "redis": restart_server},
            KILLS, random.Random(KILLS), pause=(0.5, 4))
        self.assertTrue(killed)
        self.end(leader, program.DONE)
        expected, found = (json.loads((folder / "manifest.json").read_text())
                           for folder in (whole, output))
        self.assertEqual(found["merkle_root"], expected["merkle_root"])
        self.assertEqual(found["counts"], expected["counts"])
        self.assertEqual((output / "verdicts.jsonl").read_bytes(),
                         (whole / "verdicts.jsonl").read_bytes())
        self.assertEqual(self.kept(), len(ANSWERS))
        for worker in workers.values():
            worker.terminate()
            self.assertIn("stopped on request", self.end(worker, program.RETRY))

    def test_every_command_of_the_page_is_run(self):
        tests = "".join(path.read_text(encoding="utf-8")
                        for path in sorted(pathlib.Path(__file__).parent.glob("*_test.py")))
        run = [page.command(beginning, {}) for beginning in
               re.findall(r'(?:of_page|page\.command)\(\s*"([^"]+)"', tests)
               + re.findall(r'"(worker \w+)"', tests)]
        self.assertGreater(len(page.commands()), 10)
        for line in page.commands():
            self.assertIn(page.command(line.removeprefix("./kernelmill "), {}), run)

    def test_what_no_worker_can_judge_is_named(self):
        # The quick answers have no build.
        self.checkout, self.samples = verify_run.lay_out(self.folder / "quick", ANSWERS[2:])
        leader = self.lead()
        self.wait(lambda: self.server.entries("compile"), leader)
        answer = self.server.entries("compile")[0]
        stream = self.server.key("compile")
        for fields in (("rubbish", "\n\x1b[31mred"),
                       ("run", self.folder, "plan", answer["plan"], "input", 0, "place", "0"),
                       ("run", self.samples, "plan", answer["plan"], "input", 7, "place", "0")):
            self.server.ask("XADD", stream, "*", *fields)
        # A worker that is lost with each message that it takes.
        lost = self.worker("compile", "--tries", 1)
        self.wait(lambda: self.server.taken("compile"), leader, lost)
        program.kill_group(lost)
        pools, _, text = self.status()
        self.assertEqual((pools["compile"]["waiting"], pools["compile"]["leased"]), (3, 1))
        worker, = pools["compile"]["workers"]
        self.assertEqual((worker["pid"], worker["leased"]), (lost.pid, 1))
        oldest = pools["compile"]["oldest_lease"]
        self.assertEqual((oldest["message"], oldest["pid"], oldest["tries"]), (answer, lost.pid, 1))
        self.assertIn(f"oldest lease: answer 00000000 of {self.samples}", text)
        # This one gives all of them up.
        giving_up = self.worker("compile", "--tries", 1, "--idle", 3)
        messages = self.end(leader, program.RETRY)
        self.assertIn("no worker could judge the answer 00000000", messages)
        self.assertIn("after 1 tries without a result", messages)
        self.assertIn("quarantine/00000000.json", messages)
        note = json.loads((self.samples / ".run/quarantine/00000000.json").read_text())
        self.assertEqual((note["pool"], note["message"]), ("compile", answer))
        verdict = json.loads(self.verdicts.read_text())["verdict"]
        self.assertEqual(verdict["status"], "infra")
        said = self.end(giving_up, program.DONE)
        self.assertNotIn("\x1b", said)
        self.assertEqual(said.count("gave up"), 4, said)
        found = self.server.entries("quarantine")
        self.assertEqual(len(found), 4)
        reasons = " | ".join(sorted(entry["reason"] for entry in found))
        for text in ("has 1 fields", "cannot read the run", "holds no input 7", "without a result"):
            self.assertIn(text, reasons)
        self.assertEqual([entry["message.rubbish"] for entry in found if "message.rubbish" in entry],
                         ["\n\x1b[31mred"])
        _, queue, text = self.status()
        self.assertEqual(queue["quarantined"], 4)
        self.assertEqual({one["reason"] for one in queue["quarantine"]},
                         {entry["reason"] for entry in found})
        self.assertIn({"rubbish": "\n\x1b[31mred"}, [one["message"] for one in queue["quarantine"]])
        for entry in found:
            self.assertIn(entry["reason"], text)
        # The same command tries it again.
        leader = self.lead()
        workers = [self.worker(pool) for pool in ("compile", "execute")]
        self.end(leader, program.DONE)
        self.assertFalse((self.samples / ".run/quarantine").exists())
        for worker in workers:
            worker.terminate()
            self.end(worker, program.RETRY)
        # A worker on a machine without the folders of runs ends, and gives nothing up.
        self.server.ask("XADD", stream, "*", "run", self.folder / "elsewhere", "plan",
                        answer["plan"], "input", 0, "place", "0")
        said = self.end(self.worker("compile", "--tries", 2), program.ENVIRONMENT)
        self.assertIn("needs the folders of the runs", said)
        self.assertEqual(len(self.server.entries("compile")), 1)
        self.assertEqual(len(self.server.entries("quarantine")), 4)

    def test_what_is_wrong_with_a_server_is_said(self):
        def says(url, code, *texts, **environment):
            said = []
            for words in (("worker", "execute"), ("status",),
                          ("verify", "--kernelbench", self.checkout, "--run", self.samples)):
                done = program.run(*words, "--queue", url,
                                   environment={**self.environment, **environment})
                self.assertEqual(done.returncode, code, done.stderr)
                for text in texts:
                    self.assertIn(text, done.stderr)
                said.append(done.stdout + done.stderr)
            return said

        for url, text in (("http://queue", "does not begin with redis://"),
                          ("redis://queue:x", "the port 'x'"), ("redis://queue:0", "the port '0'"),
                          ("redis://:1", "names no host"), ("redis://queue/x", "the database 'x'"),
                          ("redis://[::1", "bracket")):
            says(url, program.WRONG_USE, text, "redis://HOST[:PORT][/DATABASE]")
        for said in says("redis://user:geheim@queue", program.WRONG_USE):
            self.assertNotIn("geheim", said)  # A password is repeated nowhere.
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            says(f"redis://127.0.0.1:{nobody.getsockname()[1]}", program.RETRY, "does not answer")
        says(self.server.url + "/99", program.WRONG_USE, "DB index is out of range")
        with socket.create_server(("127.0.0.1", 0)) as other:
            def answer():
                with contextlib.suppress(OSError):
                    while True:
                        connection, _ = other.accept()
                        with connection:
                            connection.recv(4096)
                            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            threading.Thread(target=answer, daemon=True).start()
            says(f"redis://127.0.0.1:{other.getsockname()[1]}", program.WRONG_USE,
                 "does not speak Redis' protocol")
        says(self.server.url, program.WRONG_USE, "NOAUTH", "KERNELMILL_QUEUE_PASSWORD",
             KERNELMILL_QUEUE_PASSWORD="")
        says(self.server.url, program.WRONG_USE, "WRONGPASS", KERNELMILL_QUEUE_PASSWORD="falsch")
        # A server that is gone for too long.
        worker = self.start("worker", "execute", "--queue", self.server.url, "--patience", 1)
        self.assertIn("queue", worker.stderr.readline())
        self.server.kill()
        self.assertIn("waiting for it", self.end(worker, program.RETRY))
        for words, text in ((("worker", "link", "--queue", "redis://q"), "compile"),
                            (("worker", "execute"), "--queue"),
                            (("status", self.samples, "--queue", "redis://q"), "something else"),
                            (("verify", "--reference", "a.py", "--candidate", "b.py", "--queue",
                              "redis://q"), "for judging many answers"),
                            (("verify", "--kernelbench", self.checkout, "--run", self.samples,
                              "--queue", "redis://q", "--executor", "slurm"), "leave --executor")):
            done = program.run(*words, environment=self.environment)
            self.assertEqual(done.returncode, program.WRONG_USE, done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
