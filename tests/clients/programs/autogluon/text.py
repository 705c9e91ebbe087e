"""AutoGluon's networks for text: its transformers, and its predictor on top of a small one."""

import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from autogluon.text import TextPredictor
from autogluon.text.text_prediction.mx import models
from autogluon.text.text_prediction.mx.modules import MultiModalWithPretrainedTextNN
from autogluon_contrib_nlp.data.tokenizers import WhitespaceTokenizer
from autogluon_contrib_nlp.data.vocab import Vocab
from autogluon_contrib_nlp.models import albert, bert, electra, mobilebert, roberta, transformer
from autogluon_contrib_nlp.registry import BACKBONE_REGISTRY

import mxnet as mx
from tests.clients.forms import in_all_forms
from tests.clients.formula import filled, prescribed, uniform, words
from tests.clients.program import Checks

os.environ["AUTOGLUON_TEXT_TRAIN_WITHOUT_GPU"] = "1"
WORDS = [f"w{i}" for i in range(30)]
SMALL = {
    "vocab_size": 36,
    "units": 16,
    "hidden_size": 32,
    "num_layers": 2,
    "num_heads": 2,
    "max_length": 64,
    "hidden_dropout_prob": 0.0,
    "attention_dropout_prob": 0.0,
}
BACKBONES = {
    "bert": (bert.BertModel, {}),
    "electra": (electra.ElectraModel, {"embed_size": 8}),
    "albert": (albert.AlbertModel, {"embed_size": 8}),
    "roberta": (roberta.RobertaModel, {}),
    "mobilebert": (
        mobilebert.MobileBertModel,
        {"embed_size": 8, "inner_size": 8, "num_stacked_ffn": 2},
    ),
}
"""Those whose weights AutoGluon would load."""


def checks(_: str) -> Checks:
    """Backbones, heads over text and columns, steps, predictors."""
    found: Checks = {name: partial(backbone, name) for name in BACKBONES}
    found |= {"transformer": translation}
    for kind in ("mean", "max", "concat", "attention", "attention_token"):
        found[f"columns by {kind}"] = partial(joined, kind)
    found["step of the head"] = partial(stepped, frozen=True)
    found["step"] = partial(stepped, frozen=False)
    for kind in ("binary", "regression"):
        found[f"predictor, {kind}"] = partial(predictor, kind)
    found["predictor, average of the best"] = partial(predictor, "binary", "best_quality")
    return found


def network(name: str) -> Any:
    """A small backbone with weights by formula."""
    kind, more = BACKBONES[name]
    return filled(kind(**SMALL, **more))


def tokens(count: int = 3, length: int = 6) -> Any:
    """Numbers of words, kinds and lengths."""
    return (
        mx.np.array(words("tokens", (count, length), 30), dtype=np.int32),
        mx.np.zeros((count, length), dtype=np.int32),
        mx.np.array(np.arange(length - count + 1, length + 1), dtype=np.int32),
    )


@mx.util.use_np
def backbone(name: str) -> Any:
    """Text through a backbone."""
    net = network(name)
    inputs, kinds, lengths = tokens()
    if name == "roberta":
        return in_all_forms(net, inputs, lengths, exported=False)
    return in_all_forms(net, inputs, kinds, lengths, exported=False)


@mx.util.use_np
def translation() -> Any:
    """The transformer with encoder and decoder."""
    net = transformer.TransformerNMTModel(
        src_vocab_size=30, tgt_vocab_size=30, max_src_length=16, max_tgt_length=16, enc_units=16,
        enc_hidden_size=32, enc_num_heads=2, enc_num_layers=1, dec_units=16, dec_hidden_size=32,
        dec_num_heads=2, dec_num_layers=1, dropout=0.0, attention_dropout=0.0,
        activation_dropout=0.0,
    )  # fmt: skip
    inputs, _, lengths = tokens()
    return in_all_forms(filled(net), inputs, lengths, inputs, lengths, exported=False)


@mx.util.use_np
def head(kind: str) -> Any:
    """Text, categories and numbers joined in one way."""
    config = MultiModalWithPretrainedTextNN.get_cfg().clone()
    config.defrost()
    config.agg_net.agg_type = kind
    config.agg_net.attention_net.num_layers = 1
    net = MultiModalWithPretrainedTextNN(
        text_backbone=network("electra"), num_text_features=1, num_categorical_features=2,
        num_numerical_features=1, numerical_input_units=3, num_categories=[4, 5], out_shape=2,
        cfg=config,
    )  # fmt: skip
    return filled(net)


@mx.util.use_np
def columns() -> Any:
    """What batches of such tables hold."""
    inputs, kinds, lengths = tokens()
    categories = [mx.np.array(words(f"column {n}", (3,), n), dtype=np.int32) for n in (4, 5)]
    return [(inputs, lengths, kinds), *categories, mx.np.array(uniform("numbers", (3, 3)))]


