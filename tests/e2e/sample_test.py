"""Asks a server of ours for samples: one and several choices, streamed or not, and every way in
which a server fails. What is answered is never asked again, wherever the program is killed."""

import collections
import email.utils
import json
import os
import random
import resource
import signal
import ssl
import subprocess
import time
import unittest

import chat_server
import program
from chat_server import (LONG_AGO, ChatServer, cut, dropped, ended_early, raw, silent, status,
                         whole)
from program import DONE, NEGATIVE, RETRY, WRONG_USE

KEY = "sk-do-not-write-me-0123456789"


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def attempts_of(line):
    """{(name, attempt): content} of a line with answers."""
    name, _, first = line["custom_id"].rpartition(":")
    return {(name, int(first) + choice["index"]): choice["message"]["content"]
            for choice in line["response"]["body"]["choices"]}


class Sampling(program.EndToEnd):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "samples.jsonl"
        self.server = ChatServer(self)
        self.environment = {name: "" for name in ("http_proxy", "https_proxy", "all_proxy")}

    def prompts(self, count, **body):
        """Writes `count` prompts, named 0, 1, …; the path."""
        path = self.folder / "prompts.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for i in range(count):
                message = {"role": "user", "content": f"prompt {i}"}
                line = {"custom_id": f"task-{i}:cuda", "method": "POST", "url": "/v1/chat/completions",
                        "body": {"model": "m", "messages": [message], **body}}
                file.write(json.dumps(line) + "\n")
        return path

    def sample(self, prompts, *options, expect=DONE, environment=None):
        """Runs `sample` to its end. Returns its summary, or if there is none its messages."""
        done = program.run("sample", prompts, "--endpoint", self.server.url, "--output",
                           self.output, "--first-wait", 0.01, "--json", *options,
                           environment={**self.environment, **(environment or {})})
        self.assertEqual(done.returncode, expect, done.stderr)
        self.said = done.stderr
        return json.loads(done.stdout) if done.stdout else done.stderr

    def start(self, prompts, *options):
        process = program.start("sample", prompts, "--endpoint", self.server.url, "--output",
                                self.output, "--first-wait", 0.01, *options,
                                env={**os.environ, **self.environment})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, process, happened):
        while process.poll() is None:
            if happened():
                return
            time.sleep(0.002)
        self.fail(process.stderr.read())

    def wait_for_lines(self, process, count):
        self.wait_until(process, lambda: self.output.exists() and
                        self.output.read_bytes().count(b"\n") >= count)

    def answers(self):
        """{(name, attempt): content} of the output, each of them once."""
        found = {}
        for line in lines_of(self.output):
            if line["error"] is None:
                for key, content in attempts_of(line).items():
                    self.assertNotIn(key, found)
                    found[key] = content
        return found

    def errors(self):
        return {line["custom_id"]: line["error"] for line in lines_of(self.output)
                if line["error"] is not None}

    def all_attempts(self, prompts, samples):
        return {(f"task-{i}:cuda", k) for i in range(prompts) for k in range(samples)}


