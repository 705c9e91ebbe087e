"""Steps of optimizers on the torch table: torch's kernels for whole steps give numpy's numbers."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.torch import table
from tests.kernels.derived import kernel_of

SHAPES = ((3, 5), (7,), (), (0, 2), (33, 2))


def step(name: str, tensors: bool, arrays: list[Any], **params: Any) -> list[Any]:
    """What a table's kernel makes of copies of arrays."""
    found = kernel_of(table() if tensors else numpy_table(), name)
    given = [torch.from_numpy(x.copy()) if tensors else x.copy() for x in arrays]
    results = found.function(*given, **params)
    for x, before in zip(given, arrays, strict=True):
        np.testing.assert_array_equal(np.asarray(x), before)  # gradients, too
    results = results if isinstance(results, tuple) else (results,)
    return [np.asarray(y) for y in results]


def alike(name: str, arrays: list[Any], rtol: float = 1e-5, **params: Any) -> None:
    ours, theirs = (step(name, tensors, arrays, **params) for tensors in (True, False))
    for y, wanted in zip(ours, theirs, strict=True):
        assert y.dtype == wanted.dtype
        np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=rtol, atol=rtol / 10)


def drawn(states: int, dtype: str = "float32") -> list[Any]:
    rng = np.random.default_rng(0)
    return [
        np.asarray(rng.uniform(0.1, 1, shape), dtype) for shape in SHAPES for _ in range(2 + states)
    ]


def tensors_of_step(
    momentum: float | None, *, has_gaps: bool = False
) -> tuple[list[torch.Tensor], tuple[torch.Tensor, ...]]:
    """Weight, gradient and perhaps velocity of each of two weights; what a step writes over."""
    count = 2 if momentum is None else 3
    drawn_now = [torch.from_numpy(x) for x in drawn(count - 2)[: 2 * count]]
    if has_gaps:
        drawn_now[1] = drawn_now[1].t().contiguous().t()
    columns = [drawn_now[k::count] for k in range(count)]
    return drawn_now, (*columns[0], *(columns[2] if count > 2 else ()))


@pytest.mark.parametrize("momentum", [None, 0.0, 0.9])
@pytest.mark.parametrize("rates", [(0.1, 0.1), (0.1, 0.2)])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_a_step_over_its_weights_is_the_one_that_makes_new_ones(
    momentum: float | None, rates: tuple[float, float], has_gaps: bool
) -> None:
    more: dict[str, Any] = {} if momentum is None else {"momentum": momentum}
    more |= {"lrs": rates, "wds": (0.01, 0.01), "rescale_grad": 0.5, "clip_gradient": -1.0}
    found = kernel_of(table(), "multi_sgd_update" if momentum is None else "multi_sgd_mom_update")
    data, targets = tensors_of_step(momentum, has_gaps=has_gaps)
    wanted = found.function(*[x.clone() for x in data], num_weights=2, **more)
    results = found.function(*data, num_weights=2, out=targets, **more)
    for y, target, like in zip(results, targets, wanted, strict=True):
        assert y is target
        torch.testing.assert_close(y, like)


def test_a_gradient_of_another_shape_changes_no_weight() -> None:
    data, targets = tensors_of_step(0.9)
    data[4] = data[4][:-1]  # of the second weight
    before = [x.clone() for x in data]
    found = kernel_of(table(), "multi_sgd_mom_update")
    numbers = {"lrs": (0.1, 0.1), "wds": (0.0, 0.0), "momentum": 0.9, "rescale_grad": 1.0}
    with pytest.raises(ValueError, match="must have the same shapes"):
        found.function(*data, **numbers, clip_gradient=-1.0, num_weights=2, out=targets)
    for x, like in zip(data, before, strict=True):
        assert torch.equal(x, like)


@pytest.mark.parametrize("momentum", [None, 0.0, 0.9])
@pytest.mark.parametrize("factor", [1.0, 0.25, 0.0])
@pytest.mark.parametrize("bound", [-1.0, 0.2])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_kernel_steps_weights_of_several_rates(
    momentum: float | None, factor: float, bound: float, dtype: str
) -> None:
    more: dict[str, Any] = {} if momentum is None else {"momentum": momentum}
    name = "multi_sgd_update" if momentum is None else "multi_sgd_mom_update"
    alike(
        name,
        drawn(len(more), dtype),
        1e-5 if dtype == "float32" else 1e-12,
        lrs=(0.1, 0.2, 0.1, 0.1, 0.0),
        wds=(0.0, 0.01, 0.0, 0.01, 0.01),
        rescale_grad=factor,
        clip_gradient=bound,
        num_weights=len(SHAPES),
        **more,
    )


@pytest.mark.parametrize("wd", [0.0, 0.01])
@pytest.mark.parametrize("factor", [1.0, 0.25])
@pytest.mark.parametrize("bound", [-1.0, 0.05])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_kernel_steps_adam(wd: float, factor: float, bound: float, dtype: str) -> None:
    arrays = drawn(2, dtype)
    for i in range(0, len(arrays), 4):
        alike(
            "adam_update",
            arrays[i : i + 4],
            1e-5 if dtype == "float32" else 1e-12,
            lr=0.1,
            beta1=0.9,
            beta2=0.999,
            epsilon=1e-8,
            wd=wd,
            rescale_grad=factor,
            clip_gradient=bound,
            lazy_update=False,
        )


def test_loaded_rates_of_16_bits_are_multiplied_wide() -> None:
    weight = np.random.default_rng(0).uniform(50, 100, 1000).astype("float16")
    numbers = np.full(1, 0.3, "float16"), np.full(1, 0.011, "float16")
    arrays = [weight, np.zeros_like(weight), *numbers]
    params = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 1}
    (ours,) = step("preloaded_multi_sgd_update", True, arrays, **params)
    (theirs,) = step("preloaded_multi_sgd_update", False, arrays, **params)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("wds", [(0.01, 0.3), (0.0, 0.3)])
def test_each_weight_has_its_own_numbers_beside_one_on_the_device(wds: tuple[float, ...]) -> None:
    params: dict[str, Any] = {
        "lrs": (0.1, 0.5),
        "wds": wds,
        "etas": (1.0, 2.0),
        "beta1": 0.9,
        "beta2": 0.999,
        "epsilon": 1e-8,
        "clip_gradient": -1.0,
        "num_weights": 2,
    }
    arrays = [*drawn(2)[:8], np.ones(1, np.float32)]  # the last one is rescale_grad
    alike("multi_adamw_update", arrays, **params)


def test_gradients_with_gaps_are_taken() -> None:
    weight, grad = np.ones((4, 3), np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
    found = kernel_of(table(), "sgd_update")
    params = {"wd": 0.0, "rescale_grad": 1.0, "clip_gradient": -1.0, "lazy_update": False}
    y = found.function(torch.from_numpy(weight), torch.from_numpy(grad).T, lr=1.0, **params)
    np.testing.assert_array_equal(y.numpy(), 1 - grad.T)


@pytest.mark.parametrize(("beta1", "beta2"), [(0.9, 1.0), (1.0, 0.999), (1.0, 1.0)])
def test_means_of_adam_that_never_change_divide_nothing_by_zero(beta1: float, beta2: float) -> None:
    rates = {"lr": 0.1, "beta1": beta1, "beta2": beta2, "epsilon": 1e-8, "wd": 0.01}
    more = {"rescale_grad": 1.0, "clip_gradient": -1.0, "lazy_update": True}
    alike("adam_update", drawn(2)[:4], **rates, **more)
