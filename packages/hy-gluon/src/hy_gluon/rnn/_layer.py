"""Base class of recurrent layers, which run over whole sequences."""

from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar
from math import prod
from typing import Any, overload

from hy_gluon._errors import LayerError, StructureError
from hy_gluon.block import HybridBlock
from hy_gluon.block.base import Operand
from hy_gluon.block.children import no_operand
from hy_gluon.nn._arguments import Init, check_layout
from hy_gluon.parameter import MismatchError, Parameter
from hy_gluon.rnn._sequences import beside, unknown_size
from hy_gluon.rnn.bidirectional import BidirectionalCell
from hy_gluon.rnn.cells import GRUCell, LSTMCell, RNNCell
from hy_gluon.rnn.chain import HybridSequentialRNNCell
from hy_gluon.rnn.modifiers import DropoutCell
from hy_gluon.rnn.recurrent import HybridRecurrentCell, StateInfo
from hy_ndarray import NDArray, is_np_array, nd
from hy_ndarray.warning import warn
from hy_symbol import Symbol, sym

# A context variable, since a layer may be called inside of another call of itself, and in threads.
_calls: "ContextVar[tuple[_RNNLayer, bool, Any] | None]" = ContextVar("rnn_calls", default=None)
"""Layer whose call is running in this thread, whether it got no states, and the enclosing entry."""
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
"""Number of gates by mode of the operator ``RNN``; weights have ``gates * hidden`` rows."""