class Answers(Sampling):
    def test_one_and_several_choices_streamed_or_not(self):
        contents = []
        for n in (1, 3):
            for stream in ([], ["--stream"]):
                self.output = self.folder / f"{n}{len(stream)}.jsonl"
                asked = len(self.server.bodies())
                summary = self.sample(self.prompts(5), "--n", n, *stream)
                self.assertEqual(set(self.answers()), self.all_attempts(5, n))
                self.assertEqual(len(self.server.bodies()) - asked, 5)
                got = summary["run"]
                self.assertEqual((got["answered"], got["failed"]), (5 * n, {}))
                self.assertEqual((got["prompt_tokens"], got["completion_tokens"]), (50, 25 * n))
                for line in lines_of(self.output):
                    body = line["response"]["body"]
                    self.assertEqual(body["usage"]["completion_tokens"], 5 * n)
                    self.assertEqual({c["finish_reason"] for c in body["choices"]}, {"stop"})
                contents.append(self.answers())
        self.assertEqual(contents[0], contents[1])
        self.assertEqual(contents[2], contents[3])
        self.assertIn("größer", contents[0]["task-0:cuda", 0])

    def test_what_is_asked(self):
        prompts = self.prompts(1, max_tokens=9, n=4, temperature=0.1)
        self.sample(prompts, "--model", "large", "--temperature", 0.5, "--top-p", 0.9,
                    "--max-tokens", 100, "--seed", 7, "--n", 2)
        path, headers, body = self.server.requests[0]
        self.assertEqual(path, "/v1/chat/completions")
        self.assertNotIn("Authorization", headers)
        self.assertEqual(body, {"model": "large", "temperature": 0.5, "top_p": 0.9, "seed": 7,
                                "n": 2, "max_completion_tokens": 100,
                                "messages": [{"role": "user", "content": "prompt 0"}]})
        line = lines_of(self.output)[0]
        self.assertEqual(line["request"], {key: body[key] for key in body if key != "n"})

    def test_prompts_of_other_forms(self):
        path = self.folder / "data" / "train.jsonl"
        path.parent.mkdir()
        message = {"role": "user", "content": "prompt 0"}
        line = {"rid": "task-0:cuda:2:t2", "model": "m", "messages": [message]}
        path.write_text(json.dumps(line))
        self.sample(self.folder)
        self.assertEqual(lines_of(self.output)[0]["custom_id"], "task-0:cuda:2:t2")
        path.write_text(json.dumps({"rid": "x", "text": "prompt", "sampling_params": {}}))
        self.assertIn("train.jsonl:1", self.sample(self.folder, expect=NEGATIVE))
        path.write_text("")
        self.assertIn("holds no prompts", self.sample(self.folder, expect=WRONG_USE))
        self.assertIn("--backend is for questions about the tasks",
                      self.sample(self.prompts(1), "--backend", "musa", expect=WRONG_USE))

    def test_a_server_that_gives_one_answer_is_asked_for_the_others(self):
        self.server.default = whole(choices=1)
        for stream in ([], ["--stream"]):
            self.output = self.folder / f"{len(stream)}.jsonl"
            asked = len(self.server.bodies())
            self.sample(self.prompts(3), "--n", 4, "--seed", 10, *stream)
            self.assertIn("gave 1 of 4 answers", self.said)
            self.assertEqual(set(self.answers()), self.all_attempts(3, 4))
            bodies = self.server.bodies()[asked:]
            self.assertEqual(len(bodies), 12)
            # Answers that are asked for one by one must not be the same ones.
            seeds = [(body["messages"][0]["content"], body["seed"]) for body in bodies]
            self.assertEqual(len(set(seeds)), 12)

    def test_a_server_that_refuses_several_choices_is_asked_for_one(self):
        refuse = status(400, "n must be 1")
        self.server.default = lambda exchange, body: (
            refuse if body.get("n", 1) > 1 else whole())(exchange, body)
        summary = self.sample(self.prompts(2), "--n", 3, "--concurrency", 1)
        self.assertEqual(set(self.answers()), self.all_attempts(2, 3))
        self.assertEqual((summary["requests"], summary["run"]["failed"]), (7, {}))

    def test_more_choices_than_asked_for_are_not_taken(self):
        self.server.default = whole(choices=3)
        self.sample(self.prompts(2), "--n", 2)
        self.assertEqual(set(self.answers()), self.all_attempts(2, 2))

    def test_a_stream_that_nobody_asked_for_and_the_reverse(self):
        for stream, reply in (([], lambda e, b: whole()(e, {**b, "stream": True})),
                              (["--stream"], lambda e, b: whole()(e, {**b, "stream": False}))):
            self.output = self.folder / f"{len(stream)}.jsonl"
            self.server.default = reply
            self.sample(self.prompts(2), *stream)
            self.assertEqual(set(self.answers()), self.all_attempts(2, 1))

    def test_counts_and_cost(self):
        self.server.replies["prompt 1"] = [whole(finish_reason="length")]
        bare = chat_server.completion(
            {"model": "m", "messages": [{"content": "prompt 2"}]}, 1)
        del bare["usage"]
        self.server.replies["prompt 2"] = [raw(json.dumps(bare).encode())]
        prices = ["--prompt-price", 2, "--answer-price", 10]
        summary = self.sample(self.prompts(3), *prices)
        self.assertEqual((summary["run"]["cut"], summary["run"]["uncounted"]), (1, 1))
        self.assertAlmostEqual(summary["run"]["cost"], (20 * 2 + 10 * 10) / 1e6)
        again = self.sample(self.prompts(3), *prices)
        self.assertEqual((again["requests"], again["answered_before"]), (0, 3))
        self.assertEqual(again["file"], summary["run"])
        text = program.run("sample", self.prompts(3), "--endpoint", self.server.url, "--output",
                           self.output, *prices, environment=self.environment).stdout
        self.assertIn("3 of 3 samples for 3 prompts are answered", text)
        self.assertIn("cut at a limit of tokens: 1", text)
        self.assertIn("cost 0.0001", text)

    def test_over_https(self):
        certificate, key = self.folder / "cert.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-days", "1", "-keyout", key,
                        "-out", certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server = ChatServer(self, context)
        message = self.sample(self.prompts(2), "--stream", expect=WRONG_USE)
        self.assertIn("certificate", json.dumps(message) + self.said)
        self.assertEqual(self.server.requests, [])
        self.sample(self.prompts(2), "--stream", environment={"SSL_CERT_FILE": str(certificate)})
        self.assertEqual(set(self.answers()), self.all_attempts(2, 1))


