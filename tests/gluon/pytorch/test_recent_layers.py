"""Layers, losses and recipes of today's models: numbers and gradients are PyTorch's."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from hy_gluon import Trainer, loss, lr_scheduler, nn
from hy_gluon.averaging import ParameterAverage
from hy_ndarray import autograd, nd, random

WAYS = pytest.mark.parametrize("hybrid", [False, True])


def drawn(*shape: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype("float32")


def tensor(array: Any) -> torch.Tensor:
    return torch.from_numpy(np.array(array)).requires_grad_()


def of(parameter: Any) -> torch.Tensor:
    return torch.from_numpy(parameter.data().asnumpy().copy())


def assert_close(actual: Any, desired: torch.Tensor) -> None:
    expected = desired.detach().numpy()
    # Sums round by the size of their terms, not by that of what is left of them.
    np.testing.assert_allclose(
        actual.asnumpy(), expected, 1e-4, 2e-6 * max(10, abs(expected).max())
    )


def check(layer: Any, torch_layer: Any, *inputs: Any, hybrid: bool) -> None:
    """Compare values and the gradient of the first input, of two calls."""
    layer.hybridize(hybrid)
    first, *others = (nd.array(x, dtype=x.dtype) for x in inputs)
    first.attach_grad()
    x, *more = (torch.from_numpy(x) for x in inputs)
    x.requires_grad_()
    desired = torch_layer(x, *more)
    (desired * desired).sum().backward()
    for _ in range(2):
        with autograd.record():
            y = layer(first, *others)
            total = (y * y).sum()
        total.backward()
        assert_close(y, desired)
        assert_close(first.grad, x.grad)


@WAYS
def test_rms_norm(hybrid: bool) -> None:
    layer = nn.RMSNorm(epsilon=1e-3)
    layer.initialize()
    layer(nd.ones((1, 8)))
    layer.gamma.set_data(nd.array(drawn(8)))
    theirs = torch.nn.RMSNorm(8, eps=1e-3)
    theirs.weight.data = of(layer.gamma)
    check(layer, theirs, drawn(2, 5, 8), hybrid=hybrid)


def twin(layer: Any, units: int, heads: int) -> torch.nn.MultiheadAttention:
    """PyTorch's attention with the same weights."""
    theirs = torch.nn.MultiheadAttention(units, heads, batch_first=True)
    parts = layer.query, layer.key, layer.value
    theirs.in_proj_weight.data = torch.cat([of(part.weight) for part in parts])
    theirs.in_proj_bias.data = torch.cat([of(part.bias) for part in parts])
    theirs.out_proj.weight.data, theirs.out_proj.bias.data = (
        of(layer.out.weight),
        of(layer.out.bias),
    )
    return theirs


def attention(units: int = 8, heads: int = 2, **more: Any) -> Any:
    random.seed(2)
    layer: Any = nn.MultiHeadAttention(units, heads, in_units=units, **more)
    layer.initialize("normal")
    for part in (layer.query, layer.key, layer.value, layer.out):
        part.weight.set_data(nd.array(drawn(*part.weight.shape, seed=len(part.name))))
        part.bias.set_data(nd.array(drawn(*part.bias.shape, seed=3)))
    return layer


@WAYS
@pytest.mark.parametrize("masked", ["", "causal", "mask"])
def test_attention(masked: str, hybrid: bool) -> None:
    layer = attention(causal=masked == "causal")
    theirs = twin(layer, 8, 2)
    seen = np.random.default_rng(5).random((5, 5)) < 0.6
    np.fill_diagonal(seen, val=True)
    hidden = {"": None, "causal": ~np.tri(5, dtype=bool), "mask": ~seen}[masked]

    def compute(x: torch.Tensor, *_: Any) -> Any:
        mask = None if hidden is None else torch.from_numpy(hidden)
        return theirs(x, x, x, attn_mask=mask, need_weights=False)[0]

    if masked != "mask":
        check(layer, compute, drawn(3, 5, 8), hybrid=hybrid)
        return
    layer.hybridize(hybrid)
    x = drawn(3, 5, 8)
    for _ in range(2):
        y = layer(nd.array(x), None, nd.array(seen.astype("float32")).reshape((1, 1, 5, 5)))
        assert_close(y, compute(torch.from_numpy(x)))


