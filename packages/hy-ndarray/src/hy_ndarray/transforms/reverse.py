"""Reverse-mode transforms: grad, value_and_grad, vjp."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeAlias

from hy_ndarray._errors import ArgumentError, AutogradError, ShapeError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core import _state
from hy_ndarray.core._scopes import followed
from hy_ndarray.transforms._calls import apply
from hy_ndarray.transforms._recording import gradients, is_differentiable, unrecorded, variable
from hy_ndarray.transforms._trees import Tree, flatten, only_arrays

__all__ = ["Argnums", "grad", "positions", "value_and_grad", "vjp"]

Argnums: TypeAlias = int | Sequence[int]


class _Recorded:
    """One call of a function, recorded with new variables as its arguments."""

    def __init__(
        self, func: Callable[..., Any], args: Sequence[Any], has_aux: bool, what: str
    ) -> None:
        leaves, self.form = flatten(tuple(args))
        for x in only_arrays(leaves, f"{what}: an argument"):
            if not is_differentiable(x):
                raise AutogradError(
                    f"{what}: an argument {x.shape} of {x.dtype} is not floating; convert it with "
                    "astype, or exclude it by argnums"
                )
        self.is_nested = _state.scope.recording
        with followed():
            self.variables = [variable(x) for x in leaves]
            out = func(*self.form.build(self.variables))
        self.aux: Any = None
        if has_aux:
            if not isinstance(out, tuple) or len(out) != 2:  # noqa: PLR2004 - result, aux
                raise ArgumentError(
                    f"{what}: with has_aux=True the function must return (result, aux)"
                )
            out, self.aux = out
        result, self.out_form = flatten(out)
        self.outputs = only_arrays(result, f"{what}: a result of the function")

    def exported(self, value: Any) -> Any:
        """Return a tree of results, detached from the tape unless an outer scope records."""
        leaves, form = flatten(value)
        if self.is_nested:
            return value
        return form.build([unrecorded(x) if isinstance(x, NDArray) else x for x in leaves])

    def pulled_back(self, cotangents: Sequence[NDArray], *, retain: bool) -> list[NDArray]:
        """Return the gradients of the arguments' leaves for the given cotangents."""
        return gradients(
            self.outputs,
            cotangents,
            self.variables,
            create_graph=_state.scope.recording,
            retain=retain,
        )


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Compute ``func(*primals)``, and return it with a function for vector-Jacobian products.

    Args:
        func: Function of arrays or trees of them.
        primals: The arguments of ``func``: floating arrays or trees of them.
        has_aux: Whether ``func`` returns ``(result, aux)``, where ``aux`` is not differentiated.

    Returns:
        ``(results, pullback)``, with ``has_aux`` followed by ``aux``. ``pullback`` takes
        cotangents, a tree like the results, and returns their products with the Jacobian, a tuple
        like ``primals``. It may be called any number of times.

    Raises:
        AutogradError: A primal does not have a floating dtype.
        ShapeError: A cotangent has a wrong shape than its result.

    Example:
        >>> from hy_ndarray import nd
        >>> y, pullback = vjp(lambda x: x * x, nd.array([1, 2, 3]))
        >>> (dx,) = pullback(nd.array([1, 1, 0]))
        >>> dx.asnumpy()
        array([2., 4., 0.], dtype=float32)
    """
    run = _Recorded(func, primals, has_aux, "vjp")

    def pullback(cotangents: Any) -> Any:
        supplied = _cotangents(cotangents, run.outputs, run.out_form)
        return run.form.build(run.pulled_back(supplied, retain=True))

    results = run.exported(run.out_form.build(run.outputs))
    return (results, pullback, run.exported(run.aux)) if has_aux else (results, pullback)


def _cotangents(supplied: Any, outputs: Sequence[NDArray], form: Tree) -> list[NDArray]:
    """Return the leaves of cotangents, checked against the outputs' number and shapes."""
    leaves, own = flatten(supplied)
    if own.size != form.size:
        raise ArgumentError(
            f"vjp: {own.size} cotangents were given for {form.size} results; pass one for each"
        )
    result = only_arrays(leaves, "vjp: a cotangent")
    for y, dy in zip(outputs, result, strict=True):
        if y.shape != dy.shape:
            raise ShapeError(
                f"vjp: a cotangent {dy.shape} must have the shape of its result, {y.shape}"
            )
    return result


def value_and_grad(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the value and the gradients of ``func``.

    Args:
        func: Function that returns an array of one element.
        argnums: Position of the argument to differentiate by, or several positions; each argument
            is an array or a tree of arrays.
        has_aux: Whether ``func`` returns ``(result, aux)``, where ``aux`` is not differentiated.

    Returns:
        A function that returns ``(value, gradients)``; gradients have the structure of the
        argument, or are a tuple if ``argnums`` is one. With ``has_aux``, ``value`` is ``(result,
        aux)``.

    Example:
        >>> from hy_ndarray import nd
        >>> value, slope = value_and_grad(lambda x: (x * x).sum())(nd.array([1, 2]))
        >>> value.asscalar(), slope.asnumpy()
        (np.float32(5.0), array([2., 4.], dtype=float32))
    """

    @wraps(func)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        selected = positions(argnums, len(args))

        def of_selected(*values: Any) -> Any:
            supplied = list(args)
            for i, value in zip(selected, values, strict=True):
                supplied[i] = value
            return func(*supplied, **kwargs)

        run = _Recorded(of_selected, [args[i] for i in selected], has_aux, "grad")
        value = _single_output(run)
        ones = apply("ones_like", value.detach())
        # The tape is freed: unlike that of a pullback, it is used once.
        result = run.form.build(run.pulled_back([ones], retain=False))
        grads = result if isinstance(argnums, Sequence) else result[0]
        result_value = run.exported(value)
        return ((result_value, run.exported(run.aux)) if has_aux else result_value), grads

    return differentiated


def positions(argnums: Argnums, count: int) -> list[int]:
    """Return ``argnums`` as a list of non-negative positions."""
    selected = list(argnums) if isinstance(argnums, Sequence) else [argnums]
    for i in selected:
        if not -count <= i < count:
            raise ArgumentError(f"argnums={argnums!r} is outside the {count} arguments")
    return [i % count for i in selected]


def _single_output(run: _Recorded) -> NDArray:
    if len(run.outputs) != 1 or run.out_form.kind is not None:
        raise ArgumentError(
            f"grad: the function must return one number, but returned {len(run.outputs)} arrays; "
            "with has_aux=True it may return others in addition"
        )
    (value,) = run.outputs
    if value.size != 1:
        raise ShapeError(
            f"grad: the function must return one number, but returned an array {value.shape}; sum "
            "it, or compute the Jacobian with jacrev"
        )
    if not is_differentiable(value):
        raise AutogradError(
            f"grad: the function must return a floating number, but returned {value.dtype}"
        )
    return value


def grad(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradients of ``func``; see :func:`value_and_grad`.

    Returns:
        A function that returns gradients; with ``has_aux``, ``(gradients, aux)``.

    Example:
        >>> from hy_ndarray import nd
        >>> cube = lambda x: (x * x * x).sum()
        >>> slope = grad(cube)
        >>> curve = grad(lambda x: slope(x).sum())
        >>> slope(nd.array([2])).asscalar(), curve(nd.array([2])).asscalar()
        (np.float32(12.0), np.float32(12.0))
    """
    both = value_and_grad(func, argnums, has_aux=has_aux)

    @wraps(func)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        value, grads = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return differentiated
