"""Tests that graphs agree between devices and dtypes, and blocks with and without hybridize."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon import HybridBlock
from hy_ndarray import ArgumentError, NDArray, autograd
from hy_symbol import Executor, Symbol
from mxnet.test_utils.comparing import assert_almost_equal
from mxnet.test_utils.tolerances import Tolerance, effective_dtype, get_tols

__all__ = ["check_consistency", "check_gluon_hybridize_consistency"]

_log = logging.getLogger(__name__)


def _executors(
    sym: Symbol | Sequence[Symbol], ctx_list: Sequence[Mapping[str, Any]], grad_req: Any
) -> list[Executor]:
    symbols = [sym] * len(ctx_list) if isinstance(sym, Symbol) else list(sym)
    if len(ctx_list) < 2 or len(symbols) != len(ctx_list):  # noqa: PLR2004  # one has nothing to equal
        raise ArgumentError(
            f"check_consistency: {len(symbols)} symbols and {len(ctx_list)} contexts; it compares "
            "two or more, as many symbols as contexts"
        )
    for other in symbols[1:]:
        for names in (Symbol.list_arguments, Symbol.list_outputs):
            if names(other) != names(symbols[0]):
                raise ArgumentError(
                    f"check_consistency: {names.__name__} gives {names(other)} for one symbol and "
                    f"{names(symbols[0])} for another"
                )
    return [
        each.simple_bind(grad_req=grad_req, **settings)
        for each, settings in zip(symbols, ctx_list, strict=True)
    ]


def _exactness(executor: Executor) -> int:
    """Return the itemsize of the narrowest output dtype, as a measure of precision."""
    return min((np.dtype(out.dtype).itemsize for out in executor.outputs), default=0)


def check_consistency(
    sym: Symbol | Sequence[Symbol],
    ctx_list: Sequence[Mapping[str, Any]],
    scale: float = 1.0,
    grad_req: str | Mapping[str, str] = "write",
    arg_params: Mapping[str, Any] | None = None,
    aux_params: Mapping[str, Any] | None = None,
    rtol: Tolerance | None = None,
    atol: Tolerance | None = None,
    raise_on_err: bool = True,
    ground_truth: Mapping[str, NDArray] | None = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: npt.DTypeLike = np.float64,
) -> dict[str, NDArray]:
    """Raise AssertionError unless a graph's results and gradients agree in several runs.

    Args:
        sym: The graph, or a graph for each element of ``ctx_list``, with equal arguments.
        ctx_list: For each run: ``ctx``, shapes by name, and ``type_dict`` (dtypes by name).
        scale: Standard deviation, or bound, of random arguments.
        grad_req: Requests for gradients; with ``"null"`` gradients are not compared.
        arg_params: Arguments by name; random ones for the rest.
        aux_params: Auxiliary states by name; zeros for the rest.
        rtol: Relative tolerance; by dtype if None.
        atol: Absolute tolerance; by dtype if None.
        raise_on_err: Whether to raise an error for differences, or to log them.
        ground_truth: Expected results and gradients; those of the most precise run if None.
        equal_nan: Treat nan as equal to nan.
        use_uniform: Draw arguments from a uniform instead of a normal distribution.
        rand_type: Dtype of drawn arguments.

    Returns:
        The expected results and gradients.

    Raises:
        AssertionError: The results differ.
    """
    executors = _executors(sym, ctx_list, grad_req)
    # Drawn once, and cast for each run, so that all see the same numbers as far as their dtypes
    # can.
    values = _random_arrays(executors[0], scale, arg_params, use_uniform, np.dtype(rand_type))
    for executor in executors:
        for name, array in executor.arg_dict.items():
            array[:] = values[name].astype(array.dtype)
        for name, array in executor.aux_dict.items():
            array[:] = np.asarray((aux_params or {}).get(name, 0))
        executor.forward(is_train=False)
    # The most exact run is the reference; the last of equal ones.
    best = max(range(len(executors)), key=lambda i: (_exactness(executors[i]), i))
    compare = _Comparison(rtol, atol, equal_nan, raise_on_err)

    truth = dict(ground_truth or executors[best].output_dict)
    for i, executor in enumerate(executors):
        compare(executor.output_dict, truth, f"Predict Err: run {i} against run {best}")
    if grad_req == "null":
        return truth
    for executor in executors:
        executor.forward(is_train=True)
        # All go backward from the reference's outputs, so that only the backward passes differ.
        heads = zip(executors[best].outputs, executor.outputs, strict=True)
        executor.backward([head.as_in_context(own.ctx).astype(own.dtype) for head, own in heads])
    results = [_results(executor) for executor in executors]
    truth = dict(ground_truth or results[best])
    for i, result in enumerate(results):
        compare(result, truth, f"Train Err: run {i} against run {best}")
    return truth


def _random_arrays(
    executor: Executor,
    scale: float,
    params: Mapping[str, Any] | None,
    use_uniform: bool,
    dtype: np.dtype[Any],
) -> dict[str, npt.NDArray[Any]]:
    drawn = {}
    for name, array in executor.arg_dict.items():
        if params is not None and name in params:
            value = params[name]
            drawn[name] = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
        elif use_uniform:
            drawn[name] = np.random.uniform(-0.92 * scale, 0.92 * scale, array.shape).astype(dtype)
        else:
            drawn[name] = np.random.normal(0, scale, array.shape).astype(dtype)
    return drawn


def _results(executor: Executor) -> dict[str, NDArray]:
    grads = {name: grad for name, grad in executor.grad_dict.items() if grad is not None}
    return {**executor.output_dict, **grads}


class _Comparison:
    def __init__(
        self,
        rtol: Tolerance | None,
        atol: Tolerance | None,
        equal_nan: bool,
        raises: bool,
    ) -> None:
        self._tolerances = rtol, atol
        self._equal_nan = equal_nan
        self._raises = raises

    def __call__(
        self, arrays: Mapping[str, NDArray], truth: Mapping[str, NDArray], what: str
    ) -> None:
        """Raise AssertionError, or log, unless arrays of the same names agree."""
        for name, array in arrays.items():
            right = truth[name]
            rtol, atol = get_tols(array, right, *self._tolerances)
            names = (name, "GROUND_TRUTH")
            try:
                assert_almost_equal(array, right, rtol, atol, names, self._equal_nan)
            except AssertionError as error:
                # The message has the numbers; what was compared, and where, only this loop knows.
                error.add_note(f"{what} at {name}, {effective_dtype(array)} on {array.ctx}")
                if self._raises:
                    raise
                _log.error("%s at %s: %s", what, name, error)


def check_gluon_hybridize_consistency(
    net_builder: Callable[..., HybridBlock],
    data_l: Sequence[NDArray],
    numpy_func: Callable[..., Any] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Raise AssertionError unless a block's results and gradients agree with ``hybridize``.

    Args:
        net_builder: Function of ``prefix`` that returns the block.
        data_l: Arguments of the block.
        numpy_func: Function of numpy arrays with the expected result, or None.
        test_grad: Whether to compare gradients of arguments and parameters.
        rtol: Relative tolerance.
        atol: Absolute tolerance.

    Raises:
        AssertionError: The results differ.
    """
    saved: list[tuple[Any, ...]] = []
    params: dict[str, Any] = {}
    for hybridize in (False, True):
        net = net_builder(prefix="net_")
        net.initialize()
        inputs = [data.copy() for data in data_l]
        for data in inputs:
            data.attach_grad()
        # Shapes are inferred first: a parameter without one has no values to copy.
        net(*inputs)
        for name, parameter in net.collect_params().items():
            if hybridize:
                parameter.set_data(params[name])
            else:
                params[name] = parameter.data().copy()
        if hybridize:
            net.hybridize()
        with autograd.record(train_mode=test_grad):
            out = net(*inputs)
        results = [out.asnumpy()]
        if test_grad:
            out.backward()
            results += [data.grad.asnumpy() for data in inputs if data.grad is not None]
            results += [
                parameter.grad().asnumpy()
                for parameter in net.collect_params().values()
                if parameter.grad_req != "null"
            ]
        saved.append(tuple(results))
    for imperative, hybrid in zip(*saved, strict=True):
        assert_almost_equal(imperative, hybrid, rtol=rtol, atol=atol)
    if numpy_func is not None:
        right = numpy_func(*[data.asnumpy() for data in data_l])
        assert_almost_equal(saved[0][0], right, rtol=rtol, atol=atol)
