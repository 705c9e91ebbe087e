"""What recurrent cells do: states, sequences of unequal lengths, modifiers, errors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import BlockError, HybridBlock, LayerError, StructureError, contrib, nn, rnn
from hy_gluon.contrib.rnn.rnn_cell import dynamic_unroll
from hy_ndarray import NDArray, autograd, cpu, nd, random
from hy_symbol import NameManager, sym
from tests.gluon.layer_case import filled


def ready(cell: Any, rng: np.random.Generator, features: int = 4) -> Any:
    """``cell`` with random parameters, for inputs of that size."""
    cell.initialize()
    cell.unroll(1, nd.zeros((1, 1, features)))
    return filled(cell, rng)


def normal(rng: np.random.Generator, *shape: int) -> NDArray:
    return nd.array(rng.normal(size=shape))


def close(found: NDArray, expected: NDArray) -> None:
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


def stacked(*cells: Any, into: type[Any] = rnn.HybridSequentialRNNCell) -> Any:
    stack = into()
    for cell in cells:
        stack.add(cell)
    return stack


# --- states ----------------------------------------------------------------------------------


def test_begin_state_makes_one_array_per_state() -> None:
    states = rnn.LSTMCell(3).begin_state(batch_size=2, ctx=cpu(), dtype="float64")
    assert [state.shape for state in states] == [(2, 3), (2, 3)]
    assert {state.dtype for state in states} == {np.float64}
    assert rnn.GRUCell(2).begin_state(5, nd.ones)[0].asnumpy().tolist() == [[1, 1]] * 5


def test_begin_state_hands_what_it_knows_to_the_function() -> None:
    seen: list[dict[str, Any]] = []
    rnn.RNNCell(3, prefix="c_").begin_state(2, lambda **kwargs: seen.append(kwargs), mean=1)
    expected = {"name": "c_begin_state_0", "shape": (2, 3), "__layout__": "NC", "mean": 1}
    assert seen == [expected]


def test_states_are_numbered_until_the_cell_is_reset() -> None:
    cell = rnn.LSTMCell(3, prefix="c_")
    first = [state.name for state in cell.begin_state(func=sym.var)]
    second = [state.name for state in cell.begin_state(func=sym.var)]
    cell.reset()
    again = [state.name for state in cell.begin_state(func=sym.var)]
    assert first == again == ["c_begin_state_0", "c_begin_state_1"]
    assert second == ["c_begin_state_2", "c_begin_state_3"]


def test_variables_for_states_know_their_shape_and_layout() -> None:
    state = rnn.RNNCell(3, prefix="c_").begin_state(2, sym.var)[0]
    attrs = {"__shape__": "(2, 3)", "__layout__": "NC"}
    assert state.attr_dict() == {"c_begin_state_0": attrs}


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_a_cell_of_another_dtype_begins_with_states_of_it(dtype: str) -> None:
    cell = rnn.GRUCell(3)
    cell.initialize()
    cell.cast(dtype)
    outputs, _ = cell.unroll(2, nd.ones((1, 2, 4), dtype=dtype), merge_outputs=True)
    assert np.dtype(outputs.dtype) == dtype


def test_cells_without_states_need_none() -> None:
    cell = rnn.DropoutCell(0.5)
    assert cell.begin_state(batch_size=2) == []
    output, states = cell(nd.ones((2, 3)), [])
    assert output.asnumpy().tolist() == [[1, 1, 1]] * 2
    assert states == []


def test_a_cell_of_ones_own_needs_two_methods() -> None:
    class Sum(rnn.HybridRecurrentCell):
        def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
            return [{"shape": (batch_size, 1), "__layout__": "NC"}]

        def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:  # noqa: ARG002
            return states[0] + inputs, [states[0] + inputs]

    x = nd.array([[[1], [2], [3]]])
    for hybrid in (False, True):
        cell = Sum()
        cell.hybridize(hybrid)
        outputs, states = cell.unroll(3, x, merge_outputs=True)
        assert outputs.asnumpy().ravel().tolist() == [1, 3, 6]
        assert states[0].asscalar() == 6
    with pytest.raises(NotImplementedError, match="HybridRecurrentCell must define state_info"):
        rnn.HybridRecurrentCell().state_info()
    with pytest.raises(
        NotImplementedError, match="HybridRecurrentCell must define forward or hybrid_forward"
    ):
        rnn.HybridRecurrentCell()(x, [])
    with pytest.raises(NotImplementedError, match="RecurrentCell must define forward"):
        rnn.RecurrentCell()(x, [])


def test_activations_may_be_names_functions_or_blocks() -> None:
    x, state = nd.array([[-1.0]]), nd.zeros((1, 1))
    found = []
    for activation in ("softrelu", nn.LeakyReLU(0.5), nd.sin, nn.ELU()):
        cell: Any = rnn.RNNCell(1, activation, i2h_weight_initializer="ones")
        cell.initialize()
        found.append(cell(x, [state])[0].asscalar())
    expected = [np.log1p(np.exp(-1)), -0.5, np.sin(-1), np.expm1(-1)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    cell = rnn.LSTMCell(1, activation=nn.LeakyReLU(0.5))
    cell.initialize()
    assert cell(x, [state, state])[0].shape == (1, 1)


# --- unrolling -------------------------------------------------------------------------------


def test_a_list_of_steps_is_as_good_as_one_array(rng: np.random.Generator) -> None:
    cell = ready(rnn.LSTMCell(3), rng)
    x = normal(rng, 2, 3, 4)
    outputs, states = cell.unroll(3, x, merge_outputs=True)
    for layout in ("NTC", "TNC"):
        steps, after = cell.unroll(3, tuple(x[:, t] for t in range(3)), layout=layout)
        assert isinstance(steps, list)
        close(nd.stack(*steps, axis=1), outputs)
        close(after[1], states[1])
    turned, _ = cell.unroll(3, x.transpose((1, 0, 2)), layout="TNC", merge_outputs=True)
    close(turned.transpose((1, 0, 2)), outputs)


@pytest.mark.parametrize(
    "make",
    [
        lambda: rnn.GRUCell(3),
        lambda: rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(2)),
        lambda: stacked(
            rnn.LSTMCell(2),
            rnn.ResidualCell(rnn.GRUCell(2)),
            rnn.BidirectionalCell(rnn.RNNCell(2), rnn.ResidualCell(rnn.RNNCell(2))),
        ),
        lambda: stacked(rnn.GRUCell(3), rnn.LSTMCell(2), into=rnn.SequentialRNNCell),
        lambda: contrib.rnn.VariationalDropoutCell(rnn.GRUCell(3), drop_outputs=0.5),
        lambda: rnn.ZoneoutCell(rnn.GRUCell(3), zoneout_outputs=0.5),
    ],
    ids=["gru", "bidirectional", "stack", "sequential", "variational", "zoneout"],
)
@pytest.mark.parametrize("merge", [True, False])
def test_sequences_of_unequal_length_give_what_each_gives_alone(
    make: Callable[[], Any], merge: bool, rng: np.random.Generator
) -> None:
    cell = ready(make(), rng)
    x, lengths = normal(rng, 3, 5, 4), [2, 5, 1]
    outputs, states = cell.unroll(5, x, merge_outputs=merge, valid_length=nd.array(lengths))
    whole = outputs if merge else nd.stack(*outputs, axis=1)
    for n, length in enumerate(lengths):
        alone, after = cell.unroll(length, x[n : n + 1, :length], merge_outputs=True)
        close(whole[n, :length], alone[0])
        assert not whole[n, length:].asnumpy().any()
        for state, expected in zip(states, after, strict=True):
            close(state[n], expected[0])


def test_outputs_come_merged_where_that_is_no_extra_work() -> None:
    x = nd.ones((2, 3, 4))
    cell = rnn.RNNCell(3)
    cell.initialize()
    assert isinstance(cell.unroll(3, x)[0], list)
    assert isinstance(cell.unroll(3, x, valid_length=nd.array([1, 2]))[0], NDArray)
    assert isinstance(rnn.DropoutCell(0.5).unroll(3, x)[0], NDArray)
    assert len(rnn.DropoutCell(0.5).unroll(3, x, merge_outputs=False)[0]) == 3
    one, _ = cell.unroll(1, nd.ones((2, 1, 4)), valid_length=nd.array([1, 1]), merge_outputs=False)
    assert [step.shape for step in one] == [(2, 3)]


@pytest.mark.parametrize(
    ("length", "inputs", "layout", "message"),
    [
        (4, nd.ones((2, 3, 4)), "NTC", r"\(2, 3, 4\) have 3 steps along axis 1 \(NTC\)"),
        (3, [nd.ones((2, 4))] * 2, "NTC", "inputs are 2 steps, not length=3"),
        (0, [], "NTC", "cannot be unrolled for 0 steps"),
        (3, nd.ones((2, 3, 4)), "NCX", "layout 'NCX' must name the axes T"),
        (3, None, "NTC", "must be an array or symbol, or a list of them, not NoneType"),
        (3, [1, 2, 3], "NTC", "or a list of them, not list"),
        (2, sym.SliceChannel(sym.var("x"), num_outputs=2), "NTC", "a symbol of 2 outputs"),
    ],
)
def test_inputs_that_are_no_sequences_are_refused(
    length: int, inputs: Any, layout: str, message: str
) -> None:
    cell = rnn.RNNCell(3)
    cell.initialize()
    with pytest.raises(StructureError, match=message):
        cell.unroll(length, inputs, layout=layout)


def test_dynamic_unroll_gives_what_unroll_gives(rng: np.random.Generator) -> None:
    class Loop(HybridBlock):
        def __init__(self, cell: Any, layout: str) -> None:
            super().__init__()
            self.cell = cell
            self.layout = layout

        def hybrid_forward(self, F: Any, x: Any, h: Any, c: Any, lengths: Any = None) -> Any:  # noqa: ARG002
            outputs, states = dynamic_unroll(
                self.cell, x, [h, c], 0.5, 0.5, self.layout, valid_length=lengths
            )
            return outputs, states[1]

    cell = ready(rnn.LSTMCell(3), rng)
    h, c = normal(rng, 2, 3), normal(rng, 2, 3)
    for layout, shape in (("NTC", (2, 5, 4)), ("TNC", (5, 2, 4))):
        x = normal(rng, *shape)
        for lengths in (None, nd.array([2, 5])):
            options = {"layout": layout, "merge_outputs": True, "valid_length": lengths}
            outputs, states = cell.unroll(5, x, [h, c], **options)
            for hybrid in (False, True):
                block = Loop(cell, layout)
                block.hybridize(hybrid)
                found, memory = block(x, h, c) if lengths is None else block(x, h, c, lengths)
                close(found, outputs)
                close(memory, states[1])


def test_dynamic_unroll_drops_the_same_elements_at_every_step() -> None:
    cell = rnn.DropoutCell(0)
    for layout, time in (("TNC", 0), ("NTC", 1)):
        with autograd.train_mode():
            y = dynamic_unroll(cell, nd.ones((6, 6, 50)), [], drop_outputs=0.5, layout=layout)[0]
        kept = y.asnumpy()
        assert set(np.unique(kept)) == {0, 2}
        assert (kept == kept.take([0], axis=time)).all()
        assert not (kept == kept.take([0], axis=1 - time)).all()
    with pytest.raises(StructureError, match="one array or symbol of all steps, not list"):
        dynamic_unroll(cell, [nd.ones((1, 2))], [])
    with pytest.raises(StructureError, match="must name the axes T"):
        dynamic_unroll(cell, nd.ones((1, 2)), [], layout="NC")


# --- containers ------------------------------------------------------------------------------


@pytest.mark.parametrize("into", [rnn.SequentialRNNCell, rnn.HybridSequentialRNNCell])
def test_a_stack_steps_and_unrolls_alike(into: type[Any], rng: np.random.Generator) -> None:
    stack = stacked(rnn.LSTMCell(3), rnn.DropoutCell(0.5), rnn.GRUCell(2), into=into)
    cell = ready(stack, rng)
    x = normal(rng, 2, 3, 4)
    outputs, after = cell.unroll(3, x, merge_outputs=True)
    for hybrid in (False, True):
        cell.hybridize(hybrid)
        states = cell.begin_state(batch_size=2)
        for t in range(3):
            output, states = cell(x[:, t], states)
            close(output, outputs[:, t])
        assert [s.shape for s in states] == [s.shape for s in after] == [(2, 3), (2, 3), (2, 2)]
        close(states[2], after[2])
    assert len(cell) == 3
    assert isinstance(cell[1], rnn.DropoutCell)
    assert cell[-1] is cell[2]


def test_a_hybrid_stack_takes_hybrid_cells_alone() -> None:
    with pytest.raises(StructureError, match="must also be HybridBlock"):
        rnn.HybridSequentialRNNCell().add(rnn.SequentialRNNCell())


def test_a_bidirectional_cell_takes_no_single_step() -> None:
    both = rnn.BidirectionalCell(rnn.RNNCell(3), rnn.RNNCell(3))
    assert [state.shape for state in both.begin_state(2)] == [(2, 3), (2, 3)]
    for cell in (both, stacked(both)):
        with pytest.raises(NotImplementedError, match="use unroll"):
            cell(nd.ones((2, 4)), cell.begin_state(2))


def test_cells_share_parameters() -> None:
    first = rnn.GRUCell(3, input_size=2)
    second = rnn.GRUCell(3, input_size=2, params=first.params)
    assert second.i2h_weight is first.i2h_weight


# --- modifiers -------------------------------------------------------------------------------


def test_a_cell_in_a_modifier_is_not_asked_directly() -> None:
    cell = rnn.RNNCell(3, prefix="c_")
    modifier = rnn.ResidualCell(cell)
    with pytest.raises(BlockError, match="cell c is inside of a modifier cell"):
        cell.begin_state(2)
    with pytest.raises(StructureError, match="cell c is inside a modifier cell already"):
        rnn.ZoneoutCell(cell)
    assert modifier.begin_state(batch_size=2)[0].shape == (2, 3)
    with pytest.raises(BlockError, match="inside of a modifier"):
        cell.begin_state(2)
    assert modifier.params is cell.params
    assert list(modifier.collect_params()) == list(cell.collect_params())
    for inner in (rnn.BidirectionalCell(rnn.RNNCell(1), rnn.RNNCell(1)), stacked(rnn.RNNCell(1))):
        rnn.ModifierCell(inner)
        with pytest.raises(BlockError, match="inside of a modifier"):
            inner.begin_state(batch_size=1)
    with pytest.raises(NotImplementedError, match="must define forward or hybrid_forward"):
        rnn.ModifierCell(rnn.RNNCell(3))(nd.ones((1, 2)), [nd.ones((1, 3))])


@pytest.mark.parametrize(
    "make",
    [
        lambda cell: rnn.ZoneoutCell(cell, 0.5),
        lambda cell: contrib.rnn.VariationalDropoutCell(cell, drop_states=0.5),
    ],
)
def test_modifiers_of_steps_refuse_cells_without_steps(make: Callable[[Any], Any]) -> None:
    both = rnn.BidirectionalCell(rnn.RNNCell(3), rnn.RNNCell(3))
    for cell in (both, stacked(both), rnn.ResidualCell(both)):
        with pytest.raises(StructureError, match="needs a cell that takes single steps"):
            make(cell)


def test_dropout_cells_name_a_rate_that_is_no_number() -> None:
    with pytest.raises(LayerError, match="rate must be a number, not 'half'"):
        rnn.DropoutCell("half")  # type: ignore[arg-type]


class Count(rnn.HybridRecurrentCell):
    """Its output is what comes in, its state counts."""

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return [{"shape": (batch_size, 100), "__layout__": "NC"}]

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:  # noqa: ARG002
        return inputs * 1, [states[0] + 1]


X = nd.array(np.broadcast_to(np.arange(1, 7).reshape(1, 6, 1), (1, 6, 100)))


@pytest.mark.parametrize("hybrid", [False, True])
def test_zoneout_keeps_what_was_a_step_before(hybrid: bool) -> None:
    cell = rnn.ZoneoutCell(Count(), zoneout_outputs=0.5, zoneout_states=0.5)
    cell.hybridize(hybrid)
    with autograd.train_mode():
        outputs, states = cell.unroll(6, X, merge_outputs=True)
    found = outputs.asnumpy()[0]
    before = np.zeros(100)
    for t in range(6):
        changed = found[t] != before
        assert (found[t][changed] == t + 1).all()
        assert 20 < changed.sum() < 80
        before = found[t]
    assert states[0].asnumpy().max() <= 6
    assert 2 < states[0].asnumpy().mean() < 4
    whole, last = cell.unroll(6, X, merge_outputs=True)
    close(whole, X)
    assert (last[0].asnumpy() == 6).all()


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("drop_states", [0.0, 0.5])
def test_variational_dropout_drops_the_same_at_every_step(hybrid: bool, drop_states: float) -> None:
    cell = contrib.rnn.VariationalDropoutCell(Count(), 0.0, drop_states, 0.5)
    cell.hybridize(hybrid)
    masks = []
    for _ in range(2):
        with autograd.train_mode():
            outputs, states = cell.unroll(6, X, merge_outputs=True)
        kept = outputs.asnumpy()[0] / np.arange(1, 7).reshape(6, 1)
        assert set(np.unique(kept)) == {0, 2}
        assert (kept == kept[:1]).all()
        masks.append(kept[0])
        if drop_states:  # c = 1 at a dropped element, else 1, 3, 7, ...
            assert set(np.unique(states[0].asnumpy())) == {1, 63}
    assert not np.array_equal(*masks)


@pytest.mark.parametrize("make", ["zoneout", "variational", "stack"])
def test_steps_in_training_remember_though_hybridized(make: str) -> None:
    def step(hybrid: bool) -> list[Any]:
        cell: Any = (
            contrib.rnn.VariationalDropoutCell(Count(), drop_outputs=0.5)
            if make == "variational"
            else rnn.ZoneoutCell(Count(), zoneout_outputs=0.5)
        )
        if make == "stack":
            cell = stacked(Count(), cell)
        cell.hybridize(hybrid)
        random.seed(7)
        states = cell.begin_state(batch_size=1)
        outputs = []
        with autograd.train_mode():
            for t in range(4):
                output, states = cell(X[:, t], states)
                outputs.append(output.asnumpy())
        return outputs

    np.testing.assert_array_equal(step(True), step(False))


def test_a_graph_holds_nothing_of_an_earlier_one() -> None:
    class Once(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.cell = rnn.ZoneoutCell(Count(), zoneout_outputs=0.5)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.cell(x, [F.zeros_like(x)])[0]

    block = Once()
    for _ in range(2):  # a second trace meets what the first one left in the cell
        block.hybridize()
        close(block(X[:, 0]), X[:, 0])
    block.hybridize(False)
    close(block(X[:, 0]), X[:, 0])


def test_residual_adds_inputs_where_sequences_have_not_ended() -> None:
    cell = rnn.ResidualCell(Count())
    outputs, _ = cell.unroll(6, X, valid_length=nd.array([4]), merge_outputs=False)
    assert [step.asnumpy()[0, 0] for step in outputs] == [2, 4, 6, 8, 0, 0]
    with NameManager():
        y, _ = rnn.ResidualCell(Count()).unroll(
            2, sym.var("x"), valid_length=sym.var("n"), merge_outputs=False
        )
    assert len(y) == 2


# --- cells with convolutions -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"h2h_kernel": 2}, "h2h_kernel must be odd, not 2"),
        ({"h2h_kernel": (3, 1)}, "h2h_kernel must be an int or 1 ints"),
        ({"input_shape": (2, 5, 5)}, "input_shape must be an int or 2 ints"),
        ({"conv_layout": "NCHW"}, "only 'NCW' and 'NWC'"),
    ],
)
def test_convolutions_that_make_no_cell_are_named(kwargs: dict[str, Any], message: str) -> None:
    given = {"input_shape": (2, 5), "hidden_channels": 3, "i2h_kernel": 3, "h2h_kernel": 3}
    with pytest.raises(LayerError, match=message):
        contrib.rnn.Conv1DLSTMCell(**{**given, **kwargs})


def test_a_convolution_of_one_pixel_is_a_dense_cell(rng: np.random.Generator) -> None:
    for dense, name in (
        (rnn.RNNCell(3), "RNN"),
        (rnn.LSTMCell(3), "LSTM"),
        (rnn.GRUCell(3), "GRU"),
    ):
        ready(dense, rng)
        cell = getattr(contrib.rnn, f"Conv2D{name}Cell")((4, 1, 1), 3, 1, 1)
        cell.initialize()
        for key, parameter in dense._reg_params.items():
            value = parameter.data()
            shape = (*value.shape, 1, 1) if value.ndim == 2 else value.shape
            cell._reg_params[key].set_data(value.reshape(shape))
        x = normal(rng, 2, 3, 4)
        outputs, _ = dense.unroll(3, x, merge_outputs=True)
        found, _ = cell.unroll(3, x.reshape((2, 3, 4, 1, 1)), layout="NTCHW", merge_outputs=True)
        close(found.reshape((2, 3, 3)), outputs)
