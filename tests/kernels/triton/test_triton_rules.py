"""Steps of one weight by generated kernels give numpy's numbers, in the memory there is."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.triton import TritonTable, table
from hy_kernels.triton._code import function
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.derived import kernel_of
from tests.kernels.triton.parity import DEVICE, DTYPES, assert_parity, memory
from tests.kernels.triton.test_triton_multi_update import ROUNDED

COMMON: dict[str, Any] = {"lr": 0.1, "wd": 0.01, "rescale_grad": 0.5}
CLIPPED: dict[str, Any] = {**COMMON, "clip_gradient": -1.0}
BETAS: dict[str, Any] = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-4}
PHASE: dict[str, Any] = {**BETAS, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.2}
PHASE |= {"t": 3, "bias_correction": True}
RMS: dict[str, Any] = {**CLIPPED, "gamma1": 0.95, "epsilon": 1e-4, "clip_weights": -1.0}
STEPS: dict[str, tuple[int, dict[str, Any]]] = {
    "nag_mom_update": (1, {**CLIPPED, "momentum": 0.9}),
    "signsgd_update": (0, CLIPPED),
    "signum_update": (1, {**CLIPPED, "momentum": 0.9, "wd_lh": 0.01}),
    "rmsprop_update": (1, RMS),
    "rmspropalex_update": (3, {**RMS, "gamma2": 0.9}),
    "adagrad_update": (1, {**CLIPPED, "epsilon": 1e-4}),
    "ftrl_update": (2, {**CLIPPED, "lamda1": 0.01, "beta": 1.0}),
    "ftml_update": (3, {**COMMON, **BETAS, "t": 4, "clip_grad": 0.2}),
    "lamb_update_phase1": (2, PHASE),
}
"""Of each how many states it has, and parameters."""
SHAPES = [(), (1,), (7, 3), (1023,), (1025,)]


def drawn(shape: tuple[int, ...], states: int) -> list[Any]:
    """Weight and gradient, and states: the first is more than the squares of the others."""
    rng = np.random.default_rng(sum(shape))
    weight, grad, *more = (rng.uniform(-1, 1, shape) for _ in range(2 + states))
    return [weight, grad, *(abs(x) / 2 + (0.3 if k else 2) for k, x in enumerate(more))]


def near(dtype: str) -> Any:
    """A step of FTRL or FTML is a quotient of differences."""
    return ROUNDED[dtype]._replace(
        rtol=4 * ROUNDED[dtype].rtol, atol=max(4 * ROUNDED[dtype].atol, 1e-10)
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str, dtype: str) -> None:
    states, params = STEPS[name]
    for shape in SHAPES:
        assert_parity(name, drawn(shape, states), dtype, params, tolerance=near(dtype))
    assert_parity(name, drawn((5, 7), states), dtype, params, tolerance=near(dtype), strided=True)


@pytest.mark.parametrize("name", STEPS)
def test_bounds_hold_and_what_is_no_number_stays(name: str) -> None:
    states, params = STEPS[name]
    arrays = drawn((2, 9), states)
    arrays[1][0, 3] = np.nan
    bounds: dict[str, Any] = {
        k: 0.1 for k in ("clip_gradient", "clip_grad", "clip_weights") if k in params
    }
    more: dict[str, Any] = {"bias_correction": False} if "bias_correction" in params else {}
    assert_parity(name, arrays, "float64", {**params, **bounds, **more}, tolerance=near("float64"))


MIXED = {
    "mp_nag_mom_update": ([0, 1, 2, 0], {**CLIPPED, "momentum": 0.9}),
    "mp_lamb_update_phase1": ([0, 1, 2, 3, 0], PHASE),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", MIXED)
def test_weights_of_16_bits_are_kept_in_float32(name: str, dtype: str) -> None:
    places, params = MIXED[name]
    arrays = drawn((3, 43), 2)
    kinds = [dtype, dtype, *["float32"] * (len(places) - 2)]
    given = [arrays[k] for k in places]
    assert_parity(name, given, kinds, params, tolerance=near(dtype))


@pytest.mark.parametrize("bounds", [(-1.0, -1.0), (5.0, -1.0), (-1.0, 0.5)])
@pytest.mark.parametrize("lengths", [(2.0, 3.0), (0.0, 3.0), (2.0, 0.0)])
def test_the_second_phase_of_lamb(bounds: Any, lengths: Any) -> None:
    weight, direction = drawn((5, 41), 0)
    r1, r2 = (np.array([x]) for x in lengths)
    params = {"lr": 0.1, "lower_bound": bounds[0], "upper_bound": bounds[1]}
    arrays = [weight, direction, r1, r2]
    for dtype in ("float32", "float64", "float16"):
        assert_parity("lamb_update_phase2", arrays, dtype, params, tolerance=near(dtype))
    kinds = ["float16", *["float32"] * 4]
    name = "mp_lamb_update_phase2"
    assert_parity(name, [*arrays, weight], kinds, params, tolerance=near("float16"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_history_of_each_row(dtype: str) -> None:
    params = {"lr": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.4, "epsilon": 1e-4}
    for shape in ((1, 1), (7, 13), (3, 5, 7), (2, 2049), (5,)):
        weight, grad, _ = drawn(shape, 1)
        history = np.linspace(0.1, 1, len(weight)).reshape(-1, *(1,) * (weight.ndim - 1))
        arrays = [weight, grad, history]
        assert_parity("group_adagrad_update", arrays, dtype, params, tolerance=near(dtype))


def test_a_rule_with_a_mean_is_a_launch_for_each_size_of_result() -> None:
    record = kernel_of(table(), "group_adagrad_update")
    weight, grad = (torch.rand(7, 13, device=DEVICE) for _ in range(2))
    history = torch.rand(7, 1, device=DEVICE)
    params = {"lr": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.4, "epsilon": 1e-4}
    with watched() as launches:
        record.function(weight, grad, history, out=(weight, history), **params)
    assert [each.name for each in launches] == ["fused"] * 3  # means, weights, histories


def test_a_rule_with_a_mean_is_torch_s_operators_where_no_kernel_suits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hy_kernels.triton.optimizer.updates._supports_formula", lambda *_: False)
    params = {"lr": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.4, "epsilon": 1e-4}
    weight, grad, _ = drawn((7, 13), 1)
    arrays = [weight, grad, np.linspace(0.1, 1, 7).reshape(-1, 1)]
    record, wanted = (
        kernel_of(each, "group_adagrad_update") for each in (TritonTable(), numpy_table())
    )
    tensors = [memory.from_numpy(np.array(x, "float64"), DEVICE) for x in arrays]
    with watched() as launches:
        found = record.function(*tensors, **params)
    assert not launches
    for y, right in zip(found, wanted.function(*arrays, **params), strict=True):
        np.testing.assert_allclose(memory.to_numpy(y), right, rtol=1e-10)


@pytest.mark.parametrize("name", STEPS)
def test_weight_and_states_may_be_where_the_results_are_to_be(name: str) -> None:
    states, params = STEPS[name]
    for shape in ((1025,), (0,)):
        arrays = drawn(shape, states)
        tensors = [memory.from_numpy(np.array(x, "float64"), DEVICE) for x in arrays]
        out = (tensors[0], *tensors[2:])
        ours, theirs = kernel_of(table(), name), kernel_of(numpy_table(), name)
        found = ours.function(*tensors, out=out, **params)
        found = found if isinstance(found, tuple) else (found,)
        assert all(a is b for a, b in zip(found, out, strict=True))
        wanted = theirs.function(*arrays, **params)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for y, right in zip(found, wanted, strict=True):
            np.testing.assert_allclose(memory.to_numpy(y), right, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_nothing_is_compiled_for_another_rate(dtype: torch.dtype) -> None:
    """Rates, factors and bounds are told by the launch, betas are code."""
    record = kernel_of(table(), "ftml_update")
    tensors = [torch.rand(9, dtype=dtype, device=DEVICE) + 0.5 for _ in range(5)]
    params = STEPS["ftml_update"][1]
    with watched() as launches:
        for step in range(3):
            more = {"lr": 0.1 / (step + 1), "t": step + 1, "rescale_grad": 1.5 + step}
            record.function(*tensors, **{**params, **more})
    assert len({id(each.kernel) for each in launches}) == 1
    assert len({tuple(each.constants.items()) for each in launches}) == 1
    assert function.cache_info().hits
