"""Jacobians, by reverse or forward mode, and Hessians."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Literal

from hy_ndarray._errors import ArgumentError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.transforms._calls import apply, in_class_of, reshaped
from hy_ndarray.transforms._trees import flatten, only_arrays
from hy_ndarray.transforms.jvp import jvp
from hy_ndarray.transforms.reverse import Argnums, positions, vjp
from hy_ndarray.transforms.vmap import vmap

__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]


def _basis(arrays: Sequence[NDArray]) -> list[NDArray]:
    """Return the unit vectors of the joint space of arrays, ``[elements, *shape]`` for each."""
    # Each array gets its own columns of the identity matrix over all elements.
    total = sum(x.size for x in arrays)
    computed: list[NDArray] = []
    start = 0
    for x in arrays:
        dtype = x._device.memory.dtype(x._data)
        with x.context:
            part = apply("_npi_eye", N=total, M=x.size, k=-start, dtype=dtype)
        vectors = reshaped(part, (total, *x.shape))
        computed.append(type(x).from_buffer(vectors._data, vectors._device))
        start += x.size
    return computed


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of ``func`` by reverse mode.

    A batched backward pass computes all rows; efficient for few results and many arguments.

    Args:
        func: Function of arrays or trees of them.
        argnums: Position of the argument to differentiate by, or several positions.
        has_aux: Whether ``func`` returns ``(result, aux)``, where ``aux`` is not differentiated;
            the new function then returns ``(jacobian, aux)``.
        chunk_size: Maximal number of rows computed at once; a smaller one takes less memory.

    Returns:
        A function that returns, for each array ``[*Y]`` in the result, a tree like the argument
        with an array ``[*Y, *X]`` for each array ``[*X]``; a tuple of trees if ``argnums`` is one.

    Example:
        >>> from hy_ndarray import nd
        >>> jacrev(lambda x: x * x)(nd.array([1, 2])).asnumpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)
    """

    @wraps(func)
    def of(*args: Any, **kwargs: Any) -> Any:
        selected, run = _of_selected(func, argnums, args, kwargs)
        computed = vjp(run, *(args[i] for i in selected), has_aux=has_aux)
        outputs, out_form = flatten(computed[0])
        arrays = only_arrays(outputs, "jacrev: a result of the function")
        # One backward pass with all unit vectors as a batch, not one pass for each element.
        rows = vmap(lambda *dys: computed[1](out_form.build(dys)), chunk_size=chunk_size)(
            *_basis(arrays)
        )
        leaves, form = flatten(rows)
        parts: list[Any] = []
        start = 0
        for y in arrays:
            own = [_rows_of_output(x, start, y) for x in leaves]
            built = form.build(own)
            parts.append(built if isinstance(argnums, Sequence) else built[0])
            start += y.size
        result = out_form.build(parts)
        return (result, computed[2]) if has_aux else result

    return of


def _of_selected(
    func: Callable[..., Any], argnums: Argnums, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[int], Callable[..., Any]]:
    """Return the positions in ``argnums``, and ``func`` as a function of those arguments only."""
    selected = positions(argnums, len(args))

    def run(*values: Any) -> Any:
        supplied = list(args)
        for i, value in zip(selected, values, strict=True):
            supplied[i] = value
        return func(*supplied, **kwargs)

    return selected, run


def _rows_of_output(rows: NDArray, start: int, output: NDArray) -> NDArray:
    """Return the Jacobian rows of one output, from ``start`` on, as ``[*output, *argument]``."""
    part = apply("slice_axis", rows, axis=0, begin=start, end=start + output.size)
    return in_class_of(rows, reshaped(part, (*output.shape, *rows.shape[1:])))


def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    randomness: Literal["error", "same", "different"] = "error",
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of ``func`` by forward mode.

    One batched call of ``func`` computes all columns; efficient for few arguments and many results.

    Args:
        func: As for :func:`jacrev`.
        argnums: As for :func:`jacrev`.
        has_aux: As for :func:`jacrev`.
        chunk_size: Maximal number of columns computed at once.
        randomness: As for :func:`vmap`, for the random numbers that the columns draw.

    Returns:
        A function whose result has the structure described for :func:`jacrev`.

    Example:
        >>> from hy_ndarray import nd
        >>> jacfwd(lambda x: x * x)(nd.array([1, 2])).asnumpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)
    """

    @wraps(func)
    def of(*args: Any, **kwargs: Any) -> Any:
        selected, run = _of_selected(func, argnums, args, kwargs)
        primals = tuple(args[i] for i in selected)
        leaves, form = flatten(primals)
        arrays = only_arrays(leaves, "jacfwd: an argument")

        def columns(*tangents: NDArray) -> Any:
            computed = jvp(run, primals, form.build(tangents), has_aux=has_aux)
            return computed[1:]

        results = vmap(columns, out_axes=(-1, None) if has_aux else -1, randomness=randomness,
                       chunk_size=chunk_size)(*_basis(arrays))  # fmt: skip
        outputs, out_form = flatten(results[0])
        parts: list[Any] = []
        for y in outputs:
            own: list[Any] = []
            start = 0
            for x in arrays:
                part = apply("slice_axis", y, axis=y.ndim - 1, begin=start, end=start + x.size)
                own.append(in_class_of(y, reshaped(part, (*y.shape[:-1], *x.shape))))
                start += x.size
            built = form.build(own)
            parts.append(built if isinstance(argnums, Sequence) else built[0])
        result = out_form.build(parts)
        return (result, results[1]) if has_aux else result

    return of


def jacobian(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    mode: Literal["reverse", "forward"] = "reverse",
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of ``func`` by reverse or forward mode.

    Args:
        func: As for :func:`jacrev`.
        argnums: As for :func:`jacrev`.
        mode: ``"reverse"``, as :func:`jacrev`, or ``"forward"``, as :func:`jacfwd`.
        has_aux: As for :func:`jacrev`.
        chunk_size: As for :func:`jacrev`.

    Raises:
        ArgumentError: ``mode`` is neither of these.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([1, 2])
        >>> jacobian(nd.sum, mode="forward")(x).shape, jacobian(nd.square)(x).shape
        ((1, 2), (2, 2))
    """
    modes = {"reverse": jacrev, "forward": jacfwd}
    if mode not in modes:
        raise ArgumentError(f"jacobian: mode={mode!r} is not one of {tuple(modes)}")
    return modes[mode](func, argnums, has_aux=has_aux, chunk_size=chunk_size)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that computes the Hessian of ``func``, by forward over reverse mode.

    Args:
        func: Function whose result is an array, usually a scalar.
        argnums: Position of the argument to differentiate by, or several positions.

    Returns:
        A function that returns, for a result ``[*Y]`` and an argument ``[*X]``, an array
        ``[*Y, *X, *X]``; trees of such arrays nested as by :func:`jacrev` applied twice.

    Example:
        >>> from hy_ndarray import np
        >>> hessian(lambda x: (x * x * x).sum())(np.array([1.0, 2.0]))
        array([[ 6.,  0.],
               [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
