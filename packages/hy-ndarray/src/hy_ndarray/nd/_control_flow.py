"""Control flow on arrays as plain Python loops and branches; ``sym.contrib`` traces graphs."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError, IndexingError
from hy_ndarray.array._functions import function_named
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core.casting import cast_states, casting_policy
from hy_ndarray.nd.nested import Form, flattened, regrouped, steps


def foreach(
    body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any
) -> tuple[Any, Any]:
    """Loop over the slices of arrays along the first axis, with states carried between steps.

    Args:
        body: Function ``(slices, states)`` that returns ``(outputs, states)``.
        data: An array, or a nested list of arrays with the same size along the first axis.
        init_states: The initial states, an array or a nested list of arrays.

    Returns:
        The outputs of all steps, stacked along a new first axis, and the final states, nested as
        the body returned them.

    Raises:
        ArgumentError: ``data`` or a result of the body is not a nested list of arrays, there are
            no slices, or an array has more slices than the first.
        IndexingError: There are no arrays, an array has fewer slices than the first, or the number
            of outputs differs between steps.

    Example:
        >>> from hy_ndarray import nd
        >>> sums, last = foreach(lambda x, s: (x + s, x + s), nd.array([1, 2, 3]), nd.array([0]))
        >>> sums.asnumpy().tolist(), last.asscalar()
        ([[1.0], [3.0], [6.0]], np.float32(6.0))
    """
    arrays, form = flattened(data, NDArray, "foreach: data")
    counts = [array.shape[0] for array in arrays]
    if not counts or min(counts) < counts[0] or counts[0] == 0 or max(counts) > counts[0]:
        kind = IndexingError if not counts or min(counts) < counts[0] else ArgumentError
        raise kind(
            "foreach: all inputs in data must have the same number of slices, at least 1, got "
            f"{counts}"
        )
    flattened(init_states, NDArray, "foreach: init_states")
    states = _checked_states(init_states, "foreach: init_states")
    rows: list[list[NDArray]] = []
    out_form: Form = None
    for i in range(counts[0]):
        outputs, states = body(regrouped(form, [array[i] for array in arrays]), states)
        row, out_form = flattened(outputs, NDArray, "foreach: outputs")
        rows.append(row)
        states = _checked_states(states, "foreach: states")
    return regrouped(out_form, _stacked("foreach", rows)), states


def _checked_states(states: Any, what: str) -> Any:
    """Return loop states, cast to one dtype for all steps if a casting policy is in force."""
    if casting_policy() is None:
        return states
    arrays, form = flattened(states, NDArray, what)
    return regrouped(form, cast_states(arrays))


def _stacked(what: str, rows: Sequence[Sequence[NDArray]]) -> list[Any]:
    counts = {len(row) for row in rows}
    if len(counts) > 1:
        raise IndexingError(
            f"{what}: every step must return the same number of outputs, got {sorted(counts)}"
        )
    stack = function_named("stack")
    return [stack(*column, axis=0) for column in zip(*rows, strict=True)]


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., tuple[Any, Any]],
    loop_vars: Any,
    max_iterations: int | None = None,
) -> tuple[Any, Any]:
    """Call a function repeatedly on its own results while a condition holds.

    Args:
        cond: Function of ``*loop_vars`` that returns whether to continue.
        func: Function of ``*loop_vars`` that returns ``(outputs, loop_vars)``. Outputs may be None;
            a single variable need not be in a list.
        loop_vars: The initial variables, an array or a list of arrays.
        max_iterations: The maximal number of steps.

    Returns:
        The outputs of all steps, stacked along a new first axis of size ``max_iterations`` and
        padded with zeros (an empty list if there was no step), and the final ``loop_vars``.

    Raises:
        ArgumentError: ``max_iterations`` is missing, ``loop_vars`` is empty, or the function
            returns a different number of variables.
        IndexingError: The number of outputs differs between steps.

    Example:
        >>> from hy_ndarray import nd
        >>> steps, last = while_loop(lambda i: i < 3, lambda i: (i * 2, i + 1), nd.array([1]), 4)
        >>> steps.asnumpy().ravel(), last.asscalar()
        (array([2., 4., 0., 0.], dtype=float32), np.float32(3.0))
    """
    max_steps = steps(max_iterations)
    variables, form = flattened(loop_vars, NDArray, "while_loop: loop_vars")
    if not variables:
        raise ArgumentError("while_loop: loop_vars is empty; pass at least one")
    loop_vars = _checked_states(loop_vars, "while_loop: loop_vars")
    rows: list[list[NDArray]] = []
    out_form: Form = []
    while len(rows) < max_steps and _is_true(cond(*_arguments(loop_vars))):
        outputs, returned = func(*_arguments(loop_vars))
        new_states, _ = flattened(returned, NDArray, "while_loop: loop_vars")
        if len(new_states) != len(variables):
            raise ArgumentError(
                "while_loop: func must return as many new states as there are loop_vars "
                f"({len(variables)}), got {len(new_states)}"
            )
        loop_vars = regrouped(form, cast_states(new_states))
        row, out_form = flattened(
            [] if outputs is None else outputs, NDArray, "while_loop: outputs"
        )
        rows.append(row)
    if rows:
        zeros = [function_named("zeros_like")(array) for array in rows[0]]
        rows += [zeros] * (max_steps - len(rows))
    return regrouped(out_form, _stacked("while_loop", rows)), loop_vars


def _arguments(loop_vars: Any) -> Sequence[Any]:
    return [loop_vars] if isinstance(loop_vars, NDArray) else loop_vars


def _is_true(value: Any) -> bool:
    """Return whether a condition is true; an array must have one element."""
    return bool(value.asscalar() if type(value) is NDArray else value)


def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any:
    """Call ``then_func`` if a predicate is true, else ``else_func``; return the result.

    Args:
        pred: An array of one element, which is true if not 0; or a function that returns one.
        then_func: The function for a true predicate.
        else_func: The function for a false predicate.

    Example:
        >>> from hy_ndarray import nd
        >>> a = nd.array([3])
        >>> cond(a > 2, lambda: a * 10, lambda: a).asscalar()
        np.float32(30.0)
    """
    predicate = pred() if callable(pred) else pred
    return _checked_states(then_func() if _is_true(predicate) else else_func(), "cond: a branch")
