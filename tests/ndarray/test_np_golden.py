"""Functions of ``mx.np`` and ``mx.npx`` give the numbers, dtypes and gradients of MXNet 1.9.1.

``data/np_cases.json`` was recorded with it, one call per line: arguments, where ``{"$in": i}`` is
an input, the results, and the gradients for some gradients of the results.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import autograd, np, npx

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "np_cases.json").read_text(encoding="utf-8")
)
_count: Counter[str] = Counter()


def name_of(case: dict[str, Any]) -> str:
    _count[case["call"]] += 1
    return f"{case['call']}-{_count[case['call']]}"


def values(stored: dict[str, Any]) -> Any:
    numbers = [float(v) if isinstance(v, str) else v for v in stored["values"]]
    return onp.array(numbers, stored["dtype"]).reshape(stored["shape"])


def decoded(value: Any, inputs: list[Any]) -> Any:
    """An argument: inputs, tuples and slices are written as objects of one entry."""
    if isinstance(value, list):
        return [decoded(v, inputs) for v in value]
    if not isinstance(value, dict):
        return value
    kinds: dict[str, Callable[[Any], Any]] = {
        "$in": lambda i: inputs[i],
        "$tuple": lambda items: tuple(decoded(v, inputs) for v in items),
        "$slice": lambda ends: slice(*(decoded(v, inputs) for v in ends)),
        "$ellipsis": lambda _: Ellipsis,
        "$float": float,
        "$dtype": onp.dtype,
    }
    ((kind, content),) = value.items()
    return kinds[kind](content)


def called(case: dict[str, Any], inputs: list[Any]) -> list[Any]:
    """The arrays that the call returns; of a method without result its object."""
    args = [decoded(v, inputs) for v in case["args"]]
    kwargs = {k: decoded(v, inputs) for k, v in case["kwargs"].items()}
    space, _, path = case["call"].partition(".")
    if case.get("method"):
        result = getattr(inputs[0], path)(*args[1:], **kwargs)
        result = inputs[0] if result is None else result
    else:
        function: Any = {"np": np, "npx": npx}[space]
        for part in path.split("."):
            function = getattr(function, part)
        result = function(*args, **kwargs)
    return [x for x in flat(result) if isinstance(x, np.ndarray | onp.ndarray | onp.generic)]


def flat(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for part in result:
            yield from flat(part)
    else:
        yield result


def compare(actual: Any, stored: dict[str, Any], tolerance: tuple[float, float]) -> None:
    array = actual.asnumpy() if isinstance(actual, np.ndarray) else onp.asarray(actual)
    wanted = values(stored)
    assert (array.shape, array.dtype) == (wanted.shape, wanted.dtype)
    rtol, atol = tolerance
    if wanted.dtype == onp.float16:
        rtol, atol = max(rtol, 1e-2), max(atol, 1e-3)
    onp.testing.assert_allclose(array, wanted, rtol=rtol, atol=atol)


@pytest.fixture(autouse=True)
def numpy() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_calls_give_what_mxnet_gives(case: dict[str, Any]) -> None:
    tolerance = tuple(case.get("tol", (1e-4, 1e-5)))
    inputs = [np.array(values(stored)) for stored in case["inputs"]]
    wanted = [i for i, g in enumerate(case.get("input_grads", ())) if g is not None]
    for i in wanted:
        inputs[i].attach_grad()
    if not wanted:
        with autograd.train_mode():
            results = called(case, inputs)
    else:
        with autograd.record(train_mode="predict" not in case):
            results = called(case, inputs)
    assert len(results) >= len(case["outputs"])  # numbers of numpy were not recorded
    for actual, stored in zip(results, case["outputs"], strict=False):
        if stored is not None:
            compare(actual, stored, tolerance)
    if not wanted:
        return
    heads = [(y, dy) for y, dy in zip(results, case["head_grads"], strict=False) if dy is not None]
    autograd.backward([y for y, _ in heads], [np.array(values(dy)) for _, dy in heads])
    for i in wanted:
        compare(inputs[i].grad, case["input_grads"][i], tolerance)


def test_most_functions_have_a_case() -> None:
    assert len(CASES) > 400
    assert len({case["call"] for case in CASES}) > 250
