"""Private attributes of MXNet's executors, symbols, scopes and functions.

``self`` is an object of the class that gets the attributes.
"""

import ctypes
import threading
from collections.abc import Sequence
from typing import Any

from hy_ndarray import Context, NDArray, current_context
from hy_ndarray.devices.context import set_default_context
from hy_symbol import Symbol
from hy_symbol.graph import attribute, name as naming
from mxnet._private.absent import Handle
from mxnet._private.computed import computed
from mxnet._private.errors import OperandError, ShapesError


class ExecutorMembers:
    """Private members of ``Executor``."""

    _group2ctx = None
    _monitor_callback = None
    _optimized_symbol = None

    @property
    def handle(self) -> Handle:
        """Stand-in for the pointer of MXNet's executors."""
        return Handle(self)

    @staticmethod
    def _get_dict(names: Sequence[str], ndarrays: Sequence[Any]) -> dict[str, Any]:
        """Return arrays by name.

        Raises:
            ShapesError: A name occurs twice.
        """
        if len(set(names)) != len(names):
            raise ShapesError(f"Duplicate names detected, {list(names)}")
        return dict(zip(names, ndarrays, strict=False))

    def _get_outputs(self) -> list[NDArray]:
        executor: Any = self
        return list(executor.outputs)

    @computed
    def _arg_dict(self) -> dict[str, NDArray]:
        executor: Any = self
        return dict(executor.arg_dict)

    @computed
    def _grad_dict(self) -> dict[str, Any]:
        executor: Any = self
        return dict(executor.grad_dict)

    @computed
    def _aux_dict(self) -> dict[str, NDArray]:
        executor: Any = self
        return dict(executor.aux_dict)

    @computed
    def _output_dict(self) -> dict[str, NDArray]:
        executor: Any = self
        return dict(executor.output_dict)

    @computed
    def _grad_req(self) -> dict[str, str]:
        """Return the gradient request of each argument that has a gradient."""
        executor: Any = self
        # hy's executors store arrays, not requests: no array means no request.
        grads = executor.grad_dict
        return {name: "null" if grads.get(name) is None else "write" for name in executor.arg_dict}


class SymbolMembers:
    """Private members of ``Symbol``."""

    @property
    def handle(self) -> Handle:
        """Stand-in for the pointer of MXNet's symbols."""
        return Handle(self)

    def _set_handle(self, handle: Any) -> None:
        """Replace the symbol by that of another handle."""
        symbol = handle.wrapped if isinstance(handle, Handle) else handle
        if not isinstance(symbol, Symbol):
            raise OperandError(f"{handle!r} is no handle of a symbol")
        own: Any = self
        # In place: MXNet replaces the pointer, which all references to the symbol see.
        own.graph = symbol.graph

    def _infer_shape_impl(self, partial: bool, *args: Any, **kwargs: Any) -> Any:
        """Return the results of ``infer_shape``, or ``infer_shape_partial``."""
        symbol: Any = self
        return (symbol.infer_shape_partial if partial else symbol.infer_shape)(*args, **kwargs)

    def _infer_type_impl(self, partial: bool, *args: Any, **kwargs: Any) -> Any:
        """Return the results of ``infer_type``, or ``infer_type_partial``."""
        symbol: Any = self
        return (symbol.infer_type_partial if partial else symbol.infer_type)(*args, **kwargs)

    @staticmethod
    def _get_ndarray_inputs(
        arg_key: str, args: Any, arg_names: Sequence[str], allow_missing: bool
    ) -> tuple[list[Any], list[Any]]:
        """Return the handles of arrays, and the arrays, in the order of names.

        Raises:
            ShapesError: An array is missing, or the number of arrays differs from that of names.
            OperandError: ``args`` is neither a list nor a dictionary.
        """
        if isinstance(args, list):
            if len(args) != len(arg_names):
                raise ShapesError(f"Length of {arg_key} does not match the number of arguments")
            arrays = list(args)
        elif isinstance(args, dict):
            missing = [name for name in arg_names if name not in args]
            if missing and not allow_missing:
                raise ShapesError(f"key `{missing[0]}` is missing in `{arg_key}`")
            arrays = [args.get(name) for name in arg_names]
        else:
            raise OperandError("Only accept list of NDArrays or dict of str to NDArray")
        return [None if array is None else Handle(array) for array in arrays], arrays

    def _compose(self, *args: Any, **kwargs: Any) -> None:
        """Replace variables of the symbol by other symbols, in order or by name.

        Raises:
            OperandError: An argument is not a symbol, or symbols are given in both ways.
        """
        own: Any = self
        new_name = kwargs.pop("name", None)
        if args and kwargs:
            raise OperandError(
                "compose only accept input Symbols either as positional or keyword arguments, not "
                "both"
            )
        if not all(isinstance(value, Symbol) for value in (*args, *kwargs.values())):
            raise OperandError("Compose expect `Symbol` as arguments")
        # In place: MXNet's method changes the symbol that it is called on.
        own.graph = own(*args, **kwargs).graph
        if new_name is not None:
            own.graph = own._renamed(new_name).graph

    def _gen_atomic_symbol(self) -> "AtomicSymbol":
        """Return the first output's operator and parameters, without inputs."""
        own: Any = self
        return AtomicSymbol(own)


