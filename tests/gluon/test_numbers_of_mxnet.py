"""All that trains, from layers to whole nets, gives the numbers of MXNet 1.9.1.

``data/numbers.json`` holds what the rows of ``numbers/`` gave under MXNet (``numbers/measure.py``
wrote it); here they are measured again. Nothing public is without a row.
"""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_gluon import Block, Trainer, contrib, initializer, loss, lr_scheduler, metric, nn, rnn
from hy_gluon.loss import Loss
from hy_gluon.optimizer import SGLD, Optimizer
from hy_ndarray import autograd, nd, random
from tests.gluon.numbers.block_rows import BLOCKS
from tests.gluon.numbers.measure import NUMBERS, ROWS, measure
from tests.gluon.numbers.training_rows import (
    INITIALIZERS,
    METRICS,
    OPTIMIZERS,
    SCHEDULES,
    InitializerRow,
)

PINNED: dict[str, dict[str, Any]] = json.loads(NUMBERS.read_text(encoding="utf-8"))


def _tolerance(row: Any) -> tuple[float, float]:
    """Relative and absolute."""
    if isinstance(row, InitializerRow) and row.drawn and row.name != "Orthogonal":
        return 0.03, 0  # other random numbers, of the same distribution
    if getattr(row, "dtype", "") == "float16":
        return 2e-3, 2e-3
    return 2e-4, 2e-5


@pytest.mark.filterwarnings("ignore:SGD updates float16")
@pytest.mark.filterwarnings("ignore:learning rate from ``lr_scheduler``")
@pytest.mark.parametrize("title", ROWS)
def test_the_number_is_mxnets(title: str) -> None:
    row, pinned = ROWS[title], dict(PINNED[title])
    found = measure(mx, row)
    assert found.pop("names", None) == pinned.pop("names", None)
    assert set(found) == set(pinned)
    for name, (shape, values) in pinned.items():
        expected = np.asarray(values).reshape(shape)
        assert list(np.shape(found[name])) == shape, name
        rtol, atol = _tolerance(row)
        np.testing.assert_allclose(found[name], expected, rtol, atol, err_msg=name)


def test_every_row_is_pinned_and_nothing_else() -> None:
    assert list(PINNED) == list(ROWS)


# --- nothing is left out ---------------------------------------------------------------------

WITHOUT_NUMBERS = {
    "contrib.nn.SparseEmbedding": "MXNet's needs a Trainer; see below",
    "contrib.cnn.ModulatedDeformableConvolution": "MXNet has it on GPUs alone; see below",
    "nn.SiLU": "MXNet 2's; see test_names_of_mxnet2.py",
    **dict.fromkeys(
        ("nn.GEGLU", "nn.MultiHeadAttention", "nn.RMSNorm", "nn.RotaryEmbedding", "nn.SwiGLU"),
        "MXNet has none; see test_attention_layers.py",
    ),
    "nn.Remat": "MXNet has none; see test_remat.py",
    **dict.fromkeys(("loss.ContrastiveLoss", "loss.FocalLoss"), "MXNet has none"),
    **dict.fromkeys(
        [f"optimizer.{name}" for name in ("adafactor", "lion", "muon")],
        "MXNet has none; PyTorch's numbers are recorded",
    ),
    "optimizer.schedulefreesgd": "MXNet has none; its authors' numbers are recorded",
    "optimizer.schedulefreeadamw": "MXNet has none; its authors' numbers are recorded",
    "rnn.RecurrentCell": "a base class",
    "rnn.HybridRecurrentCell": "a base class",
    "rnn.ModifierCell": "a base class",
    "loss.Loss": "a base class",
    "optimizer.sgld": "random; see below",
    "optimizer.adabelief": "MXNet 2's; see test_optimizers_of_mxnet2.py",
    "optimizer.lans": "MXNet 2's; see test_optimizers_of_mxnet2.py",
    "metric.EvalMetric": "a base class",
    "lr_scheduler.LRScheduler": "a base class",
    "initializer.Initializer": "a base class",
}


def _classes(module: Any, base: type, *apart: Any) -> Iterable[str]:
    """The names of a module's own classes, without those that it shares with modules ``apart``."""
    own = module.__name__.replace(".contrib.cnn", ".nn").replace(".contrib", "")
    for name, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, base) and not name.startswith("_"):
            is_apart = any(value is vars(other).get(name) for other in apart)
            if value.__module__.startswith(own) and not is_apart:
                yield name


