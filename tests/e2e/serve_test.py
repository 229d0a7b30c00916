"""`kernelmill serve`: the verdicts of `verify`, byte for byte, for many clients at once, some of
them hostile; and the ends of the service."""

import concurrent.futures
import contextlib
import json
import re
import signal
import socket
import sys
import threading
import time
import unittest

import verify_run
from hostile_requests import HOSTILE, status_of
from program import DONE, RETRY, ROOT, WRONG_USE, EndToEnd, run
from serve_client import Service, attempts, verdict_bytes

sys.path.insert(0, str(ROOT / "tools/python"))
from kernelmill import reward as rewards  # noqa: E402

RELU = (ROOT / "tests/stages/verify/tasks/relu.py").read_text()
RIGHT = verify_run.read_answer("honest/relu.md")[1]
ILLEGAL = verify_run.read_answer("cheats/torch_function.py")[1]
NOT_BUILT = verify_run.read_answer("native_cheats/does_not_compile.py")[1]
REWARDS = {"right": 1.0, "illegal": -1.0, "not_built": -1.0, "no_code": -1.0}


def unique(code):
    """The same program with a text that no earlier test has had judged."""
    return f"{code}\n# {time.time_ns()}\n"


def message_of(code):
    return f"Here is the answer.\n```python\n{code}```\n"


def documented_fields():
    """The fields of the service's JSON that its page names."""
    page = (ROOT / "tools/cli/json_outputs.md").read_text(encoding="utf-8")
    section = page.split("\n## serve\n")[1].split("\n## ")[0]
    return set(re.findall(r"`([a-z_]+)`", section)) | {"results", "requests"}


class Verdicts(EndToEnd):
    def test_the_same_as_verify_says(self):
        dataset = self.folder / "dataset"
        self.build(self.configuration(generate={"count": 1, "levels": [1]}), dataset)
        exported = self.folder / "questions"
        self.assertEqual(run("export", dataset, "--format", "trl-rl", "--output",
                             exported).returncode, DONE)
        row = json.loads((exported / "data/train.jsonl").read_text().splitlines()[0])
        illegal = unique(ILLEGAL)
        asked = [{"task": row["task_id"], "message": message_of(illegal)},
                 {"task": row["task_id"][:20], "code": "not Python ("},
                 {"task": row["task_id"], "backend": "musa", "message": "I cannot do that."}]
        documented = documented_fields()
        with Service("--tasks", dataset, "--jobs", 1) as service:
            served = [service.verify(request) for request in asked]
            right = {"reference": RELU, "code": unique(RIGHT), "contract": "any_shape"}
            right_served = service.verify(right)
            for body in (*served, service.ask("POST", "/v1/verify", {"tsak": ""})[2],
                         service.ask("GET", "/healthz")[2]):
                answer = json.loads(body)
                self.assertEqual(answer.pop("version"), 1)
                self.assertLessEqual({*answer, *answer.get("error", ())}, documented)
            # TRL calls its function with the columns of the rows, verl with one of them.
            columns = {name: [row[name]] * 2 for name in row if name != "prompt"}
            service_of = rewards.Service(service.url)
            self.addCleanup(service_of.close)
            self.assertEqual(
                rewards.make_reward(service_of)(
                    prompts=[row["prompt"]] * 2, trainer_state=None, **columns,
                    completions=[[{"role": "assistant", "content": message_of(illegal)}],
                                 [{"role": "assistant", "content": "No."}]]),
                [-1.0, -1.0])
            self.assertEqual(
                rewards.make_reward(service_of)(prompts=["?"], task=[RELU],
                                                contract=["any_shape"], backend=["cuda"],
                                                completions=[message_of(right["code"])]), [1.0])
        candidates = self.folder / "candidates.jsonl"
        candidates.write_text("".join(json.dumps(request) + "\n" for request in asked))
        # Judged again, and not taken from the store that the service has filled.
        done = run("verify", "--tasks", dataset, "--candidates", candidates, "--output",
                   self.folder / "verdicts", "--no-cache")
        self.assertEqual(done.returncode, DONE, done.stderr)
        lines = (self.folder / "verdicts/verdicts.jsonl").read_bytes().splitlines()
        self.assertEqual([verdict_bytes(line) for line in lines],
                         [verdict_bytes(body) for body in served])
        for line, body in zip(map(json.loads, lines), map(json.loads, served)):
            self.assertEqual((line["fingerprint"], line["reward"], line["verdict"]["feedback"]),
                             (body["key"], body["reward"], body["feedback"]))
        (self.folder / "ref.py").write_text(RELU)
        (self.folder / "answer.py").write_text(right["code"])
        done = run("verify", "--reference", self.folder / "ref.py", "--candidate",
                   self.folder / "answer.py", "--contract", "any_shape", "--json", "--no-cache")
        printed = json.loads(done.stdout)
        del printed["version"]
        self.assertEqual(printed["status"], "correct")
        self.assertEqual(printed, json.loads(right_served)["verdict"])