class AtomicSymbol:
    """Operator with parameters but without inputs or name, to be called on symbols.

    Args:
        symbol: Symbol whose first output is the operator's.

    Raises:
        OperandError: The first output is a variable.
    """

    name = ""

    def __init__(self, symbol: Symbol) -> None:
        node = symbol.graph.outputs[0][0]
        if node.op is None:
            raise OperandError(f"{node.name} is a variable, which no operator makes")
        self._kind, self._op, self._attrs = type(symbol), node.op, dict(node.attrs)

    def list_arguments(self) -> list[str]:
        """Return an empty list: there are no inputs."""
        return []

    def list_attr(self) -> dict[str, str]:
        """Return the operator's parameters, as strings."""
        return dict(self._attrs)

    def __call__(self, *inputs: Symbol, name: str | None = None, **named: Symbol) -> Symbol:
        """Return a node of the operator on these inputs; omitted ones become variables."""
        arguments = {**self._attrs, **named, "name": name}
        symbol: Symbol = self._kind.call_operator(self._op, self._op.name, inputs, arguments)
        return symbol


class ContextMembers:
    """Private members of ``Context``."""

    class _Default:
        """Holder of the current context in the attribute ``value``."""

        @property
        def value(self) -> Context:
            return current_context()

        @value.setter
        def value(self, ctx: Context) -> None:
            set_default_context(ctx)

    _default_ctx = _Default()
    _old_ctx = None


class _Innermost:
    """Holder of a thread's innermost scope in the attribute ``value``."""

    def __init__(self, current: Any) -> None:
        self._find = current

    @property
    def value(self) -> Any:
        return self._find()


class AttrScopeMembers:
    """Private members of ``AttrScope``."""

    _current = _Innermost(attribute.innermost)

    @computed
    def _attr(self) -> dict[str, str]:
        """Return the attributes that the scope gives to nodes."""
        scope: Any = self
        attributes: dict[str, str] = scope.get(None)
        return attributes


class NameManagerMembers:
    """Private members of ``NameManager``."""

    _current = _Innermost(naming.innermost)

    @computed
    def _counter(self) -> dict[str, int]:
        """Return the next number of automatic names by hint."""
        manager: Any = self
        # hy stores the last number of each hint, MXNet the next one.
        return {hint: last + 1 for hint, last in manager._numbers.last_numbers.items()}


class CachedOpMembers:
    """Private members of ``CachedOp``."""

    _monitor_callback = None

    @property
    def handle(self) -> Handle:
        """Stand-in for the pointer of MXNet's cached operators."""
        return Handle(self)

    @computed
    def is_np_sym(self) -> bool:
        """Return whether the symbol is of the NumPy interface."""
        op: Any = self
        return type(op.symbol) is not Symbol

    def _register_op_hook(self, callback: Any, monitor_all: bool = False) -> None:
        """Call a function with each operator's results in later runs."""
        op: Any = self
        op.monitor(callback, monitor_all)


class FunctionMembers:
    """Private members of ``autograd.Function``."""

    class _Registry:
        """Thread-safe counter of Python functions in graphs."""

        def __init__(self) -> None:
            self.ref_holder: dict[int, Any] = {}
            self.counter = 0
            self.lock = threading.Lock()

        def inc(self) -> int:
            """Return the next number."""
            with self.lock:
                self.counter += 1
                return self.counter - 1

    _registry = _Registry()
    _bwd_functype = ctypes.CFUNCTYPE(
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(ctypes.c_int),
        ctypes.c_int,
        ctypes.c_void_p,
    )
    _del_functype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
