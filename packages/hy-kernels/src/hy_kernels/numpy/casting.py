"""Conversion between dtypes."""

from hy_kernels.numpy._array import Array, quiet

__all__ = ["amp_cast", "amp_multicast", "cast", "cast_like"]


def _floating(data: Array) -> bool:
    return data.dtype.kind not in "biu"


@quiet
def cast(data: Array, *, dtype: str) -> Array:
    """``data`` in another dtype; floats lose what is behind the point on their way to integers."""
    return data.astype(dtype)


@quiet
def cast_like(data: Array, like: Array) -> Array:
    """``data`` in the dtype of ``like``."""
    return data.astype(like.dtype)


@quiet
def amp_cast(data: Array, *, dtype: str) -> Array:
    """``data`` in another dtype if it is floating."""
    return data.astype(dtype) if _floating(data) else data.copy()


@quiet
def amp_multicast(*data: Array, num_outputs: int, cast_narrow: bool) -> tuple[Array, ...]:
    """All floating arrays in the widest of their dtypes, or the narrowest."""
    if len(data) != num_outputs:
        raise ValueError(f"{len(data)} arrays for {num_outputs} outputs")
    # float32 over bfloat16 over float16: by size, then by range
    dtypes = sorted(
        {x.dtype for x in data if _floating(x)}, key=lambda t: (t.itemsize, t.kind != "f")
    )
    if not dtypes:
        return tuple(x.copy() for x in data)
    common = dtypes[0 if cast_narrow else -1]
    return tuple(x.astype(common) if _floating(x) else x.copy() for x in data)
