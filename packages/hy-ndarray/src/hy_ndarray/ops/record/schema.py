"""The record of an operator, read from one Python function: its signature is its schema.

Positional arguments are inputs (``= None``: optional, ``*data``: variadic), keyword-only ones are
parameters. The body is the type rule: it receives a :class:`TensorType` per input, adds what
follows about them, and returns the type of each output.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
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
    """Values that a gradient may read: arrays while running, nodes while building a graph."""

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    """All outputs, the hidden ones included."""
    params: Params
    is_train: bool
    wanted: Sequence[Any] | None = None
    """For each input None if it needs no gradient, where that is known."""

    def wants(self, index: int) -> bool:
        """Return whether the gradient of input ``index`` may be needed; else it may be None."""
        return self.wanted is None or self.wanted[index] is not None


Gradient: TypeAlias = Callable[..., Sequence[Any]]
"""``(saved, *dy) -> gradients``: one ``dy`` per visible output, one result per input or None."""

Rule: TypeAlias = Callable[..., TensorType | tuple[TensorType, ...]]
_MAX_ELEMENTS = 2**59  # of 16 bytes each: the most that a 64-bit count of bytes can hold


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Operator(Signature):
    """The record of an operator; kernels compute it."""

    kernel: str
    """Name of its kernels, that of the declaring function; "" if tables have none."""
    aliases: tuple[str, ...]
    doc: str
    """Docstring of the declaring function."""
    rule: Rule
    grad: Gradient | None
    aux: frozenset[str]
    outputs: Sequence[str] | Callable[[Params], Sequence[str]]
    visible: int | Callable[[Params], int] | None
    updates: Callable[[Params, bool], Sequence[str | int]] | None
    """Inputs that are overwritten; the kernel returns their new values after its outputs."""
    needs: frozenset[str]
    """Extra keyword arguments of the kernel: ``is_train``, ``rng``, ``device``."""
    same: str
    """Agreement of operands that a pointwise kernel relies on: one ``"dtype"``, or one ``"type"``
    (dtype and shape); checked in eager calls in place of the type rule, which demands no more."""
    ignores_head_grad: bool
    back: Callable[[Sequence[TensorType], Sequence[TensorType], Params], None] | None
    """Extra rule: adds to inputs what follows from known outputs, beyond shared types."""
    traits: Traits = field(default=NO_TRAITS)
    plain: bool = field(default=False)
    """One output, no updates, no extra arguments: the fast path."""
    checked: bool = field(default=True)
    """Whether eager calls are checked before the kernel runs, by ``same`` if that is set, else by
    the type rule. Only pointwise kernels of one operand refuse all that their rule refuses."""
    stores: Callable[[Params], str] | None = field(default=None)
    """Storage of the result of an eager call on dense arrays; None: always dense."""
    composition: Callable[..., Any] | None = field(default=None)
    """Its definition as a function of tracers, which applies other operators; None: the kernel of
    the numpy table defines it."""
    synonym_of: str | None = field(default=None)
    """The operator of which it is another name, whose kernel it shares."""

    def __repr__(self) -> str:
        return f"<Operator {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: records are compared by identity, so a pickle must find the one of its process.
        return find, (self.name,)

    def kernel_on(self, device: Device, *, is_train: bool) -> KernelFunction:  # noqa: ARG002
        """Return the kernel on a device; operators that bring their own override this."""
        return device.kernels[self.kernel]

    def output_names(self, params: Params) -> tuple[str, ...]:
        """Return the names of all outputs, hidden ones after the visible."""
        return tuple(self.outputs(params) if callable(self.outputs) else self.outputs)

    def num_visible(self, params: Params) -> int:
        """Return the number of outputs that a user sees."""
        if self.visible is None:
            return len(self.outputs(params) if callable(self.outputs) else self.outputs)
        return self.visible(params) if callable(self.visible) else self.visible

    def updated(self, params: Params, is_train: bool) -> tuple[int, ...]:
        """Return the positions of the inputs that a call overwrites."""
        if self.updates is None:
            return ()
        changed = self.updates(params, is_train)
        return tuple(self.inputs.index(x) if isinstance(x, str) else x for x in changed)

    def draws(self, params: Params, is_train: bool) -> bool:
        """Return whether a call draws random numbers."""
        if "rng" not in self.needs:
            return False
        return self.traits.draws is None or self.traits.draws(params, is_train)

    def is_pointwise(self, params: Params) -> bool:
        """Return whether a call is pointwise (:class:`Traits`)."""
        pointwise = self.traits.pointwise
        return pointwise(params) if callable(pointwise) else pointwise

    def outputs_in_files(self, params: Params) -> int:
        """Return the number of outputs that MXNet counts, hidden and scratch ones included."""
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
        """Return the types of all outputs, and complete those of the inputs.

        Args:
            inputs: One type per input, ``None`` for those left out.
            params: All parameters, as :meth:`parse` gives them.
            outputs: What is known of the outputs already.
            node: Name of the graph's node, for messages.

        Raises:
            ShapeError: Shapes contradict the operator's rule.
            DTypeError: Dtypes do.
            ArgumentError: Parameters do not fit the inputs, or their number.
        """
        try:
            self._check_count(inputs)
            result = self.rule(*inputs, **params)
            types = result if isinstance(result, tuple) else (result,)
            if outputs is not None:
                # A rule may return types that share parts with inputs: what is known of outputs so
                # reaches them, as a layer's weight from the next layer.
                _unify(types, outputs)
                if self.back is not None:
                    self.back([t for t in inputs if t is not None], types, params)
            _check_sizes(types)
        except (ShapeError, DTypeError, ArgumentError, IndexingError) as error:
            raise self.explain(error, inputs, node) from error.__cause__
        return types

    def _check_count(self, inputs: Sequence[TensorType | None]) -> None:
        """Refuse None, and fewer inputs than a variadic rule has names."""
        if self.variadic and any(x is None for x in inputs):
            raise ArgumentError("one of its arrays is None")
        if self.variadic and len(inputs) < len(self.inputs):
            names = ", ".join(self.inputs)
            raise ArgumentError(f"{len(inputs)} inputs are given, it takes {names} or more")

    def explain(
        self, error: HyError, inputs: Sequence[TensorType | None], node: str = ""
    ) -> HyError:
        """Return ``error`` with the operator or node before its message, the inputs as a note."""
        shown = ", ".join(repr(t) for t in inputs if t is not None)
        where = f"{self.name} '{node}'" if node else self.name
        # The rule of an operator that calls another's may have the name in front already.
        explained = type(error)(f"{where}: {str(error).removeprefix(f'{self.name}: ')}")
        explained.__cause__ = error.__cause__
        if shown:
            explained.add_note(f"inputs: {shown}")
        return explained


def _unify(types: Sequence[TensorType], known: Sequence[TensorType]) -> None:
    """Merge known types of the outputs into those that a rule returned."""
    if len(types) != len(known):
        raise ArgumentError(f"the parameters say {len(known)} outputs, the inputs {len(types)}")
    for own, other in zip(types, known, strict=True):
        own.set_shape(other.shape)
        own.set_dtype(other.dtype)


def _check_sizes(types: Sequence[TensorType]) -> None:
    """Refuse results whose size in bytes would overflow a 64-bit integer."""
    for t in types:
        if t.shape is not None and prod(n for n in t.shape if n) > _MAX_ELEMENTS:
            raise ShapeError(f"the result {t!r} would have more than {_MAX_ELEMENTS} elements")


class OperatorFunction:
    """An operator as gradients call it: it runs on arrays, and adds a node to graphs.

    Parameters are in the form that :meth:`Operator.parse` gives, and are not parsed again; only a
    variadic operator sorts and parses its arguments.
    """

    def __init__(self, op: Operator) -> None:
        self.op = op
        self.__doc__ = op.doc
        # Kernels take no context.
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
        raise ArgumentError(f"{self.op.name}: called without inputs; use nd.{self.op.name}")

    def __repr__(self) -> str:
        return f"<operator function {self.op.name}>"


_CATALOGUE: dict[str, Operator] = {}
_CANONICAL: dict[str, Operator] = {}


def find(name: str) -> Operator:
    """Return the operator of that name or alias.

    Raises:
        ArgumentError: There is none; the nearest names are given.
    """
    op = _CATALOGUE.get(name)
    if op is None:
        raise ArgumentError(f"unknown operator {name!r}{hint(name, _CATALOGUE)}")
    return op


def exists(name: str) -> bool:
    """Return whether an operator has that name or alias."""
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
    catalogued: bool = True,
) -> Callable[[Callable[..., Any]], OperatorFunction]:
    """Declare the decorated type rule as operator ``name`` of the catalogue.

    Args:
        name: MXNet's canonical name.
        aliases: Its other names.
        grad: Gradient, written with catalogue operators; ``None``: not differentiable.
        active: Names of the inputs a call with given parameters has.
        aux: Inputs that are auxiliary states: no gradient, kept beside the arguments.
        outputs: Names of all outputs, hidden ones last.
        visible: How many of them a user sees, if not all.
        updates: ``(params, is_train) -> names`` of inputs the kernel gives new values for;
            positions, where inputs are variadic.
        needs: Keyword arguments the dispatch adds: ``is_train``, ``rng``, ``device``.
        count: Name of MXNet's parameter that repeats the number of variadic inputs.
        same: ``"dtype"`` or ``"type"``: what the operands of a pointwise operator share.
        ignores_head_grad: The gradient does not depend on ``dy``.
        back: Extra rule from known outputs to inputs.
        traits: What compilers may assume of it (:class:`Traits`).
        ignored: Arguments that are accepted and ignored; ``"*"``: any, as of all operators without
            parameters.
        stores: ``params -> stype``: the storage of the result of an eager call on the CPU.
        composition: Its definition by other operators: a function of tracers.
        catalogued: Whether :func:`find` returns it; not those that exist in graphs alone.
    """
    assert not same or traits.pointwise is True, f"{name}: only pointwise operators have `same`"

    def register(function: Callable[..., Any]) -> OperatorFunction:
        inputs, optional, variadic, params = declared(function)
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
            doc=function.__doc__ or "",
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
    """Declare operator ``name`` as another name of an operator.

    MXNet has many of its operators twice, under a legacy and a NumPy name; graphs keep both. The
    second shares the kernel, the parameters and the gradient of the first.

    Args:
        name: MXNet's canonical name of the second.
        aliases: Its other names.
        of: The operator it is.
        inputs: Names of its inputs, where they differ.
        rule: Its type rule, where it differs.
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
