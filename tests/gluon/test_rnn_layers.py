"""What recurrent layers do: as stacks of cells, states, lengths, files, errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, LayerError, StructureError, SymbolBlock, nn, rnn
from hy_io import load_ndarrays
from hy_ndarray import NDArray, autograd, nd
from hy_symbol import NameManager, load, sym
from tests.gluon.layer_case import filled


def ready(layer: Any, rng: np.random.Generator, features: int = 4) -> Any:
    """``layer`` with random parameters, for inputs of that size."""
    layer.initialize()
    layer(nd.zeros((1, 1, features)), None, nd.ones(1) if layer._use_sequence_length else None)
    return filled(layer, rng)


def normal(rng: np.random.Generator, *shape: int) -> NDArray:
    return nd.array(rng.normal(size=shape))


def close(found: NDArray, expected: NDArray) -> None:
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


LAYERS = [
    rnn.RNN(3),
    rnn.RNN(3, 2, activation="tanh", bidirectional=True),
    rnn.LSTM(3, 2, dropout=0.5),
    rnn.LSTM(2, bidirectional=True, layout="NTC"),
    rnn.GRU(3, 2, layout="NTC"),
    rnn.GRU(2, 3, bidirectional=True, dropout=0.2),
]


@pytest.mark.parametrize("layer", LAYERS, ids=repr)
def test_a_layer_is_a_stack_of_cells(layer: Any, rng: np.random.Generator) -> None:
    cells = ready(layer, rng)._unfuse()
    assert set(cells.collect_params()) == set(layer.collect_params())
    batch, steps = 2, 5
    x = normal(rng, batch, steps, 4) if layer._layout == "NTC" else normal(rng, steps, batch, 4)
    states = [normal(rng, *state.shape) for state in layer.begin_state(batch)]
    kinds = len(states)
    each = [states[k][i] for i in range(len(states[0])) for k in range(kinds)]
    outputs, after = layer(x, states)
    expected, ends = cells.unroll(steps, x, each, layer._layout, merge_outputs=True)
    close(outputs, expected)
    for k in range(kinds):
        close(after[k], nd.stack(*ends[k::kinds], axis=0))
    close(layer(x), cells.unroll(steps, x, layout=layer._layout, merge_outputs=True)[0])


def test_layers_that_are_no_stack_of_cells_say_so() -> None:
    for layer in (rnn.LSTM(3, projection_size=2), rnn.LSTM(3, state_clip_min=-1, state_clip_max=1)):
        with pytest.raises(LayerError, match="cannot unfuse a layer that projects or clips"):
            layer._unfuse()


def test_the_structural_names_are_those_of_the_cells() -> None:
    for layer in LAYERS:
        names = layer._collect_params_with_prefix("a.b")
        inner = layer._unfuse()._collect_params_with_prefix("a.b._unfused")
        places = {name: parameter.name for name, parameter in names.items()}
        skip = 2 if layer._dropout else 1  # MXNet does not count the dropout cells
        for name, parameter in inner.items():
            head, place, rest = name.removeprefix("a.b.").partition(".")
            layer_number, _, rest = rest.partition(".")
            number = int(layer_number) // skip
            assert places[f"a.b.{head}{place}{number}.{rest}"] == parameter.name


@pytest.mark.parametrize("kind", [rnn.RNN, rnn.LSTM, rnn.GRU])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
@pytest.mark.parametrize("hybrid", [False, True])
def test_sequences_of_unequal_length_give_what_each_gives_alone(
    kind: type[Any], layout: str, hybrid: bool, rng: np.random.Generator
) -> None:
    layer = kind(3, 2, bidirectional=True, layout=layout, use_sequence_length=True)
    ready(layer, rng).hybridize(hybrid)
    lengths = [2, 5, 1]
    x = normal(rng, 3, 5, 4)

    def run(values: NDArray, lengths: list[int]) -> tuple[NDArray, list[NDArray]]:
        states = layer.begin_state(len(lengths))
        turned = values if layout == "NTC" else values.swapaxes(0, 1)
        y, after = layer(turned, states, nd.array(lengths))
        return (y if layout == "NTC" else y.swapaxes(0, 1)), after

    outputs, states = run(x, lengths)
    for n, length in enumerate(lengths):
        alone, after = run(x[n : n + 1, :length], [length])
        close(outputs[n, :length], alone[0])
        assert not outputs[n, length:].asnumpy().any()
        for state, expected in zip(states, after, strict=True):
            close(state[:, n], expected[:, 0])


# --- states ----------------------------------------------------------------------------------


@pytest.mark.parametrize("hybrid", [False, True])
def test_states_come_back_where_they_were_given(hybrid: bool) -> None:
    layer = rnn.LSTM(3)
    layer.initialize()
    layer.hybridize(hybrid)
    x = nd.ones((4, 2, 5))
    for _ in range(2):  # in turn: the graphs differ
        assert layer(x).shape == (4, 2, 3)
        for states in (layer.begin_state(2), tuple(layer.begin_state(2))):
            output, after = layer(x, states)
            assert output.shape == (4, 2, 3)
            assert [state.shape for state in after] == [(1, 2, 3)] * 2
    close(layer(x), layer(x, layer.begin_state(2))[0])
    single = rnn.GRU(3)
    single.initialize()
    assert single(x, nd.zeros((1, 2, 3)))[1][0].shape == (1, 2, 3)


def test_begin_state_is_of_the_dtype_of_the_layer() -> None:
    layer = rnn.GRU(3, prefix="g_")
    assert [s.dtype for s in layer.begin_state(2)] == [np.float32]
    layer.cast("float64")
    assert [s.dtype for s in layer.begin_state(2)] == [np.float64]
    layer.initialize()
    assert layer(nd.ones((1, 2, 3), dtype="float64")).dtype is np.float64
    state = layer.begin_state(2, func=sym.var)[0]
    attrs = {"__shape__": "(1, 2, 3)", "__layout__": "LNC", "__dtype__": "1"}
    assert state.attr_dict() == {"g_h0_0": attrs}
    assert layer.begin_state(2, nd.ones, dtype="float16")[0].dtype is np.float16


def test_a_state_carries_a_sequence_on(rng: np.random.Generator) -> None:
    layer = ready(rnn.LSTM(3, 2, projection_size=2), rng)
    x = normal(rng, 6, 2, 4)
    whole = layer(x)
    first, states = layer(x[:4], layer.begin_state(2))
    second, _ = layer(x[4:], states)
    close(nd.concat(first, second, dim=0), whole)


def test_dropout_lies_between_layers_in_training_alone(rng: np.random.Generator) -> None:
    layer = ready(rnn.GRU(3, 2, dropout=0.5), rng)
    x = normal(rng, 4, 2, 4)
    close(layer(x), layer(x))
    with autograd.train_mode():
        first, second = layer(x).asnumpy(), layer(x).asnumpy()
    assert not np.array_equal(first, second)


# --- in other blocks, and files --------------------------------------------------------------


class Tagger(HybridBlock):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.embed = nn.Embedding(7, 4)
            self.layer: Any = rnn.LSTM(3, 2, bidirectional=True, layout="NTC")
            self.out = nn.Dense(2, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        return self.out(self.layer(self.embed(x)))


def test_the_first_batch_tells_the_shapes_in_a_block() -> None:
    for hybrid in (False, True):
        net = Tagger()
        net.initialize()
        net.hybridize(hybrid)
        assert net(nd.ones((2, 5))).shape == (2, 5, 2)
        assert net(nd.ones((3, 4))).shape == (3, 4, 2)  # graphs hold for any batch
        assert net.layer.l0_i2h_weight.shape == net.layer.r0_i2h_weight.shape == (12, 4)
        assert net.layer.l1_i2h_weight.shape == (12, 6)


def test_parameters_survive_a_file(tmp_path: Path) -> None:
    net, other = Tagger(), Tagger()
    net.initialize()
    x = nd.array([[1, 2, 3]])
    y = net(x)
    file = str(tmp_path / "net.params")
    net.save_parameters(file)
    names = set(load_ndarrays(file))
    assert {"embed.weight", "out.bias", "layer._unfused.1.r_cell.h2h_bias"} <= names
    other.load_parameters(file)
    close(other(x), y)


@pytest.mark.parametrize("given", [False, True])
def test_an_exported_layer_takes_its_states_as_inputs(given: bool, tmp_path: Path) -> None:
    with NameManager():
        layer = rnn.LSTM(3)
    layer.initialize()
    layer.hybridize()
    x = nd.ones((4, 2, 5))
    states = layer.begin_state(2)
    y: Any = layer(x, states) if given else layer(x)
    symbol_file, params_file = layer.export(str(tmp_path / "lstm"))
    graph = load(symbol_file)
    names = ["data0", "data1", "data2"]
    assert [name for name in graph.list_arguments() if name.startswith("data")] == names
    outputs = [f"lstm0_rnn0_{kind}" for kind in ("output", "state_output", "statecell_output")]
    assert graph.list_outputs() == (outputs if given else outputs[:1])
    again = SymbolBlock.imports(symbol_file, names, params_file)(x, *states)
    close(again[0] if given else again, y[0] if given else y)


# --- errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "states", "message"),
    [
        ((4, 2), None, r"inputs \(4, 2\) must have the axes TNC: 3, and have 2"),
        ((4, 2, 5), [(1, 3, 3), (1, 2, 3)], r"a state \(1, 3, 3\) must be \(1, 2, 3\)"),
        (
            (4, 2, 5),
            [(1, 2, 3)],
            r"expected 2 states, as begin_state\(batch_size\) makes them, got 1",
        ),
        ((4, 2, 5), [], "expected 2 states, .* got 0"),
    ],
)
def test_inputs_and_states_that_do_not_fit_are_named(
    shape: tuple[int, ...], states: list[tuple[int, ...]] | None, message: str
) -> None:
    layer = rnn.LSTM(3)
    layer.initialize()
    given = None if states is None else [nd.zeros(state) for state in states]
    with pytest.raises(StructureError, match=message):
        layer(nd.ones(shape), given)


def test_arguments_that_make_no_layer_are_named() -> None:
    with pytest.raises(LayerError, match="activation 'sigmoid' is neither 'relu' nor 'tanh'"):
        rnn.RNN(3, activation="sigmoid")
    with pytest.raises(LayerError, match="layout 'NCT' is not supported here"):
        rnn.GRU(3, layout="NCT")
    with pytest.raises(TypeError, match="projection_size"):
        rnn.GRU(3, projection_size=2)


def test_lengths_are_for_layers_that_were_told() -> None:
    x = nd.ones((4, 2, 5))
    layer = rnn.GRU(3, use_sequence_length=True)
    layer.initialize()
    with pytest.raises(StructureError, match="sequence_length must be given"):
        layer(x)
    layer = rnn.GRU(3)
    layer.initialize()
    with pytest.warns(UserWarning, match="ignores sequence_length"):
        layer(x, sequence_length=nd.ones(2))
