"""Supported architectures, with the names of arrays in published models and in nets."""

from hy_gluon.model_zoo.transformer import Bert, Decoder, VisionTransformer
from hy_gluon.model_zoo.vision.resnet_v1b import ResNetV1b
from hy_gluon.pretrained.architecture import Architecture, Row

__all__ = ["ARCHITECTURES"]


def _dense(stored: str, ours: str) -> tuple[Row, Row]:
    return Row(f"{stored}.weight", f"{ours}.weight"), Row(f"{stored}.bias", f"{ours}.bias")


def _norm(stored: str, ours: str) -> tuple[Row, Row]:
    return Row(f"{stored}.weight", f"{ours}.gamma"), Row(f"{stored}.bias", f"{ours}.beta")


# One array of all three, side by side, is what GPT-2's Conv1D layers store.
_QKV = tuple(f"layers.{{}}.attention.{part}" for part in ("query", "key", "value"))


def _transposed(stored: str, *ours: str) -> tuple[Row, Row]:
    """Return rows for dense layers stored together in one weight ``[in, out]`` and one bias."""
    weights, biases = (tuple(f"{x}.{kind}" for x in ours) for kind in ("weight", "bias"))
    return Row(f"{stored}.weight", weights, transposed=True), Row(f"{stored}.bias", biases)


