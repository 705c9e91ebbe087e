"""Policy: the dtypes to which the inputs of operators are cast in mixed precision."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeAlias

from hy_gluon.amp import listing
from hy_gluon.loss_scaler import LossScaler
from hy_ndarray import HyError, Params
from hy_ndarray.core.casting import Casting, demands_one_dtype
from hy_ndarray.ops import Operator, exists, find
from hy_ndarray.suggestion import hint
from hy_ndarray.warning import warn

__all__ = ["AMPError", "Conditions", "Policy"]

Conditions: TypeAlias = Sequence[tuple[str, str, Sequence[str]]]
"""Triples of an operator, one of its parameters, and values of that parameter."""

_FULL = "float32"
_LOW, _HIGH, _WIDEST, _EITHER = "low", "high", "widest", "either"
_CONDITION = 3  # operator, parameter, values
_keys: dict[Hashable, Hashable] = {}
"""One object per key, so that keys are compared by identity first."""


class AMPError(HyError, ValueError, AssertionError):
    """Mixed precision is requested with invalid or conflicting arguments."""


class Policy:
    """Rules for casting operators' inputs; implements hy-ndarray's ``CastingPolicy``.

    An operator in no list computes in the dtype of its inputs, like one that is listed for either
    precision. If it requires operands of one dtype and gets several dtypes, the operands are cast
    to the widest.

    Args:
        target_dtype: ``"float16"`` or ``"bfloat16"``.
        target_dtype_ops: Operators whose inputs are cast to ``target_dtype``, instead of
            :func:`list_lp16_ops`. This list and the next two override all others.
        fp32_ops: Operators whose inputs are cast to float32, instead of
            :func:`list_fp32_ops`.
        conditional_fp32_ops: Triples ``(operator, parameter, values)``: inputs are cast to float32
            if the parameter has one of the values; instead of
            :func:`list_conditional_fp32_ops`.

    Raises:
        DTypeError: ``target_dtype`` is neither float16 nor bfloat16.
        AMPError: An operator is unknown or in two lists, or a condition is not a triple.

    Example:
        >>> policy = Policy("bfloat16", fp32_ops=["FullyConnected"])
        >>> dense = find("FullyConnected")
        >>> policy.casting(dense, ["data", "weight", None], dense.parse({"num_hidden": 1})).dtype
        'float32'
    """

    def __init__(
        self,
        target_dtype: object = "float16",
        target_dtype_ops: Sequence[str] | None = None,
        fp32_ops: Sequence[str] | None = None,
        conditional_fp32_ops: Conditions | None = None,
    ) -> None:
        self.target_dtype = name = listing.target_name(target_dtype)
        self.loss_scaler: LossScaler | None = None
        """Scale of the gradients of losses that define their own, set by ``init_trainer``."""
        low = _checked("target_dtype_ops", target_dtype_ops, name)
        high = _checked("fp32_ops", fp32_ops, name)
        conditions = conditional_fp32_ops
        rows = [] if conditions is None else [_condition(row) for row in conditions]
        conditional = _checked("conditional_fp32_ops", [row[0] for row in rows], name)
        _refuse_doubles(low, high, conditional)
        self._conditions = {
            _canonical(op): (parameter, frozenset(map(str, values)))
            for op, parameter, values in (
                listing.list_conditional_fp32_ops(name) if conditions is None else rows
            )
        }
        self._kinds: dict[str, str] = {
            # Later entries win: a program's lists are above MXNet's, and 16 bits above 32.
            **dict.fromkeys(listing.list_widest_type_cast(name), _WIDEST),
            **dict.fromkeys(listing.list_lp16_fp32_ops(name), _EITHER),
            **dict.fromkeys(listing.list_fp32_ops(name) if high is None else (), _HIGH),
            **dict.fromkeys(listing.list_lp16_ops(name) if low is None else (), _LOW),
            **dict.fromkeys(conditional or (), _EITHER),
            **dict.fromkeys(high or (), _HIGH),
            **dict.fromkeys(low or (), _LOW),
        }
        self._full_params = listing.list_lp16_use_fp32_params(name) or {}
        key = name, frozenset(self._conditions.items()), frozenset(self._kinds.items())
        self.key: Hashable = _keys.setdefault(key, key)
        """Equal for policies with the same casts, whatever their loss scalers."""
        self._castings: dict[tuple[str, str], Casting | None] = {}
        self._one_dtype: dict[tuple[str, tuple[bool, ...]], bool] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.target_dtype!r})"

    def casting(self, op: Operator, inputs: Sequence[Any], params: Params) -> Casting | None:
        """Return the casts of the inputs for a call of ``op``; None for no casts."""
        # An optimizer's operator writes into its inputs.
        if op.updates is not None and not op.aux:
            return None  # a cast copy would be updated instead of the array
        kind = self._kind(op)
        condition = self._conditions.get(op.name)
        if condition is not None and str(params.get(condition[0])) in condition[1]:
            kind = _HIGH
        if kind == _EITHER and not self._needs_one_dtype(op, inputs, params):
            return None
        key = op.name, kind
        if key not in self._castings:
            self._castings[key] = self._new_casting(op, kind)
        return self._castings[key]

    def gradient_scale(self, op: Operator, *, traced: bool) -> float:
        """Return the loss scale for a loss that defines its own gradient; 1 if ``traced``.

        A traced call warns, as graphs cannot follow a dynamic loss scale.
        """
        if traced:
            warn(
                f"{op.name} brings its own gradient, which dynamic loss scaling cannot reach in a "
                "graph: a trainer under mixed precision would take steps that are far too small. "
                "Use a loss of gluon.loss, or do not hybridize"
            )
            return 1.0
        return 1.0 if self.loss_scaler is None else self.loss_scaler.loss_scale

    def _kind(self, op: Operator) -> str:
        # MXNet's lists name operators by any of their aliases.
        names = (op.name, *op.aliases)
        return next((self._kinds[name] for name in names if name in self._kinds), _EITHER)

    def _new_casting(self, op: Operator, kind: str) -> Casting:
        # Auxiliary states are never cast: they are updated in place, and moving averages need 32
        # bits.
        full = frozenset(self._full_params.get(op.name, ())) if kind == _LOW else frozenset()
        dtype = {_LOW: self.target_dtype, _HIGH: _FULL}.get(kind)
        return Casting(dtype, op.aux | full, if_differing=kind == _EITHER)

    def _needs_one_dtype(self, op: Operator, inputs: Sequence[Any], params: Params) -> bool:
        present = tuple(x is not None for x in inputs)
        # A single input cannot differ in dtype from another one.
        if present.count(True) == 1:
            return False
        key = op.name, present
        if key not in self._one_dtype:
            self._one_dtype[key] = demands_one_dtype(op, inputs, params)
        return self._one_dtype[key]


def _canonical(name: str) -> str:
    return find(name).name if exists(name) else name


def _checked(what: str, names: Sequence[str] | None, target: str) -> list[str] | None:
    """Return operators' canonical names; raise an error for names unknown to hy and MXNet."""
    if names is None:
        return None
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise AMPError(f"{what}={names!r} must be a list of names of operators")
    listed = _listed(target)
    for name in names:
        if not exists(name) and name not in listed:
            raise AMPError(f"{what}: unknown operator {name!r}{hint(name, listed)}")
    return [_canonical(name) for name in names]


def _listed(target: str) -> set[str]:
    lists: Iterable[Iterable[str]] = (
        listing.list_lp16_ops(target),
        listing.list_fp32_ops(target),
        listing.list_lp16_fp32_ops(target),
        listing.list_widest_type_cast(target),
    )
    return {name for names in lists for name in names}


def _condition(row: Any) -> tuple[str, str, Sequence[str]]:
    fits = isinstance(row, list | tuple) and len(row) == _CONDITION and not isinstance(row[2], str)
    if not fits:
        raise AMPError(
            f"conditional_fp32_ops: {row!r} must be (operator, parameter, list of its values)"
        )
    return row[0], row[1], row[2]


def _refuse_doubles(*lists: list[str] | None) -> None:
    seen: set[str] = set()
    for names in lists:
        double = seen.intersection(names or ())
        if double:
            raise AMPError(f"{', '.join(sorted(double))}: named in two lists of operators")
        seen.update(names or ())
