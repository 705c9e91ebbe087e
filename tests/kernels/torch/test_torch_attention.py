"""Attention of the torch table: one step, and one for its gradients, with the same numbers."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from hy_gluon import HybridBlock, nn
from hy_kernels.torch import table
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.lower import attention
from hy_kernels.torch.nn.attention import _forms, _fused
from hy_ndarray import NDArray, autograd, cpu, device_of, gpu, nd, use_kernels
from hy_symbol import Graph, TypedGraph, sym
from hy_symbol.passes import PREDICT, Target
from hy_symbol.passes.reuse import Lowering
from tests.changed_costs import change_costs
from tests.kernels.attention_nets import (
    MULTIPLYING,
    WAYS,
    Interleaved,
    Multiplied,
    Products,
    Scores,
    bert,
    interleaved,
    products,
    taken,
    times,
)
from tests.kernels.derived import kernel_of
from tests.kernels.torch.fake_cuda import guard_devices

STEP = {"_dot_product_attention": 1}
BOTH = {"_dot_product_attention_with_sums": 1, "_dot_product_attention_backward": 1}
TOLERANCES = {"float64": 1e-6, "float32": 1e-5, "float16": 2**-8, "bfloat16": 2**-5}
"""Weights and results are rounded to 11 and 8 bits; float64 has slopes of float32."""
HEADS = 4


@pytest.fixture
def _everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that leave nothing out for being slower on CPUs, and look at masks when they run."""
    monkeypatch.setattr(attention, "_gains", lambda *_: True)


class Cell(HybridBlock):
    """Attention as GluonNLP's cells write it: heads are split off, and share a mask."""

    def __init__(self, rate: float = 0.0, *, compares: bool = False) -> None:
        super().__init__()
        self.compares = compares
        with self.name_scope():
            self.drop = nn.Dropout(rate)

    def _split(self, F: Any, x: Any) -> Any:
        apart = F.transpose(x.reshape(shape=(0, 0, HEADS, -1)), axes=(0, 2, 1, 3))
        return apart.reshape(shape=(-1, 0, 0), reverse=True)

    def hybrid_forward(self, F: Any, query: Any, key: Any, value: Any, mask: Any) -> Any:
        query, key, value = (self._split(F, x) for x in (query, key, value))
        mask = mask > 0 if self.compares else mask
        spread = F.broadcast_axis(F.expand_dims(mask, axis=1), axis=1, size=HEADS)
        mask = spread.reshape(shape=(-1, 0, 0), reverse=True)
        scores = F.batch_dot(F.contrib.div_sqrt_dim(query), key, transpose_b=True)
        scores = F.where(mask, scores, -1e18 * F.ones_like(scores))
        weights = self.drop(F.softmax(scores, axis=-1) * mask)
        weights = weights.reshape(shape=(-1, HEADS, 0, 0), reverse=True)
        y = F.batch_dot(weights.reshape(shape=(-1, 0, 0), reverse=True), value)
        y = F.transpose(y.reshape(shape=(-1, HEADS, 0, 0), reverse=True), axes=(0, 2, 1, 3))
        return y.reshape(shape=(0, 0, -1))


def by_sample(*factors: float) -> list[NDArray]:
    """Queries, keys, values, and a mask, from one row of which all is hidden."""
    rng = np.random.default_rng(3)
    shapes = [(2, 5, 8), (2, 7, 8), (2, 7, 8)]
    mask = rng.choice(factors or (0.0, 1.0), (2, 5, 7))
    mask[1, 2] = 0
    return [*(nd.array(rng.normal(size=shape)) for shape in shapes), nd.array(mask)]


def found(
    make: Callable[[], HybridBlock], arrays: list[NDArray], trained: int = 0
) -> tuple[list[Any], dict[str, int]]:
    """Result and gradients of the third run, and how many steps of attention there are."""
    net = make()
    net.initialize()
    net.hybridize(static_alloc=True)
    for x in arrays[:trained]:
        x.attach_grad()

    def once() -> NDArray:
        with autograd.record(train_mode=trained > 0):
            y: NDArray = net(*arrays)
        if trained:
            y.backward(nd.cos(nd.arange(y.size)).reshape(y.shape).astype(y.dtype))
        return y

    *_, last = [once() for _ in range(3)]
    with autograd.record() if trained else autograd.pause():
        rows = net.explain(*arrays).rows
    steps = Counter(op for row in rows for op in row.operators)
    results = [last, *(x.grad for x in arrays[:trained] if x.grad is not None)]
    return [x.astype("float64").asnumpy() for x in results], {
        name: count for name, count in steps.items() if "attention" in name
    }


