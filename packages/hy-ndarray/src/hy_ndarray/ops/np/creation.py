"""Identity matrices, ranges, window functions and filled arrays."""

from math import ceil

from hy_ndarray._errors import ArgumentError
from hy_ndarray.ops.adjoints import no_gradient
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.params import Ctx, Dims, DType
from hy_ndarray.ops.record.ranges import NonNegative, NonNegatives, Positive
from hy_ndarray.ops.record.schema import operator, pointwise, synonym
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping import creation
from hy_ndarray.ops.shaping.creation import check_finite

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
        shape: Number of rows and of columns, which are equal.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.
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
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: Number of rows.
        M: Number of columns; ``N`` if None.
        k: The diagonal: 0 is the main one, positive ones are above it, negative ones below.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.
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
    """Return ``start``, ``start + step``, … up to but excluding ``stop``; empty if there is none.

    Args:
        start: The first number; if ``stop`` is None, the end, and the first number is 0.
        stop: The end, exclusive.
        step: Difference between consecutive numbers; not 0.
        repeat: Number of times that each number is repeated.
        infer_range: Accepted and ignored.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.

    Raises:
        ArgumentError: ``step`` is 0.
    """
    if step == 0:
        raise ArgumentError("_npi_arange: step must not be 0")
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
    """Return ``base`` raised to ``num`` evenly spaced powers from ``start`` to ``stop``."""
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


def _of_window(
    *,
    M: int,  # noqa: N803  # MXNet's name
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return the type of a window function's values."""
    return TensorType((max(M, 0),), dtype)


_window = family(_of_window, kernel="np_{}", name="_npi_{}", needs=("device",))

np_hanning = _window("hanning", text="Return a Hann window of ``M`` points.")
np_hamming = _window("hamming", text="Return a Hamming window of ``M`` points.")
np_blackman = _window("blackman", text="Return a Blackman window of ``M`` points.")


@pointwise("_npi_full_like", grad=no_gradient)
def np_full_like(
    a: TensorType,
    *,
    fill_value: float,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Return an array of one number in the shape of ``a``.

    Args:
        a: ``[*shape]``, any dtype.
        fill_value: The number.
        ctx: Accepted and ignored; the result is on the device of ``a``.
        dtype: Dtype of the result; that of ``a`` if None.
    """
    return a if dtype is None else a.with_dtype(dtype)
