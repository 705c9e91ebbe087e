"""Rows of test_rnn.py: cells, stepped and unrolled, and layers, as blocks of one output."""

from functools import partial
from typing import Any

from hy_gluon import HybridBlock
from tests.gluon.layer_case import LayerCase
from tests.gluon.rnn_specs import made

__all__ = ["CASES", "CELLS", "LAYERS", "Layered", "Stepped", "Unrolled"]

Spec = dict[str, Any]


def _joined(F: Any, outputs: Any, states: Any) -> Any:
    """Everything that comes out, in one vector."""
    parts = [outputs, *states] if not isinstance(outputs, list) else [*outputs, *states]
    return F.concat(*(F.reshape(part, shape=(-1,)) for part in parts), dim=0)


class Stepped(HybridBlock):
    """Two steps of a cell."""

    def __init__(self, spec: Spec) -> None:
        super().__init__()
        with self.name_scope():
            self.cell: Any = made(spec)

    def hybrid_forward(self, F: Any, x: Any, *states: Any) -> Any:
        """Run the cell on ``x`` and on its negative."""
        self.cell.reset()
        first, after = self.cell(x, list(states))
        second, after = self.cell(-x, after)
        return _joined(F, [first, second], after)


class Unrolled(HybridBlock):
    """A cell over sequences, from states of zeros."""

    def __init__(self, spec: Spec, length: int = 3, **kwargs: Any) -> None:
        super().__init__()
        self.length = length
        self.kwargs = kwargs
        with self.name_scope():
            self.cell: Any = made(spec)

    def hybrid_forward(self, F: Any, x: Any, valid_length: Any = None) -> Any:
        """Unroll the cell."""
        outputs, states = self.cell.unroll(self.length, x, valid_length=valid_length, **self.kwargs)
        return _joined(F, outputs, states)


class Layered(HybridBlock):
    """A layer; with states, and lengths of the sequences, if they are given."""

    def __init__(self, spec: Spec, states: int = 0) -> None:
        super().__init__()
        self.count = states
        with self.name_scope():
            self.layer: Any = made(spec)

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        """Run the layer."""
        states, lengths = args[: self.count], args[self.count :]
        if not states:
            return _joined(F, self.layer(x, None, *lengths), ())
        return _joined(F, *self.layer(x, list(states), *lengths))


def cell(name: str, *cells: Spec, add: tuple[Spec, ...] = (), **kwargs: Any) -> Spec:
    """How a cell or layer is made."""
    spec: Spec = {"class": name if "." in name else f"rnn.{name}"}
    if cells:
        spec["cells"] = list(cells)
    if add:
        spec["add"] = list(add)
    if kwargs:
        spec["kwargs"] = kwargs
    return spec


def stepped(spec: Spec, data: tuple[int, ...], *states: tuple[int, ...]) -> LayerCase:
    """A row of a cell that is stepped."""
    return LayerCase(partial(Stepped, spec), {}, (data, *states), name=_title("step", spec))


def unrolled(spec: Spec, data: tuple[int, ...], **kwargs: Any) -> LayerCase:
    """A row of a cell that is unrolled."""
    lengths = kwargs.pop("lengths", None)
    title = _title("unroll", spec, **kwargs, lengths=lengths)
    inputs = {} if lengths is None else {1: lengths}
    shapes = (data, None if lengths is None else (len(lengths),))
    return LayerCase(partial(Unrolled, spec, **kwargs), {}, shapes, inputs=inputs, name=title)


def layered(
    spec: Spec, data: tuple[int, ...], *states: tuple[int, ...], **kwargs: Any
) -> LayerCase:
    """A row of a layer."""
    lengths = kwargs.get("lengths")
    shapes = (data, *states, *(() if lengths is None else ((len(lengths),),)))
    inputs = {} if lengths is None else {len(shapes) - 1: lengths}
    make = partial(Layered, spec, len(states))
    return LayerCase(
        make, {}, shapes, inputs=inputs, name=_title("layer", spec, states=len(states))
    )


def _title(kind: str, spec: Spec, **kwargs: Any) -> str:
    return "-".join(
        [kind, *_names(spec), *(f"{k}={v}" for k, v in kwargs.items() if v is not None)]
    )


def _names(spec: Spec) -> list[str]:
    kwargs = ",".join(f"{k}={v}" for k, v in spec.get("kwargs", {}).items())
    inner = [n for s in (*spec.get("cells", ()), *spec.get("add", ())) for n in _names(s)]
    return [f"{spec['class'].rsplit('.', 1)[1]}({kwargs})", *inner]


RNN, LSTM, GRU = (cell(name, hidden_size=3) for name in ("RNNCell", "LSTMCell", "GRUCell"))
BOTH = cell("BidirectionalCell", LSTM, cell("GRUCell", hidden_size=2))
STACK = cell("HybridSequentialRNNCell", add=(LSTM, cell("DropoutCell", rate=0.5), GRU))
DEEP = cell(
    "HybridSequentialRNNCell", add=(BOTH, cell("ResidualCell", cell("GRUCell", hidden_size=5)))
)
ZONEOUT = cell("ZoneoutCell", LSTM, zoneout_outputs=0.3, zoneout_states=0.2)
# Masks of inputs and states together are drawn in one order step by step, in another by graphs.
VARIATIONAL = cell("contrib.rnn.VariationalDropoutCell", GRU, drop_states=0.3, drop_outputs=0.2)
LOCKED = cell("contrib.rnn.VariationalDropoutCell", LSTM, drop_inputs=0.5, drop_outputs=0.2)