class Failures(Sampling):
    def test_passing_failures_are_asked_again(self):
        failing = {"429": status(429), "500": status(500), "503": status(503), "drop": dropped,
                   "cut": cut, "html": raw(b"<html>busy</html>"), "empty": raw(b""),
                   "no choices": raw(b'{"choices": []}'), "not utf-8": raw(b'{"choices": "\xff"}'),
                   "error": raw(b'{"error": {"message": "overloaded"}}'),
                   "no message": raw(b'{"choices": [{"index": 0}]}'),
                   "aborted": whole(finish_reason="abort")}
        streaming = {**failing, "early": ended_early,
                     "event": raw(b'data: {"error": {"message": "gone"}}\n\ndata: [DONE]\n\n')}
        for stream, failures in (([], failing), (["--stream"], streaming)):
            self.output = self.folder / f"{len(stream)}.jsonl"
            self.server.requests.clear()
            for i, reply in enumerate(failures.values()):
                self.server.replies[f"prompt {i}"] = [reply, reply]
            summary = self.sample(self.prompts(len(failures)), *stream)
            self.assertEqual(set(self.answers()), self.all_attempts(len(failures), 1))
            self.assertEqual(self.errors(), {})
            for i, name in enumerate(failures):
                self.assertEqual(len(self.server.bodies(f"prompt {i}")), 3, name)
            # libcurl itself sends a request again if a connection that was idle is dropped.
            self.assertIn(2 * len(failures) - summary["repeated"], (0, 1, 2))

    def test_a_silent_server(self):
        self.server.replies["prompt 0"] = [silent]
        summary = self.sample(self.prompts(1), "--silence", 1)
        self.assertEqual((summary["requests"], summary["run"]["answered"]), (2, 1))

    def test_what_the_server_asks_to_wait(self):
        self.server.replies["prompt 0"] = [status(503, Retry_After=LONG_AGO),
                                           status(429, retry_after_ms="20")]
        self.assertEqual(self.sample(self.prompts(1))["requests"], 3)
        in_a_while = email.utils.formatdate(time.time() + 2_500, usegmt=True)
        for wait, expected in (("3600", "asks to wait 3600 s"), (in_a_while, r"asks to wait 2\d\d\d s")):
            self.server.replies["prompt 1"] = [status(429, Retry_After=wait)]
            process = self.start(self.prompts(3), "--concurrency", 1)
            self.assertIn("were done before", process.stderr.readline())
            self.assertRegex(process.stderr.readline(), expected)
            # Nothing else is sent meanwhile.
            self.assertEqual(self.server.bodies("prompt 2"), [])
            process.terminate()
            self.assertEqual(process.wait(), RETRY)
        # Nobody waits that long.
        self.server.replies["prompt 1"] = [status(429, Retry_After="3601")]
        summary = self.sample(self.prompts(3), "--concurrency", 1, expect=RETRY)
        self.assertEqual(summary["run"]["failed"], {"rate_limit": 1})

    def test_limits_per_minute(self):
        self.sample(self.prompts(20), "--requests-per-minute", 60_000, "--tokens-per-minute",
                    6_000_000, "--max-tokens", 100, "--choices", 1, "--n", 2)
        self.assertEqual(set(self.answers()), self.all_attempts(20, 2))
        self.assertEqual(len(self.server.bodies()), 40)

    def test_a_request_that_keeps_failing_becomes_an_error_and_is_asked_again_later(self):
        self.server.replies["prompt 1"] = [raw(b"<html>busy</html>")] * 3
        self.server.replies["prompt 2"] = [status(500, "boom")] * 3
        summary = self.sample(self.prompts(4), "--retries", 2, expect=RETRY)
        self.assertEqual(summary["run"]["failed"], {"bad_reply": 1, "server_error": 1})
        self.assertIn("requests for 2 samples failed", self.said)
        self.assertIn("the same command asks for them again", self.said)
        errors = self.errors()
        self.assertIn("<html>busy</html>", errors["task-1:cuda:0"]["message"])
        self.assertIn("boom", errors["task-2:cuda:0"]["message"])
        self.assertEqual(errors["task-2:cuda:0"]["status"], 500)
        summary = self.sample(self.prompts(4))
        self.assertEqual((summary["answered_before"], summary["requests"]), (2, 2))
        self.assertEqual(set(self.answers()), self.all_attempts(4, 1))
        self.assertEqual(self.errors(), {})  # What was answered later is no failure to a reader.

    def test_a_refused_request_becomes_an_error(self):
        self.server.replies["prompt 1"] = [status(400, "too long")]
        self.server.replies["prompt 2"] = [status(302, Location="http://localhost:1/v1")]
        summary = self.sample(self.prompts(4), "--n", 2, "--concurrency", 1, expect=NEGATIVE)
        self.assertEqual(summary["run"]["failed"], {"refused": 4})
        self.assertEqual(self.errors()["task-1:cuda:0"]["samples"], 2)
        self.assertIn("too long", self.errors()["task-1:cuda:0"]["message"])
        self.assertIn("http://localhost:1/v1", self.errors()["task-2:cuda:0"]["message"])
        # It is not asked again, until the user says so or asks something else.
        summary = self.sample(self.prompts(4), "--n", 2, expect=NEGATIVE)
        self.assertEqual((summary["requests"], summary["refused_before"]), (0, 4))
        summary = self.sample(self.prompts(4), "--n", 2, "--ask-refused")
        self.assertEqual(summary["requests"], 2)
        self.assertEqual(set(self.answers()), self.all_attempts(4, 2))
        summary = self.sample(self.prompts(4), "--n", 2)
        self.assertEqual((summary["requests"], summary["refused_before"]), (0, 0))

    def test_no_access_ends_the_run(self):
        for code in (401, 403):
            self.server.requests.clear()
            self.server.default = status(code, f"bad key {KEY}")
            summary = self.sample(self.prompts(50), "--concurrency", 2, expect=WRONG_USE,
                                  environment={"KERNELMILL_API_KEY": KEY})
            self.assertLessEqual(len(self.server.requests), 3)
            self.assertEqual(summary["missing"], 50)
            self.assertEqual(self.output.read_text(), "")
            self.assertIn("bad key [key]", self.said)
        self.server.default = whole()
        self.sample(self.prompts(50))
        self.assertEqual(set(self.answers()), self.all_attempts(50, 1))

    def test_a_server_that_only_fails_ends_the_run(self):
        self.server.default = status(500)
        summary = self.sample(self.prompts(60), "--retries", 0, "--concurrency", 4, expect=RETRY)
        self.assertLess(summary["requests"], 30)
        self.assertIn("failed one after the other", self.said)
        url = self.server.url
        self.server.close()
        done = program.run("sample", self.prompts(2), "--endpoint", url, "--output", self.output,
                           "--retries", 1, "--first-wait", 0, environment=self.environment)
        self.assertEqual(done.returncode, RETRY, done.stderr)
        self.assertEqual([line["error"]["code"] for line in lines_of(self.output)[-2:]],
                         ["unreachable"] * 2)

    def test_the_key_is_written_nowhere(self):
        def echo(exchange, body):
            data = chat_server.completion(body, 1)
            data["choices"][0]["message"]["content"] = exchange.headers["Authorization"]
            exchange.send(200, json.dumps(data).encode(), [("x-request-id", KEY)])

        self.server.replies["prompt 0"] = [echo]
        self.server.replies["prompt 1"] = [status(400, f"what is {KEY}?")]
        self.sample(self.prompts(2), "--key-variable", "MY_KEY", expect=NEGATIVE,
                    environment={"MY_KEY": KEY})
        self.assertEqual({headers["Authorization"] for _, headers, _ in self.server.requests},
                         {f"Bearer {KEY}"})
        written = self.output.read_text() + self.said
        self.assertNotIn(KEY, written)
        self.assertEqual(written.count("[key]"), 4)
        self.sample(self.prompts(2), "--key-variable", "NO_KEY", expect=WRONG_USE)
        self.sample(self.prompts(2), expect=WRONG_USE,
                    environment={"KERNELMILL_API_KEY": "two\nlines"})


