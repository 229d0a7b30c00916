"""Tests what bench/variety.py takes for prose, and its measures."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import variety  # noqa: E402


class Prose(unittest.TestCase):
    def test_fenced_code_is_no_prose(self):
        text = "Before.\n\n```python\nx = 1\n```\n\nBetween.\n\n````cuda\n```\n````\nAfter `x`."
        self.assertEqual(variety.without_code(text), "Before.\n\nBetween.\n\nAfter `x`.")

    def test_examples_of_docstrings_are_no_prose(self):
        text = ("Adds numbers.\n\nFor example::\n\n    add(1, 2)\n\n    add(2, 3)\n\nMore.\n\n"
                ">>> add(1, 2)\n3\n\n.. math::\n    a + b\n\nEnd.")
        self.assertEqual(variety.prose_of_docstring(text), "Adds numbers.\n\nMore.\n\nEnd.")

    def test_of_a_conversation_the_last_answer_counts(self):
        prose = variety.Prose()
        prose.add({"prompt_template": "a", "messages": [
            {"role": "user", "content": "A question that is long enough to be counted here."},
            {"role": "assistant", "content": "An answer that is wrong and is not trained at all."},
            {"role": "user", "content": "That was wrong."},
            {"role": "assistant", "content": "The right answer, in so many words as it takes.\n"
                                             "```python\nx = 1\n```"}]})
        self.assertEqual(prose.answers, ["The right answer, in so many words as it takes."])
        self.assertEqual(len(prose.prompts), 1)
        self.assertIn("That was wrong.", prose.prompts[0])
        self.assertNotIn("not trained", prose.prompts[0])

    def test_sentences_with_other_names_and_numbers_are_one_template(self):
        texts = [f"The kernel `k{i}` takes {i + 1},000 bytes of ({i}, 2)." for i in range(4)]
        self.assertEqual(variety.shared(texts)[0], 1)
        self.assertEqual(variety.shared(["Something about a tensor.", "And another thing."])[0], 0.5)

    def test_repeated_text_compresses_and_is_not_distinct(self):
        same = ["All of these sentences are the same in every row of it."] * 50
        other = [f"Row {i * i} says {i * 7919} of {i ** 3}." for i in range(50)]
        self.assertGreater(variety.ratio(same), 3 * variety.ratio(other))
        self.assertLess(variety.distinct(same), 0.05)
        self.assertGreater(variety.distinct(other), 0.5)

    def test_documentation_is_taken_up_to_the_volume(self):
        self.assertEqual(variety.taken(["abcd", "efgh", "ijkl"], 7), ["abcd", "efgh"])


if __name__ == "__main__":
    unittest.main()