_GPT2 = Architecture(
    kind="gpt2",
    name="GPT2LMHeadModel",
    net=Decoder,
    settings={
        "vocab_size": "vocab_size",
        "n_embd": "units",
        "n_layer": "num_layers",
        "n_head": "num_heads",
        "n_inner": "hidden_units",
        "n_positions": "max_length",
        "layer_norm_epsilon": "epsilon",
        "activation_function": "activation",
        "tie_word_embeddings": "tied",
    },
    defaults={"activation_function": "gelu_new", "tie_word_embeddings": True},
    fixed={"norm": "layer", "positions": "learned", "use_bias": True, "feed_forward_bias": True},
    demanded={"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
    base="transformer.",
    ignored=("transformer.h.{}.attn.bias", "transformer.h.{}.attn.masked_bias", "h.{}.attn.bias"),
    rows=(
        Row("transformer.wte.weight", "embedding.weight"),
        Row("transformer.wpe.weight", "position.weight"),
        *_norm("transformer.h.{}.ln_1", "layers.{}.norm1"),
        *_transposed("transformer.h.{}.attn.c_attn", *_QKV),
        *_transposed("transformer.h.{}.attn.c_proj", "layers.{}.attention.out"),
        *_norm("transformer.h.{}.ln_2", "layers.{}.norm2"),
        *_transposed("transformer.h.{}.mlp.c_fc", "layers.{}.feed_forward.up"),
        *_transposed("transformer.h.{}.mlp.c_proj", "layers.{}.feed_forward.down"),
        *_norm("transformer.ln_f", "norm"),
        Row("lm_head.weight", "head.weight"),
    ),
)

_LLAMA_SETTINGS = {
    "vocab_size": "vocab_size",
    "hidden_size": "units",
    "num_hidden_layers": "num_layers",
    "num_attention_heads": "num_heads",
    "num_key_value_heads": "num_kv_heads",
    "head_dim": "head_units",
    "intermediate_size": "hidden_units",
    "max_position_embeddings": "max_length",
    "rms_norm_eps": "epsilon",
    "rope_theta": "rotary_base",
    "rope_scaling": "rotary_scaling",
    "tie_word_embeddings": "tied",
}
_LLAMA_FIXED = {"norm": "rms", "positions": "rotary", "activation": "silu"}
_LLAMA_ROWS = (
    Row("model.embed_tokens.weight", "embedding.weight"),
    Row("model.layers.{}.input_layernorm.weight", "layers.{}.norm1.gamma"),
    *_dense("model.layers.{}.self_attn.q_proj", "layers.{}.attention.query"),
    *_dense("model.layers.{}.self_attn.k_proj", "layers.{}.attention.key"),
    *_dense("model.layers.{}.self_attn.v_proj", "layers.{}.attention.value"),
    *_dense("model.layers.{}.self_attn.o_proj", "layers.{}.attention.out"),
    Row("model.layers.{}.post_attention_layernorm.weight", "layers.{}.norm2.gamma"),
    *_dense("model.layers.{}.mlp.gate_proj", "layers.{}.feed_forward.gate"),
    *_dense("model.layers.{}.mlp.up_proj", "layers.{}.feed_forward.up"),
    *_dense("model.layers.{}.mlp.down_proj", "layers.{}.feed_forward.down"),
    Row("model.norm.weight", "norm.gamma"),
    Row("lm_head.weight", "head.weight"),
)
_OLD_ANGLES = ("model.layers.{}.self_attn.rotary_emb.inv_freq", "model.rotary_emb.inv_freq")

_LLAMA = Architecture(
    kind="llama",
    name="LlamaForCausalLM",
    net=Decoder,
    settings={
        **_LLAMA_SETTINGS,
        "attention_bias": "use_bias",
        "mlp_bias": "feed_forward_bias",
    },
    defaults={
        "attention_bias": False,
        "mlp_bias": False,
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": False,
    },
    fixed={**_LLAMA_FIXED, "out_bias": None},
    demanded={"hidden_act": "silu"},
    base="model.",
    ignored=_OLD_ANGLES,
    rows=_LLAMA_ROWS,
)

_QWEN2 = Architecture(
    kind="qwen2",
    name="Qwen2ForCausalLM",
    net=Decoder,
    settings=_LLAMA_SETTINGS,
    defaults={"rms_norm_eps": 1e-6, "tie_word_embeddings": False},
    fixed={**_LLAMA_FIXED, "use_bias": True, "out_bias": False, "feed_forward_bias": False},
    demanded={"hidden_act": "silu", "use_sliding_window": False},
    base="model.",
    ignored=_OLD_ANGLES,
    rows=_LLAMA_ROWS,
)

_MISTRAL = Architecture(
    kind="mistral",
    name="MistralForCausalLM",
    net=Decoder,
    settings=_LLAMA_SETTINGS,
    defaults={"rms_norm_eps": 1e-6, "tie_word_embeddings": False},
    fixed={**_LLAMA_FIXED, "use_bias": False, "out_bias": None, "feed_forward_bias": False},
    demanded={"hidden_act": "silu", "sliding_window": None},
    base="model.",
    ignored=_OLD_ANGLES,
    rows=_LLAMA_ROWS,
)

_ENCODER_SETTINGS = {
    "hidden_size": "units",
    "num_hidden_layers": "num_layers",
    "num_attention_heads": "num_heads",
    "intermediate_size": "hidden_units",
    "hidden_act": "activation",
    "layer_norm_eps": "epsilon",
}

_BERT = Architecture(
    kind="bert",
    name="BertModel",
    net=Bert,
    settings={
        **_ENCODER_SETTINGS,
        "vocab_size": "vocab_size",
        "max_position_embeddings": "max_length",
        "type_vocab_size": "num_kinds",
    },
    demanded={"position_embedding_type": "absolute"},
    base="bert.",
    ignored=("bert.embeddings.position_ids", "embeddings.position_ids"),
    heads=("cls.", "classifier.", "qa_outputs."),
    rows=(
        Row("bert.embeddings.word_embeddings.weight", "embedding.weight"),
        Row("bert.embeddings.position_embeddings.weight", "position.weight"),
        Row("bert.embeddings.token_type_embeddings.weight", "kind.weight"),
        *_norm("bert.embeddings.LayerNorm", "norm"),
        *_dense("bert.encoder.layer.{}.attention.self.query", "layers.{}.attention.query"),
        *_dense("bert.encoder.layer.{}.attention.self.key", "layers.{}.attention.key"),
        *_dense("bert.encoder.layer.{}.attention.self.value", "layers.{}.attention.value"),
        *_dense("bert.encoder.layer.{}.attention.output.dense", "layers.{}.attention.out"),
        *_norm("bert.encoder.layer.{}.attention.output.LayerNorm", "layers.{}.norm1"),
        *_dense("bert.encoder.layer.{}.intermediate.dense", "layers.{}.feed_forward.up"),
        *_dense("bert.encoder.layer.{}.output.dense", "layers.{}.feed_forward.down"),
        *_norm("bert.encoder.layer.{}.output.LayerNorm", "layers.{}.norm2"),
        *_dense("bert.pooler.dense", "pooler"),
    ),
)

_VIT = Architecture(
    kind="vit",
    name="ViTForImageClassification",
    net=VisionTransformer,
    settings={
        **_ENCODER_SETTINGS,
        "num_labels": "classes",
        "image_size": "image_size",
        "patch_size": "patch_size",
        "num_channels": "channels",
        "qkv_bias": "qkv_bias",
    },
    base="vit.",
    heads=("vit.pooler.", "pooler."),
    rows=(
        Row("vit.embeddings.cls_token", "first"),
        Row("vit.embeddings.position_embeddings", "position"),
        *_dense("vit.embeddings.patch_embeddings.projection", "patches"),
        *_norm("vit.encoder.layer.{}.layernorm_before", "layers.{}.norm1"),
        *_dense("vit.encoder.layer.{}.attention.attention.query", "layers.{}.attention.query"),
        *_dense("vit.encoder.layer.{}.attention.attention.key", "layers.{}.attention.key"),
        *_dense("vit.encoder.layer.{}.attention.attention.value", "layers.{}.attention.value"),
        *_dense("vit.encoder.layer.{}.attention.output.dense", "layers.{}.attention.out"),
        *_norm("vit.encoder.layer.{}.layernorm_after", "layers.{}.norm2"),
        *_dense("vit.encoder.layer.{}.intermediate.dense", "layers.{}.feed_forward.up"),
        *_dense("vit.encoder.layer.{}.output.dense", "layers.{}.feed_forward.down"),
        *_norm("vit.layernorm", "norm"),
        *_dense("classifier", "head"),
    ),
)


def _conv(stored: str, ours: str) -> tuple[Row, ...]:
    norm, own = f"{stored}.normalization", f"{ours}.norm"
    return (
        Row(f"{stored}.convolution.weight", f"{ours}.conv.weight"),
        *_norm(norm, own),
        Row(f"{norm}.running_mean", f"{own}.running_mean"),
        Row(f"{norm}.running_var", f"{own}.running_var"),
    )


_BLOCK = "resnet.encoder.stages.{}.layers.{}"
_RESNET = Architecture(
    kind="resnet",
    name="ResNetForImageClassification",
    net=ResNetV1b,
    settings={
        "num_labels": "classes",
        "depths": "depths",
        "hidden_sizes": "widths",
        "num_channels": "channels",
        "embedding_size": "entry_width",
        "layer_type": "kind",
        "downsample_in_first_stage": "stride_first",
        "downsample_in_bottleneck": "stride_early",
    },
    demanded={"hidden_act": "relu"},
    base="resnet.",
    ignored=(
        "resnet.embedder.embedder.normalization.num_batches_tracked",
        f"{_BLOCK}.layer.{{}}.normalization.num_batches_tracked",
        f"{_BLOCK}.shortcut.normalization.num_batches_tracked",
    ),
    rows=(
        *_conv("resnet.embedder.embedder", "entry"),
        *_conv(f"{_BLOCK}.layer.{{}}", "stages.{}.{}.body.{}"),
        *_conv(f"{_BLOCK}.shortcut", "stages.{}.{}.shortcut"),
        *_dense("classifier.1", "head"),
    ),
)

ARCHITECTURES = {x.kind: x for x in (_GPT2, _LLAMA, _QWEN2, _MISTRAL, _BERT, _VIT, _RESNET)}
"""Architectures by ``model_type``; a net is saved as the first one that matches."""
