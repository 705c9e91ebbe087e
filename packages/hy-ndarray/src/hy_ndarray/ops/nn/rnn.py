"""Recurrent layers."""

from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.ranges import Positive, Probability
from hy_ndarray.ops.record.rules import expect_rank, floating, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType

Mode: TypeAlias = Literal["gru", "lstm", "rnn_relu", "rnn_tanh"]

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}
_SAVED_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 4, "lstm": 5}


def _inputs(params: Params) -> tuple[str, ...]:
    memory = ("state_cell",) if params["mode"] == "lstm" else ()
    lengths = ("sequence_length",) if params["use_sequence_length"] else ()
    return ("data", "parameters", "state", *memory, *lengths)


def _states(params: Params) -> tuple[str, ...]:
    if not params["state_outputs"]:
        return ()
    if params["mode"] == "lstm":
        return ("state_output", "statecell_output")
    return ("state_output",)


def _visible(params: Params) -> int:
    return 1 + len(_states(params))


def _grad(saved: Saved, dy: Any, *dstates: Any) -> tuple[Any, ...]:
    data, parameters, state, memory, lengths = saved.inputs
    dstate, dmemory, *_ = (*dstates, None, None)
    others = (memory, lengths, dstate, dmemory)
    reserve = saved.outputs[-1]
    gradients = rnn_backward(dy, data, parameters, state, reserve, *others, **saved.params)
    to_data, to_parameters, to_state, *to_memory = gradients
    return to_data, to_parameters, to_state, to_memory[0] if to_memory else None, None


def _parameter_count(
    features: int,
    hidden: int,
    result: int,
    layers: int,
    directions: int,
    mode: str,
    *,
    projected: bool,
) -> int:
    """Return the total number of parameters of all recurrent layers."""
    rows = _GATES[mode] * hidden
    total = 0
    for layer in range(layers):
        inputs = directions * result if layer else features
        # + 2: biases of both W and U, as in cuDNN, whose layout MXNet's vector has.
        total += directions * (rows * (inputs + result + 2) + (result * hidden if projected else 0))
    return total


def _draws(params: Params, is_train: bool) -> bool:
    return is_train and params["p"] > 0 and params["num_layers"] > 1


