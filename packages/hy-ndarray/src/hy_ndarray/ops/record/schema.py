"""The record of an operator, read from one Python function whose signature is the schema.

Positional arguments are inputs (``= None``: optional, ``*data``: variadic), keyword-only ones are
parameters. The body is the type rule: it gets a :class:`TensorType` per input, completes them as
far as possible, and returns the type of each output.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import cleandoc
from math import prod
from typing import Any, TypeAlias

from hy_ndarray._errors import ArgumentError, DTypeError, HyError, IndexingError, ShapeError
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._protocols import KernelFunction, Params
from hy_ndarray.ops.record.binding import Signature
from hy_ndarray.ops.record.params import REQUIRED, Ctx
from hy_ndarray.ops.record.signature import declared
from hy_ndarray.ops.record.traits import NO_TRAITS, POINTWISE, Traits
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.suggestion import hint

__all__ = [
    "Gradient",
    "Operator",
    "OperatorFunction",
    "Saved",
    "exists",
    "find",
    "names",
    "operator",
    "operators",
    "pointwise",
    "synonym",
]


@dataclass(frozen=True, slots=True)
class Saved:
    """Values available to a gradient: arrays in eager mode, nodes when building a graph."""

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    """All outputs, including hidden ones."""
    params: Params
    is_train: bool
    wanted: Sequence[Any] | None = None
    """For each input, None if it needs no gradient; None in place of the sequence if unknown."""

    def wants(self, index: int) -> bool:
        """Return whether the gradient of input ``index`` may be needed; if not, it may be None."""
        return self.wanted is None or self.wanted[index] is not None


Gradient: TypeAlias = Callable[..., Sequence[Any]]
"""Function ``(saved, *dys)``: one ``dy`` per visible output; one gradient, or None, per input."""

Rule: TypeAlias = Callable[..., TensorType | tuple[TensorType, ...]]
_MAX_ELEMENTS = 2**59  # of up to 16 bytes, so that sizes in bytes fit into 64-bit integers


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Operator(Signature):
    """Record of an operator: inputs, parameters, type rule, gradient and traits."""

    kernel: str
    """Name of its kernels, that of the declaring function; "" if it has none in tables."""
    aliases: tuple[str, ...]
    doc: str
    """Docstring of the declaring function."""
    rule: Rule
    grad: Gradient | None
    aux: frozenset[str]
    outputs: Sequence[str] | Callable[[Params], Sequence[str]]
    visible: int | Callable[[Params], int] | None
    updates: Callable[[Params, bool], Sequence[str | int]] | None
    """Function to the inputs that a call updates; the kernel returns their new values last."""
    needs: frozenset[str]
    """Extra keyword arguments that the kernel needs: ``is_train``, ``rng``, ``device``."""
    same: str
    """Property shared by the operands of a pointwise kernel: ``"dtype"``, or ``"type"`` (dtype and
    shape). Eager calls check this instead of the type rule, which requires the same."""
    ignores_head_grad: bool
    back: Callable[[Sequence[TensorType], Sequence[TensorType], Params], None] | None
    """Backward type rule: completes the types of inputs from known outputs."""
    traits: Traits = field(default=NO_TRAITS)
    plain: bool = field(default=False)
    """Whether it has one output, no updates and no extra arguments: eligible for the fast path."""
    checked: bool = field(default=True)
    """Whether eager calls are checked before the kernel runs, by ``same`` if that is set, else by
    the type rule. Pointwise kernels of one operand need no check: they refuse the same inputs."""
    stores: Callable[[Params], str] | None = field(default=None)
    """Function to the storage type of an eager call's result for dense arrays; None: dense."""
    composition: Callable[..., Any] | None = field(default=None)
    """The definition by other operators, a function of tracers; None: the numpy kernel is the
    definition."""
    synonym_of: str | None = field(default=None)
    """Name of the operator that this one is a synonym of; they share a kernel."""

    def __repr__(self) -> str:
        return f"<Operator {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: records are compared by identity, so unpickling must find this process's record.
        return find, (self.name,)

    def kernel_on(self, device: Device, *, is_train: bool) -> KernelFunction:  # noqa: ARG002
        """Return the kernel on a device; operators with kernels of their own override this."""
        return device.kernels[self.kernel]

    def output_names(self, params: Params) -> tuple[str, ...]:
        """Return the names of all outputs, with hidden ones last."""
        return tuple(self.outputs(params) if callable(self.outputs) else self.outputs)

    def num_visible(self, params: Params) -> int:
        """Return the number of visible outputs, which users get."""
        if self.visible is None:
            return len(self.outputs(params) if callable(self.outputs) else self.outputs)
        return self.visible(params) if callable(self.visible) else self.visible

    def updated(self, params: Params, is_train: bool) -> tuple[int, ...]:
        """Return the positions of the inputs that a call updates."""
        if self.updates is None:
            return ()
        changed = self.updates(params, is_train)
        return tuple(self.inputs.index(x) if isinstance(x, str) else x for x in changed)

    def draws(self, params: Params, is_train: bool) -> bool:
        """Return whether a call with these parameters draws random numbers."""
        if "rng" not in self.needs:
            return False
        return self.traits.draws is None or self.traits.draws(params, is_train)

    def is_pointwise(self, params: Params) -> bool:
        """Return whether a call with these parameters is pointwise; see :class:`Traits`."""
        pointwise = self.traits.pointwise
        return pointwise(params) if callable(pointwise) else pointwise

    def outputs_in_files(self, params: Params) -> int:
        """Return the number of outputs in MXNet's files, with hidden and scratch ones."""
        count = self.traits.outputs_in_files
        if count is None:
            return len(self.output_names(params))
        return count(params) if callable(count) else count

    def infer(
        self,
        inputs: Sequence[TensorType | None],
        params: Params,
        outputs: Sequence[TensorType] | None = None,
        *,
        node: str = "",
    ) -> tuple[TensorType, ...]:
        """Return the types of all outputs, and complete the types of the inputs.

        Args:
            inputs: One type per input, ``None`` for omitted ones.
            params: All parameters, as returned by :meth:`parse`.
            outputs: Types of the outputs as far as they are known already.
            node: Name of the graph's node, for messages.

        Raises:
            ShapeError: Shapes violate the operator's type rule.
            DTypeError: Dtypes violate the operator's type rule.
            ArgumentError: Parameters do not match the inputs, or their number.
        """
        try:
            if self.variadic:
                self._check_count(inputs)
            result = self.rule(*inputs, **params)
            types = result if isinstance(result, tuple) else (result,)
            if outputs is not None:
                # A rule may return types that share their shape or dtype with inputs; known outputs
                # thereby complete inputs, such as a layer's weight from the next layer.
                _unify(types, outputs)
                if self.back is not None:
                    self.back([t for t in inputs if t is not None], types, params)
            _check_sizes(types)
        except (ShapeError, DTypeError, ArgumentError, IndexingError) as error:
            raise self.explain(error, inputs, node) from error.__cause__
        return types

    def _check_count(self, inputs: Sequence[TensorType | None]) -> None:
        """Raise an error if an input of this variadic operator is None, or there are too few."""
        if any(x is None for x in inputs):
            raise ArgumentError("one of the input arrays is None")
        if len(inputs) < len(self.inputs):
            names = ", ".join(self.inputs)
            raise ArgumentError(f"needs at least the inputs {names}, got {len(inputs)}")

    def explain(
        self, error: HyError, inputs: Sequence[TensorType | None], node: str = ""
    ) -> HyError:
        """Return ``error`` with the operator or node prefixed to its message, inputs as a note."""
        shown = ", ".join(repr(t) for t in inputs if t is not None)
        where = f"{self.name} '{node}'" if node else self.name
        # The rule may be called by another operator's rule, which has added the name already.
        explained = type(error)(f"{where}: {str(error).removeprefix(f'{self.name}: ')}")
        explained.__cause__ = error.__cause__
        if shown:
            explained.add_note(f"inputs: {shown}")
        return explained