def convolutional(kind: str, dims: int, **kwargs: Any) -> Spec:
    """A cell with convolutions, of 2 channels of input and 1 of state."""
    given = {"hidden_channels": 1, "i2h_kernel": 2, "h2h_kernel": 3, **kwargs}
    given.setdefault("input_shape", (2, *(3,) * dims))
    return cell(f"contrib.rnn.Conv{dims}D{kind}Cell", **given)


CELLS = [
    stepped(RNN, (2, 4), (2, 3)),
    stepped(cell("RNNCell", hidden_size=1, activation="softsign"), (1, 1), (1, 1)),
    stepped(LSTM, (2, 4), (2, 3), (2, 3)),
    stepped(
        cell("LSTMCell", hidden_size=2, activation="softsign", recurrent_activation="tanh"),
        (2, 4),
        (2, 2),
        (2, 2),
    ),
    stepped(GRU, (2, 4), (2, 3)),
    stepped(cell("DropoutCell", rate=0.5), (2, 4)),
    stepped(ZONEOUT, (2, 4), (2, 3), (2, 3)),
    stepped(cell("ResidualCell", RNN), (2, 3), (2, 3)),
    stepped(STACK, (2, 4), (2, 3), (2, 3), (2, 3)),
    stepped(VARIATIONAL, (2, 4), (2, 3)),
    stepped(
        cell("contrib.rnn.LSTMPCell", hidden_size=4, projection_size=2), (3, 5), (3, 2), (3, 4)
    ),
    stepped(convolutional("RNN", 1), (2, 2, 3), (2, 1, 2)),
    stepped(convolutional("LSTM", 1), (2, 2, 3), (2, 1, 2), (2, 1, 2)),
    stepped(convolutional("GRU", 1), (2, 2, 3), (2, 1, 2)),
    stepped(
        convolutional("RNN", 2, activation="sigmoid", i2h_pad=(1, 0), i2h_dilate=2),
        (1, 2, 3, 3),
        (1, 1, 3, 1),
    ),
    stepped(
        convolutional("LSTM", 2, conv_layout="NHWC", input_shape=(3, 4, 2)),
        (1, 3, 4, 2),
        (1, 2, 3, 1),
        (1, 2, 3, 1),
    ),
    stepped(convolutional("GRU", 2), (1, 2, 3, 3), (1, 1, 2, 2)),
    stepped(convolutional("RNN", 3), (1, 2, 3, 3, 3), (1, 1, 2, 2, 2)),
    stepped(convolutional("LSTM", 3), (1, 2, 3, 3, 3), (1, 1, 2, 2, 2), (1, 1, 2, 2, 2)),
    stepped(convolutional("GRU", 3), (1, 2, 3, 3, 3), (1, 1, 2, 2, 2)),
    unrolled(RNN, (2, 3, 4)),
    unrolled(GRU, (3, 2, 4), layout="TNC", merge_outputs=True),
    unrolled(LSTM, (2, 3, 4), lengths=[1, 3]),
    unrolled(RNN, (3, 2, 4), lengths=[3, 2], layout="TNC", merge_outputs=False),
    unrolled(RNN, (2, 1, 4), length=1, lengths=[1, 1]),
    unrolled(BOTH, (2, 3, 4)),
    unrolled(BOTH, (3, 2, 4), layout="TNC", lengths=[2, 3], merge_outputs=True),
    unrolled(BOTH, (2, 3, 4), lengths=[2, 3], merge_outputs=False),
    unrolled(STACK, (2, 3, 4)),
    unrolled(DEEP, (2, 3, 4), lengths=[3, 1]),
    unrolled(ZONEOUT, (2, 3, 4)),
    unrolled(cell("ResidualCell", LSTM), (2, 3, 3), lengths=[3, 1], merge_outputs=False),
    unrolled(VARIATIONAL, (2, 3, 4), lengths=[2, 3]),
    unrolled(LOCKED, (2, 3, 4), lengths=[2, 3]),
    unrolled(LOCKED, (3, 2, 4), layout="TNC", merge_outputs=False),
    unrolled(convolutional("LSTM", 1), (2, 3, 2, 3), layout="NTCW"),
]

LAYERS = [
    layered(cell("RNN", hidden_size=3, activation="tanh"), (4, 2, 3)),
    layered(cell("RNN", hidden_size=3, activation="tanh", num_layers=2), (4, 2, 3), (2, 2, 3)),
    layered(cell("RNN", hidden_size=1), (1, 1, 1)),
    layered(cell("LSTM", hidden_size=3, num_layers=2, bidirectional=True), (3, 2, 4)),
    layered(cell("LSTM", hidden_size=3, layout="NTC"), (2, 3, 4), (1, 2, 3), (1, 2, 3)),
    layered(cell("LSTM", hidden_size=2, num_layers=2, dropout=0.5), (3, 2, 4)),
    layered(
        cell("LSTM", hidden_size=4, projection_size=2, num_layers=2, bidirectional=True),
        (3, 2, 5),
        (4, 2, 2),
        (4, 2, 4),
    ),
    layered(cell("LSTM", hidden_size=2, state_clip_min=-0.1, state_clip_max=0.1), (3, 2, 4)),
    layered(cell("GRU", hidden_size=3, bidirectional=True, layout="NTC"), (2, 3, 4), (2, 2, 3)),
    layered(cell("GRU", hidden_size=3, num_layers=3, input_size=1), (3, 2, 1)),
    layered(cell("GRU", hidden_size=2, use_sequence_length=True), (3, 2, 4), lengths=[1, 3]),
    layered(
        cell("LSTM", hidden_size=2, use_sequence_length=True, bidirectional=True, num_layers=2),
        (3, 2, 4),
        (4, 2, 2),
        (4, 2, 2),
        lengths=[3, 2],
    ),
]

CASES = [*CELLS, *LAYERS]
