"""Loads an export of kernelmill with a trainer's own code and prints what it would train, for
bench/trainer_loaders.py: one line "row {JSON}" a row, {"input_ids", "labels", "scale"}, or what a
reward function gets. Runs in the trainer's virtual environment:

    python bench/peers/trainer_rows.py LOADER EXPORT TOKENIZER TEMPLATE ROWS

TOKENIZER is a folder with a tokenizer and the chat template TEMPLATE, "qwen2.5" or "qwen3".
A label of -100 is not trained; the scale is the weight of the trained tokens."""

import importlib.machinery
import json
import os
import pathlib
import sys
import types

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["DO_NOT_TRACK"] = os.environ["AXOLOTL_DO_NOT_TRACK"] = "1"
LENGTH = 1 << 16
STEPS = 20  # The least that GRPOTrainer takes.


def row(ids, labels, scale=1):
    return {"input_ids": list(ids), "labels": list(labels), "scale": scale}


def tiny_model(tokenizer):
    import transformers

    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, num_key_value_heads=1))


def json_rows(folder, count):
    import datasets

    files = {"train": str(folder / "data/train.jsonl")}
    rows = datasets.load_dataset("json", data_files=files)["train"]
    return rows.select(range(min(count, len(rows))))


def trl(folder, tokenizer_folder, _, count):
    """The dataset that SFTTrainer prepares, with its own defaults but the length."""
    from transformers import AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    settings = SFTConfig(output_dir=f"{tokenizer_folder}/out", max_length=LENGTH, report_to=[],
                         use_cpu=True, bf16=False)
    trainer = SFTTrainer(tiny_model(tokenizer), settings, train_dataset=json_rows(folder, count),
                         processing_class=tokenizer)
    batches = trainer.get_train_dataloader().collate_fn
    for item in trainer.train_dataset:
        batch = batches([item])
        yield row(batch["input_ids"][0].tolist(), batch["labels"][0].tolist())


def trl_rl(folder, tokenizer_folder, _, count):
    """What GRPOTrainer's reward function gets while it trains a tiny model."""
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    given = []

    def reward(prompts, completions, task_id, task, backend, contract, target, **_):
        for prompt, *item in zip(prompts, task_id, task, backend, contract, target):
            given.append(dict(zip(("task_id", "task", "backend", "contract", "target"), item),
                              prompt=prompt[-1]["content"]))
        return [0.0] * len(completions)

    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    rows = json_rows(folder, count)
    settings = GRPOConfig(output_dir=f"{tokenizer_folder}/out", report_to=[], use_cpu=True,
                          bf16=False, num_generations=2, per_device_train_batch_size=2,
                          max_completion_length=2, max_steps=max(STEPS, len(rows)),
                          save_strategy="no")
    GRPOTrainer(tiny_model(tokenizer), reward, settings, train_dataset=rows,
                processing_class=tokenizer).train()
    yield from given[::2]  # Two generations each.


def verl_rl(folder, tokenizer_folder, _, count):
    from omegaconf import OmegaConf
    from transformers import AutoTokenizer
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    settings = OmegaConf.create({"max_prompt_length": LENGTH, "filter_overlong_prompts_workers": 1,
                                 "cache_dir": f"{tokenizer_folder}/cache"})
    rows = RLHFDataset(str(folder / "data/train.parquet"),
                       AutoTokenizer.from_pretrained(tokenizer_folder), settings)
    batch = collate_fn([rows[i] for i in range(min(count, len(rows)))])
    assert sorted(batch["index"]) == list(range(len(batch["index"])))
    for prompt, truth, extra in zip(batch["raw_prompt"], batch["reward_model"], batch["extra_info"]):
        yield {"prompt": prompt[-1]["content"], "task": truth["ground_truth"],
               **{key: extra[key] for key in ("task_id", "backend", "contract", "target")}}


def verl_rows(folder, tokenizer_folder, template):
    """MultiTurnSFTDataset, whose check of tokens a template with <think> fails on any data."""
    from omegaconf import OmegaConf
    from transformers import AutoTokenizer
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset

    settings = OmegaConf.create({"pad_mode": "no_padding", "max_length": LENGTH,
                                 "ignore_input_ids_mismatch": template == "qwen3"})
    return MultiTurnSFTDataset(str(folder / "data/train.parquet"),
                               AutoTokenizer.from_pretrained(tokenizer_folder), settings)


