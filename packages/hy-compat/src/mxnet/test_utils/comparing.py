"""Comparison of arrays, with the largest differences in error messages."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray import NDArray, nd
from hy_symbol import Symbol
from mxnet.test_utils.sparse_arrays import rand_ndarray
from mxnet.test_utils.tolerances import Tolerance, get_etol, get_tols

__all__ = [
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "assert_exception",
    "checkShapes",
    "compare_ndarray_tuple",
    "compare_optimizer",
    "locationError",
    "same",
    "same_array",
    "same_symbol_structure",
]

_Array = npt.NDArray[Any]


def _host(array: Any) -> _Array:
    return array.asnumpy() if isinstance(array, NDArray) else np.asarray(array)


def same(a: Any, b: Any) -> bool:
    """Return whether two arrays have the same shape and elements."""
    return np.array_equal(_host(a), _host(b))


def checkShapes(a: Any, b: Any) -> None:  # noqa: N802  # MXNet's name
    """Raise AssertionError unless two arrays have the same shape."""
    a, b = _host(a), _host(b)
    if a.shape != b.shape:
        raise AssertionError(
            f"\nItems are not equal: a.shape = {a.shape} and b.shape = {b.shape} are not equal\n"
            f" ACTUAL: {a!r}\n DESIRED: {b!r}"
        )


def almost_equal(
    a: Any,
    b: Any,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Return whether ``|a - b| <= atol + rtol * |b|`` for all elements.

    Args:
        a: ``[*S]``, an array or a number.
        b: ``[*S]``, or another shape that can be broadcast.
        rtol: Tolerance relative to ``b``; see :func:`~mxnet.test_utils.get_tols` if None.
        atol: Absolute tolerance; by dtype if None.
        equal_nan: Treat nan as equal to nan.
        use_broadcast: Allow different shapes that can be broadcast.

    Raises:
        AssertionError: Shapes differ, and ``use_broadcast`` is False.
    """
    a, b = _host(a), _host(b)
    if not use_broadcast:
        checkShapes(a, b)
    rtol, atol = get_tols(a, b, rtol, atol)
    return bool(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


def locationError(  # noqa: N802  # MXNet's name
    a: Any,
    b: Any,
    index: tuple[int, ...],
    names: Sequence[str],
    maxError: bool = False,  # noqa: N803  # MXNet's name
) -> str:
    """Return a text with an index, and both arrays' values at that index."""
    what = "maximum error" if maxError else "error"
    first, second = _host(a)[index], _host(b)[index]
    return f"Location of {what}: {index}, {names[0]}={first:.8f}, {names[1]}={second:.8f}"


class _Differences:
    """Differences beyond the tolerance between two arrays of the same shape."""

    def __init__(self, a: _Array, b: _Array, rtol: float, atol: float, equal_nan: bool) -> None:
        self.a, self.b = np.broadcast_arrays(a, b)
        self.rtol, self.atol = rtol, atol
        self.wrong = ~np.isclose(self.a, self.b, rtol=rtol, atol=atol, equal_nan=equal_nan)

    @property
    def part(self) -> float:
        """Return the share of elements that differ."""
        return float(self.wrong.mean()) if self.wrong.size else 0.0

    def worst(self) -> list[tuple[tuple[int, ...], float]]:
        """Return indices and errors relative to the tolerance, largest first."""
        indices = np.argwhere(self.wrong)
        # In float64, since a quotient by a small tolerance overflows in float16.
        wide = np.result_type(self.a, self.b, np.float64)
        a, b = self.a[self.wrong].astype(wide), self.b[self.wrong].astype(wide)
        with np.errstate(all="ignore"):
            errors = np.abs(a - b) / (self.atol + self.rtol * np.abs(b) + 1e-20)
        # A nan beside a number is the worst difference there is.
        order = np.argsort(-np.where(np.isnan(errors), np.inf, errors), kind="stable")
        return [(tuple(map(int, indices[i])), float(errors[i])) for i in order]

    def message(self, names: Sequence[str], shown: int) -> str:
        """Return an error message like MXNet's, with the largest errors and both arrays."""
        worst = self.worst()
        index, error = worst[0]
        first = locationError(self.a, self.b, index, names, maxError=True)
        part = f"(mismatch {100 * self.part:f}%)"
        lines = [
            "",
            "Items are not equal:",
            f"Error {error:f} exceeds tolerance rtol={self.rtol:e}, atol={self.atol:e} {part}.",
            first,
        ]
        for i, (index, error) in enumerate(worst[:shown], start=1):
            location = locationError(self.a, self.b, index, names)
            lines.append(f"{i:3d}: Error {error:f}  {location}")
        return "\n".join([*lines, f" ACTUAL: {self.a!r}", f" DESIRED: {self.b!r}"])


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: Sequence[int] = (10, 10),
) -> None:
    """Raise AssertionError with the largest differences unless arrays are almost equal.

    Args:
        a: Actual values, ``[*S]``.
        b: Expected values, ``[*S]``.
        rtol: Tolerance relative to ``b``; by dtype if None.
        atol: Absolute tolerance; by dtype if None.
        names: Names of both arrays in the message.
        equal_nan: Treat nan as equal to nan.
        use_broadcast: Allow different shapes that can be broadcast.
        mismatches: Pair whose first number is the maximum number of errors shown.

    Example:
        >>> assert_almost_equal(nd.array([1, 2]), np.array([1, 2.0001]))
    """
    assert_almost_equal_with_err(
        a,
        b,
        rtol,
        atol,
        0,
        names,
        equal_nan,
        mismatches,
        use_broadcast=use_broadcast,
    )


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    etol: float | None = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    mismatches: Sequence[int] = (10, 10),
    *,
    use_broadcast: bool = True,
) -> None:
    """Raise AssertionError unless arrays are almost equal, except for a share ``etol``."""
    a, b = _host(a), _host(b)
    if not use_broadcast:
        checkShapes(a, b)
    if a.dtype == np.bool_ and b.dtype == np.bool_:
        # NumPy subtracts no booleans, which tolerances would need.
        np.testing.assert_equal(a, b)
        return
    differences = _Differences(a, b, *get_tols(a, b, rtol, atol), equal_nan)
    if differences.part > get_etol(etol):
        raise AssertionError(differences.message(names, mismatches[0]))


