"""Symbols with NumPy's behaviour, as ``sym.np`` and ``sym.npx`` use them."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from hy_ndarray.np import ndarray
from hy_ndarray.np.calls import call
from hy_ndarray.np.methods import NumpyMethods
from hy_ndarray.ops import Operator
from hy_symbol.graph.node import Graph
from hy_symbol.infer.trace import current_trace
from hy_symbol.symbol import selection
from hy_symbol.symbol.symbol import Symbol

__all__ = ["NumpySymbol"]


class NumpySymbol(NumpyMethods, Symbol, numpy=True):  # type: ignore[misc]  # numpy's arguments, not MXNet's
    """Symbol whose operators and methods behave as NumPy's.

    Created by :meth:`Symbol.as_np_ndarray` and by the functions of ``sym.np`` and ``sym.npx``. Its
    graph is an ordinary one; NumPy's operators have their own kinds of nodes.

    Example:
        >>> from hy_symbol import sym
        >>> x = sym.var("x").as_np_ndarray()
        >>> (x + 1).sum(axis=0).list_outputs(), sym.np.dot(x, x).name
        (['sum0_output'], 'dot0')
    """

    __slots__ = ()
    array_type: ClassVar[type[Any]] = ndarray

    @classmethod
    def call_operator(
        cls, op: Operator, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Add a node as user code calls ``op``; return one symbol, or a list of several outputs."""
        symbol = super().call_operator(op, name, args, kwargs)
        return [*symbol] if symbol.num_outputs > 1 else symbol

    def __iter__(self) -> Iterator["NumpySymbol"]:
        rows = self._num_rows()
        if rows is None:
            return (NumpySymbol(Graph((entry,))) for entry in self.graph.outputs)
        return (self[i] for i in range(rows))

    def __getitem__(self, key: Any) -> Any:
        """Index a single output like an array; with several outputs, select outputs.

        Args:
            key: For a single output integers, slices, ``None`` and one ``...``, or a list of
                integers; for several outputs an integer, a slice or a name.

        Raises:
            IndexingError: The key is of another kind, or an index is out of bounds.
        """
        if not self._single or isinstance(key, str):
            return NumpySymbol(super().__getitem__(key).graph)
        shape = None if current_trace() is None else self._traced()[0]
        return selection.select(self, key, shape)

    def as_np_ndarray(self) -> "NumpySymbol":
        """Return the symbol itself."""
        return self

    def as_nd_ndarray(self) -> Symbol:
        """Return the same graph with classic behaviour."""
        return Symbol(self.graph)

    def astype(self, dtype: object, **kwargs: Any) -> "NumpySymbol":
        """Return the symbol cast to another dtype."""
        # numpy's arguments on memory and checks, of which a graph has none.
        for name in ("copy", "order", "casting", "subok"):
            kwargs.pop(name, None)
        return call("_npi_cast", self, dtype=dtype, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> "NumpySymbol":
        return NumpySymbol(Graph(copy.deepcopy(self.as_nd_ndarray(), memo).graph.outputs))
