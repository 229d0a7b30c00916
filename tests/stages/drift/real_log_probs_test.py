"""Drift between policies that really exist: a tiny LSTM samples responses at two temperatures, and it
and trained copies of it score them. The log-probs are written as servers write them and read back by
our readers; what comes out must equal what torch says."""

import copy
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import unittest

import torch

PROGRAM = os.environ["KERNELMILL_DRIFT_OF_FILES"]
VOCABULARY = 40
TOKENS = 48
RESPONSES = 8
TEMPERATURES = (1.0, 0.6)


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, 24)
        self.lstm = torch.nn.LSTM(24, 48, batch_first=True)
        self.head = torch.nn.Linear(48, VOCABULARY)

    def forward(self, ids, state=None):
        hidden, state = self.lstm(self.embedding(ids), state)
        return self.head(hidden), state


def train(policy, steps, rate, seed, first_step=1):
    """Trains on texts that count up in steps of 1 to 4, or more. A fifth of the tokens is noise, so
    that the policy does not become too sure of itself."""
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(policy.parameters(), lr=rate)
    for _ in range(steps):
        start, step = (torch.randint(4, (16, 1), generator=generator) for _ in range(2))
        text = (start + (first_step + step) * torch.arange(24)) % VOCABULARY
        noise = torch.rand(text.shape, generator=generator) < 0.2
        text[noise] = torch.randint(VOCABULARY, (int(noise.sum()),), generator=generator)
        logits, _ = policy(text[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return policy


def log_probs_of(logits, temperature, mode):
    return torch.log_softmax(logits / (temperature if mode == "processed" else 1.0), -1)


def sample(policy, temperature, mode, seed):
    """Samples token by token, as a server does: the ids, and their log-probs in the mode."""
    generator = torch.Generator().manual_seed(seed)
    ids, log_probs, state = [0], [], None
    with torch.no_grad():
        for _ in range(TOKENS):
            logits, state = policy(torch.tensor([[ids[-1]]]), state)
            chances = torch.softmax(logits[0, -1] / temperature, -1)
            ids.append(int(torch.multinomial(chances, 1, generator=generator)))
            log_probs.append(float(log_probs_of(logits[0, -1], temperature, mode)[ids[-1]]))
    return ids[1:], log_probs


def score(policy, ids, temperature, mode):
    """The log-probs of a response that is there, in one pass, as a trainer computes them."""
    with torch.no_grad():
        logits, _ = policy(torch.tensor([[0] + ids[:-1]]))
    return [float(row[token])
            for row, token in zip(log_probs_of(logits[0], temperature, mode), ids)]


def number(value):
    return value if math.isfinite(value) else None


def batch_line(name, index, message, content, **more):
    """A line of OpenAI's batch output and of `vllm run-batch`."""
    choice = {"index": 0, "message": {"role": "assistant", "content": message},
              "logprobs": content and {"content": content}, "finish_reason": "stop", **more}
    body = {"id": f"chatcmpl-{index}", "object": "chat.completion", "model": "tiny",
            "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": TOKENS}}
    return {"id": f"{name}{index}", "custom_id": f"task:cuda:{index}",
            "response": {"status_code": 200, "request_id": "q", "body": body}, "error": None}


def openai(index, message, ids, log_probs):
    content = [{"token": f" w{token}", "logprob": number(value), "bytes": None, "top_logprobs": []}
               for token, value in zip(ids, log_probs)]
    return batch_line("batch_req_", index, message, content)


def vllm(index, message, ids, log_probs):
    content = [{"token": f"token_id:{token}", "logprob": number(value), "bytes": None,
                "top_logprobs": []} for token, value in zip(ids, log_probs)]
    return batch_line("vllm-", index, message, content, stop_reason=None)


def sglang(index, message, ids, log_probs):
    triples = [[number(value), token, None] for token, value in zip(ids, log_probs)]
    meta = {"id": f"task:cuda:{index}", "finish_reason": {"type": "stop", "matched": 0},
            "prompt_tokens": 1, "completion_tokens": TOKENS}
    if triples:
        meta["output_token_logprobs"] = triples
    return {"text": message, "meta_info": meta}


def plain(index, message, ids, log_probs):
    tokens = [{"token": f" w{token}", "logprob": number(value), "token_id": token}
              for token, value in zip(ids, log_probs)]
    return {"task": "task", "backend": "cuda", "attempt": index, "message": message,
            "completion_tokens": TOKENS, "logprobs": tokens}


FORMATS = (openai, vllm, sglang, plain)


def mean_difference(rollout, trained):
    return statistics.fmean(abs(b - a) for a, b in zip(rollout, trained))


class RealLogProbs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        torch.manual_seed(0)
        cls.policy = train(Policy(), 150, 1e-2, seed=1)
        cls.near = train(copy.deepcopy(cls.policy), 2, 1e-3, seed=2)
        cls.far = train(copy.deepcopy(cls.policy), 60, 2e-2, seed=3, first_step=7)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def responses(self, temperature, mode="processed"):
        return [sample(self.policy, temperature, mode, seed) for seed in range(RESPONSES)]

    def write(self, name, line_of, responses):
        """Every second response is right."""
        path = self.folder / name
        path.write_text("".join(
            json.dumps(line_of(index, ("right", "wrong")[index % 2], ids, log_probs)) + "\n"
            for index, (ids, log_probs) in enumerate(responses)), encoding="utf-8")
        return path

    def compare(self, rollout, trained, formats=(plain, plain), temperatures=(1, 1),
                modes=("processed", "processed"), delta="0.1"):
        done = subprocess.run(
            [PROGRAM, self.write("rollout", formats[0], rollout),
             self.write("trained", formats[1], trained), str(temperatures[0]), modes[0],
             str(temperatures[1]), modes[1], delta], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def scored(self, policy, responses, temperature, mode="processed"):
        return [(ids, score(policy, ids, temperature, mode)) for ids, _ in responses]

    def test_every_format_gives_the_drift_that_torch_says(self):
        for temperature in TEMPERATURES:
            rollout = self.responses(temperature)
            for policy in (self.policy, self.near, self.far):
                trained = self.scored(policy, rollout, temperature)
                expected = [mean_difference(a[1], b[1]) for a, b in zip(rollout, trained)]
                pairs = [(line_of, line_of) for line_of in FORMATS] + [(sglang, vllm), (openai, plain)]
                for formats in pairs:
                    masks = self.compare(rollout, trained, formats)["masks"]
                    for mask, d in zip(masks, expected, strict=True):
                        self.assertAlmostEqual(mask["d"], d, delta=1e-12)

    def test_a_fresh_policy_is_kept_and_calibrates_delta(self):
        for temperature in TEMPERATURES:
            rollout = self.responses(temperature)
            trained = self.scored(self.policy, rollout, temperature)
            found = self.compare(rollout, trained, delta="calibrated")
            # A server and a trainer differ by rounding alone.
            self.assertLess(found["report"]["largest_d"], 1e-3)
            self.assertEqual(found["report"]["delta"], 0.05)
            self.assertEqual(found["report"]["kept"]["responses"], RESPONSES)

    def test_a_step_of_training_is_kept_and_many_are_masked(self):
        for temperature in TEMPERATURES:
            rollout = self.responses(temperature)
            near = self.compare(rollout, self.scored(self.near, rollout, temperature))
            self.assertGreater(near["report"]["median_d"], 1e-3)
            self.assertEqual(near["report"]["kept"]["responses"], RESPONSES)
            far = self.compare(rollout, self.scored(self.far, rollout, temperature))
            self.assertEqual(far["report"]["reasons"], {"drift": RESPONSES})
            self.assertEqual(far["report"]["masked"]["correct_share"], 0.5)
            # Masked responses stay in the statistics of their group.
            self.assertEqual(far["mean"], near["mean"])
            for mask in far["masks"]:
                self.assertLessEqual(abs(mask["signed_mean"]), mask["d"])

    def test_another_temperature_or_mode_only_looks_like_drift(self):
        rollout = self.responses(0.6)
        for temperature, mode, reason in ((1.0, "processed", "temperature"), (0.6, "raw", "mode")):
            trained = self.scored(self.policy, rollout, temperature, mode)
            # Nothing has been trained. Whoever records the wrong conditions finds drift.
            claimed = self.compare(rollout, trained, temperatures=(0.6, 0.6))
            self.assertGreater(claimed["report"]["largest_d"], 0.1)
            self.assertIn("drift", claimed["report"]["reasons"])
            recorded = self.compare(rollout, trained, temperatures=(0.6, temperature),
                                    modes=("processed", mode))
            self.assertEqual(recorded["report"]["reasons"], {reason: RESPONSES})
            self.assertIsNone(recorded["report"]["median_d"])
            unknown = self.compare(rollout, trained, temperatures=(0.6, "-"))
            self.assertEqual(unknown["report"]["reasons"], {"temperature_unknown": RESPONSES})

    def test_what_cannot_be_compared_says_why(self):
        rollout = self.responses(1.0)
        for line_of in FORMATS:
            trained = self.scored(self.near, rollout, 1.0)
            trained[0] = (trained[0][0], [math.nan] + trained[0][1][1:])
            trained[1] = ([(trained[1][0][0] + 1) % VOCABULARY] + trained[1][0][1:], trained[1][1])
            trained[2] = (trained[2][0][:-1], trained[2][1][:-1])
            trained[3] = ([], [])
            masks = self.compare(rollout, trained, (line_of, line_of))["masks"]
            self.assertEqual([(mask["state"], mask["reason"]) for mask in masks],
                             [("masked", "not_finite"), ("masked", "tokens"), ("masked", "length"),
                              ("unscored", "absent")] + [("kept", "")] * 4, line_of.__name__)
            self.assertEqual([mask["d"] is None for mask in masks], [True] * 4 + [False] * 4)


if __name__ == "__main__":
    unittest.main()
