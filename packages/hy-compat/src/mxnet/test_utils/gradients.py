"""Comparison of a graph's results and gradients with expected ones, and numerical gradients."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import ArgumentError, Context, NDArray, nd
from hy_symbol import Executor, Symbol, sym as operators, var
from mxnet.test_utils.comparing import assert_almost_equal
from mxnet.test_utils.tolerances import (
    Tolerance,
    default_context,
    default_numeric_eps,
    get_tolerance,
)

__all__ = [
    "check_numeric_gradient",
    "check_speed",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "numeric_grad",
    "simple_forward",
]

_Array = npt.NDArray[Any]
Arrays: TypeAlias = Mapping[str, Any] | Sequence[Any]
"""Arrays by name, or in the order of the names."""

_FLOATS = (np.float16, np.float32, np.float64)


def _named(what: str, names: Sequence[str], arrays: Arrays | None) -> dict[str, Any]:
    """Return arrays by name, from a dictionary or a list (which may be longer than the names).

    Raises:
        ArgumentError: Names do not match those of the graph, or there are too few arrays.
    """
    if arrays is None:
        return {}
    if isinstance(arrays, Mapping):
        if set(arrays) != set(names):
            raise ArgumentNameError(
                f"Symbol arguments and keys of the given {what} do not match: the symbol has "
                f"{sorted(names)}, {what} {sorted(arrays)}"
            )
        return {name: arrays[name] for name in names}
    if len(arrays) < len(names):
        raise ArgumentNameError(
            f"{what} has {len(arrays)} arrays, the symbol {len(names)}: {', '.join(names)}"
        )
    return dict(zip(names, arrays, strict=False))


class ArgumentNameError(ArgumentError, ValueError):
    """Names of arrays do not match those of a graph."""


def _array_of(value: Any, ctx: Context, dtype: npt.DTypeLike | None) -> NDArray:
    """Return a value as an array on ``ctx`` with ``dtype``.

    An NDArray keeps its dtype; so do other values if ``dtype`` is None or ``"asnumpy"``, which
    programs for MXNet pass.
    """
    if isinstance(value, NDArray):
        return value.as_in_context(ctx)
    own = np.asarray(value)
    keeps_dtype = dtype is None or (isinstance(dtype, str) and dtype == "asnumpy")
    return nd.array(own, ctx=ctx, dtype=own.dtype if keeps_dtype else dtype)


def arrays_by_name(
    what: str,
    names: Sequence[str],
    arrays: Arrays | None,
    ctx: Context,
    dtype: npt.DTypeLike | None,
) -> dict[str, NDArray]:
    """Return arrays by name, as :func:`_named`, on ``ctx`` with ``dtype``."""
    named = _named(what, names, arrays)
    return {name: _array_of(value, ctx, dtype) for name, value in named.items()}


def simple_forward(
    sym: Symbol, ctx: Context | None = None, is_train: bool = False, **inputs: Any
) -> _Array | list[_Array]:
    """Return a graph's results as numpy arrays, from numpy arrays by name.

    Example:
        >>> simple_forward(2 * var("a"), a=np.array([1.0, 2.0]))
        array([2., 4.], dtype=float32)
    """
    ctx = ctx or default_context()
    arrays = {name: _array_of(value, ctx, np.float32) for name, value in inputs.items()}
    executor = sym.bind(ctx, args=arrays)
    executor.forward(is_train=is_train)
    outputs = [output.asnumpy() for output in executor.outputs]
    return outputs[0] if len(outputs) == 1 else outputs


def check_symbolic_forward(
    sym: Symbol,
    location: Arrays,
    expected: Arrays,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    aux_states: Arrays | None = None,
    ctx: Context | None = None,
    equal_nan: bool = False,
    dtype: npt.DTypeLike | None = np.float32,
) -> list[NDArray]:
    """Raise AssertionError unless a graph computes the expected results; return the results.

    Args:
        sym: The graph.
        location: Arguments of the graph.
        expected: Expected results, by name of output or in order.
        rtol: Relative tolerance; by dtype if None.
        atol: Absolute tolerance; by dtype if None.
        aux_states: Auxiliary states of the graph.
        ctx: Context of the computation; the default context if None.
        equal_nan: Treat nan as equal to nan.
        dtype: Dtype of arguments other than NDArrays; unchanged if None or ``"asnumpy"``.

    Returns:
        The results.

    Raises:
        AssertionError: The results differ.

    Example:
        >>> check_symbolic_forward(2 * var("a"), [np.ones(2)], [np.array([2, 2])])[0].shape
        (2,)
    """
    ctx = ctx or default_context()
    args = arrays_by_name("location", sym.list_arguments(), location, ctx, dtype)
    aux = arrays_by_name("aux_states", sym.list_auxiliary_states(), aux_states, ctx, dtype)
    executor = sym.bind(
        ctx,
        args=args,
        args_grad={k: nd.empty(v.shape, ctx=ctx, dtype=v.dtype) for k, v in args.items()},
        aux_states=aux,
    )
    executor.forward()
    wanted = _named("expected", sym.list_outputs(), expected)
    for (name, right), output in zip(wanted.items(), executor.outputs, strict=True):
        names = (f"EXPECTED_{name}", f"FORWARD_{name}")
        assert_almost_equal(right, output, rtol, atol, names, equal_nan)
    return executor.outputs


def check_symbolic_backward(
    sym: Symbol,
    location: Arrays,
    out_grads: Arrays | None,
    expected: Arrays,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    aux_states: Arrays | None = None,
    grad_req: str | Sequence[str] | Mapping[str, str] = "write",
    ctx: Context | None = None,
    grad_stypes: Mapping[str, str] | None = None,
    equal_nan: bool = False,
    dtype: npt.DTypeLike | None = np.float32,
) -> dict[str, NDArray]:
    """Raise AssertionError unless a graph's gradients are as expected; return the gradients.

    Args:
        sym: The graph.
        location: Arguments of the graph.
        out_grads: Gradients of the results, by name of output or in order.
        expected: Expected gradients of arguments, by name or in order; others are not compared.
        rtol: Relative tolerance; by dtype if None.
        atol: Absolute tolerance; by dtype if None.
        aux_states: Auxiliary states of the graph.
        grad_req: ``"write"``, ``"add"`` (to random values) or ``"null"``: one for all, or for each.
        ctx: Context of the computation; the default context if None.
        grad_stypes: Storage type of gradients by name; dense by default.
        equal_nan: Treat nan as equal to nan.
        dtype: Dtype of values other than NDArrays; unchanged if None or ``"asnumpy"``.

    Returns:
        The gradients that were compared, by name.

    Raises:
        AssertionError: The results differ.
    """
    ctx = ctx or default_context()
    names = sym.list_arguments()
    args = arrays_by_name("location", names, location, ctx, dtype)
    aux = arrays_by_name("aux_states", sym.list_auxiliary_states(), aux_states, ctx, dtype)
    wanted = _expected(names, expected)
    requests = _requests(names, grad_req)
    # Random gradients are there before: they tell whether a request writes, adds, or leaves alone.
    before = {
        name: nd.random.normal(shape=args[name].shape, ctx=ctx).astype(args[name].dtype)
        for name in wanted
    }
    grads = {name: _copy_stored_as(value, grad_stypes, name) for name, value in before.items()}
    executor = sym.bind(ctx, args=args, args_grad=grads, aux_states=aux, grad_req=requests)
    executor.forward(is_train=True)
    heads = None
    if out_grads is not None:
        heads = list(
            arrays_by_name("out_grads", sym.list_outputs(), out_grads, ctx, dtype).values()
        )
    executor.backward(heads)
    for name, right in wanted.items():
        host = right.asnumpy() if isinstance(right, NDArray) else np.asarray(right)
        if requests[name] == "add":
            host = host + before[name].asnumpy()
        elif requests[name] == "null":
            host = before[name].asnumpy()
        labels = (f"EXPECTED_{name}", f"BACKWARD_{name}")
        assert_almost_equal(host, grads[name], rtol, atol, labels, equal_nan)
    return grads


def _expected(names: Sequence[str], expected: Arrays) -> dict[str, Any]:
    if isinstance(expected, Mapping):
        unknown = sorted(set(expected) - set(names))
        if unknown:
            raise ArgumentNameError(
                f"expected: {unknown} are not arguments of the symbol: {', '.join(names)}"
            )
        return dict(expected)
    return dict(zip(names, expected, strict=False))


def _requests(
    names: Sequence[str], grad_req: str | Sequence[str] | Mapping[str, str]
) -> dict[str, str]:
    if isinstance(grad_req, str):
        return dict.fromkeys(names, grad_req)
    if isinstance(grad_req, Mapping):
        return {name: grad_req.get(name, "null") for name in names}
    return dict.fromkeys(names, "null") | dict(zip(names, grad_req, strict=False))


def _copy_stored_as(array: NDArray, stypes: Mapping[str, str] | None, name: str) -> NDArray:
    """Return a copy of an array, in the storage type for its name."""
    return array.tostype((stypes or {}).get(name) or "default")


def numeric_grad(
    executor: Executor,
    location: Mapping[str, Any],
    aux_states: Mapping[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: npt.DTypeLike | None = np.float32,
) -> dict[str, _Array]:
    """Return gradients of the sum of an executor's first result, by central differences.

    Args:
        executor: Executor of the graph; its arguments are restored at the end.
        location: Values of the arguments to differentiate by, as arrays by name.
        aux_states: Auxiliary states, set before each run.
        eps: Step size; half of it is added and subtracted.
        use_forward_train: Run in training mode.
        dtype: Dtype of the results.

    Returns:
        ``[*S]`` arrays by name; zeros for arguments that are not floating.
    """
    values = {name: _host(value) for name, value in location.items()}
    for name, value in values.items():
        executor.arg_dict[name][:] = value

    def result(name: str, moved: _Array) -> _Array:
        executor.arg_dict[name][:] = moved
        # A pass in training mode changes moving statistics; each difference starts from the same
        # ones.
        for key, state in (aux_states or {}).items():
            executor.aux_dict[key][:] = _host(state)
        executor.forward(is_train=use_forward_train)
        return executor.outputs[0].asnumpy().astype(np.float64)

    grads = {}
    for name, value in values.items():
        grad = np.zeros(value.shape, dtype)
        if value.dtype.kind == "f":
            for index in np.ndindex(value.shape):
                moved = np.array(value)
                moved[index] = value[index] + eps / 2
                above = result(name, moved)
                moved[index] = value[index] - eps / 2
                grad[index] = (above - result(name, moved)).sum() / eps
            executor.arg_dict[name][:] = value
        grads[name] = grad
    return grads


def _host(value: Any) -> _Array:
    return value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)


def check_numeric_gradient(
    sym: Symbol,
    location: Arrays,
    aux_states: Arrays | None = None,
    numeric_eps: float | None = None,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    grad_nodes: Sequence[str] | Mapping[str, str] | None = None,
    use_forward_train: bool = True,
    ctx: Context | None = None,
    grad_stype_dict: Mapping[str, str] | None = None,
    dtype: npt.DTypeLike | None = np.float32,
) -> None:
    """Raise AssertionError unless a graph's gradients agree with central differences.

    The sum of the result times random numbers is differentiated, so that every element counts.

    Args:
        sym: The graph, with one result.
        location: Arguments of the graph.
        aux_states: Auxiliary states of the graph.
        numeric_eps: Step size; by dtype if None.
        rtol: Relative tolerance; by dtype if None.
        atol: Absolute tolerance; by dtype if None.
        grad_nodes: Names of the arguments to check, or gradient requests by name; all if None.
        use_forward_train: Compute differences in training mode.
        ctx: Context of the computation; the default context if None.
        grad_stype_dict: Storage type of gradients by name; dense by default.
        dtype: Dtype of arguments other than NDArrays: float16, float32 or float64.

    Raises:
        AssertionError: The results differ.

    Example:
        >>> check_numeric_gradient(operators.sin(var("a")), [np.array([0.3, 0.4])])
    """
    if np.dtype(dtype) not in map(np.dtype, _FLOATS):
        raise ArgumentError(f"check_numeric_gradient: dtype={dtype} is not floating")
    ctx = ctx or default_context()
    names = sym.list_arguments()
    args = arrays_by_name("location", names, location, ctx, dtype)
    aux = arrays_by_name("aux_states", sym.list_auxiliary_states(), aux_states, ctx, dtype)
    requests = _grad_requests(names if grad_nodes is None else grad_nodes)

    _, shapes, _ = sym.infer_shape(**{name: value.shape for name, value in args.items()})
    if shapes is None or len(shapes) != 1:
        raise ArgumentNameError(
            f"check_numeric_gradient: the symbol has {len(sym.list_outputs())} outputs, not one"
        )
    # A plain sum is blind: that of a softmax is 1 whatever goes in. The 0.1 keeps each weight off
    # zero.
    weights = np.random.random_sample(shapes[0]) + 0.1
    weighted = operators.make_loss(sym * var("__random_proj"))
    args["__random_proj"] = nd.array(weights, ctx=ctx, dtype=dtype)

    grads = {}
    for name in requests:
        drawn = nd.random.normal(shape=args[name].shape, ctx=ctx).astype(args[name].dtype)
        grads[name] = _copy_stored_as(drawn, grad_stype_dict, name)
    before = {name: value.asnumpy() for name, value in grads.items()}
    executor = weighted.bind(
        ctx,
        args={name: value.copy() for name, value in args.items()},
        args_grad=grads,
        grad_req={**dict.fromkeys(args, "null"), **requests},
        aux_states={name: value.copy() for name, value in aux.items()},
    )
    executor.forward(is_train=True)
    executor.backward()
    symbolic = {name: value.asnumpy() for name, value in grads.items()}

    eps = get_tolerance(np.empty(0, dtype), numeric_eps, default_numeric_eps())
    checked = {name: args[name] for name in requests}
    numeric = numeric_grad(executor, checked, aux, eps, use_forward_train, dtype)
    for name, request in requests.items():
        gradient = symbolic[name]
        labels = (f"NUMERICAL_{name}", f"BACKWARD_{name}")
        if request == "add":
            gradient = gradient - before[name]
        elif request == "null":
            numeric[name] = before[name]
        assert_almost_equal(numeric[name], gradient, rtol, atol, labels)


def _grad_requests(nodes: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return gradient requests by argument; ``"write"`` for names without a request."""
    if not isinstance(nodes, Mapping | Sequence):
        raise ArgumentNameError(f"grad_nodes must be names, or requests by name, not {nodes!r}")
    requests = dict(nodes) if isinstance(nodes, Mapping) else dict.fromkeys(nodes, "write")
    for name, request in requests.items():
        if request not in ("write", "add", "null"):
            raise ArgumentError(f"Invalid grad_req {request} for argument {name}")
    return requests


