"""Writes the files of ``tests/gluon/data/mxnet2``, under MXNet 2.0.0b1.

``PYTHONPATH=. python -m tests.gluon.mxnet2.make`` with mxnet 2.0.0b1 and numpy 1.23: per net the
export, its parameters, and inputs and outputs; then arrays of each dtype and states of trainers.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.gluon.mxnet2.nets import NETS, inputs_of

mx: Any = import_module("mxnet")
DATA = Path(__file__).parents[1] / "data" / "mxnet2"
DTYPES = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool"),
)


OPTIMIZERS = (
    *("adabelief", "adadelta", "adagrad", "adam", "adamax", "adamw", "dcasgd", "ftml", "ftrl"),
    *("lamb", "lans", "lars", "nadam", "rmsprop", "signum"),
)
_SAVED_AFTER = 2
"""The step of which states are saved."""


def flat(value: Any) -> list[Any]:
    """The arrays of nested lists and tuples."""
    return [x for part in value for x in flat(part)] if isinstance(value, list | tuple) else [value]


def make_net(name: str) -> None:
    """Export, parameters, inputs and outputs of one net."""
    rng = np.random.default_rng(sum(name.encode()))
    net = NETS[name](mx)
    net.initialize()
    inputs = inputs_of(name, rng)
    arrays = [mx.np.array(x, dtype=x.dtype) for x in inputs]
    net(*arrays)
    for parameter in net.collect_params().values():
        values = rng.standard_normal(parameter.shape) / 2
        if parameter.name.endswith(("gamma", "var")):
            values = np.abs(values) + 0.5
        parameter.set_data(mx.np.array(values, dtype="float32"))
    net.hybridize()
    outputs = flat(net(*arrays))
    net.save_parameters(str(DATA / f"{name}.params"))
    net.export(str(DATA / name))
    recorded = {f"in{i}": x for i, x in enumerate(inputs)}
    recorded |= {f"out{i}": x.asnumpy() for i, x in enumerate(outputs)}
    np.savez(DATA / f"{name}.io.npz", **recorded)


def make_trainer(name: str, options: dict[str, Any]) -> None:
    """States of a trainer after three steps, and the weights then and two steps later."""
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    net.weight.set_data(mx.np.array([[0.1, 0.2, -0.3], [0.5, -0.4, 0.25]]))
    net.bias.set_data(mx.np.array([0.3, -0.1]))
    trainer = mx.gluon.Trainer(net.collect_params(), name, options)
    x = mx.np.array([[1.0, -2.0, 0.5], [0.25, 1.0, -1.0]])
    recorded: dict[str, Any] = {}
    for step in range(5):
        with mx.autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(2)
        if step == _SAVED_AFTER:
            trainer.save_states(str(DATA / f"{name}.states"))
            recorded |= {"weight3": net.weight.data().asnumpy(), "bias3": net.bias.data().asnumpy()}
    recorded |= {"weight5": net.weight.data().asnumpy(), "bias5": net.bias.data().asnumpy()}
    np.savez(DATA / f"{name}.io.npz", **recorded)


def main() -> None:
    """All files."""
    DATA.mkdir(exist_ok=True)
    for name in NETS:
        mx.random.seed(1)
        make_net(name)
    for name, options in {
        "sgd": {"learning_rate": 0.1, "momentum": 0.9},
        "nag": {"learning_rate": 0.1, "momentum": 0.9},
        **{name: {"learning_rate": 0.05} for name in OPTIMIZERS},
    }.items():
        make_trainer(name, options)
    arrays = {d: mx.np.array([[1, 0, 2]], dtype=d) for d in DTYPES}
    mx.npx.savez(str(DATA / "dtypes.npz"), **arrays)
    mx.npx.savez(str(DATA / "list.npz"), mx.np.ones((2, 1)), mx.np.array(3.0))
    mx.npx.save(str(DATA / "one.npy"), mx.np.arange(3))


if __name__ == "__main__":
    main()