@operator(
    "RNN",
    "_npx_rnn",
    active=_inputs,
    outputs=lambda params: ("output", *_states(params), "reserve"),
    visible=_visible,
    needs=("is_train", "rng"),
    grad=_grad,
    traits=Traits(draws=_draws, outputs_in_files=_visible),
)
def rnn(
    data: TensorType,
    parameters: TensorType,
    state: TensorType,
    state_cell: TensorType | None = None,
    sequence_length: TensorType | None = None,
    *,
    state_size: Positive,
    num_layers: Positive,
    bidirectional: bool = False,
    mode: Mode,
    p: Probability = 0.0,
    state_outputs: bool = False,
    projection_size: Positive | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,  # decides the inputs
) -> tuple[TensorType, ...]:
    """Return the outputs of stacked recurrent layers over whole sequences.

    Let ``x`` be the input, ``h`` the previous state, and ``W x`` and ``U h`` products with a bias
    added. Plain layers compute ``f(W x + U h)``. A GRU computes ``(1 - z) n + z h``, with gates
    ``r`` and ``z`` of the form ``sigmoid(W x + U h)`` and ``n = tanh(W x + r · U h)``. An LSTM
    computes ``o tanh(c)`` with the cell state ``c = f · c + i · g``, gates ``i``, ``f`` and ``o``
    of the form ``sigmoid(W x + U h)`` and ``g = tanh(W x + U h)``; each gate has its own ``W`` and
    ``U``.

    Args:
        data: ``[T, N, I]``, floating: T steps of N sequences.
        parameters: ``[...]``, all weights in one vector: for each layer and direction the matrices
            ``W``, ``U`` and the projection, then in the same order the biases of ``W`` and
            ``U``. The order of gates is i, f, g, o (LSTM) and r, z, n (GRU).
        state: ``[num_layers · directions, N, state_size]``, or last size ``projection_size``.
        state_cell: ``[num_layers · directions, N, state_size]``, the cell state of an LSTM.
        sequence_length: ``[N]``, numbers of steps; later steps leave the state, and return zeros.
        state_size: Number of hidden units.
        num_layers: Number of stacked layers.
        bidirectional: Also run each layer in reverse over the sequence.
        mode: The type of layer.
        p: Probability of dropout between layers, in training mode.
        state_outputs: Also return the states after the last step.
        projection_size: Size to which the output of an LSTM is projected; None for no projection.
        lstm_state_clip_min: Lower bound of the cell state; takes effect with the upper bound.
        lstm_state_clip_max: Upper bound of the cell state.
        lstm_state_clip_nan: Clip nan too.
        use_sequence_length: Whether ``sequence_length`` is given.

    Returns:
        ``[T, N, directions · size]``; with ``state_outputs=True`` also the last state, and for an
        LSTM the last cell state.

    Raises:
        ArgumentError: Parameters are incompatible.
        ShapeError: The operands are incompatible.

    Source:
        Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; Cho et al., Learning Phrase
        Representations using RNN Encoder-Decoder for Statistical Machine Translation, 2014; Sak,
        Senior and Beaufays, Long Short-Term Memory Based Recurrent Neural Network Architectures
        for Large Vocabulary Speech Recognition, 2014 (projection).
    """
    if projection_size is not None and mode != "lstm":
        raise ArgumentError(f"projection_size={projection_size} is supported only for mode='lstm'")
    same_dtype(data, parameters, state, state_cell)
    floating(data)
    expect_rank(data, 3)
    directions = 2 if bidirectional else 1
    size = state_size if projection_size is None else projection_size
    steps, batch, features = data.shape or (None, None, None)
    state.set_shape((num_layers * directions, batch, size))
    if state_cell is not None:
        state_cell.set_shape((num_layers * directions, batch, state_size))
    if sequence_length is not None:
        sequence_length.set_shape((batch,))
    if features is not None:
        parameters.set_shape(
            (
                _parameter_count(
                    features,
                    hidden=state_size,
                    result=size,
                    layers=num_layers,
                    directions=directions,
                    mode=mode,
                    projected=projection_size is not None,
                ),
            )
        )
    outputs = [data.with_shape((steps, batch, directions * size))]
    if state_outputs:
        outputs.append(data.with_shape((num_layers * directions, batch, size)))
        if mode == "lstm":
            outputs.append(data.with_shape((num_layers * directions, batch, state_size)))
    # Saved per step, sample and direction: gates and result of each layer, and between layers the
    # mask of dropout.
    each = num_layers * (_SAVED_GATES[mode] * state_size + size) + (num_layers - 1) * size * (p > 0)
    count = None if steps is None or batch is None else steps * batch * directions * each
    reserve = data.with_shape((count,))
    # Kernels of 16-bit data compute in float32.
    if data.dtype in ("float16", "bfloat16"):
        reserve = reserve.with_dtype("float32")
    return *outputs, reserve


def _backward_inputs(params: Params) -> tuple[str, ...]:
    data, parameters, state, *others = _inputs(params)
    states = ("dstate", "dstate_cell")[: len(_states(params))]
    return ("dy", data, parameters, state, "reserve", *others, *states)


def _backward_outputs(params: Params) -> tuple[str, ...]:
    memory = ("state_cell",) if params["mode"] == "lstm" else ()
    return ("data", "parameters", "state", *memory)


@operator("_rnn_backward", active=_backward_inputs, outputs=_backward_outputs, params_of=rnn)
def rnn_backward(
    dy: TensorType,
    data: TensorType,
    parameters: TensorType,
    state: TensorType,
    reserve: TensorType,
    state_cell: TensorType | None = None,
    sequence_length: TensorType | None = None,
    dstate: TensorType | None = None,
    dstate_cell: TensorType | None = None,
    **params: Any,
) -> tuple[TensorType, ...]:
    """Return the gradients of ``RNN`` with respect to data, parameters, state and cell state."""
    types = rnn.op.rule(data, parameters, state, state_cell, sequence_length, **params)
    assert isinstance(types, tuple)
    reserve.set_shape(types[-1].shape)
    reserve.set_dtype(types[-1].dtype)
    for gradient, result in zip((dy, dstate, dstate_cell), types[:-1], strict=False):
        if gradient is not None:
            gradient.set_shape(result.shape)
    if state_cell is None:
        return data, parameters, state
    return data, parameters, state, state_cell
