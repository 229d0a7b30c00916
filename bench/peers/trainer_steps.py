"""Trains a tiny model with random weights on an export of kernelmill with a trainer's own loop, for
bench/trainer_loaders.py. Prints {"steps", "rows": how many rows it trains on, "losses"}. Runs in the
trainer's virtual environment, on the processor, except that verl takes a GPU where there is one:

    python bench/peers/trainer_steps.py TRAINER EXPORT TOKENIZER TEMPLATE STEPS

TOKENIZER is a folder with a tokenizer and the configuration of a Qwen3 model, which gets weights."""

import json
import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
if sys.argv[1:2] != ["verl"]:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["DO_NOT_TRACK"] = os.environ["AXOLOTL_DO_NOT_TRACK"] = "1"
LENGTH = 1 << 16


def save_model(folder):
    import transformers

    transformers.set_seed(7)
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)


def found(state, rows):
    losses = [line["loss"] for line in state.log_history if "loss" in line]
    return {"steps": state.global_step, "rows": rows, "losses": losses}


def trl(folder, tokenizer_folder, _, steps):
    import datasets
    from transformers import AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    rows = datasets.load_dataset("json", data_files={"train": str(folder / "data/train.jsonl")})
    settings = SFTConfig(output_dir=f"{tokenizer_folder}/out", max_length=LENGTH, report_to=[],
                         use_cpu=True, bf16=False, max_steps=steps, logging_steps=1,
                         per_device_train_batch_size=1, save_strategy="no")
    trainer = SFTTrainer(str(tokenizer_folder), settings, train_dataset=rows["train"],
                         processing_class=AutoTokenizer.from_pretrained(tokenizer_folder))
    trainer.train()
    return found(trainer.state, len(trainer.train_dataset))


def llamafactory(folder, tokenizer_folder, template, steps):
    from trainer_rows import without_audio

    without_audio()
    from llamafactory.train.tuner import run_exp
    from transformers import TrainerCallback

    class Seen(TrainerCallback):
        def on_train_end(self, args, state, control, train_dataloader=None, **_):
            self.state, self.rows = state, len(train_dataloader.dataset)

    seen = Seen()
    run_exp({"model_name_or_path": str(tokenizer_folder), "stage": "sft", "do_train": True,
             "finetuning_type": "full", "dataset_dir": str(folder), "dataset": "kernelmill",
             "mask_history": True, "template": "qwen3" if template == "qwen3" else "qwen",
             "cutoff_len": LENGTH, "output_dir": f"{tokenizer_folder}/out",
             "overwrite_cache": True, "overwrite_output_dir": True, "report_to": "none",
             "max_steps": steps, "logging_steps": 1, "per_device_train_batch_size": 1,
             "save_strategy": "no", "use_cpu": True}, callbacks=[seen])
    return found(seen.state, seen.rows)


def axolotl(folder, tokenizer_folder, _, steps):
    from axolotl.common.datasets import load_datasets
    from axolotl.train import train
    from trainer_rows import axolotl_settings

    settings = axolotl_settings(folder, tokenizer_folder, max_steps=steps)
    loaded = load_datasets(cfg=settings)
    _, _, trainer = train(cfg=settings, dataset_meta=loaded)
    return found(trainer.state, len(loaded.train_dataset))


def swift(folder, tokenizer_folder, template, steps):
    from swift import SftArguments
    from swift.pipelines.train.sft import SwiftSft

    class Seen(SwiftSft):
        def train(self, trainer):
            self.trainer = trainer
            return super().train(trainer)

    seen = Seen(SftArguments(
        model=str(tokenizer_folder), model_type="qwen3", tuner_type="full",
        template="qwen3" if template == "qwen3" else "qwen2_5",
        dataset=[str(folder / "data/train.jsonl")], max_length=LENGTH, loss_scale="last_round",
        is_binary_loss_scale=False, torch_dtype="float32", output_dir=f"{tokenizer_folder}/out",
        max_steps=steps, logging_steps=1, per_device_train_batch_size=1,
        gradient_accumulation_steps=1, save_strategy="no", report_to=["none"], use_cpu=True))
    seen.main()
    return found(seen.trainer.state, len(seen.trainer.train_dataset))