@WAYS
def test_attention_to_another_sequence(hybrid: bool) -> None:
    layer = attention()
    theirs = twin(layer, 8, 2)

    def compute(x: torch.Tensor, memory: torch.Tensor) -> Any:
        return theirs(x, memory, memory, need_weights=False)[0]

    check(layer, compute, drawn(3, 5, 8), drawn(3, 7, 8), hybrid=hybrid)


@WAYS
def test_grouped_queries_and_a_cache(hybrid: bool) -> None:
    layer = attention(16, 4, num_kv_heads=2, causal=True)

    def compute(x: torch.Tensor) -> torch.Tensor:
        q, k, v = (
            functional.linear(x, of(part.weight), of(part.bias)).unflatten(-1, (-1, 4))
            for part in (layer.query, layer.key, layer.value)
        )
        q, k, v = (part.transpose(1, 2) for part in (q, k, v))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return functional.linear(
            y.transpose(1, 2).flatten(2), of(layer.out.weight), of(layer.out.bias)
        )

    x = drawn(3, 6, 16)
    check(layer, compute, x, hybrid=hybrid)
    desired = compute(torch.from_numpy(x))
    cache = nd.zeros((6, 3, 2, 4)), nd.zeros((6, 3, 2, 4))
    for places in ([0, 1, 2], [3], [4], [5]):
        index = nd.array(places, dtype="int32")
        part = nd.array(x[:, places[0] : places[-1] + 1])
        y, cache = layer(part, None, None, None, cache, index)
        assert_close(y, desired[:, places])


