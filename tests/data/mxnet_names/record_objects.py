"""Writes ``objects.txt``: the private members of objects whose classes programs subclass.

Run with an interpreter that has MXNet 1.9.1 (and NumPy 1.23): ``python record_objects.py``.
"""

from pathlib import Path
from typing import Any

HEAD = """\
# Private members of MXNet 1.9.1, by `python record_objects.py`: how an object is made, a bar, and
# the names of it and of its class that begin with one underscore.
"""

OBJECTS = [
    "gluon.Block()",
    "gluon.HybridBlock()",
    "gluon.nn.Sequential()",
    "gluon.nn.HybridSequential()",
    "gluon.nn.Dense(1)",
    "gluon.nn.Conv2D(1, 1)",
    "gluon.nn.BatchNorm()",
    "gluon.nn.Embedding(1, 1)",
    "gluon.loss.Loss(None, 0)",
    "gluon.rnn.RecurrentCell()",
    "gluon.rnn.HybridRecurrentCell()",
    "gluon.rnn.LSTMCell(1)",
    "gluon.data.Dataset()",
    "gluon.data.Sampler()",
    "optimizer.Optimizer()",
    "metric.EvalMetric('name')",
    "initializer.Initializer()",
    "lr_scheduler.LRScheduler()",
    "io.DataIter()",
    "image.Augmenter()",
    "module.BaseModule()",
    "rnn.BaseRNNCell('')",
    "operator.CustomOp()",
    "operator.CustomOpProp()",
    "autograd.Function()",
]


def private_names(module: Any, text: str) -> list[str]:
    """The names of an object and of its class that begin with one underscore."""
    made = eval(f"module.{text}", {"module": module})  # noqa: S307  # the lines above
    names = {*dir(type(made)), *vars(made)}
    return sorted(name for name in names if name.startswith("_") and not name.startswith("__"))


def main() -> None:
    """Record every object."""
    import mxnet  # noqa: PLC0415  # this script runs where it is installed

    lines = [f"{text} | {' '.join(private_names(mxnet, text))}\n" for text in OBJECTS]
    Path(__file__).with_name("objects.txt").write_text(HEAD + "\n" + "".join(lines), "utf-8")


if __name__ == "__main__":
    main()
