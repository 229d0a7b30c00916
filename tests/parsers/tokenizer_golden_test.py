"""The counts of the golden tokenizers (tests/golden/tokenizers.json) are those of the Hugging Face
`tokenizers` library. tests/parsers/tokenizer_test.cc compares parsers/tokenizer.h with the same
counts."""

import json
import os
import pathlib
import unittest

import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/tokenizers.json"

# The pre-tokenizers of known models, without their vocabularies.
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
         r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
         r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
         r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TEXTS = [
    "",
    "it's WE'LL i'Ve 1234567 x²½Ⅷ  \u00a0 \u3000 end   ",
    "漢字かな交じり文 и кириллица, العربية, हिन्दी, ไทย, ǅ ʰ ª",
    "🙂👩‍👩‍👧 é \ufb01 ſ'S ==>> !!! ??/// ---\t\t tab",
    "a" * 3000 + " " * 500 + "0" * 300,
    "snake_case_name camelCaseName HTTPServer2xx <extra_7> <extra_77>",
    "class Model(nn.Module):\n    def forward(self, x):\n\n        return 0.5 * x  # half\r\n\t\tend\n\n\n",
]


def split(regex):
    return pre_tokenizers.Split(tokenizers.Regex(regex), "isolated")


def byte_level(**options):
    return pre_tokenizers.ByteLevel(**{"add_prefix_space": False, **options})


CUTS = {
    "gpt2": byte_level(),
    "prefix": byte_level(add_prefix_space=True),
    "digits": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level()]),
    "qwen": pre_tokenizers.Sequence([split(QWEN), byte_level(use_regex=False)]),
    "llama": pre_tokenizers.Sequence([split(LLAMA), byte_level(use_regex=False)]),
    "o200k": pre_tokenizers.Sequence([split(O200K), byte_level(use_regex=False)]),
}


def train(cut):
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = CUTS[cut]
    if cut == "qwen":
        tokenizer.normalizer = normalizers.NFC()
    trainer = trainers.BpeTrainer(vocab_size=600, show_progress=False,
                                  special_tokens=["<extra_7>", "<extra_77>"],
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    texts = [text.read_text(encoding="utf-8") for text in (ROOT / "README.md", pathlib.Path(__file__),
                                                           ROOT / "stages/worker/worker.py")]
    tokenizer.train_from_iterator(texts, trainer)
    description = json.loads(tokenizer.to_str())
    description["model"]["ignore_merges"] = cut == "llama"
    return description


def counts(description):
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(description))
    return [len(tokenizer.encode(text, add_special_tokens=False)) for text in TEXTS]


def update():
    lines = []
    for cut in CUTS:
        description = train(cut)
        lines.append(json.dumps({"name": cut, "tokenizer": description, "texts": TEXTS,
                                 "counts": counts(description)}, ensure_ascii=False))
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


class Golden(unittest.TestCase):
    def test_counts_are_those_of_the_library(self):
        if os.environ.get("KERNELMILL_UPDATE_GOLDEN"):
            update()
        golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
        self.assertEqual([entry["name"] for entry in golden], list(CUTS))
        for entry in golden:
            with self.subTest(entry["name"]):
                self.assertEqual(entry["texts"], TEXTS)
                self.assertEqual(entry["counts"], counts(entry["tokenizer"]))


if __name__ == "__main__":
    unittest.main()