class Clients(EndToEnd):
    def test_many_and_hostile_ones(self):
        codes = {"right": unique(RIGHT), "illegal": unique(ILLEGAL), "not_built": unique(NOT_BUILT)}
        bodies = {name: {"reference": RELU, "code": code} for name, code in codes.items()}
        bodies["no_code"] = {"reference": unique(RELU), "message": "No."}
        with Service("--jobs", 1, "--body", 1, "--client-time", 2) as service:
            def well(number):
                name = list(bodies)[number % len(bodies)]
                if number % 5 == 4:
                    body = json.loads(service.verify({"requests": [bodies[name]] * 2}))
                    self.assertEqual(body["results"][0], body["results"][1])
                    return name, json.dumps(body["results"][0]["verdict"], sort_keys=True)
                body = json.loads(service.verify(bodies[name]))
                self.assertEqual(rewards.value_of(body), REWARDS[name], name)
                return name, json.dumps(body["verdict"], sort_keys=True)

            with concurrent.futures.ThreadPoolExecutor(60) as threads:
                served = [threads.submit(well, number) for number in range(40)]
                badly = [threads.submit(self.hostile, service, kind)
                         for kind in HOSTILE for _ in range(2)]
                verdicts = {}
                for one in served:
                    name, verdict = one.result()
                    self.assertEqual(verdicts.setdefault(name, verdict), verdict)
                for one in badly:
                    one.result()
            # Equal requests were judged once, and what was refused was answered.
            self.assertEqual(service.metric("kernelmill_judging_seconds_count"), len(bodies))
            for body in bodies.values():
                answer = json.loads(service.verify(body))
                self.assertEqual(attempts(answer["key"]), ["begun", "kept"])
                status, _, again = service.ask("GET", f"/v1/verdicts/{answer['key']}")
                self.assertEqual((status, json.loads(again)), (200, answer))
            self.assertEqual(service.ask("GET", "/healthz")[0], 200)
            service.signal()
            self.assertEqual(service.end(), DONE)
            self.assertNotIn("error", service.process.stderr.read())

    def hostile(self, service, kind):
        data, status = HOSTILE[kind]
        response = service.send(data, waits=status is not None)
        self.assertEqual(status_of(response), status, (kind, response[:200]))
        if status is not None:
            self.assertIn("message", json.loads(response.partition(b"\r\n\r\n")[2])["error"], kind)

    def test_a_token(self):
        token = "a token of this test"
        environment = {"KERNELMILL_SERVE_TOKEN": token.replace(" ", "-")}
        done = run("serve", "--address", "0.0.0.0", "--port", 0)
        self.assertEqual(done.returncode, WRONG_USE)
        self.assertIn("--token-file", done.stderr)
        done = run("serve", environment={"KERNELMILL_SERVE_TOKEN": token})
        self.assertEqual(done.returncode, WRONG_USE)
        self.assertNotIn(token, done.stderr)
        with Service("--address", "0.0.0.0", environment=environment) as service:
            body = {"reference": RELU, "message": "No."}
            for header in ({}, {"Authorization": "Bearer another-token-of-it"}):
                status, headers, text = service.ask("POST", "/v1/verify", body, header)
                self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"))
                self.assertIn(b"Authorization", text)
            named = {"Authorization": f"Bearer {environment['KERNELMILL_SERVE_TOKEN']}"}
            self.assertEqual(service.ask("POST", "/v1/verify", body, named)[0], 200)
            with rewards.Service(service.url, token="another-token-of-it") as wrong:
                with self.assertRaisesRegex(rewards.ServeError, "answers 401"):
                    wrong.verify(**body)
            with rewards.Service(service.url,
                                 token=environment["KERNELMILL_SERVE_TOKEN"]) as right:
                self.assertEqual(rewards.value_of(right.verify(**body)), -1.0)
            service.signal()
            self.assertEqual(service.end(), DONE)
            self.assertNotIn(environment["KERNELMILL_SERVE_TOKEN"], service.process.stderr.read())

    def test_too_many_connections_are_refused_with_an_answer(self):
        with Service("--connections", 3, "--client-time", 2) as service, \
                contextlib.ExitStack() as stack:
            idle = [stack.enter_context(socket.create_connection(("127.0.0.1", service.port), 30))
                    for _ in range(12)]
            # The first three are connections without a request.
            for connection in idle[3:]:
                response = connection.recv(65536)
                self.assertEqual(status_of(response), 503, response)
                self.assertIn(b"\r\nRetry-After: ", response)
            for connection in idle:
                connection.close()
            while service.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                               b"Connection: close\r\n\r\n").find(b" 200 ") < 0:
                time.sleep(0.05)

    def test_clients_in_python_say_what_is_wrong(self):
        with self.assertRaisesRegex(rewards.ServeError, "kernelmill serve"):
            rewards.Service("http://127.0.0.1:9", patience=0.1).verify(reference="x", code="y")
        with self.assertRaises(rewards.ServeError):
            rewards.Service("127.0.0.1")


