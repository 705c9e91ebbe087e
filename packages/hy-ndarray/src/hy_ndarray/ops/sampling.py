"""Random numbers of one distribution, its parameters given as numbers."""

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops._params import Ctx, DType, Shape
from hy_ndarray.ops._schema import operator
from hy_ndarray.ops._types import TensorType

__all__ = ["random_normal", "random_uniform"]

FLOATING = ("float16", "bfloat16", "float32", "float64")


def _drawn(shape: Shape | None, dtype: DType | None) -> TensorType:
    if dtype is not None and dtype not in FLOATING:
        raise DTypeError(f"dtype={dtype} is not one of {', '.join(FLOATING)}")
    return TensorType((1,) if shape is None else shape, dtype or "float32")


@operator("_random_uniform", "random_uniform", "uniform", needs=("rng",))
def random_uniform(
    *,
    low: float = 0.0,
    high: float = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Numbers of equal probability from ``low`` up to ``high``.

    Args:
        low: Least number.
        high: Bound of the numbers, above ``low``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        DTypeError: ``dtype`` is not floating.

    Example:
        >>> from hy_ndarray import nd
        >>> bool((nd.random_uniform(2, 3, shape=(100,)).asnumpy() >= 2).all())
        True
    """
    return _drawn(shape, dtype)


@operator("_random_normal", "random_normal", "normal", needs=("rng",))
def random_normal(
    *,
    loc: float = 0.0,
    scale: float = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Numbers of a normal distribution.

    Args:
        loc: Its mean.
        scale: Its standard deviation.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        DTypeError: ``dtype`` is not floating.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.random_normal(0, 1, shape=(2, 3)).shape
        (2, 3)
    """
    return _drawn(shape, dtype)
