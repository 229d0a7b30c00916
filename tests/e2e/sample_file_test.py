"""The file that `sample` goes on with: a line that was cut is asked for again, a whole one is not, and
a file of others stays as it is."""

import json
import unittest

import sample_test
from program import WRONG_USE


class Files(sample_test.Sampling):
    def test_a_partial_line_is_removed_and_its_samples_asked_for(self):
        self.sample(self.prompts(4))
        whole_text = self.output.read_bytes()
        first = whole_text.index(b"\n") + 1
        for end in (1, 5, 30, len(whole_text) - first - 2):
            self.server.requests.clear()
            self.output.write_bytes(whole_text[:first + end])
            lines = whole_text[:first + end].count(b"\n")
            self.sample(self.prompts(4))
            self.assertIn("not written to its end", self.said)
            self.assertEqual(len(self.server.requests), 4 - lines)
            self.assertEqual(set(self.answers()), self.all_attempts(4, 1))

    def test_a_whole_line_only_needs_its_line_feed(self):
        self.sample(self.prompts(4))
        text = self.output.read_bytes()
        self.server.requests.clear()
        self.output.write_bytes(text[:-1])
        self.sample(self.prompts(4))
        self.assertEqual((self.server.requests, self.output.read_bytes()), ([], text))

    def test_files_of_others_stay_as_they_are(self):
        prompts = self.prompts(1)
        prompt = prompts.read_bytes().rstrip(b"\n")
        batch = json.dumps({"custom_id": "task-0:cuda", "response": None, "error": None}).encode()
        compact = batch.replace(b": ", b":").replace(b", ", b",")
        for text in (batch, compact, batch[:-1], compact[:-1], prompt, prompt[:-1], b"17",
                     b"words", prompt.replace(b": ", b":").replace(b", ", b",")[:-1]):
            self.output.write_bytes(text)
            self.assertIn("give --output another file",
                          self.sample(prompts, expect=WRONG_USE))
            self.assertEqual(self.output.read_bytes(), text)
        self.output = prompts
        prompts.write_bytes(prompt)
        self.sample(prompts, expect=WRONG_USE)
        self.assertEqual(prompts.read_bytes(), prompt)
        self.output = self.folder / "folder"
        self.output.mkdir()
        self.assertIn("--output takes a file", self.sample(prompts, expect=WRONG_USE))
        self.assertEqual(self.server.requests, [])


if __name__ == "__main__":
    unittest.main()