def check_speed(
    sym: Symbol,
    location: Mapping[str, Any] | None = None,
    ctx: Context | None = None,
    N: int = 20,  # noqa: N803  # MXNet's name
    grad_req: str | None = None,
    typ: str = "whole",
    **kwargs: Sequence[int],
) -> float:
    """Return the mean time of a run of a graph, in seconds.

    Args:
        sym: The graph.
        location: Arguments by name; random arrays of the shapes in ``kwargs`` if None.
        ctx: Context of the computation; the default context if None.
        N: Number of timed runs, after one that is not timed.
        grad_req: Request of all gradients; ``"write"`` if None.
        typ: ``"whole"`` (forward and backward) or ``"forward"``.
        kwargs: Shapes by name.
    """
    if typ not in ("whole", "forward"):
        raise ArgumentNameError(f'typ can only be "whole" or "forward", not {typ!r}')
    if location is not None and not isinstance(location, Mapping):
        raise ArgumentError(f'Expect dict, get "location"={location!r}')
    ctx = ctx or default_context()
    shapes = {k: np.shape(v) for k, v in location.items()} if location is not None else kwargs
    executor = sym.simple_bind(ctx, grad_req=grad_req or "write", **shapes)
    for name, array in executor.arg_dict.items():
        values = np.random.normal(size=array.shape) if location is None else location.get(name, 0)
        array[:] = _host(values)

    def run() -> None:
        executor.forward(is_train=typ == "whole")
        if typ == "whole":
            executor.backward(executor.outputs)
        # Kernels of asynchronous devices belong to the measured time.
        nd.waitall()

    # The first run traces and compiles, and is not timed.
    run()
    start = time.perf_counter()
    for _ in range(N):
        run()
    return (time.perf_counter() - start) / N