class Resumption(Sampling):
    def test_a_killed_run_goes_on_and_asks_nothing_twice(self):
        count, draw = 60, random.Random(7)
        self.server.default = lambda exchange, body: (time.sleep(0.01), whole()(exchange, body))
        for stream in ([], ["--stream"]):
            self.output = self.folder / f"{len(stream)}.jsonl"
            self.server.requests.clear()
            asked_before = collections.Counter()
            for wanted in sorted(draw.sample(range(1, 55), 3)):
                process = self.start(self.prompts(count), "--concurrency", 4, *stream)
                self.wait_for_lines(process, wanted)
                process.kill()
                process.communicate()
                asked = collections.Counter(
                    body["messages"][0]["content"] for body in self.server.bodies())
                # Only what was under way is lost.
                lost = sum(asked.values()) - len(self.answers()) - sum(asked_before.values())
                self.assertLessEqual(lost, 4)
                asked_before = asked - collections.Counter(
                    f"prompt {key[0][5:-5]}" for key in self.answers())
            answered = {key[0] for key in self.answers()}
            summary = self.sample(self.prompts(count), *stream)
            self.assertEqual(summary["answered_before"], len(answered))
            self.assertEqual(summary["requests"], count - len(answered))
            self.assertEqual(set(self.answers()), self.all_attempts(count, 1))
            asked = collections.Counter(
                body["messages"][0]["content"] for body in self.server.bodies())
            self.assertLessEqual(sum(asked.values()), count + 3 * 4)
            again = self.sample(self.prompts(count), *stream)
            self.assertEqual(again["requests"], 0)

    def test_more_samples_are_added(self):
        self.sample(self.prompts(3), "--n", 2)
        before = self.answers()
        summary = self.sample(self.prompts(4), "--n", 5)
        self.assertEqual((summary["answered_before"], summary["run"]["answered"]), (6, 14))
        self.assertEqual(set(self.answers()), self.all_attempts(4, 5))
        self.assertTrue(before.items() <= self.answers().items())

    def test_a_full_disk_loses_no_whole_line(self):
        for limit in (1, 900, 1_500):
            self.output.unlink(missing_ok=True)
            self.server.requests.clear()
            done = program.run(
                "sample", self.prompts(6), "--endpoint", self.server.url, "--output", self.output,
                "--concurrency", 2, environment=self.environment,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertNotEqual(done.returncode, DONE)
            self.assertIn("samples.jsonl", done.stderr)
            text = self.output.read_text()
            self.assertTrue(text == "" or text.endswith("}\n"))
            kept = len(self.answers())
            self.server.requests.clear()
            self.sample(self.prompts(6))
            self.assertEqual(len(self.server.requests), 6 - kept)

    def test_a_changed_request_is_refused(self):
        self.sample(self.prompts(2), "--temperature", 0.5)
        before = self.output.read_bytes()
        same = ["--temperature", 0.5]
        for options, expected in ((["--temperature", 0.6], "temperature was 0.5 and is 0.6"),
                                  ([], "temperature was 0.5 and is not set"),
                                  ([*same, "--seed", 1], "seed was not set and is 1"),
                                  ([*same, "--model", "x"], 'model was "m" and is "x"')):
            message = self.sample(self.prompts(2), *options, expect=WRONG_USE)
            self.assertIn(expected, message)
            self.assertIn("samples.jsonl:1", message)
        prompts = self.prompts(2)
        prompts.write_text(prompts.read_text().replace("prompt 0", "other"))
        self.assertIn("the messages are others",
                      self.sample(prompts, "--temperature", 0.5, expect=WRONG_USE))
        self.assertEqual((self.output.read_bytes(), len(self.server.requests)), (before, 2))

    def test_files_of_others_are_left_alone(self):
        prompts = self.prompts(2)
        for text in ('{"task": "x"}\n', "not JSON\n", "no line feed", '{"custom_id": "x"}\n',
                     prompts.read_text()):
            self.output.write_text(text)
            self.assertIn("samples.jsonl", self.sample(prompts, expect=WRONG_USE))
            self.assertEqual(self.output.read_text(), text)
        self.assertEqual(self.server.requests, [])

    def test_one_program_at_a_time(self):
        self.server.default = silent
        process = self.start(self.prompts(1))
        self.wait_until(process, lambda: self.server.requests)
        self.assertIn("another kernelmill writes this file",
                      self.sample(self.prompts(1), expect=RETRY))
        process.kill()

    def test_a_request_to_stop(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.server.requests.clear()
            self.server.default = whole()
            self.server.replies["prompt 1"] = [silent]
            self.output.unlink(missing_ok=True)
            process = self.start(self.prompts(2))
            self.wait_for_lines(process, 1)
            self.wait_until(process, lambda: len(self.server.requests) == 2)
            process.send_signal(number)
            _, words = process.communicate(timeout=60)
            self.assertEqual(process.returncode, RETRY, words)
            self.assertIn("the same command resumes it", words)
            self.assertEqual(set(self.answers()), self.all_attempts(1, 1))
            self.sample(self.prompts(2))
            self.assertEqual(len(self.server.bodies("prompt 0")), 1)

    def test_prompts_that_overlap_are_refused(self):
        prompts = self.folder / "prompts.jsonl"
        line = {"custom_id": "t:cuda:1",
                "body": {"model": "m", "messages": [{"role": "user", "content": "x"}]}}
        prompts.write_text("".join(json.dumps({**line, "custom_id": name}) + "\n"
                                   for name in ("t:cuda", "t:cuda:1", "t:musa")))
        self.sample(prompts)
        message = self.sample(prompts, "--n", 2, expect=NEGATIVE)
        self.assertIn("prompts.jsonl:2", message)
        self.assertIn("prompts.jsonl:1", message)


if __name__ == "__main__":
    unittest.main()
