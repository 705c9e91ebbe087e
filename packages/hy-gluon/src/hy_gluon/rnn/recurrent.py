"""RecurrentCell: one step of a recurrent network, which can be unrolled over sequences."""

from collections.abc import Callable
from typing import Any

from hy_gluon._errors import BlockError
from hy_gluon.block import Block, HybridBlock
from hy_gluon.block.overridable import overridable
from hy_gluon.parameter import ParameterDict
from hy_gluon.rnn._activation import activate
from hy_gluon.rnn._sequences import Sequences, beside, read
from hy_ndarray import autograd, dtype_name, nd

__all__ = ["HybridRecurrentCell", "RecurrentCell", "StateInfo"]

StateInfo = list[dict[str, Any]]
"""Of each state its ``shape``, the names of its axes as ``__layout__``, and maybe a ``dtype``."""


class RecurrentCell(Block):
    """Base class of cells: ``cell(inputs, states)`` returns output and states after a step.

    Subclasses define :meth:`state_info` and the step, ``forward`` or ``hybrid_forward``.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Reset the count of steps; :meth:`unroll` calls it first."""
        # Counters name nodes and states, as in MXNet's graphs.
        self._init_counter = -1
        self._counter = -1
        self._hy_clear_state()
        for cell in self._children.values():
            if isinstance(cell, RecurrentCell):
                cell.reset()

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of each state.

        Args:
            batch_size: Size of the batch; 0 stands for one that is not known.
        """
        raise NotImplementedError(f"{type(self).__name__} must define state_info")

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the initial states.

        Args:
            batch_size: Size of the batch.
            func: What makes a state from ``shape``, ``name`` and ``__layout__``: ``nd.zeros``,
                ``sym.zeros``, ``sym.var`` …
            kwargs: Given to ``func`` as well, such as ``ctx`` or ``dtype``.

        Raises:
            BlockError: The cell is inside of a modifier cell, which has to be asked instead.

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
        """Return outputs and states over sequences, computed step by step.

        Args:
            length: Number of steps.
            inputs: One tensor of axes ``layout``, or a list of ``length`` without ``T``.
            begin_state: States before the first step; zeros if None.
            layout: Names of the axes of a tensor, such as ``"NTC"`` or ``"TNC"``.
            merge_outputs: True: outputs are one tensor; False: a list of steps; None: whichever
                comes first.
            valid_length: ``[N]``, at least 1; sequences end there: outputs behind are zeros,
                states are those of the last valid step.

        Returns:
            The outputs and the states after the last step.

        Raises:
            StructureError: ``inputs`` do not have that many steps.

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
        """Return an activation of ``inputs``, for user-defined cells."""
        return activate(F, inputs, activation, **kwargs)

    def _hy_first_states(self, begin_state: Any, sequences: Sequences) -> Any:
        """Return the given states, or zeros on the inputs' device in the parameters' dtype."""
        if begin_state is not None:
            return begin_state
        F, first = sequences.F, sequences.first
        kwargs: dict[str, Any] = {}
        parameter = next(iter(self.collect_params().values()), None)
        # Float32 is the default of `begin_state`; func may not know the argument.
        if parameter is not None and dtype_name(parameter.dtype) != "float32":
            kwargs["dtype"] = dtype_name(parameter.dtype)
        with beside(first):
            return self.begin_state(batch_size=sequences.batch_size, func=F.zeros, **kwargs)

    @overridable
    def forward(self, inputs: Any, states: Any) -> Any:
        """Return output and states after one step.

        Args:
            inputs: ``[N, C]``.
            states: The states before.

        Returns:
            The output, and the list of states after it.
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
        """Return whether a training step depends on earlier ones in other ways than by states."""
        return any(
            isinstance(cell, RecurrentCell) and cell._hy_is_stateful()
            for cell in self._children.values()
        )


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """Base class of cells that work on arrays and symbols.

    Subclasses define ``hybrid_forward(F, inputs, states, **params)``. A cell that keeps something
    between the steps of a sequence, as :class:`ZoneoutCell` does, runs operator by operator in
    training even if it is hybridized; the cells in it, and blocks that unroll it, do not.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.
    """

    @overridable
    def forward(self, inputs: Any, states: Any) -> Any:
        """Return output and states after one step, by the trace once hybridized."""
        # A traced step would bake the last output into the graph as a constant.
        if self._active and autograd.is_training() and self._hy_is_stateful():
            self._active = False
            try:
                return super().forward(inputs, states)
            finally:
                self._active = True
        return super().forward(inputs, states)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return output and states after one step by operators of ``F``; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define forward or hybrid_forward")
