"""Shapes that graphs of recurrent layers need: of weights from their sum, of states from use."""

from typing import Any

import pytest

from hy_ndarray import ShapeError
from hy_symbol import Symbol, sym


def vector(*sizes: int) -> Symbol:
    """Flattened parameters joined, as recurrent layers join them; 0 is an unknown size."""
    parts = [sym.var(f"p{i}", shape=(n,)) for i, n in enumerate(sizes)]
    return sym._internal._rnn_param_concat(*parts, dim=0)


def test_unknown_weights_share_what_the_known_ones_leave() -> None:
    total = sym.elemwise_add(vector(0, 4, 0, 2), sym.var("total", shape=(26,)))
    arguments, outputs, _ = total.infer_shape()
    assert arguments == [(10,), (4,), (10,), (2,), (26,)]
    assert outputs == [(26,)]


@pytest.mark.parametrize("size", [5, 9])
def test_weights_that_cannot_share_are_refused(size: int) -> None:
    total = sym.elemwise_add(vector(0, 6, 0), sym.var("total", shape=(size,)))
    with pytest.raises(
        ShapeError, match=r"cannot infer .* unknown weights|more elements along axis"
    ):
        total.infer_shape()


def test_sizes_of_weights_follow_from_the_data() -> None:
    weights = {"wl": (6, 0), "ul": (6, 2), "wr": (6, 0), "ur": (6, 2)}
    shapes: dict[str, tuple[int, ...]] = {**weights, "bl": (6,), "cl": (6,), "br": (6,), "cr": (6,)}
    parts = [sym.reshape(sym.var(name, shape=shape), shape=-1) for name, shape in shapes.items()]
    parameters = sym._internal._rnn_param_concat(*parts, dim=0)
    state = sym.zeros((2, 0, 2))
    y = sym.RNN(
        sym.var("x"),
        parameters,
        state,
        state_size=2,
        num_layers=1,
        mode="gru",
        bidirectional=True,
    )
    arguments, outputs, _ = y.infer_shape(x=(5, 3, 7))
    assert arguments is not None
    found = dict(zip(y.list_arguments(), arguments, strict=True))
    assert found["wl"] == found["wr"] == (6, 7)
    assert outputs == [(5, 3, 4)]


@pytest.mark.parametrize(
    ("layout", "out", "expected"),
    [("NCHW", (2, 4, 5, 6), (2, 3, 7, 0)), ("NHWC", (2, 5, 6, 4), (2, 7, 0, 3))],
)
def test_the_result_of_a_convolution_tells_of_its_data(
    layout: Any, out: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    unknown = tuple(3 if axis == "C" else 0 for axis in layout)
    y = sym.Convolution(
        sym.var("x", shape=unknown),
        kernel=(3, 3),
        dilate=(2, 1),
        pad=(1, 0),
        stride=(1, 2),
        num_filter=4,
        layout=layout,
    )
    arguments, _, _ = (y + sym.var("y", shape=out)).infer_shape_partial()
    assert arguments is not None
    assert arguments[0] == expected