class _RNNLayer(HybridBlock):
    """Base class of recurrent layers; ``mode`` is the parameter of the operator ``RNN``."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int,
        layout: str,
        dropout: float,
        bidirectional: bool,
        input_size: int,
        i2h_weight_initializer: Init,
        h2h_weight_initializer: Init,
        i2h_bias_initializer: Init,
        h2h_bias_initializer: Init,
        mode: str,
        projection_size: int | None,
        h2r_weight_initializer: Init,
        lstm_state_clip_min: float | None,
        lstm_state_clip_max: float | None,
        lstm_state_clip_nan: bool,
        dtype: Any,
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_layout(layout, ("TNC", "NTC"))
        self._hidden_size = hidden_size
        self._projection_size = projection_size
        self._num_layers = num_layers
        self._mode = mode
        self._layout = layout
        self._dropout = dropout
        self._dir = 2 if bidirectional else 1
        self._input_size = input_size
        self._lstm_state_clip_min = lstm_state_clip_min
        self._lstm_state_clip_max = lstm_state_clip_max
        self._lstm_state_clip_nan = lstm_state_clip_nan
        self._dtype = dtype
        self._use_sequence_length = use_sequence_length
        self._skipped: bool | None = None
        self._gates = GATES[mode]
        initializers = {
            "i2h_weight": i2h_weight_initializer,
            "h2h_weight": h2h_weight_initializer,
            "i2h_bias": i2h_bias_initializer,
            "h2h_bias": h2h_bias_initializer,
            "h2r_weight": h2r_weight_initializer,
        }
        # MXNet's order of parameters: by layer, then direction.
        for layer, direction in self._layers_and_directions():
            for name, shape in self._shapes(layer).items():
                full = f"{direction}{layer}_{name}"
                parameter = self.params.get(
                    full,
                    shape=shape,
                    init=initializers[name],
                    allow_deferred_init=True,
                    dtype=dtype,
                )
                setattr(self, full, parameter)

    def _layers_and_directions(self) -> Iterator[tuple[int, str]]:
        """Yield (layer, ``"l"`` or ``"r"``) for each direction, in the order of the parameters."""
        for layer in range(self._num_layers):
            for direction in "lr"[: self._dir]:
                yield layer, direction

    def _shapes(self, layer: int) -> dict[str, tuple[int, ...]]:
        """Return the parameters' shapes by name, for one direction of a layer."""
        rows = self._gates * self._hidden_size
        size = self._projection_size or self._hidden_size
        # Above the first layer, the inputs are the outputs of both directions.
        columns = size * self._dir if layer else self._input_size
        shapes: dict[str, tuple[int, ...]] = {
            "i2h_weight": (rows, columns),
            "h2h_weight": (rows, size),
            "i2h_bias": (rows,),
            "h2h_bias": (rows,),
        }
        if self._projection_size:
            shapes["h2r_weight"] = (self._projection_size, self._hidden_size)
        return shapes

    def __repr__(self) -> str:
        shape = self._own("l0_i2h_weight").shape
        assert shape is not None
        content = f"{shape[1] or None} -> {shape[0] // self._gates}, {self._layout}"
        if self._num_layers != 1:
            content += f", num_layers={self._num_layers}"
        if self._dropout != 0:
            content += f", dropout={self._dropout}"
        if self._dir == 2:  # noqa: PLR2004
            content += ", bidirectional"
        return f"{type(self).__name__}({content})"

    @property
    def skip_states(self) -> bool | None:
        """Return whether the current or last call returns no states; None before any call."""
        # MXNet returns states if states were given; the graph differs, and so does the trace.
        call = _calls.get()
        while call is not None:
            layer, skip, call = call
            if layer is self:
                return skip
        return self._skipped

    def _hy_variant(self) -> Hashable:
        """Return whether the graph returns no states, as a key that distinguishes graphs."""
        return self.skip_states is not False

    def _own(self, name: str) -> Parameter:
        return self._reg_params[name]

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Return the parameters by the paths of equivalent stacked cells, as in MXNet's files."""
        # MXNet saves a recurrent layer by the cells it would unfuse to, and loads it from there.
        by_name = super()._collect_params_with_prefix(prefix)
        start = f"{prefix}." if prefix else ""
        sides = {"l": "l_cell.", "r": "r_cell."} if self._dir == 2 else {"l": ""}  # noqa: PLR2004
        for layer, direction in self._layers_and_directions():
            for name in self._shapes(layer):
                parameter = by_name.pop(f"{start}{direction}{layer}_{name}")
                by_name[f"{start}_unfused.{layer}.{sides[direction]}{name}"] = parameter
        return by_name

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape, layout and dtype of each state: ``[layers · directions, N, C]``.

        Args:
            batch_size: Size of the batch; 0 if it is unknown.
        """
        return [self._state(batch_size, self._hidden_size)]

    def _state(self, batch_size: int, size: int) -> dict[str, Any]:
        shape = (self._num_layers * self._dir, batch_size, size)
        return {"shape": shape, "__layout__": "LNC", "dtype": self._dtype}

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the initial states.

        Args:
            batch_size: Size of the batch.
            func: Function that creates a state from ``shape``, ``name``, ``dtype`` and
                ``__layout__``, such as ``nd.zeros``, ``sym.zeros`` or ``sym.var``.
            kwargs: Further arguments of ``func``, such as ``ctx`` or ``dtype``.

        Returns:
            Arrays or symbols; those of ``mx.np`` after ``npx.set_np()``.
        """
        states = [
            func(name=f"{self.prefix}h0_{i}", **{**info, **kwargs})
            for i, info in enumerate(self.state_info(batch_size))
        ]
        return [state.as_np_ndarray() for state in states] if is_np_array() else states

    def cast(self, dtype: object) -> None:
        """Cast the parameters and the default initial states to ``dtype``."""
        super().cast(dtype)
        self._dtype = dtype

    # --- running ----------------------------------------------------------------------------

    @overload  # type: ignore[override]  # states are optional
    def __call__(
        self, inputs: Operand, states: None = None, sequence_length: Any = None, **kwargs: Any
    ) -> Operand: ...

    @overload
    def __call__(
        self, inputs: Operand, states: Any, sequence_length: Any = None, **kwargs: Any
    ) -> tuple[Operand, list[Operand]]: ...

    def __call__(
        self, inputs: Any, states: Any = None, sequence_length: Any = None, **kwargs: Any
    ) -> Any:
        """Return the outputs over whole sequences; with given states also the final states.

        Args:
            inputs: ``[T, N, C]``, or ``[N, T, C]`` for layout ``"NTC"``.
            states: Initial state or list of states; zeros if None.
            sequence_length: Lengths ``[N]``, if the layer has ``use_sequence_length=True``.
            kwargs: Passed to ``hybrid_forward``.

        Returns:
            The outputs, ``[T, N, directions · C]``, or ``[N, T, directions · C]`` for layout
            ``"NTC"``. If ``states`` is not None, also the list of final states.

        Raises:
            StructureError: ``sequence_length`` is missing, or states have a wrong number or shape.
        """
        outer = _calls.get()
        # Set for the thread while the call lasts; `hybrid_forward` and guards read it.
        _calls.set((self, states is None, outer))
        self._skipped = states is None
        try:
            return self._called(inputs, states, sequence_length, **kwargs)
        finally:
            _calls.set(outer)

    def _called(self, inputs: Any, states: Any, sequence_length: Any, **kwargs: Any) -> Any:
        if states is None:
            states = self._hy_first_states(inputs)
        states = [states] if isinstance(states, NDArray | Symbol) else list(states)
        self._check_states(inputs, states)
        if self._use_sequence_length:
            if sequence_length is None:
                raise StructureError(f"{self.name}: sequence_length must be given, [N]")
            return super().__call__(inputs, states, sequence_length, **kwargs)
        if sequence_length is not None:
            warn(f"{self.name} ignores sequence_length; make it with use_sequence_length=True")
        return super().__call__(inputs, states, **kwargs)

    def _hy_first_states(self, inputs: Any) -> list[Any]:
        if not isinstance(inputs, NDArray | Symbol):
            raise no_operand(self.name, inputs)
        if isinstance(inputs, Symbol):
            # The batch size is not known in a graph; 0 (or -1) is filled in by inference.
            return self.begin_state(unknown_size(), func=sym.zeros)
        batch_size = self._batch_size(inputs)
        with beside(inputs):
            return self.begin_state(batch_size, ctx=inputs.context, dtype=inputs.dtype)

    def _batch_size(self, inputs: NDArray) -> int:
        if inputs.ndim != len(self._layout):
            raise StructureError(
                f"{self.name}: inputs {inputs.shape} must have the axes {self._layout}: "
                f"{len(self._layout)}, and have {inputs.ndim}"
            )
        return inputs.shape[self._layout.index("N")]

    def _check_states(self, inputs: Any, states: list[Any]) -> None:
        """Raise an error if the number or shapes of the states are wrong."""
        infos = self.state_info(self._batch_size(inputs) if isinstance(inputs, NDArray) else 0)
        if len(states) != len(infos):
            raise StructureError(
                f"{self.name}: expected {len(infos)} states, as begin_state(batch_size) makes "
                f"them, got {len(states)}"
            )
        for state, info in zip(states, infos, strict=True):
            if isinstance(state, NDArray) and state.shape != info["shape"]:
                raise StructureError(
                    f"{self.name}: a state {state.shape} must be {info['shape']} for inputs "
                    f"{inputs.shape} of layout {self._layout}"
                )

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return outputs (and final states) over whole sequences, by operators of ``F``."""
        inputs, (states, *lengths) = x, args
        # The operator runs over time first; NTC is a transposition at both ends.
        if self._layout == "NTC":
            inputs = F.swapaxes(inputs, dim1=0, dim2=1)
        results = F.RNN(
            inputs,
            self._hy_vector(F, kwargs),
            *states,
            *lengths,
            use_sequence_length=self._use_sequence_length,
            state_size=self._hidden_size,
            projection_size=self._projection_size,
            num_layers=self._num_layers,
            bidirectional=self._dir == 2,  # noqa: PLR2004
            p=self._dropout,
            state_outputs=True,
            mode=self._mode,
            lstm_state_clip_min=self._lstm_state_clip_min,
            lstm_state_clip_max=self._lstm_state_clip_max,
            lstm_state_clip_nan=self._lstm_state_clip_nan,
        )
        outputs = results[0]
        if self._layout == "NTC":
            outputs = F.swapaxes(outputs, dim1=0, dim2=1)
        if self.skip_states:
            return outputs
        return outputs, [results[1 + i] for i in range(len(states))]

    def _hy_vector(self, F: Any, params: dict[str, Any]) -> Any:
        """Return all parameters concatenated to the operator's vector: weights, then biases."""
        parts = [
            F.reshape(params[f"{direction}{layer}_{name}"], shape=-1)
            # All weights before all biases, each by layer and direction: the layout of the operator
            # RNN, and of cuDNN.
            for kind in ("weight", "bias")
            for layer, direction in self._layers_and_directions()
            for name in sorted(self._shapes(layer), key=_ORDER.index)
            if name.endswith(kind)
        ]
        return F._internal._rnn_param_concat(*parts, dim=0)

    def _parts_of_vector(self, vector: Any) -> Iterator[tuple[Parameter, Any]]:
        """Yield each parameter with its values in a vector ordered like :meth:`_hy_vector`.

        The input size is inferred from the vector's length.

        Raises:
            MismatchError: The length is impossible for this layer.
        """
        known = [
            (f"{direction}{layer}_{name}", shape)
            for kind in ("weight", "bias")
            for layer, direction in self._layers_and_directions()
            for name, shape in sorted(
                self._shapes(layer).items(), key=lambda item: _ORDER.index(item[0])
            )
            if name.endswith(kind)
        ]
        rows = self._gates * self._hidden_size * self._dir
        # The input's size is the only one that is not known before the first call.
        rest = sum(prod(shape) for name, shape in known if not name.endswith("0_i2h_weight"))
        columns, left = divmod(vector.size - rest, rows)
        if vector.ndim != 1 or left or columns < 1 or self._input_size not in (0, columns):
            raise MismatchError(
                f"{self.name}: rnn_param {vector.shape} must hold the parameters of {self!r}: "
                f"{rest} numbers, and {rows} for each input"
            )
        start = 0
        for name, shape in known:
            whole = (shape[0], columns) if name.endswith("0_i2h_weight") else shape
            end = start + prod(whole)
            yield self._own(name), vector[start:end].reshape(whole)
            start = end

    def _unfuse(self) -> HybridSequentialRNNCell:
        """Return stacked cells that compute the same step by step, sharing the parameters.

        Raises:
            LayerError: The layer has a projection or clips its states, which cells do not support.
        """
        clipped = (self._lstm_state_clip_min, self._lstm_state_clip_max) != (None, None)
        # Cells have neither, so the layer cannot be unfused.
        if self._projection_size or clipped:
            raise LayerError(
                f"{self.name}: cannot unfuse a layer that projects or clips its states"
            )
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        with stack.name_scope():
            for layer in range(self._num_layers):
                cell: HybridRecurrentCell = self._cell(layer, f"l{layer}_")
                if self._dir == 2:  # noqa: PLR2004
                    cell = BidirectionalCell(cell, self._cell(layer, f"r{layer}_"))
                stack.add(cell)
                if self._dropout > 0 and layer + 1 < self._num_layers:
                    stack.add(DropoutCell(self._dropout))
        return stack

    def _cell(self, layer: int, prefix: str) -> HybridRecurrentCell:
        sizes = (self._hidden_size, self._shapes(layer)["i2h_weight"][1])
        if self._mode == "lstm":
            return LSTMCell(sizes[0], input_size=sizes[1], prefix=prefix)
        if self._mode == "gru":
            return GRUCell(sizes[0], input_size=sizes[1], prefix=prefix)
        activation = self._mode.removeprefix("rnn_")
        return RNNCell(sizes[0], activation, input_size=sizes[1], prefix=prefix)


_ORDER = ("i2h_weight", "h2h_weight", "h2r_weight", "i2h_bias", "h2h_bias")
