"""Steps of many weights in one launch on the Triton table give numpy's numbers."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import Trainer, nn
from hy_kernels.triton import _weights, table
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd, random
from tests.kernels.derived import kernel_of
from tests.kernels.triton.parity import (
    DEVICE,
    TOLERANCES,
    Tolerance,
    assert_parity,
    memory,
    on_table,
)

SHAPES = [(1,), (7, 3), (1023,), (1024,), (5, 205), (0,), (3, 683)]
ROUNDED = {
    "float64": Tolerance(1e-12, 1e-12, "sums in another order"),
    "float32": Tolerance(1e-5, 1e-6, "approximate root and quotient"),
    "float16": Tolerance(2**-10, 2**-11, "one rounding of a sum of two terms"),
    "bfloat16": Tolerance(2**-7, 2**-8, "one rounding of a sum of two terms"),
}


def drawn(states: int) -> list[Any]:
    """Weight, gradient and states, those from the second on positive, for each shape."""
    generator, found = np.random.default_rng(states), []
    for shape in SHAPES:
        found += [generator.uniform(-1, 1, shape) for _ in range(2 + min(states, 1))]
        found += [generator.uniform(0.1, 1, shape) for _ in range(states - 1)]
    return found


COUNT = len(SHAPES)
COMMON: dict[str, Any] = {"lrs": [0.1] * COUNT, "wds": [0.01] * COUNT, "num_weights": COUNT}
ADAM: dict[str, Any] = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-4}
RULES: dict[str, tuple[int, dict[str, Any]]] = {
    "multi_sgd_update": (0, COMMON),
    "multi_sgd_mom_update": (1, {**COMMON, "momentum": 0.9}),
    "multi_adam_update": (2, {**COMMON, **ADAM}),
}
MIXED: dict[str, tuple[int, dict[str, Any]]] = {
    "multi_mp_sgd_update": (0, COMMON),
    "multi_mp_sgd_mom_update": (1, {**COMMON, "momentum": 0.9}),
}
LAMB: dict[str, Any] = {
    **ADAM,
    "learning_rates": [0.1] * COUNT,
    "wds": [0.01] * COUNT,
    "step_count": [3] * COUNT,
    "num_tensors": COUNT,
    "rescale_grad": 0.5,
}


@pytest.mark.parametrize("bound", [-1.0, 0.2])
@pytest.mark.parametrize("dtype", ROUNDED)
@pytest.mark.parametrize("name", RULES)
def test_steps(name: str, dtype: str, bound: float) -> None:
    states, params = RULES[name]
    params = {**params, "rescale_grad": 0.5, "clip_gradient": bound}
    assert_parity(name, drawn(states), dtype, params, tolerance=ROUNDED[dtype])


def kept(states: int) -> tuple[list[Any], list[str]]:
    """As :func:`drawn`, with each weight in float32 behind its states, which are such, too."""
    given, found = drawn(states), list[Any]()
    for k in range(0, len(given), 2 + states):
        found += [*given[k : k + 2 + states], given[k] + 1e-4]
    return found, (["{}"] * 2 + ["float32"] * (states + 1)) * COUNT


@pytest.mark.parametrize("bound", [-1.0, 0.2])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", MIXED)
def test_steps_of_weights_kept_in_float32(name: str, dtype: str, bound: float) -> None:
    states, params = MIXED[name]
    params = {**params, "rescale_grad": 0.5, "clip_gradient": bound}
    arrays, kinds = kept(states)
    assert_parity(name, arrays, [each.format(dtype) for each in kinds], params)


RATES = [np.linspace(0.1, 0.2, COUNT), np.linspace(0.0, 0.02, COUNT)]


@pytest.mark.parametrize("bound", [-1.0, 0.2])
@pytest.mark.parametrize("dtype", ROUNDED)
@pytest.mark.parametrize("name", RULES)
def test_steps_with_rates_and_decays_in_arrays(name: str, dtype: str, bound: float) -> None:
    states, params = RULES[name]
    params = {**params, "rescale_grad": 0.5, "clip_gradient": bound}
    del params["lrs"], params["wds"]
    arrays = [*drawn(states), *RATES]
    assert_parity(f"preloaded_{name}", arrays, dtype, params, tolerance=ROUNDED[dtype])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", MIXED)
def test_kept_weights_with_rates_and_decays_in_arrays(name: str, dtype: str) -> None:
    states, params = MIXED[name]
    params = {**params, "rescale_grad": 0.5, "clip_gradient": -1.0}
    del params["lrs"], params["wds"]
    arrays, kinds = kept(states)
    dtypes = [*(each.format(dtype) for each in kinds), "float32", "float32"]
    assert_parity(f"preloaded_{name}", [*arrays, *RATES], dtypes, params)


def test_rates_in_arrays_are_one_launch_whatever_they_are() -> None:
    record = kernel_of(table(), "preloaded_multi_sgd_update")
    data = [torch.ones(5, device=DEVICE) for _ in range(6)]
    lrs, wds = (memory.from_numpy(np.arange(k, k + 3.0), DEVICE) for k in (0, 1))
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 3}
    with watched() as launches:
        found = record.function(*data, lrs, wds, **how)
    assert [each.name for each in launches] == ["sgd_steps"]
    assert [float(x[0]) for x in found] == [1.0, -2.0, -7.0]


def test_decays_from_the_host_join_rates_on_the_device_in_one_launch() -> None:
    record = kernel_of(table(), "multi_sgd_update")
    rate = torch.tensor(0.5, dtype=torch.float64, device=DEVICE)
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 3}
    data = [torch.ones(5, device=DEVICE) for _ in range(6)]
    with watched() as launches:
        found = record.function(*data, lrs=(rate,) * 3, wds=(0.0, 1.0, 0.0), **how)
    assert [each.name for each in launches] == ["sgd_steps"]
    assert [float(x[0]) for x in found] == [0.5, 0.0, 0.5]


ADAMW: dict[str, Any] = {**COMMON, **ADAM, "etas": list(np.linspace(0.5, 1, COUNT))}


@pytest.mark.parametrize("scale", [0.5, 0.0, np.inf, np.nan])
@pytest.mark.parametrize("bound", [-1.0, 0.2])
@pytest.mark.parametrize("dtype", ROUNDED)
def test_adamw(dtype: str, bound: float, scale: float) -> None:
    params = {**ADAMW, "clip_gradient": bound}
    arrays = [*drawn(2), np.array([scale])]
    assert_parity("multi_adamw_update", arrays, dtype, params, tolerance=ROUNDED[dtype])


@pytest.mark.parametrize("scale", [0.5, np.nan])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_adamw_of_weights_kept_in_float32(dtype: str, scale: float) -> None:
    arrays, kinds = kept(2)
    dtypes = [*(each.format(dtype) for each in kinds), "float32"]
    params = {**ADAMW, "clip_gradient": 0.2}
    if np.isnan(scale):  # nothing changes: a weight is the one in float32, rounded
        arrays[4::5] = [x.astype(dtype).astype("float64") for x in arrays[::5]]
    assert_parity("multi_mp_adamw_update", [*arrays, np.array([scale])], dtypes, params)


@pytest.mark.parametrize("bias_correction", [False, True])
@pytest.mark.parametrize("bounds", [(-1.0, -1.0), (0.5, 2.0)])
@pytest.mark.parametrize("bound", [-1.0, 0.2])
def test_lamb(bound: float, bounds: tuple[float, float], bias_correction: bool) -> None:
    params = {**LAMB, "clip_gradient": bound, "bias_correction": bias_correction}
    params |= {"lower_bound": bounds[0], "upper_bound": bounds[1]}
    for dtype, tolerance in ROUNDED.items():
        assert_parity("multi_lamb_update", drawn(2), dtype, params, tolerance=tolerance)
    arrays, kinds = kept(2)
    dtypes = [each.format("bfloat16") for each in kinds]
    assert_parity("multi_mp_lamb_update", arrays, dtypes, params)


SINGLE: dict[str, tuple[int, list[str], dict[str, Any]]] = {
    "sgd_update": (0, [], {}),
    "sgd_mom_update": (1, [], {"momentum": 0.9}),
    "adam_update": (2, [], ADAM),
    "adamw_update": (2, [], {**ADAM, "eta": 0.5}),
    "mp_sgd_update": (0, ["float32"], {}),
    "mp_sgd_mom_update": (1, ["float32"], {"momentum": 0.9}),
    "mp_adamw_update": (2, ["float32"], {**ADAM, "eta": 0.5}),
}


@pytest.mark.parametrize("bound", [-1.0, 0.2])
@pytest.mark.parametrize("dtype", ROUNDED)
@pytest.mark.parametrize("name", SINGLE)
def test_steps_of_one_weight(name: str, dtype: str, bound: float) -> None:
    states, master, more = SINGLE[name]
    if master and dtype not in ("float16", "bfloat16"):
        dtype = "float16"
    arrays = [abs(x) for x in drawn(states)[2 + states : 2 * (2 + states)]]
    kinds = [dtype] * 2 + [*master, dtype][:1] * states + master
    arrays += [arrays[0] + 1e-4] * len(master)
    bound = -1.0 if name == "adamw_update" else bound  # with one its results are others
    params: dict[str, Any] = {"lr": 0.1, "wd": 0.01, "clip_gradient": bound, **more}
    if "adamw" in name:
        arrays, kinds = [*arrays, np.array([0.5])], [*kinds, "float32"]
    else:
        params |= {"rescale_grad": 0.5, "lazy_update": True}
    assert_parity(name, arrays, kinds, params, tolerance=ROUNDED[dtype])


def test_lamb_of_a_weight_with_many_blocks() -> None:
    x = np.random.default_rng(0).uniform(0.1, 1, (4, 5000))
    params = {**LAMB, "clip_gradient": -1.0, "bias_correction": True, "num_tensors": 1}
    params |= {"lower_bound": -1.0, "upper_bound": -1.0}
    params |= {each: params[each][:1] for each in ("learning_rates", "wds", "step_count")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hy_kernels.triton.optimizer._steps._PARTS", 4)
        patch.setattr("hy_kernels.triton._weights._SMALL_BLOCK", 256)
        assert_parity("multi_lamb_update", list(x), "float32", params)


def test_there_is_one_launch_for_each_rate_and_decay() -> None:
    record = kernel_of(table(), "multi_sgd_update")
    data = [torch.ones(5, device=DEVICE) for _ in range(8)]
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 4}
    with watched() as launches:
        found = record.function(*data, lrs=[0.5, 0.25, 0.5, 0.5], wds=[0.0] * 4, **how)
    assert [each.name for each in launches] == ["sgd_steps"] * 2
    assert [float(x[0]) for x in found] == [0.5, 0.75, 0.5, 0.5]


def test_weights_are_changed_where_they_lie_and_gradients_read_without_their_gaps() -> None:
    record = kernel_of(table(), "multi_sgd_update")
    weight, grad = torch.ones(9, device=DEVICE)[1:], torch.ones(16, device=DEVICE)[::2]
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 1}
    with watched() as launches:
        found = record.function(weight, grad, lrs=[0.5], wds=[0.0], out=(weight,), **how)
    assert found is weight
    assert len(launches) == 1
    assert weight.tolist() == [0.5] * 8


def test_while_a_graph_is_captured_tables_are_copied_from_memory_that_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = kernel_of(table(), "multi_sgd_update")
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 2}
    how |= {"lrs": [0.5] * 2, "wds": [0.0] * 2}
    spare = torch.empty(2 * (2 + 4), dtype=torch.int64)
    kept = list[torch.Tensor]()
    monkeypatch.setattr(_weights, "_is_capturing", lambda _: True)
    monkeypatch.setattr(_weights, "_spares", defaultdict(list, {len(spare): [spare]}))
    monkeypatch.setattr(_weights, "_captured", kept)
    known = _weights._cached_table.cache_info().misses
    found = record.function(*[torch.ones(5, device=DEVICE) for _ in range(4)], **how)
    assert [float(x[0]) for x in found] == [0.5, 0.5]
    assert [each is spare for each in kept] == [True]
    assert [int(x.data_ptr()) for x in found] == [int(spare[4]), int(spare[10])]
    assert _weights._cached_table.cache_info().misses == known  # what a graph copies is not kept


def test_nan_is_not_cut_off_by_the_bound() -> None:
    record = kernel_of(table(), "multi_sgd_update")
    given = [memory.from_numpy(np.array([x], "float32"), DEVICE) for x in (1.0, np.nan)]
    y = record.function(
        *given, lrs=[0.5], wds=[0.0], rescale_grad=1.0, clip_gradient=1.0, num_weights=1
    )
    assert y.isnan().all()


@pytest.mark.parametrize(
    ("optimizer", "kernels"),
    [
        ("sgd", {"sgd_steps"}),
        ("adam", {"adam_steps"}),
        ("lamb", {"lamb_moments", "lamb_ratios", "lamb_steps"}),
        ("adamw", {"adam_steps"}),
    ],
)
def test_a_trainer_s_step_is_one_launch_of_each(optimizer: str, kernels: set[str]) -> None:
    def trained(name: str) -> list[Any]:
        random.seed(1)
        with on_table(name):
            net = nn.HybridSequential()
            net.add(nn.Dense(4), nn.Dense(3), nn.Dense(2))
            net.initialize()
            x = nd.array(np.random.default_rng(2).standard_normal((5, 3)), dtype="float32")
            net(x)
            for k, each in enumerate(net.collect_params().values()):
                drawn = np.random.default_rng(k).uniform(-1, 1, each.shape)
                each.set_data(nd.array(drawn))
            trainer = Trainer(net.collect_params(), optimizer, {"learning_rate": 0.05})
            for _ in range(2):
                with autograd.record():
                    value = (net(x) ** 2).mean()
                value.backward()
                with watched() as launches:
                    trainer.step(5)
                if name == "triton":
                    names = [each.name for each in launches]
                    assert sorted(names) == sorted(kernels)
            return [p.data().asnumpy() for p in net.collect_params().values()]

    tolerance = TOLERANCES["float32"]
    for mine, theirs in zip(trained("triton"), trained("numpy"), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=10 * tolerance.atol)


def test_numbers_that_are_on_the_device_are_read_there() -> None:
    def number(value: float) -> torch.Tensor:
        return torch.tensor(value, dtype=torch.float64, device=DEVICE)

    common: dict[str, Any] = {"rescale_grad": 0.5, "clip_gradient": -1.0}
    betas: dict[str, Any] = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-6}
    rates, lazy = {"lr": 0.1, "wd": 0.01}, {"lazy_update": True}
    rows: list[tuple[str, int, dict[str, Any], dict[str, Any], list[str]]] = [
        ("mul_scalar", 1, {"is_int": False}, {"scalar": 0.3}, []),  # torch computes it
        ("nag_mom_update", 3, {**common, "momentum": 0.9}, rates, ["fused"]),
        ("sgd_update", 2, {**common, **lazy}, rates, ["sgd_steps"]),
        ("adam_update", 4, {**common, **betas, **lazy}, rates, ["adam_steps"]),
        (
            "adam_update",
            4,
            {**common, **lazy, "beta1": 0.9, "beta2": 0.99, "wd": 0.01},
            {"lr": 0.1, "epsilon": 1e-2},
            ["adam_steps"],
        ),
    ]
    for name, count, params, numbers, kernels in rows:
        record = kernel_of(table(), name)
        assert set(numbers) <= set(record.loads)
        arrays = [torch.rand(5, device=DEVICE) for _ in range(count)]
        loaded = {key: number(value) for key, value in numbers.items()}
        with watched() as launches:
            found = record.function(*arrays, **params, **loaded)
        assert [each.name for each in launches] == kernels
        wanted = record.function(*arrays, **params, **numbers)
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-7)


LOADED: dict[str, tuple[dict[str, Any], dict[str, list[float]], list[str]]] = {
    "multi_adamw_update": (
        {**ADAM, "clip_gradient": -1.0, "num_weights": 3},
        {"lrs": [0.1, 0.2, 0.3], "wds": [0.0, 0.01, 0.02], "etas": [0.5, 1.0, 2.0]},
        ["adam_steps"],
    ),
    "multi_lamb_update": (
        {
            **ADAM,
            "clip_gradient": -1.0,
            "num_tensors": 3,
            "rescale_grad": 0.5,
            "bias_correction": True,
            "lower_bound": -1.0,
            "upper_bound": -1.0,
        },
        {"learning_rates": [0.1, 0.2, 0.3], "wds": [0.0, 0.01, 0.02], "step_count": [1, 5, 900]},
        ["lamb_moments", "lamb_ratios", "lamb_steps"],
    ),
}
"""Parameters of steps of three weights, the numbers that may be on the device, and launches."""


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", LOADED)
def test_rates_and_counts_on_the_device_are_read_there_by_one_launch(
    name: str, dtype: torch.dtype
) -> None:
    params, numbers, kernels = LOADED[name]
    record = kernel_of(table(), name)
    assert {*numbers} <= {*record.loads}
    generator = torch.Generator().manual_seed(4)
    arrays = [torch.rand(5, generator=generator, dtype=dtype).to(DEVICE) for _ in range(12)]
    if "adamw" in name:
        arrays.append(torch.full((1,), 0.5, device=DEVICE))  # the gradients' factor
    wanted = record.function(*arrays, **params, **numbers)
    loaded = {
        key: [torch.tensor(x, dtype=torch.float64, device=DEVICE) for x in own]
        for key, own in numbers.items()
    }
    with watched() as launches:
        found = record.function(*arrays, **params, **loaded)
    assert [each.name for each in launches] == kernels
    tolerance = 1e-6 if dtype is torch.float32 else 1e-12
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


def test_an_epsilon_that_changes_compiles_nothing() -> None:
    record = kernel_of(table(), "adam_update")
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "lr": 0.1, "wd": 0.0}
    how |= {"beta1": 0.9, "beta2": 0.99, "lazy_update": True}
    arrays = [torch.rand(5, device=DEVICE) for _ in range(4)]
    with watched() as launches:
        for epsilon in (1e-8, 1e-4):
            record.function(*arrays, **how, epsilon=epsilon)
    one, other = (each.constants for each in launches)
    assert one == other
