"""Identity matrices, ranges, windows and filled arrays."""

from math import ceil
from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.ops.record.params import Ctx, Dims, DType
from hy_ndarray.ops.record.ranges import NonNegative, NonNegatives, Positive
from hy_ndarray.ops.record.schema import Saved, operator, pointwise, synonym
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping import creation
from hy_ndarray.ops.shaping.creation import check_finite

__all__ = [
    "np_arange",
    "np_blackman",
    "np_eye",
    "np_full_like",
    "np_hamming",
    "np_hanning",
    "np_identity",
    "np_indices",
    "np_logspace",
]

synonym("_npi_zeros", of=creation.zeros)
synonym("_npi_ones", of=creation.ones)


@operator("_npi_identity", needs=("device",))
def np_identity(
    *,
    shape: Dims = (),
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return the identity matrix.

    Args:
        shape: Rows and columns, which are equal.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
    """
    return TensorType(shape, dtype)


@operator("_npi_eye", needs=("device",))
def np_eye(
    *,
    N: NonNegative,  # noqa: N803  # MXNet's name
    M: int | None = None,  # noqa: N803  # MXNet's name
    k: int = 0,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return a matrix of ones on one diagonal and zeros elsewhere.

    Args:
        N: Number of rows.
        M: Number of columns; ``N`` if None.
        k: The diagonal: above 0 those over the main one, below 0 those under it.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
    """
    return TensorType((N, N if M is None else M), dtype)


@operator("_npi_arange", needs=("device",))
def np_arange(
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: Positive = 1,
    infer_range: bool = False,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return ``start``, ``start + step``, … below ``stop``; empty if ``stop`` is on the other side.

    Args:
        start: The first number; the end, with 0 as the first, if ``stop`` is None.
        stop: The end, which is left out.
        step: From one number to the next; not 0.
        repeat: How often each number comes, in a row.
        infer_range: Without effect.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.

    Raises:
        ArgumentError: ``step`` is 0.
    """
    if step == 0:
        raise ArgumentError("_npi_arange: step=0 never ends; give another step")
    first, last = (0.0, start) if stop is None else (start, stop)
    check_finite("_npi_arange", start=start, stop=last, step=step)
    return TensorType((max(ceil((last - first) / step), 0) * repeat,), dtype)


@operator("_npi_logspace", needs=("device",))
def np_logspace(
    *,
    start: float,
    stop: float,
    num: NonNegative,
    endpoint: bool = True,
    base: float = 10.0,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return ``base`` to the powers of ``num`` even steps from ``start`` to ``stop``."""
    return TensorType((num,), dtype)


@operator("_npi_indices", needs=("device",))
def np_indices(
    *,
    dimensions: NonNegatives,
    dtype: DType = DType("int32"),  # noqa: B008  # a name, made once
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return for each axis of an array of shape ``dimensions`` the index of every element."""
    return TensorType((len(dimensions), *dimensions), dtype)


@operator("_npi_hanning", needs=("device",))
def np_hanning(
    *,
    M: int,  # noqa: N803  # MXNet's name
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return a Hann window of ``M`` points."""
    return TensorType((max(M, 0),), dtype)


@operator("_npi_hamming", needs=("device",))
def np_hamming(
    *,
    M: int,  # noqa: N803  # MXNet's name
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return a Hamming window of ``M`` points."""
    return TensorType((max(M, 0),), dtype)


@operator("_npi_blackman", needs=("device",))
def np_blackman(
    *,
    M: int,  # noqa: N803  # MXNet's name
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return a Blackman window of ``M`` points."""
    return TensorType((max(M, 0),), dtype)


def _no_influence(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@pointwise("_npi_full_like", grad=_no_influence)
def np_full_like(
    a: TensorType,
    *,
    fill_value: float,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Return one number in the shape of ``a``.

    Args:
        a: ``[*shape]``, any dtype.
        fill_value: The number.
        ctx: Not used: the result is where ``a`` is.
        dtype: Of the result; that of ``a`` if None.
    """
    return a if dtype is None else a.with_dtype(dtype)