class Ends(EndToEnd):
    def test_killed_and_started_again_and_stopped_in_order(self):
        requests = [{"reference": RELU, "code": unique(code)}
                    for code in [ILLEGAL, ILLEGAL, RIGHT, ILLEGAL]]
        got = {}
        with Service("--jobs", 1) as service:
            def ask(number):
                try:
                    got[number] = service.verify(requests[number])
                except OSError:
                    pass  # The service was killed.

            threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            service.wait_for("kernelmill_judging_seconds_count", 1)
            service.signal(signal.SIGKILL)
            service.end()
            for thread in threads:
                thread.join()
        with Service("--jobs", 1) as service:
            for body in got.values():
                key = json.loads(body)["key"]
                self.assertEqual(service.ask("GET", f"/v1/verdicts/{key}")[2], body)
            for number, request in enumerate(requests):
                body = service.verify(request)
                self.assertEqual(got.get(number, body), body)
                self.assertEqual(attempts(json.loads(body)["key"]).count("kept"), 1)
            # What the store had was not judged again.
            judged = service.metric("kernelmill_judging_seconds_count")
            self.assertLessEqual(judged, len(requests) - len(got))
            self.stop_in_order(service)

    def stop_in_order(self, service):
        """What is judged is answered before the end, and nothing else is begun."""
        answers = {}

        def ask(name):
            answers[name] = service.ask("POST", "/v1/verify",
                                        {"reference": RELU, "code": unique(RIGHT)})

        judged = threading.Thread(target=ask, args=("judged",))
        judged.start()
        service.wait_for("kernelmill_judging", 1)
        waiting = threading.Thread(target=ask, args=("waiting",))
        waiting.start()
        service.wait_for("kernelmill_waiting", 1)
        service.signal()
        waiting.join()
        status, headers, _ = answers["waiting"]
        self.assertEqual(status, 503)
        self.assertGreater(int(headers["Retry-After"]), 0)
        self.assertEqual(service.ask("GET", "/healthz")[0], 503)
        ask("late")
        self.assertEqual(answers["late"][0], 503)
        judged.join()
        status, _, body = answers["judged"]
        self.assertEqual((status, json.loads(body)["verdict"]["status"]), (200, "correct"))
        self.assertEqual(service.end(), DONE)

    def test_a_second_signal_ends_at_once(self):
        with Service("--jobs", 1) as service:
            thread = threading.Thread(
                target=lambda: self.assertRaises(OSError, service.verify,
                                                 {"reference": RELU, "code": unique(RIGHT)}))
            thread.start()
            service.wait_for("kernelmill_judging", 1)
            service.signal()
            while service.metric("kernelmill_stopping") == 0:
                time.sleep(0.01)
            service.signal(signal.SIGINT)
            self.assertEqual(service.end(5), RETRY)
            thread.join()


if __name__ == "__main__":
    unittest.main()
