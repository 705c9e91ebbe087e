"""Base class of symbolic recurrent cells: parameters, states, and unrolling."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hy_ndarray import ArgumentError, NDArray, nd
from hy_symbol import Symbol, sym

__all__ = ["Arrays", "BaseRNNCell", "RNNParams", "Steps", "normalize_sequence"]

Arrays: TypeAlias = Mapping[str, NDArray]
Steps: TypeAlias = Symbol | list[Symbol]
"""A sequence: one symbol with an axis of time, or one symbol for each step."""


class RNNParams:
    """Variables of cells by name, which several cells can share.

    Args:
        prefix: Prefix of the variables' names.

    Example:
        >>> params = RNNParams("rnn_")
        >>> params.get("weight").name, params.get("weight") is params.get("weight")
        ('rnn_weight', True)
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params: dict[str, Symbol] = {}

    def get(self, name: str, **kwargs: Any) -> Symbol:
        """Return the variable called ``name``, created with ``kwargs`` on first use."""
        name = self._prefix + name
        if name not in self._params:
            self._params[name] = sym.var(name, **kwargs)
        return self._params[name]


class BaseRNNCell:
    """Base class of symbolic recurrent cells: one step of a sequence, ``(output, states)``.

    Args:
        prefix: Prefix of the names of weights and nodes.
        params: Variables shared with another cell; new variables if None.
    """

    _gate_names: Sequence[str] = ()
    _num_hidden = 0

    def __init__(self, prefix: str = "", params: RNNParams | None = None) -> None:
        self._own_params = params is None
        self._prefix = prefix
        self._params = RNNParams(prefix) if params is None else params
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Reset the step counter, before the construction of a new graph."""
        self._init_counter = -1
        self._counter = -1
        for cell in getattr(self, "_cells", ()):
            cell.reset()

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step.

        Args:
            inputs: ``(N, C)``.
            states: States after the previous step, one per element of ``state_info``.

        Returns:
            The output and the new states.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no single step: use unroll, or define __call__"
        )

    @property
    def params(self) -> RNNParams:
        """Variables of the cell, which other cells may share."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state, with 0 for the unknown batch size."""
        raise NotImplementedError(
            f"{type(self).__name__} must define state_info, a shape and layout for each state"
        )

    @property
    def state_shape(self) -> list[tuple[int, ...]]:
        """Shape of each state."""
        return [info["shape"] for info in self.state_info]

    def begin_state(self, func: Callable[..., Symbol] = sym.zeros, **kwargs: Any) -> list[Symbol]:
        """Return the initial states.

        Args:
            func: Function of a name, shape and layout, such as ``sym.zeros`` or ``sym.var``.
            kwargs: Further arguments of ``func``.

        Raises:
            ArgumentError: The cell is inside a modifier; call the modifier's method.
        """
        self._hy_check_not_modified()
        states = []
        for info in self.state_info:
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(name=name, **{**kwargs, **info}))
        return states

    def _hy_check_not_modified(self) -> None:
        if self._modified:
            raise ArgumentError(
                f"cell '{self._prefix}': after applying modifier cells (e.g. ZoneoutCell) the base "
                "cell cannot be called directly; call the modifier cell instead"
            )

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return weights and biases split by gate, such as ``lstm_i2h_f_weight``.

        Args:
            args: Arrays by name; those of other layers are returned unchanged.

        Raises:
            KeyError: An array of this cell is missing.
        """
        unpacked = dict(args)
        if not self._gate_names:
            return unpacked
        rows = self._num_hidden
        for group in ("i2h", "h2h"):
            weight = unpacked.pop(f"{self._prefix}{group}_weight")
            bias = unpacked.pop(f"{self._prefix}{group}_bias")
            for i, gate in enumerate(self._gate_names):
                # One matrix has the rows of all gates, in the order of their names.
                part = slice(i * rows, (i + 1) * rows)
                unpacked[f"{self._prefix}{group}{gate}_weight"] = weight[part].copy()
                unpacked[f"{self._prefix}{group}{gate}_bias"] = bias[part].copy()
        return unpacked

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return weights and biases with all gates concatenated; inverse of :meth:`unpack_weights`.

        Raises:
            KeyError: A gate's array is missing.
        """
        packed = dict(args)
        if not self._gate_names:
            return packed
        for group in ("i2h", "h2h"):
            for kind in ("weight", "bias"):
                names = [f"{self._prefix}{group}{gate}_{kind}" for gate in self._gate_names]
                # One weight for all gates: a step is then a single product.
                parts = [packed.pop(name) for name in names]
                packed[f"{self._prefix}{group}_{kind}"] = nd.concat(*parts, dim=0)
        return packed

    def unroll(
        self,
        length: int,
        inputs: Steps,
        begin_state: list[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Return outputs and states of the cell over a sequence.

        Args:
            length: Number of steps.
            inputs: One symbol in ``layout``, or one ``(N, C)`` for each step.
            begin_state: States before the first step; :meth:`begin_state` if None.
            layout: ``"NTC"`` or ``"TNC"``, of inputs and outputs that are one symbol.
            merge_outputs: True for one symbol, False for a list, None for either.

        Returns:
            The outputs, and the states after the last step.

        Raises:
            ArgumentError: ``inputs`` is a group, or a list of another length.

        Example:
            >>> import mxnet as mx
            >>> cell = mx.rnn.RNNCell(4)
            >>> outputs, _ = cell.unroll(3, mx.sym.var("data"), merge_outputs=True)
            >>> outputs.infer_shape(data=(2, 3, 5))[1]
            [(2, 3, 4)]
        """
        # The counter restarts, so that every unrolling names its steps alike.
        self.reset()
        steps, _ = normalize_sequence(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        outputs: list[Symbol] = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
        return normalize_sequence(length, outputs, layout, merge_outputs)[0], states

    def _get_activation(self, inputs: Symbol, activation: Any, **kwargs: Any) -> Symbol:
        """Return an activation of a symbol, given by name or as a function."""
        activated: Symbol
        if isinstance(activation, str):
            activated = sym.Activation(inputs, **{"act_type": activation, **kwargs})
        else:
            activated = activation(inputs, **kwargs)
        return activated


def normalize_sequence(
    length: int | None,
    inputs: Steps,
    layout: str,
    merge: bool | None,
    in_layout: str | None = None,
) -> tuple[Any, int]:
    """Return a sequence as one symbol, as a list, or unchanged; and its time axis.

    Raises:
        ArgumentError: The sequence is a group, or a list of another length.
    """
    axis = layout.find("T")
    in_axis = axis if in_layout is None else in_layout.find("T")
    if isinstance(inputs, Symbol):
        if merge is False:
            if len(inputs.list_outputs()) != 1:
                raise ArgumentError(
                    "unroll doesn't allow grouped symbol as input. Please convert to list with "
                    "list(inputs) first or let unroll handle splitting."
                )
            options: dict[str, Any] = {"num_outputs": length, "squeeze_axis": 1}  # MXNet's text
            parts = sym.split(inputs, axis=in_axis, **options)
            return list(parts), axis
    else:
        if length is not None and len(inputs) != length:
            raise ArgumentError(f"unroll: inputs has {len(inputs)} steps, length is {length}")
        if merge is not True:
            return inputs, axis
        inputs = sym.Concat(*(sym.expand_dims(x, axis=axis) for x in inputs), dim=axis)
        in_axis = axis
    if axis != in_axis:
        inputs = sym.swapaxes(inputs, dim1=axis, dim2=in_axis)
    return inputs, axis