def verl(folder, tokenizer_folder, template, steps):
    import torch

    loop = verl_trainer if torch.cuda.is_available() else verl_parts
    return loop(folder, tokenizer_folder, template, steps)


def verl_trainer(folder, tokenizer_folder, template, steps):
    """verl's own trainer, whose engines need a GPU. It keeps no losses: what it would log is read."""
    import hydra
    from verl.trainer import sft_trainer
    from verl.utils.distributed import destroy_global_process_group, initialize_global_process_group

    losses = []

    class Seen:
        def __init__(self, **_):
            pass

        def log(self, data, step):
            losses.append(data["train/loss"])

    sft_trainer.Tracking = Seen
    os.environ |= {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
                   "MASTER_PORT": "29533"}
    settings = {"model.path": tokenizer_folder, "model.use_remove_padding": False,
                "+model.override_config.attn_implementation": "sdpa",
                "data.train_files": folder / "data/train.parquet", "data.train_batch_size": 1,
                "data.micro_batch_size_per_gpu": 1, "data.use_dynamic_bsz": False,
                "data.max_length": LENGTH, "data.num_workers": 0,
                "data.ignore_input_ids_mismatch": template == "qwen3",
                "trainer.total_training_steps": steps, "trainer.total_epochs": steps,
                "trainer.default_local_dir": f"{tokenizer_folder}/out",
                "trainer.resume_mode": "disable"}
    with hydra.initialize_config_module("verl.trainer.config", version_base=None):
        config = hydra.compose("sft_trainer_engine",
                               [f"{name}={value}" for name, value in settings.items()])
    initialize_global_process_group()
    trainer = sft_trainer.SFTTrainer(config)
    trainer.fit()
    destroy_global_process_group()
    return {"steps": len(losses), "rows": len(trainer.train_dataset), "losses": losses}


def verl_parts(folder, tokenizer_folder, template, steps):
    """verl's dataset, loader, collator and loss around a loop of our own, for the processor."""
    import torch
    from torchdata.stateful_dataloader import StatefulDataLoader
    from trainer_rows import verl_rows
    from transformers import AutoModelForCausalLM
    from verl.utils.dataset.dataset_utils import DatasetPadMode, SFTTensorCollator
    from verl.workers.utils.losses import sft_loss

    rows = verl_rows(folder, tokenizer_folder, template)
    batches = StatefulDataLoader(rows, batch_size=1, shuffle=True, drop_last=True,
                                 collate_fn=SFTTensorCollator(DatasetPadMode.NO_PADDING))
    model = AutoModelForCausalLM.from_pretrained(tokenizer_folder)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    losses = []
    while len(losses) < steps:
        for batch in batches:
            ids = batch["input_ids"].values()
            scores = model(input_ids=ids[None]).logits[0].log_softmax(-1)
            # The probability of the next token, at each token; the last one has none.
            given = scores.gather(1, ids.roll(-1)[:, None])[:, 0]
            log_probs = torch.nested.nested_tensor_from_jagged(given, batch["input_ids"].offsets())
            mask = batch["loss_mask"]
            loss, _ = sft_loss(None, {"log_probs": log_probs}, {
                "loss_mask": mask, "dp_size": 1, "batch_num_tokens": mask.values().sum(),
                "pad_mode": DatasetPadMode.NO_PADDING})
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            if len(losses) == steps:
                break
    return {"steps": len(losses), "rows": len(rows), "losses": losses}


def main():
    trainer, folder, tokenizer, template, steps = sys.argv[1:]
    save_model(tokenizer)
    print(json.dumps(globals()[trainer](pathlib.Path(folder), pathlib.Path(tokenizer), template,
                                        int(steps))))


if __name__ == "__main__":
    main()
