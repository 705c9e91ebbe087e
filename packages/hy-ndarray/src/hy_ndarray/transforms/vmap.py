"""vmap: vectorization of a function of one sample over all samples."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Literal, TypeVar

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.transforms._calls import Inner, apply, below, in_class_of
from hy_ndarray.transforms._trees import flatten, flatten_to, only_arrays
from hy_ndarray.transforms.batching.level import BatchLevel, batched_level

__all__ = ["vmap"]

R = TypeVar("R")
_RANDOMNESS = ("error", "same", "different")


def vmap(
    func: Callable[..., R],
    in_axes: Any = 0,
    out_axes: Any = 0,
    randomness: Literal["error", "same", "different"] = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., R]:
    """Return a function that applies ``func`` to all samples along an axis of its arguments.

    Args:
        func: Function of arrays for one sample, or trees of them: nested tuples, lists and dicts.
            All samples share the arrays that it closes over.
        in_axes: The sample axis to map over: one for all arguments, or a tuple with one for each
            argument, which may be a tree for the argument's arrays; None for arrays that samples
            share. Keyword arguments are mapped over their first axis.
        out_axes: The sample axis of the results: one for all, or a tree for the results.
        randomness: Whether samples draw ``"different"`` random numbers or the ``"same"``, or random
            operators raise an ``"error"``.
        chunk_size: Maximal number of samples computed at once; a smaller one takes less memory.

    Returns:
        The mapped function. Operators run once for all samples; operators without a batching rule
        run once per sample, with a warning.

    Raises:
        ArgumentError: The axes do not match the arguments, or there are no arrays to map over.
        ShapeError: Arguments have different numbers of samples.
        TransformError: ``func`` reads values, or calls an operator whose result shape depends on
            values, or a random operator while ``randomness`` is ``"error"``.

    Example:
        >>> from hy_ndarray import nd
        >>> dots = vmap(nd.dot)
        >>> dots(nd.array([[1, 2], [3, 4]]), nd.array([[1, 1], [2, 2]])).asnumpy()
        array([[ 3.],
               [14.]], dtype=float32)
        >>> vmap(lambda x, y: x + y, in_axes=(0, None))(nd.ones((2, 3)), nd.ones((3,))).shape
        (2, 3)
    """
    if randomness not in _RANDOMNESS:
        raise ArgumentError(f"vmap: randomness={randomness!r} is not one of {_RANDOMNESS}")
    if chunk_size is not None and chunk_size < 1:
        raise ArgumentError(f"vmap: chunk_size={chunk_size} must be positive")

    @wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = flatten((args, kwargs))
        value = flatten_to(_axes_tree(in_axes, args, kwargs), tree, "vmap: in_axes")
        arrays, axes = _mapped_axes(leaves, value)
        size = _sample_count(arrays, axes)
        # Moved once, before slicing into chunks: batching rules need the sample axis first.
        moved = [
            _move_axis(x, a, 0) if a is not None else x for x, a in zip(arrays, axes, strict=True)
        ]
        if chunk_size is None or chunk_size >= size:
            return _call_mapped(func, moved, axes, tree, size, out_axes, randomness)
        parts = [
            _call_mapped(
                func,
                [
                    x if a is None else _samples(x, start, min(start + chunk_size, size))
                    for x, a in zip(moved, axes, strict=True)
                ],
                axes,
                tree,
                min(chunk_size, size - start),
                out_axes,
                randomness,
            )
            for start in range(0, size, chunk_size)
        ]
        return _concatenated(parts, out_axes)

    return mapped


def _axes_tree(in_axes: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the sample axes of all positional and keyword arguments, as a tree."""
    if not isinstance(in_axes, int | tuple | list | None):
        raise ArgumentError(
            f"vmap: in_axes={in_axes!r} must be an int, None, or a tuple with one entry for each "
            "argument"
        )
    if isinstance(in_axes, int | None):
        return (tuple(in_axes for _ in args), dict.fromkeys(kwargs, 0))
    if len(in_axes) != len(args):
        raise ArgumentError(
            f"vmap: in_axes={in_axes!r} must have one entry for each of {len(args)} arguments"
        )
    return (tuple(in_axes), dict.fromkeys(kwargs, 0))


