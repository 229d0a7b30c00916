"""Removes near duplicates with datatrove, for bench/near_duplicates.py. Run with the Python of a
virtual environment with datatrove 0.10.1, orjson, regex, tokenizers and xxhash below 4:

    python bench/peers/datatrove_minhash.py TOKENS KEPT FOLDER

TOKENS has an id and the tokens of one program on each line, separated by spaces. Writes the ids of
those that datatrove keeps to KEPT, and prints its processor time in seconds. The configuration is
datatrove's own (14 buckets of 8 hashes, 5-grams), but for the words: they are the given tokens, as they
are. Its own tokenizers for languages are slower, and its normalization removes punctuation."""

import json
import pathlib
import sys
import time

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import minhash
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.text import TextNormConfig


class GivenTokens:
    def word_tokenize(self, text):
        return text.split(" ")


def main(tokens, kept, folder):
    folder = pathlib.Path(folder)
    (folder / "in").mkdir(parents=True)
    with open(tokens, encoding="utf-8") as lines, \
            open(folder / "in/programs.jsonl", "w", encoding="utf-8") as file:
        for line in lines:
            name, _, text = line.rstrip("\n").partition(" ")
            file.write(json.dumps({"id": name, "text": text}) + "\n")
    minhash.load_word_tokenizer = lambda language: GivenTokens()
    config = minhash.MinhashConfig(norm_config=TextNormConfig(
        lowercase=False, norm_whitespace=False, remove_punctuation=False,
        norm_unicode_diacritics=False, norm_numbers=False))
    name = lambda part: str(folder / part)
    read = lambda: JsonlReader(name("in"))
    stages = [
        (1, [read(), minhash.MinhashDedupSignature(name("signatures"), config=config)]),
        # One task for each bucket.
        (config.num_buckets, [minhash.MinhashDedupBuckets(name("signatures"), name("buckets"),
                                                          config=config)]),
        (1, [minhash.MinhashDedupCluster(name("buckets"), name("removed"), config=config)]),
        (1, [read(), minhash.MinhashDedupFilter(name("removed")),
             JsonlWriter(name("kept"), output_filename="${rank}.jsonl", compression=None)]),
    ]
    start = time.process_time()
    for tasks, pipeline in stages:
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, skip_completed=False,
                              logging_dir=name("logs")).run()
    seconds = time.process_time() - start
    ids = [json.loads(line)["id"] for path in sorted((folder / "kept").glob("*.jsonl"))
           for line in path.read_text(encoding="utf-8").splitlines()]
    pathlib.Path(kept).write_text("".join(one + "\n" for one in ids), encoding="utf-8")
    print(json.dumps({"seconds": seconds, "kept": len(ids)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