def check(
    make: Callable[[], HybridBlock],
    take: Callable[[], list[NDArray]],
    steps: dict[str, int],
    limit: float = 1e-5,
    trained: int = 0,
) -> None:
    """Compare with the numpy table, which has no such steps."""
    with use_kernels("torch"):
        ours, made = found(make, take(), trained)
    with use_kernels("numpy"):
        right, none = found(make, take(), trained)
    assert (made, none) == (steps, {})
    for one, other in zip(ours, right, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=limit * max(1, np.abs(other).max()))


def _expected(weigh: Scores, steps: dict[str, int]) -> dict[str, int]:
    return {} if weigh.__name__ == "factor" else steps  # whose hidden scores count beside others


@pytest.mark.usefixtures("_everywhere")
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("weigh", WAYS)
def test_products_predict_as_one_step(weigh: Scores, dtype: str) -> None:
    def take() -> list[NDArray]:
        return taken(weigh, dtype)

    check(lambda: Products(weigh, 0.5), take, _expected(weigh, STEP), TOLERANCES[dtype])


@pytest.mark.usefixtures("_everywhere")
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("weigh", WAYS)
def test_products_train_as_one_step_and_one_for_gradients(weigh: Scores, dtype: str) -> None:
    def take() -> list[NDArray]:
        return taken(weigh, dtype)

    check(lambda: Products(weigh), take, _expected(weigh, BOTH), TOLERANCES[dtype], trained=3)


@pytest.mark.usefixtures("_everywhere")
@pytest.mark.parametrize("trained", [0, 3])
@pytest.mark.parametrize("weigh", [times, bert])
@pytest.mark.parametrize("multiply", MULTIPLYING)
def test_keys_may_be_transposed_by_a_step_and_products_have_a_factor(
    multiply: Scores, weigh: Scores, trained: int
) -> None:
    def take() -> list[NDArray]:
        return taken(weigh)

    check(lambda: Multiplied(multiply, weigh), take, BOTH if trained else STEP, trained=trained)


@pytest.mark.usefixtures("_everywhere")
@pytest.mark.parametrize("of", ["self", "two"])
def test_projections_side_by_side_are_read_where_they_lie(of: str) -> None:
    check(lambda: Interleaved(of, 0.5), lambda: interleaved(of), STEP)
    check(lambda: Interleaved(of), lambda: interleaved(of), BOTH, trained=2)


@pytest.mark.usefixtures("_everywhere")
def test_a_cell_of_many_heads_is_one_step_though_shapes_change_in_between() -> None:
    check(Cell, by_sample, STEP)
    check(Cell, by_sample, BOTH, trained=3)


@pytest.mark.usefixtures("_everywhere")
def test_a_query_that_sees_nothing_trains_as_by_the_operators() -> None:
    def none_seen() -> list[NDArray]:
        *arrays, length = interleaved("two")
        length[0] = 0
        return [*arrays, length]

    check(lambda: Interleaved("two"), none_seen, BOTH, trained=2)


@pytest.mark.usefixtures("_everywhere")
def test_a_mask_of_minus_infinity_gives_nan_as_the_operators_do() -> None:
    def added(F: Any, scores: Any, mask: Any) -> Any:
        return F.softmax(scores + mask)

    def take() -> list[NDArray]:
        *arrays, mask = products()
        return [*arrays, nd.where(mask, nd.zeros_like(mask), nd.full(mask.shape, -np.inf))]

    for trained, steps in ((0, STEP), (3, BOTH)):
        check(lambda: Products(added), take, steps, trained=trained)
    with use_kernels("torch"):
        (y, *_), _ = found(lambda: Products(added), take())
    assert np.isnan(y[0, 0]).all()
    assert not np.isnan(y[1:]).any()


@pytest.mark.parametrize("trained", [0, 3])
@pytest.mark.usefixtures("_everywhere")
def test_weights_that_are_multiplied_by_other_numbers_are_so_multiplied(trained: int) -> None:
    steps = BOTH if trained else STEP
    check(Cell, lambda: by_sample(0.0, 0.5, 2.0), steps, trained=trained)


def test_a_dropout_that_draws_stays() -> None:
    with use_kernels("torch"):
        _, steps = found(lambda: Cell(0.5), by_sample(), 3)
    assert steps == {}


