"""Parity: a kernel of the Triton table gives what the numpy table gives in float64."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.triton import table
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import cpu, gpu, use_kernels
from tests.kernels.derived import kernel_of

__all__ = [
    "CONTEXT",
    "DEVICE",
    "DTYPES",
    "TOLERANCES",
    "Tolerance",
    "assert_parity",
    "close",
    "computed",
    "on_table",
    "to_numpy",
]

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CONTEXT = gpu(0) if DEVICE.type == "cuda" else cpu()
"""Where the Triton table's kernels run."""
memory = table().memory


@contextmanager
def on_table(name: str) -> Iterator[None]:
    """Within ``with``, arrays are where the table runs, and are computed by it."""
    context = CONTEXT if name == "triton" else cpu()
    with context, use_kernels(name, device=context.device_type):
        yield


class Tolerance(NamedTuple):
    """How near results must come."""

    rtol: float
    atol: float
    why: str


TOLERANCES: Mapping[str, Tolerance] = {
    "float64": Tolerance(1e-12, 1e-12, "sums in another order"),
    "float32": Tolerance(1e-5, 1e-6, "approximate exp and division, sums in another order"),
    "float16": Tolerance(2**-10, 2**-14, "one rounding to 11 bits, of a result in float32"),
    "bfloat16": Tolerance(2**-7, 2**-14, "one rounding to 8 bits, of a result in float32"),
}
DTYPES = tuple(TOLERANCES)

Array = npt.NDArray[Any]


def _strided(value: Array, dtype: str) -> Any:
    """A tensor whose elements are not next to each other."""
    spread = np.repeat(value, 2, axis=-1) if value.ndim else value
    made = memory.from_numpy(spread.astype(dtype), DEVICE)
    return made[..., ::2] if value.ndim else made


def to_numpy(tensor: Any) -> Array:
    """Its numbers as float64."""
    return np.asarray(memory.to_numpy(tensor)).astype(np.float64)


def computed(name: str, tensors: Sequence[Any], params: Mapping[str, Any]) -> tuple[Any, ...]:
    """Results of the Triton table's kernel, which has launched something."""
    record = kernel_of(table(), name)
    with watched() as launches:
        found = record.function(*tensors, **params)
    assert launches, f"{name}: torch computed it"
    return found if isinstance(found, tuple) else (found,)


def close(found: Any, wanted: Any, tolerance: Tolerance, what: str = "") -> None:
    """Compare; the message says what."""
    np.testing.assert_allclose(
        to_numpy(found), wanted, rtol=tolerance.rtol, atol=tolerance.atol, err_msg=what
    )


def assert_parity(
    name: str,
    arrays: Sequence[Array | None],
    dtype: str | Sequence[str],
    params: Mapping[str, Any] | None = None,
    *,
    tolerance: Tolerance | None = None,
    strided: bool = False,
) -> None:
    """Run a kernel on both tables, on numbers as ``dtype`` has them; floats are cast to it.

    Args:
        name: The kernel.
        arrays: Inputs; those of integers stay such.
        dtype: Of the floats, or of each array.
        params: Of the kernel.
        tolerance: In place of that of the dtype, where there are several of the result's.
        strided: Whether the tensors' elements are not next to each other.
    """
    params = params or {}
    wanted_kinds = [dtype] * len(arrays) if isinstance(dtype, str) else dtype
    kinds = [
        None if x is None else kind if x.dtype.kind == "f" else str(x.dtype)
        for x, kind in zip(arrays, wanted_kinds, strict=True)
    ]
    given = [None if x is None else x.astype(kind) for x, kind in zip(arrays, kinds, strict=True)]
    tensors = [
        None
        if x is None
        else _strided(x, str(x.dtype))
        if strided
        else memory.from_numpy(np.array(x, order="C"), DEVICE)
        for x in given
    ]
    before = [None if x is None else x.clone() for x in tensors]
    found = computed(name, tensors, params)
    for x, kept in zip(tensors, before, strict=True):
        if x is not None:
            torch.testing.assert_close(x, kept, rtol=0, atol=0, equal_nan=True)
    exact = [x if x is None or x.dtype.kind in "iub" else x.astype(np.float64) for x in given]
    record = kernel_of(numpy_table(), name)
    assert record is not None, name
    wanted = record.function(*exact, **params)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(found) == len(wanted)
    for y, right in zip(found, wanted, strict=True):
        assert tuple(y.shape) == right.shape, name
        own = dtype if isinstance(dtype, str) else str(y.dtype).removeprefix("torch.")
        close(y, right, tolerance or TOLERANCES[own], f"{name} in {own}")
