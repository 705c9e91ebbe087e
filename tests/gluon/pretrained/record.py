"""Writes the folders that test_pretrained.py reads: tiny models of ``transformers``.

Run ``python -m tests.gluon.pretrained.record`` in an environment with ``torch`` and
``transformers``. Weights are random.
Beside each model lies ``expected.npz``: inputs, and what the model makes of them.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers as hf

HERE = Path(__file__).parent
TOKENS = [[1, 5, 2, 9, 7, 3, 3], [4, 4, 8, 0, 6, 2, 10]]
SMALL = {"vocab_size": 11, "bos_token_id": 0, "eos_token_id": 0}


def _of_llama_kind(**more: Any) -> dict[str, Any]:
    return SMALL | {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 24,
        "max_position_embeddings": 64,
    } | more  # fmt: skip


def _encoder(**more: Any) -> dict[str, Any]:
    return {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 24,
    } | more


MODELS: dict[str, Callable[[], Any]] = {
    "gpt2": lambda: hf.GPT2LMHeadModel(
        hf.GPT2Config(n_embd=16, n_layer=2, n_head=2, n_positions=32, **SMALL)
    ),
    "llama": lambda: hf.LlamaForCausalLM(
        hf.LlamaConfig(**_of_llama_kind(tie_word_embeddings=False, rope_theta=500.0))
    ),
    "llama3": lambda: hf.LlamaForCausalLM(
        hf.LlamaConfig(
            **_of_llama_kind(
                rope_parameters={
                    "rope_type": "llama3",
                    "rope_theta": 10000.0,
                    "factor": 8.0,
                    "low_freq_factor": 1.0,
                    "high_freq_factor": 4.0,
                    "original_max_position_embeddings": 16,
                }
            )
        )
    ),
    "qwen2": lambda: hf.Qwen2ForCausalLM(hf.Qwen2Config(**_of_llama_kind())),
    "bert": lambda: hf.BertModel(
        hf.BertConfig(vocab_size=11, max_position_embeddings=32, **_encoder())
    ),
    "vit": lambda: hf.ViTForImageClassification(
        hf.ViTConfig(image_size=8, patch_size=4, num_channels=1, num_labels=3, **_encoder())
    ),
    "resnet": lambda: hf.ResNetForImageClassification(
        hf.ResNetConfig(
            num_channels=3, embedding_size=4, hidden_sizes=[8, 12], depths=[2, 1], num_labels=3
        )
    ),
    "resnet_basic": lambda: hf.ResNetForImageClassification(
        hf.ResNetConfig(
            num_channels=1,
            embedding_size=4,
            hidden_sizes=[4, 8],
            depths=[1, 2],
            layer_type="basic",
            num_labels=2,
        )
    ),
}


def with_random_weights(model: Any) -> Any:
    """The model with weights that are far from what it began with, normalizations included."""
    with torch.no_grad():
        for name, values in [*model.named_parameters(), *model.named_buffers()]:
            if values.is_floating_point() and "inv_freq" not in name:
                values.copy_(torch.randn_like(values) * 0.3)
                if name.endswith("running_var"):
                    values.abs_().add_(0.5)
    return model.eval()


def _expected(model: Any, kind: str) -> dict[str, np.ndarray[Any, Any]]:
    if kind in ("vit", "resnet", "resnet_basic"):
        size = 8 if kind == "vit" else 32
        images = torch.randn(2, model.config.num_channels, size, size)
        return {"input": images.numpy(), "output": model(images).logits.detach().numpy()}
    tokens = torch.tensor(TOKENS)
    if kind == "bert":
        mask = torch.tensor([[1] * 7, [1] * 4 + [0] * 3])
        kinds = torch.tensor([[0, 0, 0, 1, 1, 1, 1]] * 2)
        y = model(tokens, attention_mask=mask, token_type_ids=kinds)
        found = {"output": y.last_hidden_state, "pooled": y.pooler_output}
        given = {"input": tokens, "mask": mask, "kinds": kinds}
        return {name: x.detach().numpy() for name, x in (given | found).items()}
    made = model.generate(tokens[:1], max_new_tokens=12, do_sample=False, eos_token_id=None)
    return {
        "input": np.array(TOKENS),
        "output": model(tokens).logits.detach().numpy(),
        "generated": made[0, 7:].numpy(),
    }


def main() -> None:
    """Write all folders anew."""
    for kind, make in MODELS.items():
        torch.manual_seed(7)
        model = with_random_weights(make())
        folder = HERE / kind
        shutil.rmtree(folder, ignore_errors=True)
        if kind == "llama":  # in several files, with an index
            model.save_pretrained(folder, max_shard_size="8KB")
        else:
            model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        found: Any = _expected(model, kind)
        np.savez_compressed(folder / "expected.npz", **found)
        if kind == "gpt2":
            half = HERE / "gpt2_bfloat16"
            shutil.rmtree(half, ignore_errors=True)
            model.to(torch.bfloat16).save_pretrained(half)
            (half / "generation_config.json").unlink(missing_ok=True)
            found = dict[str, Any](_expected(model.float(), kind))
            np.savez_compressed(half / "expected.npz", **found)


if __name__ == "__main__":
    main()
