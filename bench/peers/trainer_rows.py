"""Loads an export of kernelmill with a trainer's own code and prints what it would train, for
bench/trainer_loaders.py: one JSON object {"input_ids", "labels", "scale"} a row. Runs in the
trainer's virtual environment:

    python bench/peers/trainer_rows.py TRAINER EXPORT TOKENIZER TEMPLATE ROWS

TOKENIZER is a folder with a tokenizer and the chat template TEMPLATE, "chatml" or "thinking".
A label of -100 is not trained; the scale is the weight of the trained tokens."""

import json
import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
LENGTH = 1 << 16


def trl(folder, tokenizer_folder, _, count):
    """The dataset that SFTTrainer prepares, with its own defaults but the length."""
    import datasets
    import transformers
    from trl import SFTConfig, SFTTrainer

    tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer_folder)
    model = transformers.Qwen2ForCausalLM(transformers.Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, num_key_value_heads=1))
    files = {"train": str(folder / "data/train.jsonl")}
    rows = datasets.load_dataset("json", data_files=files)["train"]
    rows = rows.select(range(min(count, len(rows))))
    settings = SFTConfig(output_dir=f"{tokenizer_folder}/out", max_length=LENGTH, report_to=[],
                         use_cpu=True, bf16=False)
    trainer = SFTTrainer(model, settings, train_dataset=rows, processing_class=tokenizer)
    batches = trainer.get_train_dataloader().collate_fn
    for row in trainer.train_dataset:
        batch = batches([row])
        yield batch["input_ids"][0].tolist(), batch["labels"][0].tolist(), 1


def verl(folder, tokenizer_folder, template, count):
    """MultiTurnSFTDataset, whose check of tokens a template with <think> fails on any data."""
    from omegaconf import OmegaConf
    from transformers import AutoTokenizer
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset

    settings = OmegaConf.create({"pad_mode": "no_padding", "max_length": LENGTH,
                                 "ignore_input_ids_mismatch": template == "thinking"})
    rows = MultiTurnSFTDataset(str(folder / "data/train.parquet"),
                               AutoTokenizer.from_pretrained(tokenizer_folder), settings)
    for i in range(min(count, len(rows))):
        ids, mask = rows[i]["input_ids"].tolist(), rows[i]["loss_mask"].tolist()
        yield ids, [token if trained else -100 for token, trained in zip(ids, mask)], 1


def llamafactory(folder, tokenizer_folder, template, count):
    from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
    from llamafactory.hparams import get_train_args
    from transformers import AutoTokenizer

    model, data, training, _, _ = get_train_args({
        "model_name_or_path": str(tokenizer_folder), "stage": "sft", "do_train": True,
        "dataset_dir": str(folder), "dataset": "kernelmill", "mask_history": True,
        "template": "qwen3" if template == "thinking" else "qwen", "cutoff_len": LENGTH,
        "output_dir": f"{tokenizer_folder}/out", "overwrite_cache": True, "report_to": "none",
        "max_samples": count})
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    chosen = get_template_and_fix_tokenizer(tokenizer, data)
    rows = get_dataset(chosen, model, data, training, stage="sft", tokenizer=tokenizer)
    for row in rows["train_dataset"]:
        yield row["input_ids"], row["labels"], 1


def axolotl(folder, tokenizer_folder, _, count):
    import yaml
    from axolotl.prompt_strategies.chat_template import load
    from axolotl.utils.dict import DictDefault
    from datasets import load_dataset
    from transformers import AutoTokenizer

    entry = yaml.safe_load((folder / "axolotl.yaml").read_text())["datasets"][0]
    settings = DictDefault({"sequence_len": LENGTH, "train_on_inputs": False,
                            "chat_template": "tokenizer_default"})
    strategy = load(AutoTokenizer.from_pretrained(tokenizer_folder), settings, DictDefault(entry))
    rows = load_dataset(entry["ds_type"], data_files=str(folder / entry["path"]))["train"]
    for i in range(min(count, len(rows))):
        row = strategy.tokenize_prompt(rows[i])
        yield row["input_ids"], row["labels"], 1


def swift(folder, tokenizer_folder, template, count):
    from swift.dataset import load_dataset
    from swift.model import get_processor
    from swift.template import get_template

    processor = get_processor(str(tokenizer_folder), model_type="qwen3")
    chosen = get_template(processor, template_type="qwen3" if template == "thinking" else "qwen2_5",
                          max_length=LENGTH, loss_scale="last_round", is_binary_loss_scale=False)
    chosen.set_mode("train")
    rows, _ = load_dataset(str(folder / "data/train.jsonl"))
    for i in range(min(count, len(rows))):
        row = chosen.encode(dict(rows[i]))
        scales = {scale for scale, label in zip(row["loss_scale"], row["labels"]) if label != -100}
        yield row["input_ids"], row["labels"], max(scales, key=row["loss_scale"].count)


def main():
    trainer, folder, tokenizer, template, count = sys.argv[1:]
    loader = globals()[trainer]
    for ids, labels, scale in loader(pathlib.Path(folder), pathlib.Path(tokenizer), template,
                                     int(count)):
        print(json.dumps({"input_ids": list(ids), "labels": list(labels), "scale": scale}))


if __name__ == "__main__":
    main()
