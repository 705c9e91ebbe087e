"""Batch normalisation and what is fused with it on the Triton table give numpy's numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.triton import table
from hy_kernels.triton._overlay import OVERLAYS
from hy_kernels.triton.elementwise.fused import Call, FusedCalls
from hy_kernels.triton.runtime._launch import LaunchError, watched
from tests.kernels.triton.parity import DEVICE, DTYPES, Tolerance, close, computed

Array = npt.NDArray[Any]
Steps = tuple[Call, ...]

TOLERANCES = {
    "float64": Tolerance(1e-10, 1e-10, "sums in another order"),
    "float32": Tolerance(1e-4, 1e-4, "cancellation of three terms"),
    "float16": Tolerance(2**-8, 2**-6, "one rounding of sums of numbers up to 10"),
    "bfloat16": Tolerance(2**-5, 2**-3, "one rounding of sums of numbers up to 10"),
}
HOW: dict[str, Any] = {"eps": 1e-3, "momentum": 0.9}
IGNORED: dict[str, Any] = {
    "cudnn_off": False,
    "max_calib_range": None,
    "min_calib_range": None,
    "output_mean_var": False,
}


def by_name(act_type: str) -> tuple[Steps, Steps]:
    how = (("act_type", act_type),)
    forward = Call("activation", (0,), how)
    return (forward,), (forward._replace(operands=(1,)), Call("activation_backward", (0, 2), how))


def leaky(act_type: str) -> tuple[Steps, Steps]:
    how = (("act_type", act_type), ("slope", 0.2))
    bounds = (("lower_bound", 0.1), ("upper_bound", 0.3))
    return (Call("leaky_relu", (0,), how + bounds),), (Call("leaky_relu_backward", (0, 1), how),)


KINDS = {
    **{name: by_name(name) for name in ("relu", "sigmoid", "tanh", "softrelu", "softsign")},
    **{name: leaky(name) for name in ("leaky", "elu", "selu", "gelu")},
}
"""By name operators from the normalised value, and from dy and that to the gradient of it."""
USUAL = ((5, 3, 7, 3), 1)
SHAPES = [((4099, 3), -1), ((65, 33), 1), ((2, 1, 2049), 1), ((1, 7, 1), 1)]
CASES = [
    *((dtype, kind, *USUAL) for dtype in DTYPES for kind in KINDS),
    *((dtype, "elu", *each) for dtype in ("float32", "bfloat16") for each in SHAPES),
]


def drawn(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).uniform(-1, 2, shape)


def in_turn(name: str, *arrays: Array, **params: Any) -> Any:
    record = numpy_table().find(name)
    assert record is not None, name
    if name == "leaky_relu":
        params |= {"is_train": False, "rng": None}
    return record.function(*arrays, **params)


def followed(values: Sequence[Array], steps: Steps) -> Array:
    made = [*values]
    for step in steps:
        made.append(
            np.asarray(in_turn(step.kernel, *[made[i] for i in step.operands], **step.params))
        )
    return made[-1]


def on_device(array: Array, dtype: str, strided: bool = False) -> torch.Tensor:
    made = torch.from_numpy(np.array(array)).to(getattr(torch, dtype)).to(DEVICE)
    return torch.stack((made, made), -1)[..., 0] if strided else made


def exact(tensor: torch.Tensor) -> Array:
    return np.asarray(tensor.double().cpu())


class Given:
    """Operands of one dtype, as tensors and as the numbers that these have."""

    def __init__(
        self, shape: tuple[int, ...], axis: int, dtype: str, strided: bool = False
    ) -> None:
        wide = "float64" if dtype == "float64" else "float32"
        channels, *more = shape[axis], 1, 2, 3, 4
        vectors = [drawn(channels, seed=k) for k in more]
        vectors[3] = np.abs(vectors[3]) + 0.1
        self.data, self.dy, self.addend = (
            on_device(drawn(*shape, seed=k), dtype, strided) for k in (5, 6, 7)
        )
        self.vectors = [on_device(each, wide) for each in vectors]


@pytest.mark.parametrize(("dtype", "kind", "shape", "axis"), CASES)
def test_results_and_gradients(dtype: str, kind: str, shape: tuple[int, ...], axis: int) -> None:
    behind, before = KINDS[kind]
    given = Given(shape, axis, dtype, strided=kind == "tanh")
    data, dy, vectors = exact(given.data), exact(given.dy), [*map(exact, given.vectors)]
    for fixed, frozen, is_train in ((False, False, True), (True, True, True), (True, False, False)):
        how = {**HOW, "axis": axis, "fix_gamma": fixed, "use_global_stats": frozen}
        how["is_train"] = is_train
        arrays = (given.data, *given.vectors)
        found = computed("fused_batch_norm", arrays, {**how, "calls": FusedCalls(behind, None, 1)})
        whole, *wanted = in_turn("batch_norm", data, *vectors, **how, **IGNORED)
        tolerance = TOLERANCES[dtype]
        for y, right in zip(found, (followed([whole], behind), *wanted), strict=True):
            close(y, right, tolerance, f"{kind} of {dtype}")
        gamma, beta = given.vectors[:2]
        back: dict[str, Any] = {"kind": "batch", "axis": axis, "groups": 1, "fix_gamma": fixed}
        back["frozen"] = frozen or not is_train
        arrays = (given.dy, given.data, gamma, beta, *found[1:3])
        slopes = computed(
            "fused_batch_norm_backward", arrays, {**back, "calls": FusedCalls(before, None, 2)}
        )
        statistics = [*map(exact, found[1:3])]
        slope = followed([dy, whole], before)
        rights = in_turn("normalize_backward", slope, data, vectors[0], *statistics, **back)
        if shape[0] > 100:
            tolerance = Tolerance(tolerance.rtol, tolerance.atol * 64, "sums over many rows")
        for y, right in zip(slopes, rights, strict=True):
            close(y, right, tolerance, f"gradient of {kind} of {dtype}")


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_residual_is_added_in_the_same_launch(dtype: str, strided: bool) -> None:
    given = Given((5, 3, 7), 1, dtype, strided)
    steps = (Call("elemwise_add", (1, 0), ()), Call("relu", (2,), ()))
    how = {**HOW, "axis": 1, "fix_gamma": False, "use_global_stats": False, "is_train": True}
    arrays = (given.data, *given.vectors, given.addend, None)  # places of inputs are left out
    found = computed("fused_batch_norm", arrays, {**how, "calls": FusedCalls(steps, None, 2)})
    numbers = [*map(exact, (given.data, *given.vectors))]
    whole, *_ = in_turn("batch_norm", *numbers, **how, **IGNORED)
    close(found[0], np.maximum(whole + exact(given.addend), 0), TOLERANCES[dtype])


def test_where_triton_cannot_torch_computes_them_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise LaunchError("no such instruction")

    given = Given((4, 3, 5), 1, "float32")
    gamma, beta = given.vectors[:2]
    how = {**HOW, "axis": 1, "fix_gamma": False, "use_global_stats": False, "is_train": True}
    back = {"kind": "batch", "axis": 1, "groups": 1, "fix_gamma": False, "frozen": False}
    behind, before = KINDS["gelu"]
    forward = (given.data, *given.vectors), {**how, "calls": FusedCalls(behind, None, 1)}
    first = computed("fused_batch_norm", *forward)
    backward = (
        (given.dy, given.data, gamma, beta, *first[1:3]),
        {**back, "calls": FusedCalls(before, None, 2)},
    )
    second = computed("fused_batch_norm_backward", *backward)
    monkeypatch.setattr("hy_kernels.triton.nn.normalization.batch_norm.launch", fail)
    for name, (arrays, params), right in (
        ("fused_batch_norm", forward, first),
        ("fused_batch_norm_backward", backward, second),
    ):
        record = OVERLAYS[name].kernel(strict=False)
        with pytest.warns(RuntimeWarning, match=f"{name}: torch computes it from now on"):
            found = record.function(*arrays, **params)
        for y, wanted in zip(found, right, strict=True):
            torch.testing.assert_close(y, wanted, rtol=1e-4, atol=1e-5)


def test_of_nothing_torch_makes_nothing() -> None:
    record = table().find("fused_batch_norm")
    assert record is not None
    vector = torch.ones(3, device=DEVICE)
    how = {**HOW, "axis": 1, "fix_gamma": False, "use_global_stats": False, "is_train": True}
    calls = FusedCalls(KINDS["leaky"][0], None, 1)
    with watched() as launches:
        y, *_ = record.function(torch.ones(0, 3, device=DEVICE), *[vector] * 4, calls=calls, **how)
    assert y.shape == (0, 3)
    assert not launches
