"""Replaces `transformers` for modules that name a pretrained model: builds the library's own models
from the configurations below, with untrained weights and without the network.

The values are taken from each model's public config.json, where they differ from the library's
defaults.
"""

import types

_LAYERS_OF_REFORMER = ["local", "local", "lsh", "local", "local", "local", "lsh", "local", "local",
                       "local", "lsh", "local"]
_MODELS = {
    "EleutherAI/gpt-neo-2.7B": ("GPTNeoConfig", {
        "hidden_size": 2560, "num_layers": 32, "num_heads": 20,
        "attention_types": [[["global", "local"], 16]]}),
    "facebook/opt-1.3b": ("OPTConfig", {
        "hidden_size": 2048, "ffn_dim": 8192, "num_hidden_layers": 24, "num_attention_heads": 32,
        "word_embed_proj_dim": 2048}),
    "facebook/bart-large": ("BartConfig", {}),
    "gpt2": ("GPT2Config", {}),
    "google/bigbird-roberta-base": ("BigBirdConfig", {}),
    "google/electra-small-discriminator": ("ElectraConfig", {}),
    "google/reformer-enwik8": ("ReformerConfig", {
        "attn_layers": _LAYERS_OF_REFORMER, "axial_pos_embds_dim": [256, 768],
        "axial_pos_shape": [128, 512], "hidden_size": 1024, "feed_forward_size": 4096,
        "num_attention_heads": 8, "vocab_size": 258, "max_position_embeddings": 65536,
        "is_decoder": True, "attention_head_size": 128, "num_buckets": 512}),
}


def stand_in():
    """The replacement module, or None when the library is not installed."""
    try:
        import transformers
    except ImportError:
        return None
    transformers.logging.set_verbosity_error()

    class AutoConfig:
        @staticmethod
        def from_pretrained(name, **_options):
            if name not in _MODELS:
                raise OSError(f"the configuration of {name} is not known here")
            kind, figures = _MODELS[name]
            return getattr(transformers, kind)(**figures)

    class AutoModelForCausalLM:
        @staticmethod
        def from_pretrained(name, config=None, **_options):
            config = config or AutoConfig.from_pretrained(name)
            return transformers.AutoModelForCausalLM.from_config(config).eval()

    module = types.ModuleType("view of transformers")
    module.AutoConfig, module.AutoModelForCausalLM = AutoConfig, AutoModelForCausalLM
    _import_models(transformers)
    return module


def _import_models(transformers):
    """Imports what the library imports when it first builds a model: a fork cannot open the
    files."""
    for kind, _ in _MODELS.values():
        config = getattr(transformers, kind)
        transformers.AutoModelForCausalLM._model_mapping[config]
