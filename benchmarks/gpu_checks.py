"""Correctness on a GPU, by the CPU's numbers: operators, gradients, captured nets, two streams."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.gpu_session import Item, Result
from hy_ndarray import use_kernels
from hy_ndarray.testing import CHECKS, TestedTable, check_operator
from hy_ndarray.testing.cases import CASES
from hy_ndarray.testing.selection import has_numerical_gradient
from mxnet import autograd, cpu, gluon, nd, random
from mxnet.gluon import nn

__all__ = ["items"]

_CHUNK = 40  # operators of one item
_LIMIT = 150.0  # seconds of it: Triton compiles each kernel in the first run
_CALLS = 6  # the third is captured
_CHECKS = tuple([check for check in CHECKS if check.name in ("value", "agreement", "out")])
"""The second compares results and gradients with those of the numpy table."""


def items(
    context: Any,
    tables: tuple[str, ...],
    names: tuple[str, ...] = (),
    wait: Callable[[], object] = bool,
) -> Iterator[Item]:
    """Items for a context.

    Args:
        context: A GPU; a CPU in tests.
        tables: Kernel tables whose operators are checked.
        names: Operators that are; all where there are none.
        wait: Waits for the device; raises an error where it has failed for good.
    """
    rows = _rows(names)
    operators = sorted(rows)
    for table in tables:
        for k in range(0, len(operators), _CHUNK):
            part = operators[k : k + _CHUNK]
            name = f"{table}: {part[0]} to {part[-1]}"
            run = partial(_operators, table, context, [rows[op] for op in part], wait)
            yield Item("Operators", name, run, _LIMIT)
    for table in tables:
        for name, check in (
            ("prediction", _predicts),
            ("training", _trains),
            ("dropout", _drops),
            ("two streams", _two_streams),
        ):
            yield Item("Captures", f"{table}, {context}: {name}", partial(check, table, context))


def _rows(names: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return the first case of each operator, and the first that can be differentiated."""
    rows: dict[str, list[Any]] = {}
    for case in CASES:
        if names and case.op not in names:
            continue
        own = rows.setdefault(case.op, [case])
        if not any(map(has_numerical_gradient, own)) and has_numerical_gradient(case):
            own.append(case)
    return rows


def _operators(
    table: str, context: Any, rows: list[list[Any]], wait: Callable[[], object]
) -> Result:
    """Check cases of operators, in float32 and float16, against numpy's numbers."""
    tested = TestedTable(table, context.device_type, dtypes=("float32", "float16"))
    wrong = []
    for case in (case for own in rows for case in own):
        try:
            check_operator(tested, case, _CHECKS)
        except Exception as error:
            wrong.append(f"{case.op} ({type(error).__name__})")
            _check_device(wait, case.op)
    gradients = sum(any(map(has_numerical_gradient, own)) for own in rows)
    result = {"operators": len(rows), "gradients": gradients}
    return {**result, "wrong": ", ".join(dict.fromkeys(wrong)) or "none"}


def _check_device(wait: Callable[[], object], op: str) -> None:
    """Raise an error that names the operator if the device can compute nothing more."""
    try:
        wait()
    except Exception as error:
        raise RuntimeError(f"{op} failed, and the device with it: {error}") from error


def _net(context: Any, dropout: float = 0.0) -> Any:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(8, 3, padding=1, in_channels=3),
        nn.BatchNorm(in_channels=8),
        nn.Activation("relu"),
        nn.Dropout(dropout),
        nn.GlobalAvgPool2D(),
        nn.Dense(4, in_units=8),
    )
    draw = np.random.default_rng(0)
    net.initialize(ctx=context)
    for parameter in net.collect_params().values():
        low, high = (0.5, 1.5) if "running_var" in parameter.name else (-0.5, 0.5)
        parameter.set_data(nd.array(draw.uniform(low, high, parameter.shape)))
    return net


def _data(context: Any) -> tuple[Any, Any]:
    draw = np.random.default_rng(1)
    image = nd.array(draw.normal(size=(4, 3, 8, 8)), ctx=context)
    return image, nd.array(draw.integers(0, 4, 4), ctx=context)


def _on(table: str, context: Any) -> Any:
    return use_kernels(table, device="gpu" if context.device_type == "gpu" else "cpu")


def _difference(one: Any, other: Any) -> float:
    return float(np.abs(one - other).max())


def _result(difference: float, why: str | None, limit: float = 2e-3) -> Result:
    if difference > limit:
        raise AssertionError(f"differs from the CPU by {difference:.3g}")
    return {"difference": difference, "captured": "yes" if why is None else why}


def _predicts(table: str, context: Any) -> Result:
    x, _ = _data(cpu())
    wanted = _net(cpu())(x).asnumpy()
    with _on(table, context):
        net, x = _net(context), _data(context)[0]
        net.hybridize(static_alloc=True, static_shape=True)
        difference = max(_difference(net(x).asnumpy(), wanted) for _ in range(_CALLS))
        return _result(difference, net.explain(x).why)


def _trained(context: Any, *, captured: bool) -> tuple[Any, str]:
    net, (x, label) = _net(context), _data(context)
    if captured:
        net.hybridize(static_alloc=True, static_shape=True)
    settings = {"learning_rate": 0.1, "momentum": 0.9}
    trainer = gluon.Trainer(net.collect_params(), "sgd", settings)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    for k in range(_CALLS):
        trainer.set_learning_rate(0.1 / (k + 1))
        with autograd.record():
            loss = loss_of(net(x), label)
        loss.backward()
        trainer.step(len(label))
    return net[-1].weight.data().asnumpy(), trainer.explain()


def _trains(table: str, context: Any) -> Result:
    wanted, _ = _trained(cpu(), captured=False)
    with _on(table, context):
        weight, explained = _trained(context, captured=True)
    why = None if explained.endswith(": captured") else explained
    return _result(_difference(weight, wanted), why)


def _drops(table: str, context: Any) -> Result:
    """A captured dropout draws the numbers of an uncaptured one."""

    def dropped(**options: Any) -> Any:
        block, x = nn.Dropout(0.5), nd.ones((1000,), ctx=context)
        block.hybridize(**options)
        random.seed(3)
        with autograd.train_mode():
            return np.stack([block(x).asnumpy() for _ in range(_CALLS)])

    with _on(table, context):
        return _result(_difference(dropped(static_alloc=True, static_shape=True), dropped()), None)


def _two_streams(table: str, context: Any) -> Result:
    """Two threads, each with a stream, predict with nets of their own, captured."""
    x, _ = _data(cpu())
    wanted = _net(cpu())(x).asnumpy()
    results: list[float] = []

    def work() -> None:
        with _on(table, context):
            net, mine = _net(context), _data(context)[0]
            net.hybridize(static_alloc=True, static_shape=True)
            results.extend(_difference(net(mine).asnumpy(), wanted) for _ in range(_CALLS))

    def on_a_stream(do: Callable[[], None]) -> None:
        if context.device_type != "gpu":
            return do()
        with torch.cuda.stream(torch.cuda.Stream(context.device_id)):
            return do()

    threads = [threading.Thread(target=on_a_stream, args=(work,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(results) != 2 * _CALLS:
        raise AssertionError("a thread failed")
    return _result(max(results), None)
