"""Samples from a real server program, that of transformers, with a tiny model that is made here."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import program

# Sends no request to the hub, and reads and writes nothing in the user's home.
OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "no_proxy": "*"}
MAKE_MODEL = """
import sys, torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

# One token for each letter of ASCII, so that no token is part of a letter.
letters = [letter for letter in pre_tokenizers.ByteLevel.alphabet() if ord(letter) < 128]
vocabulary = {token: i for i, token in enumerate(["<end>", "\\u0120", "\\u010a", *sorted(letters)])}
text = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
text.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
text.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=text, eos_token="<end>", pad_token="<end>")
tokenizer.chat_template = "{% for m in messages %}{{ m.role }}: {{ m.content }}\\n{% endfor %}"
tokenizer.save_pretrained(sys.argv[1])
torch.manual_seed(1)
LlamaForCausalLM(LlamaConfig(
    vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=1,
    num_attention_heads=2, bos_token_id=None, eos_token_id=0, pad_token_id=0,
)).save_pretrained(sys.argv[1])
"""


class RealServer(program.EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-server-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.model = cls.shared / "tiny"
        environment = {**os.environ, **OFFLINE, "HF_HOME": str(cls.shared / "home")}
        subprocess.run([sys.executable, "-c", MAKE_MODEL, cls.model], check=True, env=environment,
                       capture_output=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        cls.url = f"http://127.0.0.1:{port}"
        cls.log = (cls.shared / "log").open("w+")
        cls.addClassCleanup(cls.log.close)
        cls.process = subprocess.Popen(
            [sys.executable, "-m", "transformers.cli.transformers", "serve", "--host", "127.0.0.1",
             "--port", str(port), "--device", "cpu"], env=environment, stdout=cls.log,
            stderr=subprocess.STDOUT)
        cls.addClassCleanup(cls.process.wait)
        cls.addClassCleanup(cls.process.kill)
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and cls.process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                return
            time.sleep(0.1)
        cls.log.seek(0)
        raise AssertionError("the server does not start: " + cls.log.read())

    def sample(self, name, *options):
        """The summary of a run for two prompts, and the lines that it wrote."""
        prompts, output = self.folder / "prompts.jsonl", self.folder / f"{name}.jsonl"
        with prompts.open("w") as file:
            for word in ("sum", "softmax"):
                message = {"role": "user", "content": f"Write a kernel for {word}."}
                file.write(json.dumps({"custom_id": f"{word}:cuda",
                                       "body": {"model": "m", "messages": [message]}}) + "\n")
        done = program.run("sample", prompts, "--endpoint", self.url, "--model", self.model,
                           "--max-tokens", 12, "--output", output, "--json", *options,
                           environment={"no_proxy": "*"})
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.said = done.stderr
        lines = output.read_text(encoding="utf-8").splitlines()
        return json.loads(done.stdout), [json.loads(line) for line in lines]

    def test_streamed_or_not_the_answers_are_the_same(self):
        found = []
        for name, options in (("whole", []), ("streamed", ["--stream"])):
            summary, lines = self.sample(name, *options)
            self.assertEqual((summary["run"]["answered"], summary["run"]["cut"],
                              summary["run"]["completion_tokens"]), (2, 2, 24))
            self.assertGreater(summary["run"]["prompt_tokens"], 20)
            choices = {line["custom_id"]: line["response"]["body"]["choices"] for line in lines}
            self.assertEqual(set(choices), {"sum:cuda:0", "softmax:cuda:0"})
            found.append({key: [choice["message"]["content"] for choice in value]
                          for key, value in choices.items()})
            for line in lines:
                self.assertTrue(line["response"]["body"]["model"].startswith(str(self.model)))
        self.assertEqual(found[0], found[1])
        for content in found[0]["sum:cuda:0"]:
            self.assertEqual(len(content), 12)

    def test_it_gives_one_answer_to_a_request(self):
        summary, lines = self.sample("several", "--n", 3, "--stream")
        self.assertIn("asking for at most 1 at a time", self.said)
        self.assertEqual((summary["run"]["answered"], summary["requests"]), (6, 6))
        self.assertEqual({line["custom_id"] for line in lines},
                         {f"{word}:cuda:{i}" for word in ("sum", "softmax") for i in range(3)})


if __name__ == "__main__":
    unittest.main()
