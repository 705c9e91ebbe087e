"""Command ``convert``: converts a file of arrays, with its graph, to another format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hy_io._atomic import atomic_write
from hy_io._cli_formats import form_of, load
from hy_io._errors import ArgumentError
from hy_io._paths import read_file
from hy_io.file_set import current_file, save_together
from hy_io.fitting import KnownGraph, check_fit, from_torch, read_graph, to_torch
from hy_io.formats import Contents, Format, format_for, save_arrays, writable_formats
from hy_io.model_files import exported_name, graph_beside
from hy_io.ndarray_file import open_ndarrays
from hy_io.states import convert_pickled_states

WRITTEN_AS = ("mxnet2",)
"""Formats that have the suffixes of other formats and are therefore selected by name."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The arguments of ``hy-io convert``: source, target and options.

    Args:
        source: The file to read.
        target: The file to write.
        symbol: Path of the graph to read; if ``source`` contains a graph and ``target`` cannot, the
            path to write it to.
        names: Naming schemes of the parameters in the source and in the target, ``"mxnet"`` or
            ``"torch"``; None for the scheme of the file's format. For the target, a name of
            :data:`WRITTEN_AS` selects this format.
        inputs: Known shapes of the graph's inputs, by name.
        allow_pickle: Permit reading pickled optimizer states.
        max_expansion: See `load_arrays`.
    """

    source: str
    target: str
    symbol: str | None = None
    names: tuple[str | None, str | None] = (None, None)
    inputs: Mapping[str, Sequence[int | str]] | None = None
    allow_pickle: bool = False
    max_expansion: int | None = None

    def run(self) -> dict[str, Any]:
        """Convert the files; return a report of what was written.

        Raises:
            FileFormatError: The source is damaged.
            MisfitError: The arrays do not fit the graph.
            ArgumentError: The format of the target cannot hold the arrays.
        """
        # States need another reader: MXNet writes them as a pickle of its own classes, which is
        # read only on request.
        if ".states" in (Path(self.source).suffix.lower(), Path(self.target).suffix.lower()):
            return self._convert_states()
        path = str(current_file(self.source))
        form, to = form_of(path), self._target_format()
        contents = load(path, form, self.max_expansion)
        beside = None
        if self.symbol is not None and contents.symbol is not None and not to.has_graph:
            beside = self.symbol
        elif self.symbol is not None:
            contents = replace(contents, symbol=read_file(self.symbol).decode())
        elif contents.symbol is None:
            # MXNet exports a graph and its parameters as a pair, so the graph of net-0000.params is
            # beside it.
            contents = replace(contents, symbol=graph_beside(self.source))
        fitted = self._fitted(contents, form, to)
        files = self._write_target(fitted, to)
        if beside is not None:
            with atomic_write(beside) as file:
                file.write(str(contents.symbol).encode())
            files.append(beside)
        return {**self._done(form.name, to.name, len(fitted.arrays)), "files": files}

    def _target_format(self) -> Format:
        if self.names[1] in WRITTEN_AS:
            return writable_formats()[str(self.names[1])]
        return format_for(self.target)

    def _done(self, form: str, to: str, count: int) -> dict[str, Any]:
        return {
            "source": self.source,
            "target": self.target,
            "from": form,
            "to": to,
            "arrays": count,
        }

    def _fitted(self, contents: Contents, form: Format, to: Format) -> Contents:
        """Return the contents with the target's parameter names, checked against the graph."""
        arrays: Any = contents.arrays
        if not isinstance(arrays, Mapping):
            return contents
        dialect = None if self.names[1] in WRITTEN_AS else self.names[1]
        source, target = self.names[0] or form.names, dialect or to.names
        graph: KnownGraph | None = None
        if contents.symbol is not None and "mxnet" in (source, target):
            graph = read_graph(contents.symbol, self.symbol or self.source)
        if source == "torch" != target:
            arrays = from_torch(arrays, graph)
        inputs = self.inputs or {}
        if graph is not None:
            # Graphs write 0 for an axis of unknown size, inputs a name such as "batch": both mean
            # unknown.
            known = {n: tuple(d if isinstance(d, int) else 0 for d in s) for n, s in inputs.items()}
            check_fit(arrays, graph, known)
        if target == "torch" != source:
            return replace(contents, arrays=to_torch(arrays), symbol=None)
        return replace(contents, arrays=arrays, inputs=inputs)

    def _write_target(self, contents: Contents, to: Format) -> list[str]:
        """Write the target and, for ``net-0000.params``, the graph's file; return the paths."""
        name = None if to.name in WRITTEN_AS else exported_name(self.target)
        if name is None or contents.symbol is None or not isinstance(contents.arrays, Mapping):
            save_arrays(self.target, contents, form=to)
            return [self.target]
        prefix, epoch = name
        together: Any = {f"-{epoch}.params": contents.arrays, "-symbol.json": contents.symbol}
        save_together(prefix, together, np_shape=contents.np_shape)
        return [self.target, f"{prefix}-symbol.json"]

    def _convert_states(self) -> dict[str, Any]:
        # MXNet's states hold pickled optimizers; `hy_io._mxnet_pickle` runs nothing, but stays
        # opt-in.
        if not self.allow_pickle:
            raise ArgumentError(
                f"convert: states of MXNet, as perhaps {self.source}, are pickles; pass "
                "--allow-pickle to read them (nothing of them is run)"
            )
        convert_pickled_states(self.source, self.target, max_expansion=self.max_expansion)
        with open_ndarrays(self.target) as file:
            count = len(file) - 1
        return {**self._done("pickle", "states", count), "files": [self.target]}