def _unify(types: Sequence[TensorType], known: Sequence[TensorType]) -> None:
    """Merge the known output types into the types that a rule returned."""
    if len(types) != len(known):
        raise ArgumentError(
            f"the parameters declare {len(known)} outputs, but the inputs give {len(types)}"
        )
    for own, other in zip(types, known, strict=True):
        own.set_shape(other.shape)
        own.set_dtype(other.dtype)


def _check_sizes(types: Sequence[TensorType]) -> None:
    """Raise an error for results whose size in bytes would overflow a 64-bit integer."""
    for t in types:
        if t.shape is not None and prod(filter(None, t.shape)) > _MAX_ELEMENTS:
            raise ShapeError(f"the result {t!r} would have more than {_MAX_ELEMENTS} elements")


class OperatorFunction:
    """Callable operator for gradients and rules: runs on arrays, adds nodes on symbols.

    Parameters must be in the form that :meth:`Operator.parse` returns, and are not parsed again;
    only variadic operators bind and parse their arguments.
    """

    def __init__(self, op: Operator) -> None:
        self.op = op
        self.__doc__ = op.doc
        # Kernels do not take the context parameter.
        items = op.defaults.items()
        self._defaults: Params = {name: value for name, value in items if name != op.ctx}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the operator, or add a node for it, by the class of the first operand."""
        op = self.op
        inputs: Sequence[Any] = args
        params: Params
        if op.variadic:
            inputs, params, _, _ = op.bind(args, kwargs)
        else:
            params = {**self._defaults, **kwargs} if kwargs else self._defaults
            missing = len(op.inputs) - len(args)
            if missing:
                inputs = padded = [*args, *[None] * missing]
                if op.active is not None:
                    inputs = op._by_name(padded, len(args), params)
        for operand in inputs:
            if operand is not None:
                return type(operand).apply_operator(self.op, inputs, params)
        raise ArgumentError(
            f"{self.op.name}: needs at least one input; to create arrays use nd.{self.op.name}"
        )

    def __repr__(self) -> str:
        return f"<operator function {self.op.name}>"


_CATALOGUE: dict[str, Operator] = {}
_CANONICAL: dict[str, Operator] = {}


def find(name: str) -> Operator:
    """Return the operator with the given name or alias.

    Raises:
        ArgumentError: There is none; the message suggests a similar name.
    """
    op = _CATALOGUE.get(name)
    if op is None:
        raise ArgumentError(f"unknown operator {name!r}{hint(name, _CATALOGUE)}")
    return op


def exists(name: str) -> bool:
    """Return whether an operator has the given name or alias."""
    return name in _CATALOGUE


def names() -> tuple[str, ...]:
    """Return all operator names and aliases, sorted."""
    return tuple(sorted(_CATALOGUE))


def operators() -> tuple[Operator, ...]:
    """Return every operator once, sorted by canonical name."""
    return tuple(_CANONICAL[name] for name in sorted(_CANONICAL))


def operator(
    name: str,
    *aliases: str,
    grad: Gradient | None = None,
    active: Callable[[Params], Sequence[str]] | None = None,
    aux: Sequence[str] = (),
    outputs: Sequence[str] | Callable[[Params], Sequence[str]] = ("output",),
    visible: int | Callable[[Params], int] | None = None,
    updates: Callable[[Params, bool], Sequence[str | int]] | None = None,
    needs: Sequence[str] = (),
    count: str | None = None,
    same: str = "",
    ignores_head_grad: bool = False,
    back: Callable[[Sequence[TensorType], Sequence[TensorType], Params], None] | None = None,
    traits: Traits = NO_TRAITS,
    ignored: Sequence[str] = (),
    stores: Callable[[Params], str] | None = None,
    composition: Callable[..., Any] | None = None,
    params_of: OperatorFunction | None = None,
    catalogued: bool = True,
) -> Callable[[Callable[..., Any]], OperatorFunction]:
    """Declare the decorated type rule as operator ``name`` of the catalogue.

    Args:
        name: MXNet's canonical name.
        aliases: Its other names.
        grad: Gradient, written with catalogue operators; ``None``: not differentiable.
        active: Function from parameters to the names of the inputs of a call.
        aux: Names of inputs that are auxiliary states, which have no gradient.
        outputs: Names of all outputs, hidden ones last.
        visible: The number of visible outputs, if not all are.
        updates: Function ``(params, is_train)`` to the names of the inputs that the kernel
            updates; to their positions, if inputs are variadic.
        needs: Keyword arguments that dispatch adds: ``is_train``, ``rng``, ``device``.
        count: Name of MXNet's parameter that stores the number of variadic inputs.
        same: ``"dtype"`` or ``"type"``: the property that operands of a pointwise operator share.
        ignores_head_grad: Whether the gradient does not depend on ``dy``.
        back: Backward type rule, which completes inputs from known outputs.
        traits: Properties that compilers may rely on (:class:`Traits`).
        ignored: Names of arguments that are accepted and ignored; ``"*"``: any argument, the
            default for operators without parameters.
        stores: Function from parameters to the storage type of an eager call's result on the CPU.
        composition: The definition by other operators, a function of tracers.
        params_of: An operator with the same parameters, which the rule takes as ``**params``.
        catalogued: Whether :func:`find` returns it; False for operators of graphs only.
    """
    assert not same or traits.pointwise is True, f"{name}: only pointwise operators have `same`"

    def register(function: Callable[..., Any]) -> OperatorFunction:
        inputs, optional, variadic, params = declared(function)
        if params_of is not None:
            params = {**params_of.op.params, **params}
        ctx = next((p.name for p in params.values() if p.annotation is Ctx), None)
        op = Operator(
            name=name,
            kernel=function.__name__ if catalogued or composition else "",
            aliases=aliases,
            inputs=tuple(inputs),
            optional=frozenset(optional),
            variadic=variadic,
            params=params,
            defaults={p.name: p.default for p in params.values() if p.default is not REQUIRED},
            doc=cleandoc(function.__doc__ or ""),
            rule=function,
            grad=grad,
            active=active,
            aux=frozenset(aux),
            outputs=outputs,
            visible=visible,
            updates=updates,
            needs=frozenset(needs),
            count=count,
            same=same,
            ignores_head_grad=ignores_head_grad,
            back=back,
            ctx=ctx,
            traits=traits,
            ignored=frozenset(ignored),
            plain=not (updates or needs or stores or callable(outputs)) and len(outputs) == 1,
            checked=bool(
                same or needs or variadic or len(inputs) != 1 or traits.pointwise is not True
            ),
            stores=stores,
            composition=composition,
        )
        if catalogued:
            _enter(op)
        return OperatorFunction(op)

    return register


pointwise = partial(operator, traits=POINTWISE)
""":func:`operator` for a pointwise operator."""


def _enter(op: Operator) -> None:
    for key in (op.name, *op.aliases):
        assert key not in _CATALOGUE, f"operator {key!r} is declared twice"
        _CATALOGUE[key] = op
    _CANONICAL[op.name] = op


def synonym(
    name: str,
    *aliases: str,
    of: OperatorFunction,
    inputs: Sequence[str] = (),
    rule: Rule | None = None,
) -> OperatorFunction:
    """Declare operator ``name`` as a synonym of an existing operator.

    MXNet has many operators twice, under a legacy and a NumPy name, and graphs keep both names. The
    synonym shares the kernel, the parameters and the gradient of the original.

    Args:
        name: MXNet's canonical name of the synonym.
        aliases: Its other names.
        of: The original operator.
        inputs: Names of its inputs, if they differ.
        rule: Its type rule, if it differs.
    """
    original = of.op
    op = replace(
        original,
        name=name,
        aliases=aliases,
        inputs=tuple(inputs) or original.inputs,
        rule=rule or original.rule,
        synonym_of=original.name,
    )
    _enter(op)
    return OperatorFunction(op)
