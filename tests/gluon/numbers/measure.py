"""What a row gives under any ``mxnet``: run under MXNet 1.9.1, it writes the pinned numbers.

``PYTHONPATH=. python -m tests.gluon.numbers.measure`` with mxnet 1.9.1 and numpy 1.23 writes
``tests/gluon/data/numbers.json``; ``test_numbers_of_mxnet.py`` measures again and compares.
"""

import json
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tests.gluon.numbers.block_rows import BLOCKS, BlockRow, Made
from tests.gluon.numbers.curve_rows import CURVES, CurveRow, batches, net
from tests.gluon.numbers.draw import generator
from tests.gluon.numbers.training_rows import (
    INITIALIZERS,
    METRICS,
    OPTIMIZERS,
    SCHEDULES,
    InitializerRow,
    MetricRow,
    OptimizerRow,
    ScheduleRow,
)

__all__ = ["NUMBERS", "ROWS", "measure"]

NUMBERS = Path(__file__).parents[1] / "data" / "numbers.json"
STEPS = (1, 2, 5, 10)
"""After how many steps the weights of an optimizer are noted."""

Result: TypeAlias = dict[str, Any]
ROWS: dict[str, Any] = {
    str(row): row for row in (*BLOCKS, *OPTIMIZERS, *METRICS, *SCHEDULES, *INITIALIZERS, *CURVES)
}


# --- blocks ----------------------------------------------------------------------------------


def _made(mx: Any, made: Made) -> Any:
    cls = reduce(getattr, made.name.split("."), mx.gluon)
    block = cls(*(_made(mx, cell) for cell in made.cells), **made.kwargs)
    with block.name_scope():
        for inner in made.add:
            block.add(_made(mx, inner))
    return block


def _called(block: Any, how: str, inputs: list[Any]) -> Any:
    if how == "step":
        return block(inputs[0], inputs[1:])
    if how == "unroll":
        return block.unroll(inputs[0].shape[1], inputs[0], merge_outputs=True)
    return block(*inputs)


def _flat(outputs: Any) -> list[Any]:
    if isinstance(outputs, list | tuple):
        return [array for part in outputs for array in _flat(part)]
    return [outputs]


def _fill(mx: Any, params: dict[str, Any], rng: Any) -> None:
    """Random values for all parameters; scales and variances are positive."""
    for name in sorted(params):
        values = rng.standard_normal(params[name].shape) / 2
        if name.endswith(("gamma", "var", "alpha")):
            values = np.abs(values) + 0.5
        params[name].set_data(mx.nd.array(values))


def measure_block(mx: Any, row: BlockRow) -> Result:
    """Outputs, gradients of inputs and parameters, and states, of one pass there and back."""
    rng = generator(str(row))
    block = _made(mx, row.made)
    block.initialize()
    inputs: list[Any] = [None if i is None else mx.nd.array(i.array(rng)) for i in row.inputs]
    _called(block, row.how, inputs)  # the shapes of parameters
    params = block._collect_params_with_prefix()
    _fill(mx, params, rng)
    learned = {
        f"gradient of input {i}": x
        for i, (x, drawn) in enumerate(zip(inputs, row.inputs, strict=True))
        if drawn is not None and drawn.differentiable and row.gradient
    }
    for x in learned.values():
        x.attach_grad()
    with mx.autograd.record(row.train) if row.gradient else mx.autograd.pause(row.train):
        outputs = _flat(_called(block, row.how, inputs))
    found = {f"output {i}": y.asnumpy() for i, y in enumerate(outputs)}
    if row.gradient and (learned or params):
        heads = [mx.nd.array(rng.standard_normal(y.shape)) for y in outputs]
        # Of an array that is given twice MXNet takes the last head gradient alone.
        given = {id(y): (y, head) for y, head in zip(outputs, heads, strict=True)}
        outputs, heads = map(list, zip(*given.values(), strict=True))
        mx.autograd.backward(outputs, heads, train_mode=row.train)
    found.update({name: x.grad.asnumpy() for name, x in learned.items()})
    for name, parameter in params.items():
        if parameter.grad_req == "null":
            found[name] = parameter.data().asnumpy()
        elif row.gradient:
            found[f"gradient of {name}"] = parameter.grad().asnumpy()
    return found


