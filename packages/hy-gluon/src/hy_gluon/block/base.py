"""Block: a layer or model with parameters, children, hooks and parameter files."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from inspect import unwrap
from typing import Any, ClassVar, Never, Protocol, Self, TypeVar

from hy_gluon import initializer
from hy_gluon._errors import LayerError
from hy_gluon.block.children import no_block
from hy_gluon.block.display import html_table
from hy_gluon.block.for_all import ForAllParameters
from hy_gluon.block.hooks import HookHandle
from hy_gluon.block.numpy_outputs import check_numpy_outputs
from hy_gluon.block.parameter_files import ParameterFiles
from hy_gluon.block.path_notes import note_path
from hy_gluon.block.pickled import own_state
from hy_gluon.block.scope import BlockScope
from hy_gluon.block.sharing import share_into
from hy_gluon.block.summary import print_summary
from hy_gluon.parameter import Constant, Parameter, ParameterDict
from hy_gluon.trace.scope_path import observed_run
from hy_ndarray import ArgumentError, Context, HyError, NDArray, is_np_array
from hy_ndarray.devices.device_argument import all_take_device
from hy_ndarray.devices.instrumentation import watch
from hy_ndarray.suggestion import Suggesting, accepted_arguments, unknown_argument
from hy_ndarray.warning import warn
from hy_symbol import Symbol, setup_lock
from hy_symbol.graph.name import Numbers

__all__ = ["Block", "Operand"]

Operand = TypeVar("Operand", bound=NDArray | Symbol)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class _Forwards(Protocol[R_co]):
    """Protocol of a block whose ``forward`` returns ``R``, to type ``__call__``."""

    _forward_hooks: "OrderedDict[int, Callable[..., Any]]"
    _forward_pre_hooks: "OrderedDict[int, Callable[..., Any]]"

    @property
    def name(self) -> str: ...

    @property
    def _children(self) -> Any: ...

    @property
    def forward(self) -> Callable[..., R_co]: ...

    def _hy_run(self, *args: Any) -> Any: ...


def _check_prefix(kind: type, prefix: object) -> None:
    if prefix is not None and not isinstance(prefix, str):
        raise LayerError(
            f"{kind.__name__}: prefix must be a text, not of type {type(prefix).__name__}"
        )


@all_take_device
class Block(ParameterFiles, ForAllParameters, Suggesting):
    """Base class of all layers and models.

    Blocks and parameters assigned as attributes become children and parameters. Subclasses
    define :meth:`forward`.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Example:
        >>> from hy_gluon import nn
        >>> class Model(Block):
        ...     def __init__(self, **kwargs):
        ...         super().__init__(**kwargs)
        ...         with self.name_scope():
        ...             self.hidden = nn.Dense(20)
        ...     def forward(self, x):
        ...         return nd.relu(self.hidden(x))
        >>> model = Model(prefix="model_")
        >>> model.initialize()
        >>> model(nd.zeros((2, 3))).shape
        (2, 20)
        >>> list(model.collect_params())
        ['model_dense0_weight', 'model_dense0_bias']
    """

    _hy_is_container: ClassVar[bool] = False
    """Whether the block only runs its children; it then has no row in a summary."""

    def __init__(
        self,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        **unknown: Never,
    ) -> None:
        for name in unknown:
            kind = type(self)
            raise unknown_argument(kind.__name__, name, accepted_arguments(kind))
        _check_prefix(type(self), prefix)
        self._empty_prefix = prefix == ""
        self._prefix, self._params = BlockScope.create(prefix, params, self._alias())
        self._name = self._prefix.removesuffix("_")
        self._hy_inner_numbers = Numbers()
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._forward_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(own_state(state))

    def __repr__(self) -> str:
        inner = "\n".join(
            f"  ({key}): " + repr(block).replace("\n", "\n  ")
            for key, block in self.__dict__.items()
            if isinstance(block, Block)
        )
        return f"{type(self).__name__}(\n{inner}\n)"

    def _repr_html_(self) -> str:
        return html_table(self)

    def __setattr__(self, name: str, value: Any) -> None:
        # As MXNet: a Block may not turn into a Parameter, for both are registered under the name.
        existing = self.__dict__.get(name)
        if isinstance(existing, Parameter | Block) and not isinstance(value, type(existing)):
            raise TypeError(
                f"Changing attribute type for {name} of {type(self).__name__} from "
                f"{type(existing).__name__} to {type(value).__name__} is not allowed"
            )
        if isinstance(value, Block):
            self.register_child(value, name)
            super().__setattr__(name, value)
            self._hy_child_set()
            return
        if isinstance(value, Parameter):
            # MXNet 2 replaces the parameter of the dictionary, too; traces compare variables and
            # see that.
            old = self._reg_params.get(name, value)
            if old is not value:
                self.params.replace(old, value)
            # Exact classes: a user's own kind of parameter names itself.
            elif type(value) in (Parameter, Constant):
                self.params.adopt(value)
            self._reg_params[name] = value
        super().__setattr__(name, value)

    def _hy_child_set(self) -> None:
        """React to a new child in an attribute; subclasses override this."""

    def _alias(self) -> str:
        """Return the stem of automatic prefixes: ``dense`` in ``dense0_``."""
        return type(self).__name__.lower()

    def _hy_clear_state(self) -> None:
        """Drop the state of earlier calls; called before tracing. Subclasses override this."""

    def _hy_graph_description(self) -> dict[str, Any]:
        """Return the block's entries about its graph in a model file; empty without a graph."""
        return {}

    # --- names ------------------------------------------------------------------------------

    @property
    def prefix(self) -> str:
        """Prefix of the names of the block's parameters."""
        return self._prefix

    @property
    def name(self) -> str:
        """The block's prefix without its trailing underscore."""
        return self._name

    @property
    def has_empty_prefix(self) -> bool:
        """Return whether the block was created with ``prefix=""``, which opens no name scope."""
        return self._empty_prefix

    def name_scope(self) -> BlockScope:
        """Return a scope in which new blocks and parameters get this block's prefix."""
        # A scope holds its block, so one stored here would make a cycle that only the collector
        # frees.
        return BlockScope(
            self, self._hy_inner_numbers
        )  # none is kept: it would hold the block in a cycle

    # --- parameters -------------------------------------------------------------------------

    @property
    def params(self) -> ParameterDict:
        """The block's own parameters, without those of its children."""
        return self._params

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of the block and all its children.

        Args:
            select: A regular expression that names must match from their beginning.

        Raises:
            ArgumentError: ``select`` is not a valid regular expression.

        Example:
            >>> from hy_gluon import nn
            >>> list(nn.Dense(2, prefix="fc_").collect_params(".*bias"))
            ['fc_bias']
        """
        self._check_container_with_block()
        try:
            matches = re.compile(select).match if select else bool
        except re.error as error:
            raise ArgumentError(
                f"collect_params: {select!r} is no regular expression: {error}"
            ) from None
        params = ParameterDict(self._params.prefix)
        params.update({name: x for name, x in self.params.items() if matches(name)})
        for child in self._hy_blocks().values():
            params.update(child.collect_params(select))
        # `by_structure` of the result needs the names in the block, which are gathered only when
        # asked for.
        params._structure = self._collect_params_with_prefix
        return params

    def _hy_add_params(self, params: ParameterDict) -> None:
        """Add the parameters of the block and its children to ``params``, without warnings."""
        # A subclass may override `collect_params`, as blocks with shared parameters do; then its
        # answer counts.
        if unwrap(type(self).collect_params) is not Block.collect_params:
            params.update(self.collect_params())
            return
        params.update(self._params)
        for child in self._hy_blocks().values():
            child._hy_add_params(params)

    # Lists of blocks are no children, so their parameters would stay untrained without a word.
    def _check_container_with_block(self) -> None:
        children = {id(child) for child in self._children.values()}
        for key, value in self.__dict__.items():
            if not isinstance(value, (list, tuple, dict)) or key.startswith("_"):
                continue
            if any(id(block) not in children for block in _blocks_in(value)):
                warn(
                    f'"{type(self).__name__}.{key}" is a container with blocks that are not '
                    "registered: their parameters are not collected. Use register_child(), or "
                    "nn.Sequential or nn.HybridSequential instead",
                )

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Return the parameters by scope path, such as ``features.0.weight``."""
        if prefix:
            prefix += "."
        by_name = {prefix + name: parameter for name, parameter in self._reg_params.items()}
        for name, child in self._hy_blocks().items():
            by_name.update(child._collect_params_with_prefix(prefix + name))
        return by_name

    def initialize(
        self,
        init: Any = None,
        ctx: Context | list[Context] | None = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; deferred to the first forward where shapes are unknown.

        Args:
            init: Initializer of parameters without their own; ``Uniform(0.07)`` if None.
            ctx: One context or several.
            verbose: Print what is done.
            force_reinit: Also initialize parameters that already have values.
        """
        init = initializer.Uniform() if init is None else init
        self.collect_params().initialize(init, ctx, verbose, force_reinit)

    def share_parameters(self, shared: Mapping[str, Parameter] | ParameterDict | None) -> Self:
        """Replace parameters by those of another block with the same scope paths.

        Args:
            shared: Result of the other block's ``collect_params()``, or parameters by scope path,
                such as ``features.0.weight``. Paths that this block lacks are ignored.

        Returns:
            The block itself.

        Raises:
            ArgumentError: ``shared`` is not a dictionary.

        Example:
            >>> from hy_gluon import nn
            >>> first, second = nn.Dense(2, in_units=3), nn.Dense(2, in_units=3)
            >>> second.share_parameters(first.collect_params()).weight is first.weight
            True
        """
        share_into(self, shared)
        return self

    # --- children and hooks -----------------------------------------------------------------

    def register_child(self, block: "Block", name: str | None = None) -> None:
        """Add ``block`` as a child; assigning a block to an attribute does the same.

        Any callable can be a child of a block that only calls it. Operations that need a block,
        such as collecting parameters, then raise :class:`ChildError`.
        """
        self._children[str(len(self._children)) if name is None else name] = block

    def _hy_blocks(self) -> "OrderedDict[str, Block]":
        """Return the children; raise ChildError if one is not a block."""
        for child in self._children.values():
            candidate: object = child
            if not isinstance(candidate, Block):
                raise no_block(self.name, candidate)
        return self._children

    def register_forward_pre_hook(self, hook: Callable[["Block", Any], None]) -> HookHandle:
        """Call ``hook(block, inputs)`` before every forward."""
        handle = HookHandle()
        handle.attach(self._forward_pre_hooks, hook)
        return handle

    def register_forward_hook(self, hook: Callable[["Block", Any, Any], None]) -> HookHandle:
        """Call ``hook(block, inputs, outputs)`` after every forward."""
        handle = HookHandle()
        handle.attach(self._forward_hooks, hook)
        return handle

    def register_op_hook(
        self, callback: Callable[[str, str, Any], None], monitor_all: bool = False
    ) -> None:
        """Call ``callback(tensor_name, operator_name, array)`` for operators of hybrid children."""
        for child in self._hy_blocks().values():
            child.register_op_hook(callback, monitor_all)

    def apply(self, fn: Callable[["Block"], object]) -> Self:
        """Call ``fn`` on every child, depth first, then on this block; return the block."""
        for child in self._hy_blocks().values():
            child.apply(fn)
        fn(self)
        return self

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Hybridize all hybrid descendants; see :meth:`HybridBlock.hybridize`."""
        for child in self._hy_blocks().values():
            child.hybridize(active, **kwargs)

    def cast(self, dtype: object) -> None:
        """Cast all parameters to ``dtype``, in which the block then computes."""
        # One lock for all: a thread that traces meanwhile sees all parameters before the cast or
        # all after it.
        with setup_lock():
            for child in self._hy_blocks().values():
                child.cast(dtype)
            for parameter in self.params.values():
                parameter.cast(dtype)

    def __call__(self: "_Forwards[R]", *args: Any) -> R:
        """Run the pre-hooks, :meth:`forward` and the forward hooks; return the result.

        Returns:
            The result of ``forward``; its type is known to type checkers if ``forward`` is
            annotated.
        """
        # Hooks first and outside of `_run`: MXNet fires them also where the block is hybridized.
        for hook in self._forward_pre_hooks.values():
            hook(self, args)
        try:
            observer = watch.observer
            # One read of a module attribute where no profiler watches: this is in the path of every
            # call.
            out: R = self._hy_run(*args) if observer is None else observed_run(self, args, observer)
        except HyError as error:
            note_path(error, self)
            raise
        for after in self._forward_hooks.values():
            after(self, args, out)
        # After the hooks, since these may read classic arrays; MXNet 2 refuses them at the same
        # place.
        if is_np_array():
            check_numpy_outputs(self.name, out)
        return out

    def _hy_run(self, *args: Any) -> Any:
        return self.forward(*args)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the output; subclasses override this with their own arguments."""
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    def summary(self, *inputs: Any) -> None:
        """Print a table of layers, output shapes and parameter counts.

        If the block is not initialized, a copy with random parameters is run instead.

        Args:
            inputs: Arguments to call the block with.

        Raises:
            HyError: A block of the model is hybridized.
        """
        print_summary(self, inputs)


def _blocks_in(container: Any) -> Iterator[Block]:
    if isinstance(container, Block):
        yield container
    elif isinstance(container, list | tuple | dict):
        values = container.values() if isinstance(container, dict) else container
        for value in values:
            yield from _blocks_in(value)
