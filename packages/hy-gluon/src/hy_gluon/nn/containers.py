"""Sequential and HybridSequential: containers that run blocks one after another."""

from typing import TYPE_CHECKING, Any, Self, overload

from hy_gluon._errors import BlockError
from hy_gluon.block import Block, HybridBlock
from hy_gluon.block.base import Operand
from hy_gluon.block.overridable import overridable
from hy_gluon.parameter import ParameterDict
from hy_ndarray.warning import warn
from hy_symbol import sym

__all__ = ["HybridSequential", "Sequential"]


class _Stack(Block):
    """Base class of both containers: an ordered list of children."""

    _hy_is_container = True

    if TYPE_CHECKING:

        @overload
        def __call__(self, x: Operand, /, *args: Any) -> Operand: ...

        @overload
        def __call__(self, *args: Any) -> Any: ...

        def __call__(self, *args: Any) -> Any:
            """Return the result of all blocks; a single output has the class of the argument."""

    def add(self, *blocks: Block) -> None:
        """Append blocks."""
        for block in blocks:
            self.register_child(block)

    def __repr__(self) -> str:
        inner = "\n".join(
            f"  ({key}): " + repr(block).replace("\n", "\n  ")
            for key, block in self._children.items()
        )
        return f"{type(self).__name__}(\n{inner}\n)"

    def __getitem__(self, key: int | slice) -> Any:
        """Return the block at a position; for a slice, a container that shares the blocks."""
        layers = list(self._children.values())
        if isinstance(key, slice):
            return self._hy_part(layers[key])
        return layers[key]

    def _hy_part(self, layers: list[Block]) -> Self:
        part = type(self)(prefix=self._prefix)
        part.add(*layers)
        return part

    def __len__(self) -> int:
        return len(self._children)


class Sequential(_Stack):
    """Container that runs blocks of any kind one after another.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Example:
        >>> from hy_gluon.nn import Dense
        >>> net = Sequential()
        >>> with net.name_scope():
        ...     net.add(Dense(10, activation="relu"), Dense(20))
        >>> net
        Sequential(
          (0): Dense(None -> 10, Activation(relu))
          (1): Dense(None -> 20, linear)
        )
        >>> net[1], len(net[:1])
        (Dense(None -> 20, linear), 1)
    """

    @overridable
    def forward(self, x: Any) -> Any:
        """Return the result of all blocks for ``x``."""
        for block in self._children.values():
            x = block(x)
        return x

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Hybridize each block that supports it, separately.

        A :class:`HybridSequential` is hybridized as one graph, which is faster.
        """
        if self._children and all(isinstance(c, HybridBlock) for c in self._children.values()):
            # Each child is traced alone, so that no rewrite sees two layers and each costs a call.
            warn(
                f"all children of the Sequential '{self.prefix}' are HybridBlocks; "
                "a HybridSequential runs them as one graph"
            )
        super().hybridize(active, **kwargs)

    def export(
        self, path: str, epoch: int = 0, remove_amp_cast: bool = True
    ) -> tuple[str, str | None]:
        """Write all blocks, which must be hybrid, as one graph; see :meth:`HybridBlock.export`.

        The blocks need not be hybridized, but parameters must be initialized.

        Raises:
            BlockError: A block is not a HybridBlock.
        """
        whole = HybridSequential(prefix=self.prefix)
        for name, block in self._children.items():
            if not isinstance(block, HybridBlock):
                raise BlockError(
                    f"{self.name}: block {name} is a {type(block).__name__}, which has no graph; "
                    "only HybridBlocks can be exported"
                )
            whole.register_child(block, name)
        # Traced with a symbol, so that no forward pass is needed first.
        whole._get_graph(sym.var("data"))
        return whole.export(path, epoch, remove_amp_cast)


class HybridSequential(_Stack, HybridBlock):
    """Container that runs hybrid blocks one after another; hybridized as one graph.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Raises:
        StructureError: An added block is not a HybridBlock.

    Example:
        >>> from hy_gluon.nn import Dense
        >>> net = HybridSequential()
        >>> with net.name_scope():
        ...     net.add(Dense(10, activation="relu"), Dense(20))
        >>> net.initialize()
        >>> net.hybridize()
        >>> net(nd.ones((2, 5))).shape
        (2, 20)
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)

    @overridable
    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        """Return the result of all blocks for ``x``."""
        for block in self._children.values():
            x = block(x)
        return x
