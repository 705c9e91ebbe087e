"""jvp: a function's value and its directional derivative, by forward mode."""

from collections.abc import Callable
from typing import Any

from hy_ndarray._errors import ArgumentError, AutogradError, DTypeError, ShapeError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.transforms._calls import apply, below, in_class_of
from hy_ndarray.transforms._recording import is_differentiable
from hy_ndarray.transforms._trees import flatten, flatten_to, only_arrays
from hy_ndarray.transforms.forward.level import DualLevel, dual_level

__all__ = ["jvp"]


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, has_aux: bool = False) -> Any:
    """Compute ``func(*primals)`` and its Jacobian-vector product with ``tangents``.

    Args:
        func: Function of arrays or trees of them.
        primals: The tuple of its arguments.
        tangents: A tuple of the same structure, shapes and dtypes; None in place of an array or a
            subtree means zero.
        has_aux: Whether ``func`` returns ``(result, aux)``, where ``aux`` is not differentiated.

    Returns:
        ``(results, tangents of the results)``, with ``has_aux`` followed by ``aux``.

    Raises:
        ShapeError, DTypeError: A tangent has a wrong shape or dtype than its primal.
        AutogradError: An operator is not differentiable, or has no tangent rule and a gradient that
            is not differentiable.

    Example:
        >>> from hy_ndarray import nd
        >>> x, direction = nd.array([1, 2, 3]), nd.array([1, 0, 1])
        >>> y, dy = jvp(lambda x: x * x, (x,), (direction,))
        >>> y.asnumpy(), dy.asnumpy()
        (array([1., 4., 9.], dtype=float32), array([2., 0., 6.], dtype=float32))
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise ArgumentError(
            "jvp: primals and tangents must be tuples or lists with one element for each argument"
        )
    leaves, form = flatten(tuple(primals))
    arrays = only_arrays(leaves, "jvp: an argument")
    if not arrays:
        raise ArgumentError("jvp: needs at least one primal")
    directions = flatten_to(tuple(tangents), form, "jvp: tangents")
    with dual_level(arrays[0].context) as level:
        pairs = zip(arrays, directions, strict=True)
        args = form.build([level.wrapped(x, _checked_tangent(x, t)) for x, t in pairs])
        out = func(*args)
        aux: Any = None
        if has_aux:
            if not isinstance(out, tuple) or len(out) != 2:  # noqa: PLR2004 - result, aux
                raise ArgumentError("jvp: with has_aux=True the function must return (result, aux)")
            out, aux = out
        results, out_form = flatten(out)
        value = [
            _primal_and_tangent(level, y)
            for y in only_arrays(results, "jvp: a result of the function")
        ]
        rest, aux_form = flatten(aux)
        aux = aux_form.build(
            [_primal_and_tangent(level, x)[0] if isinstance(x, NDArray) else x for x in rest]
        )
    values = out_form.build([y for y, _ in value])
    tangents_out = out_form.build([dy for _, dy in value])
    return (values, tangents_out, aux) if has_aux else (values, tangents_out)


def _checked_tangent(primal: NDArray, tangent: Any) -> NDArray | None:
    """Return a tangent after checking its shape and dtype; None means zero."""
    if tangent is None:
        return None
    (value,) = only_arrays([tangent], "jvp: a tangent")
    if value.shape != primal.shape:
        raise ShapeError(
            f"jvp: a tangent {value.shape} must have the shape of its primal, {primal.shape}"
        )
    if not is_differentiable(primal):
        raise AutogradError(
            f"jvp: a primal {primal.shape} of {primal.dtype} is not floating; pass None as its "
            "tangent"
        )
    if value.dtype != primal.dtype:
        raise DTypeError(
            f"jvp: a tangent of {value.dtype} must have the dtype of its primal, {primal.dtype}"
        )
    return value


def _primal_and_tangent(level: DualLevel, result: NDArray) -> tuple[NDArray, NDArray]:
    """Return a result's value and tangent as arrays of the level below."""
    if result._device is not level:
        return result, in_class_of(result, apply("zeros_like", below(result).detach()))
    dual = result._data
    tangent = dual.tangent
    if tangent is None:
        tangent = apply("zeros_like", dual.primal.detach())
    return in_class_of(result, dual.primal), in_class_of(result, tangent)
