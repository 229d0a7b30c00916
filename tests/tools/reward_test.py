"""kernelmill.reward of the Python package, against a server that stands in for `kernelmill serve` and
answers as the test says. tests/e2e/serve_test.py asks a real one."""

import http.server
import importlib.util
import json
import os
import pathlib
import sys
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))
from kernelmill import reward as rewards  # noqa: E402

RIGHT = {"correctness": 1.0, "performance": None}


def verdict(reward):
    return 200, {}, {"key": "0" * 64, "verdict": {}, "reward": reward, "feedback": ""}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((request, self.headers))
            status, headers, answer = self.server.answer(request, len(self.server.requests))
        body = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Reward(unittest.TestCase):
    def start(self, answer):
        """A service of the stand-in, whose `answer` gets the request and its number from 1."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.answer, server.requests, server.lock = answer, [], threading.Lock()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        service = rewards.Service(f"http://127.0.0.1:{server.server_port}", patience=5)
        self.addCleanup(service.close)
        return server, service

    def test_columns_of_the_rows_become_requests(self):
        server, service = self.start(lambda request, _: verdict(RIGHT))
        values = rewards.make_reward(service, policy="mooreeval")(
            prompts=["p"], completions=[[{"role": "assistant", "content": "an answer"}]],
            task=["class Model: pass"], task_id=["ab"], backend=["musa"],
            contract=["any_shape,contiguous,usual_values"], target=["mp_31"],
            completion_ids=[[1, 2]], trainer_state=object())
        self.assertEqual(values, [1.0])
        self.assertEqual(server.requests[0][0], {
            "reference": "class Model: pass", "message": "an answer", "backend": "musa",
            "contract": "any_shape,contiguous,usual_values", "target": "mp_31",
            "policy": "mooreeval"})

    def test_values_are_in_the_order_of_the_completions(self):
        def answer(request, _):
            share = float(request["message"])
            return verdict({"correctness": share, "performance": 0.25} if share else None)

        _, service = self.start(answer)
        shares = [number % 7 / 8 for number in range(60)]
        values = rewards.make_reward(service)(
            prompts=["p"] * 60, completions=[str(share) for share in shares], task=["t"] * 60)
        self.assertEqual(values, [share + 0.25 if share else None for share in shares])
        self.assertEqual(rewards.make_reward(service, unscored=-2.0)(["p"], ["0"], task=["t"]),
                         [-2.0])
        self.assertEqual(rewards.make_reward(service)([], [], task=[]), [])

    def test_what_fails_in_passing_is_asked_again(self):
        def answer(_, number):
            if number < 4:
                return (429, 503, 504)[number - 1], {"Retry-After": 0}, {"error": {"message": "no"}}
            return verdict(RIGHT)

        server, service = self.start(answer)
        self.assertEqual(rewards.value_of(service.verify(reference="t", code="c")), 1.0)
        self.assertEqual(len(server.requests), 4)

    def test_patience_ends(self):
        _, service = self.start(
            lambda request, number: (429, {"Retry-After": 60}, {"error": {"message": "it is full"}}))
        with self.assertRaisesRegex(rewards.ServeError, "answers 429: it is full"):
            service.verify(reference="t", code="c")

    def test_what_is_refused_is_not_asked_again(self):
        server, service = self.start(lambda request, number: (
            400, {}, {"error": {"key": "policy", "message": "unknown policy 'kind'"}}))
        with self.assertRaisesRegex(rewards.ServeError, "400: policy: unknown policy 'kind'"):
            service.verify(reference="t", code="c", policy="kind")
        self.assertEqual(len(server.requests), 1)

    def test_a_connection_that_was_closed_is_opened_again(self):
        server, service = self.start(lambda request, number: verdict(RIGHT))
        service.verify(reference="t", code="c")
        service._idle[0].sock.shutdown(2)
        service.verify(reference="t", code="c")
        self.assertEqual(len(server.requests), 2)

    def test_verl_loads_the_file_by_its_path(self):
        server, service = self.start(
            lambda request, _: verdict(None if request["message"] == "none" else RIGHT))
        os.environ["KERNELMILL_SERVE_URL"] = service.url
        os.environ["KERNELMILL_SERVE_TOKEN"] = "0123456789abcdef"
        self.addCleanup(os.environ.pop, "KERNELMILL_SERVE_URL")
        self.addCleanup(os.environ.pop, "KERNELMILL_SERVE_TOKEN")
        spec = importlib.util.spec_from_file_location(
            "custom_module", ROOT / "tools/python/kernelmill/reward.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.addCleanup(lambda: module._service(None).close())
        extra = {"split": "train", "index": 0, "turn": 1, "task_id": "ab", "backend": "cuda",
                 "contract": "fixed_shapes,contiguous,usual_values", "target": "sm_80",
                 "num_turns": None}
        self.assertEqual(module.compute_score(data_source="kernelmill", solution_str="an answer",
                                              ground_truth="t", extra_info=extra), 1.0)
        request, headers = server.requests[0]
        self.assertEqual(request, {"reference": "t", "message": "an answer", "backend": "cuda",
                                   "contract": extra["contract"], "target": "sm_80"})
        self.assertEqual(headers["Authorization"], "Bearer 0123456789abcdef")
        self.assertEqual(module.compute_score("kernelmill", "none", "t", extra), -1.0)
        self.assertEqual(module.compute_score("kernelmill", "none", "t", unscored=-0.5), -0.5)


if __name__ == "__main__":
    unittest.main()