@pytest.mark.parametrize("repeat", [1, 2])
@pytest.mark.parametrize("case", ["", "causal", "bias", "scale"])
def test_scaled_dot_product_attention(case: str, repeat: int) -> None:
    query, key, value = drawn(2, 4, 5, 8), drawn(2, 4 // repeat, 5, 8), drawn(2, 4 // repeat, 5, 8)
    bias = drawn(2, 1, 5, 5)
    ours: Any = [nd.array(x) for x in (query, key, value)]
    theirs = [tensor(x) for x in (query, key, value)]
    for x in ours:
        x.attach_grad()
    if case == "bias":
        ours.append(nd.array(bias))
    scale = 0.3 if case == "scale" else None
    with autograd.record():
        attend: Any = nd.contrib.scaled_dot_product_attention
        y = attend(*ours, causal=case == "causal", scale=scale, kv_repeat=repeat)
        (y * y).sum().backward()
    desired = functional.scaled_dot_product_attention(
        *theirs,
        attn_mask=torch.from_numpy(bias) if case == "bias" else None,
        is_causal=case == "causal",
        scale=scale,
        enable_gqa=repeat > 1,
    )
    (desired * desired).sum().backward()
    assert_close(y, desired)
    for x, slope in zip(ours, theirs, strict=False):
        assert slope.grad is not None
        assert_close(x.grad, slope.grad)


@WAYS
@pytest.mark.parametrize(("kind", "gate"), [(nn.SwiGLU, "silu"), (nn.GEGLU, "gelu")])
def test_gated_layers(kind: Any, gate: str, hybrid: bool) -> None:
    layer = kind(4, 10, use_bias=True, in_units=6)
    layer.initialize("normal")

    def compute(x: torch.Tensor) -> torch.Tensor:
        def through(part: Any, x: torch.Tensor) -> torch.Tensor:
            return functional.linear(x, of(part.weight), of(part.bias))

        opened = getattr(functional, gate)(through(layer.gate, x))
        return through(layer.down, opened * through(layer.up, x))

    check(layer, compute, drawn(3, 5, 6) * 10, hybrid=hybrid)


@WAYS
def test_rematerialized_layers_have_the_gradients_of_checkpoints(hybrid: bool) -> None:
    inner = nn.Dense(4, in_units=6, activation="tanh", flatten=False)
    layer = nn.Remat(inner)
    layer.initialize("normal")

    def part(x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(functional.linear(x, of(inner.weight), of(inner.bias)))

    def compute(x: torch.Tensor) -> Any:
        return torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False)

    check(layer, compute, drawn(3, 5, 6), hybrid=hybrid)


def _focal(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """As torchvision's ``sigmoid_focal_loss`` with ``alpha`` 0.25 and ``gamma`` 2."""
    cross = functional.binary_cross_entropy_with_logits(x, y, reduction="none")
    chance = torch.sigmoid(x)
    right = chance * y + (1 - chance) * (1 - y)
    return cross * (1 - right) ** 2 * (0.25 * y + 0.75 * (1 - y))


def _contrastive(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    cosines = functional.normalize(x) @ functional.normalize(y).T / 0.5
    places = torch.arange(len(x))
    both = [functional.cross_entropy(c, places, reduction="none") for c in (cosines, cosines.T)]
    return (both[0] + both[1]) / 2


LABELS = np.array([0, 3, 1, 4])
LOSSES: dict[str, tuple[Any, Any, Any]] = {
    "label smoothing": (
        lambda: loss.SoftmaxCELoss(label_smoothing=0.1),
        lambda x, y: functional.cross_entropy(x, y.long(), label_smoothing=0.1, reduction="none"),
        LABELS.astype("float32"),
    ),
    "focal": (
        loss.FocalLoss,
        lambda x, y: _focal(x, y).mean(1),
        np.eye(5, dtype="float32")[LABELS],
    ),
    "contrastive": (lambda: loss.ContrastiveLoss(0.5), _contrastive, drawn(4, 5, seed=1)),
}


@WAYS
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str, hybrid: bool) -> None:
    make, theirs, labels = LOSSES[name]
    check(make(), theirs, drawn(4, 5), labels, hybrid=hybrid)


def test_warm_up_and_cosine_are_one_schedule() -> None:
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=0.5)
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=10)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30, eta_min=0.02)
    theirs = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm_up, cosine], milestones=[10])
    ours = lr_scheduler.CosineScheduler(
        40, base_lr=0.5, final_lr=0.02, warmup_steps=10, warmup_begin_lr=0.05
    )
    rates = []
    for _ in range(41):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        theirs.step()
    np.testing.assert_allclose([ours(n) for n in range(41)], rates, rtol=1e-6)


def test_gradients_are_clipped_by_their_norm() -> None:
    net: Any = nn.Dense(3, in_units=4)
    net.initialize("normal")
    x = drawn(6, 4) * 10
    theirs = torch.nn.Linear(4, 3)
    theirs.weight.data, theirs.bias.data = of(net.weight), of(net.bias)
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, max_norm=1.0)
    optimizer = torch.optim.SGD(theirs.parameters(), lr=0.1)
    for _ in range(3):
        with autograd.record():
            total = net(nd.array(x)).square().sum()
        total.backward()
        trainer.step(1)
        optimizer.zero_grad()
        theirs(torch.from_numpy(x)).square().sum().backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        optimizer.step()
    assert_close(net.weight.data(), theirs.weight)
    assert_close(net.bias.data(), theirs.bias)


def test_averages_are_those_of_averaged_models() -> None:
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize("normal")
    ours = ParameterAverage(net, decay=0.9, warmup=False)
    model = torch.nn.Linear(2, 1, bias=False)
    model.weight.data = of(net.weight)
    theirs = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)
    )
    theirs.update_parameters(model)  # the first one copies
    for seed in range(5):
        new = drawn(1, 2, seed=seed)
        net.weight.set_data(nd.array(new))
        model.weight.data = torch.from_numpy(new)
        ours.update()
        theirs.update_parameters(model)
    with ours.applied():
        assert_close(net.weight.data(), theirs.module.weight)