def verl(folder, tokenizer_folder, template, count):
    rows = verl_rows(folder, tokenizer_folder, template)
    for i in range(min(count, len(rows))):
        ids, mask = rows[i]["input_ids"].tolist(), rows[i]["loss_mask"].tolist()
        yield row(ids, [token if trained else -100 for token, trained in zip(ids, mask)])


def without_audio():
    """LLaMA-Factory imports torchaudio, whose builds need CUDA's torch. Text needs none of it."""
    __import__("transformers")  # It looks for torchaudio, once.
    sys.modules["torchaudio"] = types.ModuleType("torchaudio")
    sys.modules["torchaudio"].__spec__ = importlib.machinery.ModuleSpec("torchaudio", None)


def llamafactory(folder, tokenizer_folder, template, count):
    without_audio()
    from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
    from llamafactory.hparams import get_train_args
    from transformers import AutoTokenizer

    model, data, training, _, _ = get_train_args({
        "model_name_or_path": str(tokenizer_folder), "stage": "sft", "do_train": True,
        "dataset_dir": str(folder), "dataset": "kernelmill", "mask_history": True,
        "template": "qwen3" if template == "qwen3" else "qwen", "cutoff_len": LENGTH,
        "output_dir": f"{tokenizer_folder}/out", "overwrite_cache": True, "report_to": "none",
        "use_cpu": True, "max_samples": count})
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    chosen = get_template_and_fix_tokenizer(tokenizer, data)
    rows = get_dataset(chosen, model, data, training, stage="sft", tokenizer=tokenizer)
    for item in rows["train_dataset"]:
        yield row(item["input_ids"], item["labels"])


def axolotl_settings(folder, tokenizer_folder, **more):
    """A configuration with what the export says of its rows, as `axolotl train` reads it."""
    import yaml
    from axolotl.cli.config import load_cfg

    settings = yaml.safe_load((folder / "axolotl.yaml").read_text())
    for entry in settings["datasets"] + settings.pop("test_datasets", []):
        entry["path"] = str(folder / entry["path"])
    path = tokenizer_folder / "axolotl.yaml"
    path.write_text(yaml.safe_dump({
        **settings, "base_model": str(tokenizer_folder), "sequence_len": LENGTH,
        "chat_template": "tokenizer_default", "shuffle_merged_datasets": False, "val_set_size": 0,
        "dataset_prepared_path": f"{tokenizer_folder}/prepared", "bf16": False, "fp16": False,
        "output_dir": f"{tokenizer_folder}/out", "micro_batch_size": 1, "num_epochs": 1,
        "gradient_accumulation_steps": 1, "optimizer": "adamw_torch", "learning_rate": 1e-4,
        "logging_steps": 1, "save_strategy": "no", "use_mlflow": False, **more}))
    return load_cfg(str(path))


def axolotl(folder, tokenizer_folder, _, count):
    """The rows that `axolotl train` prepares, in their order."""
    from axolotl.common.datasets import load_datasets

    settings = axolotl_settings(folder, tokenizer_folder)
    rows = load_datasets(cfg=settings).train_dataset
    for i in range(min(count, len(rows))):
        yield row(rows[i]["input_ids"], rows[i]["labels"])


def swift(folder, tokenizer_folder, template, count):
    from swift.dataset import load_dataset
    from swift.model import get_processor
    from swift.template import get_template

    processor = get_processor(str(tokenizer_folder), model_type="qwen3")
    chosen = get_template(processor, template_type="qwen3" if template == "qwen3" else "qwen2_5",
                          max_length=LENGTH, loss_scale="last_round", is_binary_loss_scale=False)
    chosen.set_mode("train")
    rows, _ = load_dataset(str(folder / "data/train.jsonl"))
    for i in range(min(count, len(rows))):
        item = chosen.encode(dict(rows[i]))
        scales = [scale for scale, label in zip(item["loss_scale"], item["labels"])
                  if label != -100]
        yield row(item["input_ids"], item["labels"], max(scales, key=scales.count))


def main():
    loader, folder, tokenizer, template, count = sys.argv[1:]
    for item in globals()[loader](pathlib.Path(folder), pathlib.Path(tokenizer), template,
                                  int(count)):
        print("row", json.dumps(item))  # Trainers print too.


if __name__ == "__main__":
    main()