def _public() -> set[str]:
    """Everything of hy that should have MXNet's numbers, under the name that MXNet gives it."""
    names = {f"nn.{name}" for name in _classes(nn, Block, contrib.nn, contrib.cnn)}
    names |= {f"rnn.{name}" for name in _classes(rnn, Block, contrib.rnn)}
    for title in ("nn", "cnn", "rnn"):
        names |= {f"contrib.{title}.{n}" for n in _classes(getattr(contrib, title), Block)}
    names |= {f"loss.{name}" for name in _classes(loss, Loss)}
    own = {n for n, kind in Optimizer.opt_registry.items() if kind.__module__.startswith("hy_")}
    names |= {f"optimizer.{name}" for name in own}
    names |= {f"metric.{name}" for name in _classes(metric, metric.EvalMetric)}
    names |= {f"lr_scheduler.{n}" for n in _classes(lr_scheduler, lr_scheduler.LRScheduler)}
    kinds = (initializer.Initializer, initializer.Mixed, initializer.Load)
    return names | {f"initializer.{name}" for kind in kinds for name in _classes(initializer, kind)}


def _measured() -> set[str]:
    names = {name for row in BLOCKS for name in row.made.names()}
    names |= {f"optimizer.{row.name}" for row in OPTIMIZERS}
    for row in METRICS:
        kwargs = {**row.kwargs, **({"feval": max} if "feval" in row.kwargs else {})}
        names.add(f"metric.{type(metric.create(row.name, **kwargs)).__name__}")
    names |= {f"lr_scheduler.{row.name}" for row in SCHEDULES}
    return names | {f"initializer.{row.name}" for row in INITIALIZERS}


def test_everything_public_has_numbers_or_a_reason() -> None:
    assert _public() - _measured() == set(WITHOUT_NUMBERS)
    assert _measured() - _public() == set()


# --- what rows cannot hold -------------------------------------------------------------------


def test_a_sparse_embedding_learns_mxnets_table() -> None:
    layer = contrib.nn.SparseEmbedding(4, 2)
    layer.initialize("ones")
    trainer = Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.5})
    for indices, expected in (([0, 2, 2], [1, 1, 1]), ([2, 3, 0], [0, 1, 0.5])):
        with autograd.record():
            y = layer(nd.array(indices))
            loss = (y * y).sum()
        loss.backward()
        trainer.step(2)
        assert y[:, 0].asnumpy().tolist() == expected
    found = layer.weight.row_sparse_data(nd.arange(4))
    assert found.asnumpy()[:, 1].tolist() == [0, 1, -0.5, 0.5]


def test_sgld_has_mxnets_distribution() -> None:
    random.seed(3)
    weight = nd.ones((400, 400))
    made = SGLD(learning_rate=0.04, wd=0.5, rescale_grad=0.5, clip_gradient=0.75)
    made.update(0, weight, nd.full((400, 400), 2.0), None)
    quantiles = np.quantile(weight.asnumpy(), (0.01, 0.25, 0.75, 0.99))
    np.testing.assert_allclose(quantiles, [0.51198, 0.84049, 1.1096, 1.43853], rtol=0.01)


def test_modulation_at_rest_is_a_deformable_convolution(rng: np.random.Generator) -> None:
    kwargs: dict[str, Any] = {"channels": 2, "kernel_size": 2, "in_channels": 2}
    plain = contrib.cnn.DeformableConvolution(**kwargs)
    modulated = contrib.cnn.ModulatedDeformableConvolution(**kwargs)
    for layer in (plain, modulated):
        layer.initialize()
    offsets = rng.uniform(-0.3, 0.3, (8, 2, 2, 2))
    plain.offset_weight.set_data(nd.array(offsets))
    strengths = np.zeros((4, 2, 2, 2))  # twice the sigmoid of 0 is 1
    modulated.offset_weight.set_data(nd.array(np.concatenate([offsets, strengths])))
    modulated.deformable_conv_weight.set_data(plain.deformable_conv_weight.data())
    inner = rng.uniform(-1, 1, (1, 2, 3, 3))  # where they read beyond the edge, the two differ
    x = nd.array(np.pad(inner, ((0, 0), (0, 0), (3, 3), (3, 3))))
    np.testing.assert_allclose(modulated(x).asnumpy(), plain(x).asnumpy(), rtol=1e-5, atol=1e-6)