def test_on_cpus_the_rules_leave_out_what_is_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    slower = {"bert", "hidden", "added", "spread", "factor"}
    for weigh in WAYS:
        make, take = partial(Products, weigh), partial(taken, weigh)
        check(make, take, {} if weigh.__name__ in slower else STEP)
        check(make, take, {}, trained=3)
    check(Cell, by_sample, STEP)
    check(Cell, by_sample, {}, trained=3)
    change_costs(monkeypatch, COSTS, attention={"scores": 35})
    check(Cell, by_sample, BOTH, trained=3)


def test_for_gpus_masks_have_to_follow_from_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    check(Cell, by_sample, {})
    check(lambda: Cell(compares=True), by_sample, STEP)
    check(lambda: Cell(compares=True), by_sample, BOTH, trained=3)


WAYS_OF_MASKS = ["none", "length", "added", "where", "both"]


@pytest.mark.parametrize("kind", WAYS_OF_MASKS)
def test_devices_that_are_no_cpus_get_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they run is run here on the CPU."""
    arrays, how = _arrays(kind, torch.device("cpu"))
    wanted = _results(arrays, how)
    monkeypatch.setattr(torch.Tensor, "is_cpu", property(lambda _: False))
    for one, other in zip(_results(arrays, how), wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5, equal_nan=True)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("kind", WAYS_OF_MASKS)
def test_a_gpu_gives_what_the_cpu_gives(kind: str) -> None:
    wanted = _results(*_arrays(kind, torch.device("cpu")))
    found_there = _results(*_arrays(kind, torch.device("cuda", gpu(0).device_id)))
    for one, other in zip(found_there, wanted, strict=True):
        torch.testing.assert_close(one.cpu(), other, rtol=1e-3, atol=1e-3, equal_nan=True)


def _arrays(kind: str, device: torch.device) -> tuple[list[torch.Tensor], dict[str, Any]]:
    generator = torch.Generator().manual_seed(1)
    shapes = [(4, 5, 8), (4, 7, 8), (4, 7, 8)]
    arrays = [torch.randn(shape, generator=generator) for shape in shapes]
    mask = torch.randint(0, 2, (4, 5, 7), generator=generator).float()
    mask[0, 0] = 0
    masks = {
        "none": [],
        "length": [torch.tensor([[0, 1, 2, 7, 9]] * 4)],
        "added": [torch.where(mask != 0, 0.5, -torch.inf)],
    }
    arrays += masks.get(kind, [mask])
    how = {"heads": 0, "parts": ((), (), ()), "scale": 0.5, "mask": kind, "fill": -1e5}
    return [x.to(device) for x in arrays], {**how, "binary": True}


def _results(arrays: list[torch.Tensor], how: dict[str, Any]) -> list[torch.Tensor]:
    """Those of the step, and its gradients."""
    names = "", "_with_sums", "_backward"
    predicting, training, back = (table().find(f"dot_product_attention{x}") for x in names)
    assert predicting is not None
    assert training is not None
    assert back is not None
    y, sums = training.function(*arrays, **how)
    dy = torch.cos(torch.arange(y.numel(), device=y.device)).view(y.shape)
    slopes = back.function(dy, *arrays[:3], y, sums, *arrays[3:], **how)
    return [predicting.function(*arrays, **how), y, *slopes]


@pytest.mark.parametrize("weigh", WAYS)
def test_sequences_of_all_lengths_share_what_rules_make(weigh: Scores) -> None:
    net = Products(weigh)
    with use_kernels("torch"):
        lowering = Lowering(PREDICT, Target(device_of(cpu()), is_train=False))
        graph = net(*map(sym.var, ("query", "key", "value", "mask"))).graph

        def made(queries: int, keys: int) -> Graph:
            shapes = {"query": (4, queries, 8), "key": (4, keys, 8), "value": (4, keys, 8)}
            shapes["mask"] = (4, queries, keys)
            known = [(shapes[node.name], "float32") for node in graph.variables]
            return lowering(TypedGraph.of(graph, known)).graph

        assert made(5, 7) is made(6, 9)
        assert made(3, 4) is made(5, 7)


def with_gaps(x: Any) -> Any:
    return torch.stack([x, x], -1)[..., 0]


def transposed(x: Any) -> Any:
    return x.mT.contiguous().mT


@pytest.mark.parametrize("change", [with_gaps, transposed])
@pytest.mark.parametrize("k", range(3))
def test_arrays_may_have_gaps_or_be_transposed(k: int, change: Callable[[Any], Any]) -> None:
    given = [torch.rand(2, 2, n, 3, generator=torch.Generator().manual_seed(n)) for n in (4, 5, 5)]
    how = {"causal": False, "scale": None, "kv_repeat": 1, "layout": "BHLD"}
    forward = kernel_of(table(), "scaled_dot_product_attention").function
    backward = kernel_of(table(), "scaled_dot_product_attention_backward").function

    def results(arrays: list[Any]) -> list[Any]:
        y, sums = forward(*arrays, **how)
        return [y, *backward(torch.ones_like(y), *arrays, y, sums, **how)]

    changed = [change(x) if i == k else x for i, x in enumerate(given)]
    assert changed[k].stride(-1) > 1
    for one, other in zip(results(changed), results(given), strict=True):
        torch.testing.assert_close(one, other)


class _OnGpu:
    """Torch's fused attention for GPUs, by that for CPUs and by its formula."""

    @staticmethod
    def _scaled_dot_product_flash_attention(
        q: Any, k: Any, v: Any, rate: float, causal: bool, *, return_debug_mask: bool, scale: float
    ) -> tuple[Any, ...]:
        assert not rate
        assert not return_debug_mask
        own = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        return (*own(q, k, v, is_causal=causal, scale=scale), None, None)

    @staticmethod
    def _scaled_dot_product_flash_attention_backward(
        dy: Any, q: Any, k: Any, v: Any, y: Any, sums: Any, *more: Any, scale: float
    ) -> tuple[Any, ...]:
        assert more[:5] == (None, None, q.shape[2], k.shape[2], 0.0)
        own = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
        result: tuple[Any, ...] = own(dy, q, k, v, y, sums, 0.0, more[5], scale=scale)
        return result

    @staticmethod
    def _scores(q: Any, k: Any, bias: Any, causal: bool, scale: float) -> Any:
        scores = (q @ k.mT) * scale
        if bias is not None:
            assert bias.dtype is q.dtype
            assert bias.shape == scores.shape
            assert bias.stride(3) == 1
            assert bias.stride(2) % 16 == 0
            scores = scores + bias
        hidden = torch.ones(scores.shape[2:], dtype=torch.bool).triu(1)
        return scores.masked_fill(hidden, -torch.inf) if causal else scores

    @classmethod
    def _scaled_dot_product_efficient_attention(
        cls, q: Any, k: Any, v: Any, bias: Any, sums: bool, rate: float, causal: bool, scale: float
    ) -> tuple[Any, ...]:
        assert sums
        assert not rate
        scores = cls._scores(q, k, bias, causal, scale)
        rows = torch.full((*q.shape[:2], -(-q.shape[2] // 32) * 32), torch.inf)
        rows[..., : q.shape[2]] = scores.logsumexp(-1)
        return scores.softmax(-1) @ v, rows, None, None

    @classmethod
    def _scaled_dot_product_efficient_attention_backward(
        cls, dy: Any, q: Any, k: Any, v: Any, bias: Any, y: Any, sums: Any, *more: Any, scale: float
    ) -> tuple[Any, ...]:
        _, _, rate, wanted, causal = more
        assert not rate
        assert wanted == [True, True, True, False]
        assert sums.shape[2] % 32 == 0
        assert (sums[..., q.shape[2] :] == torch.inf).all()
        scores = cls._scores(q, k, bias, causal, scale)
        weights = torch.exp(scores - sums[..., : q.shape[2], None])
        slope = weights * (dy @ v.mT - (dy * y).sum(-1, keepdim=True)) * scale
        return slope @ k, slope.mT @ q, weights.mT @ dy, None


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind", ["flash", "efficient"])
def test_gradients_on_a_gpu_read_what_was_saved(
    kind: str, causal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fused, "_aten", _OnGpu)
    monkeypatch.setattr(_forms, f"is_{kind}", lambda *_: True)
    monkeypatch.setattr(torch.Tensor, "is_cpu", property(lambda _: False))
    generator = torch.Generator().manual_seed(1)
    arrays = [torch.randn(2, 3, 6, 8, generator=generator) for _ in range(4)]
    dy, query, key, value = arrays
    step = _forms.Attention((query, key, value), 0.3, "none", causal=causal)
    y, sums = step.result()
    assert sums is not None
    found = (y, *step.gradients(dy, y, sums))
    monkeypatch.undo()
    for x in (query, key, value):
        x.requires_grad_()
    how: dict[str, Any] = {"scale": 0.3, "is_causal": causal}
    wanted = torch.nn.functional.scaled_dot_product_attention(query, key, value, **how)
    slopes = torch.autograd.grad(wanted, (query, key, value), dy)
    for mine, theirs in zip(found, (wanted, *slopes), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", WAYS_OF_MASKS)
def test_gradients_under_a_mask_read_what_was_saved(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays, how = _arrays(kind, torch.device("cpu"))
    wanted = _results(arrays, how)
    monkeypatch.setattr(torch.Tensor, "is_cpu", property(lambda _: False))
    monkeypatch.setattr(_fused, "_aten", _OnGpu)
    monkeypatch.setattr(_forms, "is_efficient", lambda *_: True)
    monkeypatch.setattr(torch.autograd, "grad", None)  # runs no step again
    for one, other in zip(_results(arrays, how), wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5, equal_nan=True)


def fused(kind: str) -> list[str]:
    """Names of torch's functions of attention for GPUs, forward and backward."""
    return [f"_scaled_dot_product_{kind}_attention{x}" for x in ("", "_backward")]


@pytest.mark.parametrize(
    ("dtype", "mask", "kind"),
    [
        (torch.bfloat16, "none", "flash"),
        (torch.bfloat16, "where", "efficient"),
        (torch.float32, "none", "efficient"),
        (torch.float32, "length", "efficient"),
        (torch.float16, "added", "efficient"),
        (torch.float32, "both", "efficient"),
    ],
)
def test_no_gradient_of_a_gpu_runs_forward_again(
    dtype: torch.dtype, mask: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard_devices()
    monkeypatch.setattr(_fused, "has_fused", lambda _: True)
    how: dict[str, Any] = {"heads": 0, "parts": ((), (), ()), "scale": 0.5, "fill": 0.0}
    how |= {"mask": mask, "binary": True}
    names = "_with_sums", "_backward"
    forward, back = (kernel_of(table(), f"dot_product_attention{x}").function for x in names)
    with FakeTensorMode():
        q, k, v = (torch.empty(4, n, 64, dtype=dtype, device="cuda") for n in (6, 9, 9))
        shapes = {"none": [], "length": [(4, 6)]}
        more = [q.new_empty(shape) for shape in shapes.get(mask, [(4, 6, 9)])]
        calls = Called()
        with calls:
            y, sums = forward(q, k, v, *more, **how)
            slopes = back(y, q, k, v, y, sums, *more, **how)
        assert [x.shape for x in slopes] == [q.shape, k.shape, v.shape]
        assert [name for name in calls.names if "attention" in name] == fused(kind)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
def test_nor_does_that_of_the_operator(
    with_bias: bool, causal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard_devices()
    monkeypatch.setattr(_fused, "has_fused", lambda _: True)
    how = {"causal": causal, "scale": None, "kv_repeat": 2, "layout": "BLHD"}
    names = "", "_backward"
    forward, back = (kernel_of(table(), f"scaled_dot_product_attention{x}").function for x in names)
    with FakeTensorMode():
        q = torch.empty(2, 9, 4, 64, device="cuda")
        k, v = (torch.empty(2, 9, 2, 64, device="cuda") for _ in range(2))
        bias = [torch.empty(9, 9, device="cuda")] if with_bias else []
        calls = Called()
        with calls:
            y, sums = forward(q, k, v, *bias, **how)
            slopes = back(y, q, k, v, y, sums, *bias, **how)
        assert [x.shape for x in slopes] == [q.shape, k.shape, v.shape]
        assert [name for name in calls.names if "attention" in name] == fused("efficient")


class Called(TorchDispatchMode):  # type: ignore[misc,unused-ignore]  # Any without torch
    """Keeps the names of what is called."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.names.append(function.__name__.split(".")[0])
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("causal", [True, False])
def test_attention_to_no_keys_is_zero(causal: bool) -> None:
    params = {"causal": causal, "scale": None, "kv_repeat": 1, "layout": "BHLD"}
    query, key = torch.ones(1, 2, 3, 4), torch.ones(1, 2, 0, 4)
    forward, backward = (
        kernel_of(table(), f"scaled_dot_product_attention{end}") for end in ("", "_backward")
    )
    y, sums = forward.function(query, key, key, **params)
    assert not y.any()
    assert tuple(sums.shape) == (1, 2, 3)
    slopes = backward.function(query, query, key, key, y, sums, **params)
    assert [x.shape for x in slopes] == [query.shape, key.shape, key.shape]
    assert not slopes[0].any()