def assert_allclose(
    a: Any, b: Any, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True
) -> None:
    """Raise AssertionError unless arrays agree within numpy's ``assert_allclose`` tolerances."""
    assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def assert_almost_equal_ignore_nan(
    a: Any,
    b: Any,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    names: Sequence[str] = ("a", "b"),
) -> None:
    """Raise AssertionError unless arrays are almost equal, except where either is nan."""
    a, b = np.copy(_host(a)), np.copy(_host(b))
    unknown = np.isnan(a) | np.isnan(b)
    a[unknown] = b[unknown] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def same_array(array1: NDArray, array2: NDArray) -> bool:
    """Return whether two arrays share memory, tested by writing to one."""
    if not same(array1, array2):
        return False
    # A write through one name shows in the other only where memory is shared; it is undone below.
    array1[:] = array1 + 1
    shared = same(array1, array2)
    array1[:] = array1 - 1
    return shared


def same_symbol_structure(sym1: Symbol, sym2: Symbol) -> bool:
    """Return whether two graphs have the same operators and connections, ignoring names.

    Example:
        >>> from hy_symbol import var
        >>> same_symbol_structure(var("a") + var("b"), var("c") + var("d"))
        True
    """

    def structure(symbol: Symbol) -> list[tuple[str, Any]]:
        nodes = json.loads(symbol.tojson())["nodes"]
        return [(node["op"], node["inputs"]) for node in nodes]

    return structure(sym1) == structure(sym2)


def compare_ndarray_tuple(
    t1: Any, t2: Any, rtol: Tolerance | None = None, atol: Tolerance | None = None
) -> None:
    """Raise AssertionError unless the arrays of two nested tuples are almost equal."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for first, second in zip(t1, t2, strict=True):
            compare_ndarray_tuple(first, second, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def assert_exception(
    f: Callable[..., Any],
    exception_type: type[BaseException],
    *args: Any,
    **kwargs: Any,
) -> None:
    """Raise AssertionError unless a call raises an exception of ``exception_type``."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{f} did not raise {exception_type.__name__}")


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: npt.DTypeLike,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    compare_states: bool = True,
    ntensors: int = 1,  # noqa: ARG001  # shapes tell it
) -> None:
    """Raise AssertionError unless two optimizers compute equal weights and states in a step.

    Args:
        opt1: An optimizer.
        opt2: Another optimizer.
        shape: Shape of the weight, or a list of shapes for several weights.
        dtype: Dtype of weights and gradients.
        w_stype: Storage type of the weights.
        g_stype: Storage type of the gradients.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        compare_states: Whether to compare also states before and after the step.
        ntensors: Has no effect: the number of weights follows from ``shape``.

    Raises:
        AssertionError: The results differ.
    """
    alone = all(isinstance(size, int | np.integer) for size in shape)
    shapes = [shape] if alone else list(shape)
    weights = [rand_ndarray(each, w_stype, dtype=dtype) for each in shapes]
    grads = [rand_ndarray(each, g_stype, dtype=dtype) for each in shapes]
    results = []
    for optimizer in (opt1, opt2):
        mine = [weight.copy() for weight in weights]
        states = [optimizer.create_state_multi_precision(i, w) for i, w in enumerate(mine)]
        before = tuple(_copied(state) for state in states)
        # Optimizers may write over gradients, so that each gets its own.
        copies = [grad.copy() for grad in grads]
        if alone:
            optimizer.update_multi_precision(0, mine[0], copies[0], states[0])
        else:
            optimizer.update_multi_precision(list(range(len(mine))), mine, copies, states)
        results.append((tuple(mine), before, tuple(_copied(state) for state in states)))
    first, second = results
    if compare_states:
        compare_ndarray_tuple(first[1:], second[1:], rtol, atol)
    compare_ndarray_tuple(first[0], second[0], rtol, atol)


def _copied(state: Any) -> Any:
    if isinstance(state, list | tuple):
        return tuple(_copied(each) for each in state)
    return None if state is None else nd.array(_host(state), dtype=state.dtype)
