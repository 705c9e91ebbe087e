"""Conversion between dtypes."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._dtypes import FLOATING
from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.params import Count, DType
from hy_ndarray.ops.record.rules import numbered
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import IDENTITY, Traits
from hy_ndarray.ops.record.types import TensorType


def _grad_cast(saved: Saved, dy: Any) -> tuple[Any]:
    return (cast_like(dy, saved.inputs[0]),)


@operator("Cast", "_npi_cast", "_npx_cast", "cast", grad=_grad_cast, traits=IDENTITY)
def cast(data: TensorType, *, dtype: DType) -> TensorType:
    """Return ``data`` converted to another dtype; conversion to integers truncates fractions.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.
    """
    return data.with_dtype(dtype)


@operator("_cast_like", grad=gradient_by("_cast_like", 0), traits=Traits(identity=True))
def cast_like(data: TensorType, like: TensorType) -> TensorType:
    """Return ``data`` converted to the dtype of ``like``; the shape of ``like`` is not used."""
    return data.with_dtype(like.dtype)


@operator("amp_cast", grad=_grad_cast, traits=IDENTITY)
def amp_cast(data: TensorType, *, dtype: DType) -> TensorType:
    """Return ``data`` converted to another dtype if it is floating, else ``data`` unchanged.

    Automatic mixed precision inserts it before operators that need a certain precision.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.
    """
    if data.dtype is None:
        return data.with_dtype(None)
    return data.with_dtype(dtype) if data.dtype in FLOATING else data


def _outputs(params: Params) -> tuple[str, ...]:
    return numbered(params["num_outputs"])


def _grad_amp_multicast(saved: Saved, *dys: Any) -> tuple[Any, ...]:
    return tuple(cast_like(dy, x) for dy, x in zip(dys, saved.inputs, strict=True))


@operator("amp_multicast", outputs=_outputs, grad=_grad_amp_multicast)
def amp_multicast(
    *data: TensorType, num_outputs: Count, cast_narrow: bool = False
) -> tuple[TensorType, ...]:
    """Return the floating arrays converted to the widest of their dtypes; others stay unchanged.

    Args:
        data: ``num_outputs`` arrays of any shape and dtype.
        num_outputs: Number of arrays.
        cast_narrow: Convert to the narrowest of the dtypes instead.

    Raises:
        ArgumentError: The number of arrays is not ``num_outputs``.
    """
    if len(data) != num_outputs:
        raise ArgumentError(f"num_outputs={num_outputs}, but {len(data)} arrays were given")
    dtypes = [x.dtype for x in data]
    common = _common_dtype(dtypes, narrow=cast_narrow)
    return tuple(
        x.with_dtype(common) if x.dtype is None or x.dtype in FLOATING else x for x in data
    )


def _common_dtype(dtypes: Sequence[str | None], *, narrow: bool) -> str | None:
    """Return the widest (or narrowest) of the floating dtypes; None while a dtype is unknown."""
    present = [dtype for dtype in FLOATING if dtype in dtypes]
    if None in dtypes or not present:
        return None
    return present[-1 if narrow else 0]
