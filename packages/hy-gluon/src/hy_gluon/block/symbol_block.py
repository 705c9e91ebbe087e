"""SymbolBlock: a block around an existing graph."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon._errors import BlockError, StructureError
from hy_gluon.block.hybrid import HybridBlock
from hy_gluon.block.overridable import overridable
from hy_gluon.files import arrays_of
from hy_gluon.parameter import ParameterDict
from hy_gluon.trace.cache import Trace, TraceCache
from hy_gluon.trace.structure import flatten, regroup, structure_of
from hy_io import current_file, dialect_of, load_arrays, read_file, split_arg_aux
from hy_ndarray import Context, NDArray, numpy_type
from hy_ndarray.devices.device_argument import all_take_device
from hy_ndarray.suggestion import hint
from hy_symbol import Group, Symbol, load_json, sym

__all__ = ["SymbolBlock"]


@all_take_device
class SymbolBlock(HybridBlock):
    """Block that runs a given symbol; variables other than the inputs become parameters.

    Args:
        outputs: A symbol, or a list of them.
        inputs: Input variables of the symbol: a variable or a (nested) list of them.
        params: Parameters to share.

    Raises:
        StructureError: An input is not a variable.

    Example:
        >>> data = sym.var("data")
        >>> block = SymbolBlock(sym.FullyConnected(data, num_hidden=2, name="fc"), data)
        >>> list(block.params)
        ['fc_weight', 'fc_bias']
    """

    is_plain = False

    def __init__(
        self, outputs: Any, inputs: Any, params: ParameterDict | Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(prefix=None, params=None)
        # Names in a graph are complete already.
        self._prefix = ""
        shared = params if isinstance(params, ParameterDict) else None
        self._params = ParameterDict("", shared)
        flat_inputs, in_format = flatten(
            [inputs] if isinstance(inputs, Symbol) else inputs, "input"
        )
        results, out_format = flatten(_single(outputs), "output")
        # Of several outputs one block result each, as MXNet's SymbolBlock gives them.
        out = results[0] if len(results) == 1 and type(results[0]) is Symbol else Group(results)
        self._inputs = [_checked_input(symbol) for symbol in flat_inputs]
        self._hy_edit(graph=(self._inputs, out), in_format=in_format, out_format=out_format)
        self._declare(out)

    def _declare(self, out: Symbol) -> None:
        """Create a parameter for each variable that is not an input, auxiliary states last."""
        names = {symbol.graph.outputs[0][0].name for symbol in self._inputs}
        graph = out.graph
        dtypes: dict[str, Any] = {}  # by flag, of which graphs have one or two
        for node in (*graph.arguments, *graph.states):
            if node.name in names:
                continue
            # Type flag "0" is float32, MXNet's default for variables without one.
            flag = node.attrs.get("__dtype__", "0")
            if flag not in dtypes:
                dtypes[flag] = numpy_type(int(flag))
            # Of parameters that exist, arguments keep their gradients' kind.
            state = {"grad_req": "null"} if node in graph.auxiliary else {}
            self._params.get(node.name, allow_deferred_init=True, dtype=dtypes[flag], **state)
        own = dict(self._params.items())
        # The common beginning is the prefix that the exported block had; without it names are
        # attributes.
        length = _common_length(list(own)) if len(own) > 1 else 0
        self._reg_params = {name[length:]: parameter for name, parameter in own.items()}

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: str | Sequence[str],
        param_file: str | None = None,
        ctx: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        backend: str | None = None,
        backend_opts: Mapping[str, Any] | None = None,
    ) -> "SymbolBlock":
        """Return a block loaded from files written by ``export`` or by MXNet.

        After an interrupted ``export``, either both old files or both new files are loaded.

        Args:
            symbol_file: The ``-symbol.json`` file.
            input_names: Names of the inputs.
            param_file: The ``.params`` or ``.safetensors`` file; parameters stay uninitialized if
                None. On a CPU the parameters are copy-on-write views of the memory-mapped file,
                whose pages are shared with other processes. Replace such a file atomically by
                renaming, as ``export`` does; do not write into it.
            ctx: Context or contexts of the parameters.
            allow_missing: Leave parameters uninitialized that the file lacks.
            ignore_extra: Ignore arrays that the graph does not use.
            backend: Name of a backend for prediction; see :meth:`hybridize`.
            backend_opts: Options of the backend.

        Raises:
            BackendError: There is no such backend, or it cannot run here.
            GraphFormatError, FileFormatError: A file is damaged.
            BlockError: The files do not match; names what is missing.
        """
        # After an interrupted export the old pair or the new one, never one file of each.
        graph_file = str(current_file(symbol_file))
        text = read_file(graph_file)
        symbol = load_json(text, source=graph_file)
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        known = symbol.list_inputs()
        unused = [name for name in names if name not in known]
        # A name that is no input may be a parameter of the file, so the error waits until that is
        # read.
        wrong = None
        if unused:
            wrong = f"{symbol_file}: no input {unused[0]!r}; inputs: {', '.join(known)}"
            wrong += hint(unused[0], known)
        if wrong and param_file is None and not set(names) >= set(known):
            raise BlockError(wrong)
        outputs = symbol if symbol.num_outputs == 1 else list(symbol)
        block = SymbolBlock(outputs, [_variable(symbol, name) for name in names])
        # MXNet's graphs say nothing about nesting; hy's exports do, in an attribute that MXNet
        # skips.
        formats = structure_of(text, len(names), symbol.num_outputs)
        if formats is not None:
            block._in_format, block._out_format = formats
        if param_file is not None:
            block._load(param_file, ctx, allow_missing, ignore_extra, wrong)
        if backend is not None:
            block.hybridize(backend=backend, backend_opts=backend_opts)
        return block

    def _load(
        self,
        file: str,
        ctx: Context | list[Context] | None,
        allow_missing: bool,
        ignore_extra: bool,
        wrong: str | None,
    ) -> None:
        """Load the parameters from a file.

        Args:
            file: The file.
            ctx: Context or contexts of the parameters.
            allow_missing: Leave parameters uninitialized that the file lacks.
            ignore_extra: Ignore arrays that the graph does not use.
            wrong: Error text about an unknown input name, used if parameters are missing: a missing
                parameter then is probably the intended input. None if all names are known.
        """
        # Mapped copy-on-write: loading takes the time of the headers, and memory as pages are used.
        # A file of no arrays has no names: its list is empty.
        loaded = load_arrays(str(current_file(file)), copy="on_write", dense=True).arrays or {}
        if not isinstance(loaded, dict):
            raise BlockError(f"{file}: holds arrays without names, not parameters")
        if dialect_of(loaded) == "exported":
            arguments, states = split_arg_aux(loaded)
            loaded = {**arguments, **states}
        own = dict(self._params.items())
        missing = [name for name in own if name not in loaded]
        if missing and wrong:
            raise BlockError(wrong)
        if missing and not allow_missing:
            raise BlockError(f"{file}: parameters of the graph are missing: {', '.join(missing)}")
        # Views of the mapped file: processes that serve one model share its pages; a write copies
        # its own.
        for name, array in zip(loaded, arrays_of(loaded.values(), share=True), strict=True):
            if name in own:
                own[name]._load_init(
                    array,
                    ctx,
                    cast_dtype=True,
                    dtype_source="saved",
                    share=True,
                )
            elif not ignore_extra:
                raise BlockError(
                    f"{file}: array {name!r} is not in the graph; set ignore_extra=True to skip it"
                )

    def __repr__(self) -> str:
        out = self._cached_graph[1] if self._cached_graph else None
        count = 0 if out is None else out.num_outputs
        return f"{type(self).__name__}(\n{out!r} : {len(self._inputs)} -> {count}\n)"

    # Forgetting traces must keep the graph, which cannot be traced again.
    def _hy_fresh_traces(self) -> TraceCache:
        """Return a trace cache with the given graph, which cannot be traced again."""
        known = self._hy_traces.latest
        return TraceCache(Trace(known.graph, known.in_format, known.out_format))

    def _hy_data_of(self, trace: Trace, args: Sequence[Any]) -> Sequence[NDArray]:
        """Return the arrays in arguments, flat or nested as in the exported block."""
        # The usual call, flat and complete, without `flatten`.
        if len(args) == len(self._inputs) and all(isinstance(arg, NDArray) for arg in args):
            return args
        return super()._hy_data_of(trace, args)

    @overridable
    def forward(self, x: Any, *args: Any) -> Any:
        """Return the output on arrays; for symbols, the graph with its inputs replaced by them."""
        if isinstance(x, NDArray):
            return self._call_cached_op(x, *args)
        flat, form = flatten((x, *args), "input")
        arrays = [arg for arg in flat if arg is not None]
        if not any(isinstance(arg, Symbol) for arg in arrays):
            return self._call_cached_op(x, *args)
        if form != self._in_format and len(arrays) != len(args) + 1:
            raise StructureError(
                f"{self.name}: arguments of structure {form}, but inputs of {self._in_format}"
            )
        out: Symbol = self._cached_graph[1] if self._cached_graph else Group(())
        names = [symbol.name for symbol in self._inputs]
        composed = out(**{str(name): value for name, value in zip(names, arrays, strict=True)})
        if self._out_format == 0:
            return composed
        outputs = [Symbol.of(entry) for entry in composed.graph.outputs]
        return regroup(outputs, self._out_format)


def _single(outputs: Any) -> Any:
    return outputs[0] if isinstance(outputs, list | tuple) and len(outputs) == 1 else outputs


def _checked_input(symbol: Symbol) -> Symbol:
    if symbol.num_outputs != 1 or symbol.graph.outputs[0][0].op is not None:
        raise StructureError(f"inputs of a SymbolBlock must be variables, not {symbol!r}")
    return symbol


def _variable(symbol: Symbol, name: str) -> Symbol:
    """Return the graph's variable called ``name`` as a symbol, or a new variable."""
    for node in symbol.graph.variables:
        if node.name == name:
            return Symbol.of((node, 0))
    return sym.var(name)


def _common_length(names: Sequence[str]) -> int:
    """Return the length of the longest common prefix of all names."""
    # All names share what the smallest and the largest share.
    first, last = min(names), max(names)
    for i, (x, y) in enumerate(zip(first, last, strict=False)):
        if x != y:
            return i
    return min(len(first), len(last))
