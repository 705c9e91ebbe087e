"""Signature: binding of a call's arguments to an operator's inputs and parameters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.params import NOT_GIVEN, Param
from hy_ndarray.suggestion import unknown_argument

__all__ = ["Bound", "Signature", "is_operand"]


def is_operand(value: object) -> bool:
    """Return whether ``value`` may be an operator's input: it is an array or a symbol."""
    return hasattr(type(value), "apply_operator")


class Bound(NamedTuple):
    """Arguments of one call, bound to inputs and parameters."""

    inputs: list[Any]
    params: dict[str, Any]
    named: dict[str, Any]
    """The parameters that the caller passed, not parsed."""
    ctx: str | None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Signature:
    """Inputs and parameters that an operator accepts."""

    name: str
    """MXNet's canonical name, which JSON files of graphs use."""
    inputs: tuple[str, ...]
    optional: frozenset[str]
    variadic: bool
    params: Mapping[str, Param]
    defaults: Mapping[str, Any]
    active: Callable[[Params], Sequence[str]] | None
    """Function from parameters to the names of the inputs of a call; None: all inputs."""
    count: str | None
    """Name of the parameter in which MXNet's files store the number of variadic inputs."""
    ctx: str | None
    ignored: frozenset[str] = field(default=frozenset())
    """Arguments that are accepted and ignored, as in MXNet; ``"*"``: any."""

    def active_inputs(self, params: Params) -> tuple[str, ...]:
        """Return the input names of a call with ``params``; if variadic, the declared pattern."""
        return self.inputs if self.active is None else tuple(self.active(params))

    def missing(self, count: int, params: Params) -> str | None:
        """Return the first required input that ``count`` positional inputs leave out, or None."""
        # Kernels cannot check this: some, such as numpy's comparisons, accept None.
        if self.variadic:
            return None
        active = self.active_inputs(params)
        optional = self.optional if self.active is None else frozenset[str]()
        left = self.inputs[count:]
        return next((name for name in left if name in active and name not in optional), None)

    def parse(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters as Python values, from the given values or texts and the defaults.

        Raises:
            ArgumentError: A parameter is unknown, malformed or missing.
        """
        params = dict(self.defaults)
        for name, value in values.items():
            param = self.params.get(name)
            if param is None:
                if name == self.count:
                    continue
                raise self._unknown(name)
            try:  # the parser directly: this runs for each parameter of each call
                params[name] = param.parse_value(value)
            except (ValueError, TypeError, DTypeError):
                params[name] = param.parse(self.name, value)
        if len(params) < len(self.params):
            missing = [name for name in self.params if name not in params]
            raise ArgumentError(f"{self.name}: required parameter {', '.join(missing)} is missing")
        if self.ctx is not None:
            del params[self.ctx]
        return params

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bound:
        """Bind the arguments of a call to inputs and parameters.

        Raises:
            ArgumentError: An argument is unknown, malformed, missing or given twice.
        """
        kwargs = {n: x for n, x in kwargs.items() if x is not NOT_GIVEN}
        if (
            not self.variadic
            and len(args) <= len(self.inputs)
            and kwargs.keys() <= self.params.keys()
        ):
            # Fast path for the common case: inputs by position, parameters by name.
            inputs = [*args, *[None] * (len(self.inputs) - len(args))]
            named = dict(kwargs)
        else:
            inputs, named = self._sorted(args, kwargs)
        params = self.parse(named)
        if self.active is not None and not self.variadic and len(args) < len(self.inputs):
            inputs = self._by_name(inputs, len(args), params)
        ctx = named.get(self.ctx) if self.ctx is not None else None
        return Bound(inputs, params, named, None if ctx is None else str(ctx))

    def _sorted(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Split the arguments of a call into inputs, in declared order, and unparsed parameters."""
        inputs: list[Any]
        named: dict[str, Any] = {}
        if self.variadic:
            inputs = list(args)
            if len(inputs) == 1 and isinstance(inputs[0], list | tuple):
                inputs = list(inputs[0])
        else:
            count = len(self.inputs)
            inputs = [*args[:count], *[None] * (count - len(args))]
            named.update(zip(self.params, args[count:], strict=False))
            if len(args) > count + len(self.params):
                max_args = count + len(self.params)
                raise ArgumentError(
                    f"{self.name}: {len(args)} positional arguments were given, but it takes at "
                    f"most {max_args}"
                )
        for key, value in kwargs.items():
            # MXNet 2 has device= in place of ctx=.
            name = self.ctx if key == "device" and self.ctx is not None else key
            if name in self.params or name == self.count:
                if name in named:
                    raise ArgumentError(f"{self.name}: multiple values for parameter {name}")
                named[name] = value
            elif name in self.inputs and not self.variadic:
                position = self.inputs.index(name)
                if inputs[position] is not None:
                    raise ArgumentError(f"{self.name}: multiple values for input {name}")
                inputs[position] = value
            elif is_operand(value) or not self.ignores(name):
                raise self._unknown(name)
        return inputs, named

    def _by_name(self, inputs: list[Any], count: int, params: Params) -> list[Any]:
        """Return the inputs with positional ones assigned to the active input names of the call."""
        names = self.active_inputs(params)
        if count > len(names) or names[:count] == self.inputs[:count]:
            return inputs
        # For example, the fourth input of RNN is state_cell, but sequence_length for a GRU, which
        # has no cell state.
        by_position = dict(zip(self.inputs[count:], inputs[count:], strict=True))
        by_position.update(zip(names, inputs[:count], strict=False))
        return [by_position.get(name) for name in self.inputs]

    def texts(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return parameters in text form, as graphs and files store them."""
        return {n: self.params[n].text(v) for n, v in values.items() if n in self.params}

    def ignores(self, name: str) -> bool:
        """Return whether an argument called ``name`` is accepted and ignored."""
        # MXNet's operators without parameters accept any argument, and programs pass some, such as
        # axis to broadcast_maximum.
        if name in self.inputs or name in self.params or name == self.count:
            return False
        anything = "*" in self.ignored or not (self.params or self.variadic)
        return anything or name in self.ignored

    def _unknown(self, name: str) -> ArgumentError:
        return unknown_argument(self.name, name, [*self.inputs, *self.params])