@mx.util.use_np
def joined(kind: str) -> Any:
    """The head's scores."""
    return in_all_forms(head(kind), columns(), exported=False)


@mx.util.use_np
def stepped(frozen: bool) -> Any:
    """Two steps as AutoGluon's loop makes them; dropout is off outside of training mode.

    MXNet's gradient of masked attention is wrong, so that all of it has only to train.
    """
    net = head("concat")
    if frozen:
        net.text_backbone.collect_params().setattr("grad_req", "null")
    net.hybridize()
    options = {"learning_rate": 0.001, "wd": 0.01, "epsilon": 1e-6, "correct_bias": False}
    parameters = [p for p in net.collect_params().values() if p.grad_req != "null"]
    trainer = mx.gluon.Trainer(parameters, "adamw", options, update_on_kvstore=False)
    labels = mx.np.array([0, 1, 1], dtype=np.int32)
    losses = []
    for _ in range(2):
        with mx.autograd.record(train_mode=False):
            logits = mx.npx.log_softmax(net(columns()), axis=-1)
            loss = -mx.npx.pick(logits, mx.np.expand_dims(labels, axis=-1))
            mean = loss.mean()
        mean.backward()
        trainer.allreduce_grads()
        trainer.update(1.0, ignore_stale_grad=True)
        losses.append(mean)
    if frozen:
        return [losses, net(columns())]
    assert losses[1].item() < losses[0].item()
    return losses[0]


class Frozen(electra.ElectraModel):  # type: ignore[misc]  # AutoGluon has no types
    """A backbone that is not trained: MXNet's gradient of its attention is wrong."""

    @classmethod
    def from_cfg(cls, *args: Any, **options: Any) -> Any:
        """Make it."""
        net = super().from_cfg(*args, **options)
        net.collect_params().setattr("grad_req", "null")
        return net


@mx.util.use_np
def own_backbone(model_name: str, root: str = "", load_backbone: bool = True) -> Any:
    """What AutoGluon would download: a configuration, a tokenizer, weights."""
    del model_name, root
    config = electra.ElectraModel.get_cfg().clone()
    config.defrost()
    for name, value in {**SMALL, "embed_size": 8}.items():
        setattr(config.MODEL, name, value)
    config.freeze()
    path = Path("own-backbone.params").absolute()
    if load_backbone:
        net = filled(electra.ElectraModel.from_cfg(config))
        net(*tokens())
        net.save_parameters(str(path))
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("cls", "sep", "mask", "pad", "unk")}
    return config, WhitespaceTokenizer(Vocab(WORDS, **names)), str(path)


BACKBONE_REGISTRY.register("own", [Frozen, own_backbone, lambda: ["own_electra"]])


class Ruled(MultiModalWithPretrainedTextNN):  # type: ignore[misc]  # AutoGluon has no types
    """The network of predictors, its first weights by formula but for those of the backbone."""

    def initialize_with_pretrained_backbone(self, path: str, ctx: Any = None) -> None:
        """Fill the parameters."""
        prescribed(self)
        super().initialize_with_pretrained_backbone(path, ctx)


models.MultiModalWithPretrainedTextNN = Ruled


def reviews(kind: str, count: int = 40) -> Any:
    """Sentences and numbers, labelled by what they hold."""
    chosen = words("reviews", (count, 7), len(WORDS))
    number = uniform("stars", (count,))
    value = (chosen < 8).sum(axis=1) + number
    wanted = value.astype("float64") if kind == "regression" else (value > 2).astype(int)
    texts = [" ".join(WORDS[i] for i in row) for row in chosen]
    return pd.DataFrame({"text": texts, "stars": number, "wanted": wanted})


def fitted(kind: str, folder: str, presets: str | None = None) -> Any:
    """A predictor, without dropout."""
    shutil.rmtree(folder, ignore_errors=True)
    space = {
        "model.backbone.name": "own_electra",
        "optimization.batch_size": 8,
        "optimization.per_device_batch_size": 4,
        "optimization.num_train_epochs": 2,
        "optimization.lr": 0.001,
        **{f"model.network.{part}.dropout": 0.0 for part in ("agg_net", "numerical_net")},
    }
    hyperparameters = {"models": {"MultimodalTextModel": {"search_space": space}}}
    rows = reviews(kind)
    made = TextPredictor("wanted", problem_type=kind, path=folder, verbosity=0)
    made.fit(rows[:32], rows[32:], hyperparameters=hyperparameters, presets=presets, seed=1)
    return made


def predictor(kind: str, presets: str | None = None) -> Any:
    """Trained, asked, saved and read."""
    made, rows = fitted(kind, f"text-{kind}", presets), reviews(kind)
    again = TextPredictor.load(made.path)
    answers = [made.predict(rows), again.predict(rows), made.extract_embedding(rows)]
    if kind == "binary":
        answers += [made.predict_proba(rows), again.evaluate(rows)]
    return answers