def _mapped_axes(leaves: Sequence[Any], axes: Sequence[Any]) -> tuple[list[Any], list[int | None]]:
    """Return the leaves, and for each its non-negative sample axis, None if not mapped."""
    value: list[int | None] = []
    for x, axis in zip(leaves, axes, strict=True):
        if axis is None or (not isinstance(x, NDArray) and x is None):
            value.append(None)
            continue
        only_arrays([x], "vmap: an argument that is mapped over (in_axes=None if it is not)")
        if not isinstance(axis, int) or not -x.ndim <= axis < x.ndim:
            raise ArgumentError(f"vmap: axis {axis!r} is not an axis of an array {x.shape}")
        value.append(axis % x.ndim)
    return list(leaves), value


def _sample_count(arrays: Sequence[Any], axes: Sequence[int | None]) -> int:
    """Return the number of samples, which all mapped arrays must agree on."""
    sizes = [x.shape[a] for x, a in zip(arrays, axes, strict=True) if a is not None]
    if not sizes:
        raise ArgumentError(
            "vmap: at least one argument must be mapped over; in_axes is None for all of them"
        )
    if len(set(sizes)) > 1:
        raise ShapeError(f"vmap: arguments must have the same number of samples, got {sizes}")
    if not sizes[0]:
        raise ShapeError("vmap: the mapped axis is empty; at least one sample is needed")
    return int(sizes[0])


def _move_axis(array: Any, source: int, target: int) -> Any:
    """Return the array with axis ``source`` moved to ``target``."""
    if source == target:
        return array
    rest = [a for a in range(array.ndim) if a != source]
    return apply("transpose", array, axes=(*rest[:target], source, *rest[target:]))


def _samples(array: Any, begin: int, end: int) -> Any:
    return apply("slice_axis", array, axis=0, begin=begin, end=end)


def _call_mapped(
    func: Callable[..., Any],
    arrays: Sequence[Any],
    axes: Sequence[int | None],
    tree: Any,
    size: int,
    out_axes: Any,
    randomness: str,
) -> Any:
    """Call ``func`` on a level with ``size`` samples; return results with sample axes."""
    first = next(x for x, a in zip(arrays, axes, strict=True) if a is not None)
    with batched_level(first.context, size, randomness) as level:
        supplied = [
            level.wrapped(x, x, mapped=a is not None) if isinstance(x, NDArray) else x
            for x, a in zip(arrays, axes, strict=True)
        ]
        args, kwargs = tree.build(supplied)
        results, form = flatten(func(*args, **kwargs))
        result_axes = flatten_to(out_axes, form, "vmap: out_axes")
        return form.build(
            [_unwrapped(level, y, a) for y, a in zip(results, result_axes, strict=True)]
        )


def _unwrapped(level: BatchLevel, result: Any, axis: Any) -> Any:
    """Return a result as an array of the level below, with the sample axis at ``axis``."""
    if result is None:
        return None
    (array,) = only_arrays([result], "vmap: a result of the function")
    inner: Inner
    if array._device is level:
        buffer = array._data
        inner, mapped = buffer.inner, buffer.mapped
    else:
        inner, mapped = below(array), False
    if axis is None:
        if mapped:
            raise ArgumentError(
                "vmap: out_axes=None, but a result differs between samples; pass an axis for it"
            )
        return in_class_of(array, inner)
    # The result does not depend on mapped arguments: all samples share it.
    if not mapped:
        inner = apply("_npi_broadcast_to", inner, shape=(level.size, *inner.shape))
    rank = inner.ndim
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise ArgumentError(
            f"vmap: out_axes={axis!r} is outside the {rank} axes of a result, one of which is that "
            "of the samples"
        )
    return in_class_of(array, _move_axis(inner, 0, axis % rank))


def _concatenated(parts: Sequence[Any], out_axes: Any) -> Any:
    """Return the results of all chunks, concatenated along their sample axes."""
    columns = [flatten(part) for part in parts]
    tree = columns[0][1]
    result_axes = flatten_to(out_axes, tree, "vmap: out_axes")
    rows = zip(*(leaves for leaves, _ in columns), strict=True)
    return tree.build(
        [
            row[0]
            if row[0] is None or axis is None
            else apply("Concat", *row, dim=axis % row[0].ndim)
            for row, axis in zip(rows, result_axes, strict=True)
        ]
    )
