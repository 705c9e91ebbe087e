"""Graphs of symbolic cells, and what is compared of them: here, and where MXNet 1.9.1 told it."""

import json
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import mxnet as mx

FORMS = (("NTC", None), ("TNC", True), ("NTC", False))


def stack(*cells: Any) -> Any:
    found = mx.rnn.SequentialRNNCell()
    for cell in cells:
        found.add(cell)
    return found


def _bidirectional(left: int, right: int) -> Any:
    lstm = mx.rnn.LSTMCell(left, prefix="l_")
    return mx.rnn.BidirectionalCell(lstm, mx.rnn.GRUCell(right, prefix="r_"))


def _fused(mode: str, both: bool) -> Any:
    return mx.rnn.FusedRNNCell(3, 2, mode, both, get_next_state=both, prefix="f_")


def _unfused(mode: str, both: bool) -> Any:
    return mx.rnn.FusedRNNCell(3, 2, mode, both, dropout=0.5, prefix="f_").unfuse()


CELLS: dict[str, Callable[[], Any]] = {
    "rnn": lambda: mx.rnn.RNNCell(5),
    "relu": lambda: mx.rnn.RNNCell(5, "relu"),
    "lstm": lambda: mx.rnn.LSTMCell(5, forget_bias=2.0),
    "gru": lambda: mx.rnn.GRUCell(5),
    "stack": lambda: stack(
        mx.rnn.LSTMCell(5, prefix="l0_"), mx.rnn.DropoutCell(0.3), mx.rnn.RNNCell(4, prefix="l1_")
    ),
    "both": lambda: _bidirectional(5, 5),
    "both and one": lambda: stack(_bidirectional(5, 5), mx.rnn.RNNCell(3)),
    "zoneout": lambda: mx.rnn.ZoneoutCell(mx.rnn.LSTMCell(5), 0.3, 0.2),
    "residual": lambda: mx.rnn.ResidualCell(mx.rnn.GRUCell(4)),
    "residual of both": lambda: mx.rnn.ResidualCell(_bidirectional(2, 2)),
    "dropout": lambda: mx.rnn.DropoutCell(0.5),
    "fused relu": lambda: _fused("rnn_relu", False),
    "fused lstm": lambda: _fused("lstm", True),
    "fused gru": lambda: _fused("gru", False),
    "unfused tanh": lambda: _unfused("rnn_tanh", False),
    "unfused lstm": lambda: _unfused("lstm", True),
    "conv rnn": lambda: mx.rnn.ConvRNNCell((2, 3, 6, 6), 4),
    "conv lstm": lambda: mx.rnn.ConvLSTMCell((2, 3, 6, 6), 4, i2h_stride=(2, 2)),
    "conv gru": lambda: mx.rnn.ConvGRUCell(
        (2, 3, 6, 6), 4, h2h_kernel=(5, 3), h2h_dilate=(2, 1), activation="tanh"
    ),
}


def flat(states: Any) -> list[Any]:
    if not isinstance(states, list):
        return [states]
    return [state for part in states for state in flat(part)]


def graph(name: str, layout: str, merge: bool | None) -> Any:
    """Outputs and states of three steps."""
    with mx.name.NameManager():
        outputs, states = CELLS[name]().unroll(
            3, mx.sym.var("data"), layout=layout, merge_outputs=merge
        )
    return mx.sym.Group([*flat(outputs), *flat(states)])


def digest(group: Any) -> int:
    """A number for the operators, names and edges of a graph."""
    read = json.loads(group.tojson())
    nodes = [[node["op"], node["name"], node["inputs"]] for node in read["nodes"]]
    return zlib.crc32(json.dumps([nodes, read["heads"]]).encode())


def values(name: str, layout: str, group: Any) -> float:
    """The outputs in one number: weighted, summed."""
    shape: tuple[int, ...] = (2, 3, 4) if layout == "NTC" else (3, 2, 4)
    if name.startswith("conv"):
        shape = (2, 3, 3, 6, 6) if layout == "NTC" else (3, 2, 3, 6, 6)
    executor = group.simple_bind(mx.cpu(), data=shape)
    for i, (_, array) in enumerate(sorted(executor.arg_dict.items())):
        array[:] = mx.nd.array(np.sin(np.arange(array.size) + i).reshape(array.shape) * 0.5)
    total = 0.0
    for i, output in enumerate(executor.forward()):
        numbers = output.asnumpy().astype(np.float64).ravel()
        total += float((numbers * np.cos(np.arange(numbers.size) + i)).sum())
    return round(total, 5)
