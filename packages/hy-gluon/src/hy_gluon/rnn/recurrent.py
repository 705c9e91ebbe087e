"""RecurrentCell: one step of a recurrent network, which can be unrolled over sequences."""

from collections.abc import Callable
from typing import Any

from hy_gluon._errors import BlockError
from hy_gluon.block import Block, HybridBlock
from hy_gluon.block.overridable import overridable
from hy_gluon.parameter import ParameterDict
from hy_gluon.rnn._activation import activate
from hy_gluon.rnn._sequences import Sequences, beside, read
from hy_ndarray import autograd, nd

__all__ = ["HybridRecurrentCell", "RecurrentCell", "StateInfo"]

StateInfo = list[dict[str, Any]]
"""For each state its ``shape``, its axes as ``__layout__``, and optionally a ``dtype``."""


class RecurrentCell(Block):
    """Base class of cells: ``cell(inputs, states)`` returns output and new states of a step.

    Subclasses override :meth:`state_info`, and ``forward`` or ``hybrid_forward`` for the step.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Reset the step counter and stored masks or outputs; :meth:`unroll` does so first."""
        # Counters name nodes and states, as in MXNet's graphs.
        self._init_counter = -1
        self._counter = -1
        self._hy_clear_state()
        for cell in self._children.values():
            if isinstance(cell, RecurrentCell):
                cell.reset()

    @property
    def _hy_prefix(self) -> str:
        """Prefix of the names of a step's nodes: ``t0_``, ``t1_`` and so on, as in MXNet."""
        return f"t{self._counter}_"

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of each state.

        Args:
            batch_size: Size of the batch; 0 if it is unknown.
        """
        raise NotImplementedError(f"{type(self).__name__} must define state_info")

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the initial states.

        Args:
            batch_size: Size of the batch.
            func: Function that creates a state from ``shape``, ``name`` and ``__layout__``, such as
                ``nd.zeros``, ``sym.zeros`` or ``sym.var``.
            kwargs: Further arguments of ``func``, such as ``ctx`` or ``dtype``.

        Raises:
            BlockError: The cell is inside a modifier cell; call the modifier's method instead.

        Example:
            >>> from hy_gluon import rnn
            >>> rnn.LSTMCell(3).begin_state(batch_size=2)[0].shape
            (2, 3)
        """
        self._hy_check_not_modified()
        states = []
        for info in self.state_info(batch_size):
            # Names of MXNet's states: begin_state_0, begin_state_1, ...
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(name=name, **{**(info or {}), **kwargs}))
        return states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Return outputs and final states over sequences, computed step by step.

        Args:
            length: Number of steps.
            inputs: One tensor with axes ``layout``, or a list of ``length`` tensors without axis
                ``T``.
            begin_state: Initial states; zeros if None.
            layout: Axes of a tensor, such as ``"NTC"`` or ``"TNC"``.
            merge_outputs: Return outputs as one tensor (True), as a list of steps (False), or in
                whichever form they are computed (None).
            valid_length: Lengths ``[N]`` of the sequences, at least 1; later outputs are zeros, and
                final states are those of the last valid step.

        Returns:
            The outputs and the list of final states.

        Raises:
            StructureError: ``inputs`` does not have ``length`` steps.

        Example:
            >>> from hy_gluon import rnn
            >>> cell = rnn.GRUCell(3)
            >>> cell.initialize()
            >>> outputs, states = cell.unroll(5, nd.ones((2, 5, 4)), merge_outputs=True)
            >>> outputs.shape, states[0].shape
            ((2, 5, 3), (2, 3))
        """
        self.reset()
        sequences = read(length, inputs, layout)
        steps = sequences.split(sequences.value)
        states = self._hy_first_states(begin_state, sequences)
        outputs: Any = []
        history = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
            history.append(states)
        if valid_length is not None:
            # Each sequence ends at its own step; its state is the one there.
            states = [sequences.last(parts, valid_length) for parts in zip(*history, strict=True)]
            outputs = sequences.masked(outputs, valid_length, merge=True)
        return sequences.arranged(outputs, merge_outputs), states

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Return ``activation`` (a name, block or function) of ``inputs``."""
        return activate(F, inputs, activation, **kwargs)

    def _hy_first_states(self, begin_state: Any, sequences: Sequences) -> Any:
        """Return ``begin_state``, or zeros on the inputs' device in the parameters' dtype."""
        if begin_state is not None:
            return begin_state
        F, first = sequences.F, sequences.first
        kwargs: dict[str, Any] = {}
        parameter = next(iter(self.collect_params().values()), None)
        # Float32 is the default of `begin_state`; func may not know the argument.
        if parameter is not None and parameter._hy_dtype_name != "float32":
            kwargs["dtype"] = parameter._hy_dtype_name
        with beside(first):
            return self.begin_state(batch_size=sequences.batch_size, func=F.zeros, **kwargs)

    @overridable
    def forward(self, inputs: Any, states: Any) -> Any:
        """Return output and states after one step.

        Args:
            inputs: Input ``[N, C]`` of the step.
            states: Previous states.

        Returns:
            The output, and the list of new states.
        """
        self._counter += 1
        return super().forward(inputs, states)

    def _hy_check_not_modified(self) -> None:
        if self._modified:
            raise BlockError(
                f"cell {self.name} is inside of a modifier cell, such as ZoneoutCell; "
                "call that one instead"
            )

    def _hy_is_stateful(self) -> bool:
        """Return whether training steps depend on each other beyond the states, as by masks."""
        return any(
            isinstance(cell, RecurrentCell) and cell._hy_is_stateful()
            for cell in self._children.values()
        )


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """Base class of hybridizable cells, which work on arrays and symbols.

    Subclasses override ``hybrid_forward(F, inputs, states, **params)``. A cell that stores values
    between the steps of a sequence, such as :class:`ZoneoutCell`, runs operator by operator in
    training even if it is hybridized; its inner cells, and blocks that unroll it, still run as
    graphs.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.
    """

    @overridable
    def forward(self, inputs: Any, states: Any) -> Any:
        """Return output and states after one step; hybridized cells run their trace."""
        # A traced step would bake the last output into the graph as a constant.
        if self._active and autograd.is_training() and self._hy_is_stateful():
            self._active = False
            try:
                return super().forward(inputs, states)
            finally:
                self._active = True
        return super().forward(inputs, states)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return output and states after one step by operators of ``F``; subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} must define forward or hybrid_forward")