# --- training --------------------------------------------------------------------------------


class _AdamW:
    """MXNet 1.9.1 has the operator alone: an optimizer of it, with the bias correction in lr."""

    def __init__(self, mx: Any, **kwargs: Any) -> None:
        self.mx, self.t = mx, {0: 0, 1: 0}
        self.kept: dict[int, Any] = {}
        options = {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "wd": 0.0}
        self.options = {**options, **kwargs}

    def __call__(self, index: int, grad: Any, weight: Any) -> None:
        """One step."""
        o, nd = self.options, self.mx.nd
        self.t[index] += 1
        mean, square = self.kept.setdefault(index, (nd.zeros_like(grad), nd.zeros_like(grad)))
        root = np.sqrt(1 - o["beta2"] ** self.t[index])
        nd.contrib.adamw_update(
            weight, grad, mean, square, nd.array([1.0]), out=weight, eta=1.0,
            lr=o["learning_rate"] * root / (1 - o["beta1"] ** self.t[index]),
            epsilon=o["epsilon"] * root, beta1=o["beta1"], beta2=o["beta2"],
            wd=o["learning_rate"] * o["wd"] * (index == 0),
        )  # fmt: skip


def _updater(mx: Any, row: OptimizerRow, names: dict[int, str]) -> Any:
    if row.name == "adamw" and not hasattr(mx.optimizer, "AdamW"):
        return _AdamW(mx, **row.kwargs)
    kwargs = dict(row.kwargs)
    if row.schedule is not None:
        name, options = row.schedule
        kwargs["lr_scheduler"] = getattr(mx.lr_scheduler, name)(**options)
    return mx.optimizer.get_updater(mx.optimizer.create(row.name, param_idx2name=names, **kwargs))


def measure_optimizer(mx: Any, row: OptimizerRow) -> Result:
    """Weight and bias of a regression after some of ten steps."""
    rng = generator("regression")
    x, true, start = (rng.standard_normal(s) for s in ((8, 3), (3, 2), (3, 2)))
    target = x @ true + 0.5
    weight = mx.nd.array(start, dtype=row.dtype)
    bias = mx.nd.zeros((1, 2), dtype=row.dtype)
    update = _updater(mx, row, {0: "fc_weight", 1: "fc_bias"})
    found = {}
    for step in range(1, max(STEPS) + 1):
        values = [array.asnumpy().astype("float64") for array in (weight, bias)]
        error = (x @ values[0] + values[1] - target) / len(x)
        grads = [x.T @ error, error.sum(axis=0, keepdims=True)]
        learned = zip(grads, (weight, bias)[: 1 + row.bias], strict=False)
        for i, (grad, array) in enumerate(learned):
            update(i, mx.nd.array(grad, dtype=row.dtype), array)
        if step in STEPS:
            found[f"weight after {step}"] = weight.asnumpy()
            found[f"bias after {step}"] = bias.asnumpy()
    return found


def measure_metric(mx: Any, row: MetricRow) -> Result:
    """Names and values after each pair, and since the beginning after a local reset."""
    rng = generator(str(row))
    kwargs = dict(row.kwargs)
    if "feval" in kwargs:
        kwargs["feval"] = lambda label, pred: float(np.abs(label - pred).max())
    metric = mx.metric.create(row.name, **kwargs)
    found: Result = {}
    for i, (label, pred) in enumerate(row.pairs):
        metric.update([mx.nd.array(label.array(rng))], [mx.nd.array(pred.array(rng))])
        found[f"after {i + 1}"] = np.asarray([v for _, v in metric.get_name_value()], np.float64)
    found["names"] = [name for name, _ in metric.get_name_value()]
    if row.whole:
        metric.reset_local()
        values = [v for _, v in metric.get_global_name_value()]
        found["since the beginning"] = np.asarray(values, np.float64)
    return found


