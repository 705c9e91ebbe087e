"""Symbols with NumPy's behaviour: what ``sym.np`` and ``sym.npx`` take and return."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from hy_ndarray import IndexingError
from hy_ndarray.np import ndarray
from hy_ndarray.np.calls import call
from hy_ndarray.np.methods import NumpyMethods
from hy_symbol._errors import SymbolIndexError
from hy_symbol.graph.node import Graph
from hy_symbol.symbol.symbol import Symbol

__all__ = ["NumpySymbol"]

_KEEP, _DROP, _REST = -2, -3, -4  # codes of npx.reshape


class NumpySymbol(NumpyMethods, Symbol, numpy=True):  # type: ignore[misc]  # numpy's arguments, not MXNet's
    """Outputs of a symbolic graph whose operators and methods are NumPy's.

    Made by :meth:`Symbol.as_np_ndarray` and by the functions of ``sym.np`` and ``sym.npx``. The
    graph is an ordinary one; NumPy's operators have nodes of their own.

    Example:
        >>> from hy_symbol import sym
        >>> x = sym.var("x").as_np_ndarray()
        >>> (x + 1).sum(axis=0).list_outputs(), sym.np.dot(x, x).name
        (['sum0_output'], 'dot0')
    """

    __slots__ = ()
    array_type: ClassVar[type[Any]] = ndarray

    def __iter__(self) -> Iterator["NumpySymbol"]:
        rows = self._num_rows()
        if rows is None:
            return (NumpySymbol(Graph((entry,))) for entry in self.graph.outputs)
        return (self[i] for i in range(rows))

    def __getitem__(self, key: Any) -> Any:
        """A part of the only output, as of an array; of several outputs one, or some.

        Args:
            key: Integers, slices, ``None`` and one ``...`` at an end; of several outputs an
                integer, a slice or a name.

        Raises:
            IndexingError: The key is of another kind.
        """
        if not self._single or isinstance(key, str):
            return NumpySymbol(super().__getitem__(key).graph)
        items = key if isinstance(key, tuple) else (key,)
        reverse = bool(items) and items[0] is Ellipsis
        items = tuple(item for item in items if item is not Ellipsis) if items else items
        if reverse and any(item is not None for item in items):
            raise IndexingError("a symbol is indexed from its first axis on; write ... last")
        return self._part(items)

    def _part(self, items: Sequence[Any]) -> "NumpySymbol":
        begin: list[Any] = []
        end: list[Any] = []
        step: list[Any] = []
        shape: list[int] = []
        for item in items:
            if item is None:
                shape.append(1)
                continue
            cut = item
            if not isinstance(item, slice):
                if not isinstance(item, int | np.integer) or isinstance(item, bool):
                    kind = type(item).__name__
                    raise SymbolIndexError(
                        f"a symbol cannot be indexed by a {kind}; use np.take, or integers, "
                        "slices, None and ..."
                    )
                index = int(item)
                cut = slice(index, index + 1 or None)
            shape.append(_KEEP if cut is item else _DROP)
            begin.append(cut.start)
            end.append(cut.stop)
            step.append(cut.step)
        part = self
        if any(x is not None for x in (*begin, *end, *step)):
            steps = {"step": tuple(step)} if any(x is not None for x in step) else {}
            part = call("_npi_slice", self, begin=tuple(begin), end=tuple(end), **steps)
        if all(code == _KEEP for code in shape):
            return part
        codes = (*shape, _REST)
        reshaped: NumpySymbol = call("_npx_reshape", part, newshape=codes)
        return reshaped

    def as_np_ndarray(self) -> "NumpySymbol":
        """The symbol itself."""
        return self

    def as_nd_ndarray(self) -> Symbol:
        """The same graph with classic behaviour."""
        return Symbol(self.graph)

    def astype(self, dtype: object, **kwargs: Any) -> "NumpySymbol":
        """The values in another dtype."""
        for name in ("copy", "order", "casting", "subok"):
            kwargs.pop(name, None)
        result: NumpySymbol = call("_npi_cast", self, dtype=dtype, **kwargs)
        return result

    def __copy__(self) -> "NumpySymbol":
        return NumpySymbol(self.graph)

    def __deepcopy__(self, memo: dict[int, Any]) -> "NumpySymbol":
        return NumpySymbol(Graph(super().__deepcopy__(memo).graph.outputs))