def measure_schedule(mx: Any, row: ScheduleRow) -> Result:
    """The rates of updates 0 to 14."""
    schedule = getattr(mx.lr_scheduler, row.name)(**row.kwargs)
    return {"rates": np.asarray([schedule(n) for n in range(15)], np.float64)}


def _initializer(mx: Any, row: InitializerRow) -> Any:
    kwargs = dict(row.kwargs)
    if row.name == "Mixed":
        kwargs["initializers"] = [mx.init.create(name) for name in kwargs["initializers"]]
    if row.name == "Load":
        kwargs["param"] = {name: mx.nd.array(values) for name, values in kwargs["param"].items()}
    if row.name == "FusedRNN":
        kwargs["init"] = mx.init.create(kwargs["init"])
    return getattr(mx.init, row.name)(**kwargs)


def measure_initializer(mx: Any, row: InitializerRow) -> Result:
    """The values; of random ones some quantiles; or that the array is refused."""
    mx.random.seed(3)
    np.random.seed(3)  # noqa: NPY002  # MXNet's orthogonal matrices come from there
    array = mx.nd.full(row.shape, 9.0)
    try:
        _initializer(mx, row)(row.array if row.plain else mx.init.InitDesc(row.array), array)
    except (AssertionError, IndexError, ValueError, TypeError, mx.base.MXNetError):
        return {"names": ["refused"]}
    values = array.asnumpy().astype("float64")
    if not row.drawn:
        return {"values": values}
    if row.name == "Orthogonal":
        flat = values.reshape(len(values), -1)
        return {"product": flat @ flat.T if len(flat) <= flat.shape[1] else flat.T @ flat}
    return {"quantiles": np.quantile(values, (0.01, 0.25, 0.75, 0.99))}


def measure_curve(mx: Any, row: CurveRow) -> Result:
    """The loss of each step, from the same weights and batches under any ``mxnet``."""
    rng = generator(row.kind)
    made = net(mx, row.kind)
    made.initialize()
    data = batches(rng)
    made(mx.nd.array(data[0][0]))  # the shapes of parameters
    _fill(mx, made._collect_params_with_prefix(), rng)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    if row.hybrid:
        made.hybridize()
        loss_of.hybridize()
    trainer = mx.gluon.Trainer(made.collect_params(), row.optimizer, row.kwargs)
    losses = []
    for images, labels in data:
        with mx.autograd.record():
            loss = loss_of(made(mx.nd.array(images)), mx.nd.array(labels))
        loss.backward()
        trainer.step(len(labels))
        losses.append(float(loss.mean().asscalar()))
    return {"losses": losses}


_MEASURES: dict[type, Callable[[Any, Any], Result]] = {
    BlockRow: measure_block,
    OptimizerRow: measure_optimizer,
    MetricRow: measure_metric,
    ScheduleRow: measure_schedule,
    InitializerRow: measure_initializer,
    CurveRow: measure_curve,
}


def measure(mx: Any, row: Any) -> Result:
    """What a row gives: arrays by what they are."""
    return _MEASURES[type(row)](mx, row)


# --- the file --------------------------------------------------------------------------------


def _stored(value: Any) -> Any:
    if isinstance(value, list) and isinstance(value[0], str):
        return value
    array = np.asarray(value, np.float64)
    return [list(array.shape), [float(f"{x:.7g}") for x in array.ravel()]]


def main() -> None:
    """Measure every row, and write the file: a row a line."""
    import mxnet as mx  # noqa: PLC0415  # whichever there is; the tests must not be it

    if "hy" in (mx.__doc__ or ""):
        sys.exit("this is hy's mxnet; measure with MXNet 1.9.1")
    lines = []
    for title, row in ROWS.items():
        found = {name: _stored(value) for name, value in measure(mx, row).items()}
        lines.append(f"{json.dumps(title)}: {json.dumps(found, separators=(',', ':'))}")
    NUMBERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
