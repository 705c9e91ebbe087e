"""Declaration of a rule's operators, each with its record, docstring and kernel."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from inspect import cleandoc
from typing import Any

from hy_ndarray.devices._kernels import declare_kernels
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.families import with_signature
from hy_ndarray.ops.optimizer import type_rules
from hy_ndarray.ops.optimizer.forms import Form, Rule
from hy_ndarray.ops.optimizer.kernels import StepKernel
from hy_ndarray.ops.record.params import REQUIRED, Count, Floats, Param, Shape, param_of
from hy_ndarray.ops.record.rules import numbered
from hy_ndarray.ops.record.schema import OperatorFunction, operator
from hy_ndarray.ops.record.signature import declared
from hy_ndarray.ops.record.traits import NO_TRAITS, POINTWISE

__all__ = ["rule"]

_SETTINGS = frozenset({"lazy_update"})
"""Parameters of operators that are not hyperparameters of the rule."""


def _outputs(count: str, params: Params) -> Sequence[str]:
    n = params[count]
    return ("output",) if n == 1 else numbered(n)


def rule(
    name: str,
    *aliases: str,
    forms: Sequence[str] = (),
    bounds: Sequence[str] = ("clip_gradient", "clip_weights", "lower_bound", "upper_bound"),
    zeros: Sequence[str] = ("wd", "wd_lh"),
    guard: str = "",
    lists: bool = True,
    plural: Params | None = None,
    count: str = "num_weights",
    gives: str = "weight",
    by_rows: bool = False,
    phases: Sequence[OperatorFunction] = (),
) -> Callable[[Callable[..., Any]], Any]:
    """Declare the operators derived from the decorated update rule.

    Args:
        name: MXNet's name of the operator for a single weight; "" if there is none.
        aliases: Its other names.
        forms: Name prefixes of the other forms, such as ``multi_mp``.
        bounds: As for :class:`Rule`.
        zeros: As for :class:`Rule`.
        guard: As for :class:`Rule`.
        lists: Whether multi-weight forms have their per-weight parameters first.
        plural: Names of the per-weight parameters that are not regular plurals.
        count: Name of the parameter with the number of weights, in multi-weight forms.
        gives: ``"direction"`` if the result is not a weight.
        by_rows: Whether the state has one number per row of the weight.
        phases: Operators whose rules make up this rule.
    """

    def register(function: Callable[..., Any]) -> Any:
        inputs, optional, _, params = declared(function)
        numbers = tuple(p for p in params if p not in _SETTINGS)
        scalar_inputs = tuple(x for x in inputs if x in ("rescale_grad", "r1", "r2"))
        declared_rule = Rule(
            function.__name__,
            function,
            arrays=tuple(x for x in inputs if x not in scalar_inputs and x not in optional),
            numbers=(*numbers, *scalar_inputs),
            scalar_inputs=scalar_inputs,
            bounds=tuple(bounds),
            zeros=tuple(zeros),
            guard=guard,
            narrow=bool(optional),
            phases=tuple(_RULES[phase.op.kernel] for phase in phases),
        )
        _RULES[declared_rule.name] = declared_rule
        common: dict[str, Any] = {"direction": gives == "direction", "by_rows": by_rows}
        single = Form(declared_rule, declared_rule.name, **common)
        result = _declare(single, name, aliases, params) if name else None
        names = {n: f"{n}s" for n in ("lr", "wd", "eta") if n in params} | dict(plural or {})
        for prefix in forms:
            form = _form(declared_rule, prefix, names, count, common)
            own = params if not form.many else _of_many(form, params, lists)
            hidden = "_" * prefix.startswith("_")
            _declare(form, f"{hidden}{form.kernel}", (), own)
        return result or function

    return register


_RULES: dict[str, Rule] = {}


def _form(rule: Rule, prefix: str, names: Params, count: str, common: Params) -> Form:
    words = prefix.strip("_").split("_")
    many, preloaded = "multi" in words, "preloaded" in words
    return Form(
        rule,
        f"{'_'.join(words)}_{rule.name}",
        mixed="mp" in words,
        many=many,
        preloaded=preloaded,
        plural=names if many else {},
        count=count if many else "",
        **common,
    )


def _of_many(form: Form, params: dict[str, Param], lists: bool) -> dict[str, Param]:
    """Return the parameters of a multi-weight form, given those of the single-weight form."""
    each = {
        name: param_of(many, Shape if params[name].annotation is int else Floats, REQUIRED)
        for name, many in form.plural.items()
    }
    others = {name: p for name, p in params.items() if name not in _SETTINGS}
    ordered = {**each, **others} if lists else others
    shared = [each.get(name, param) for name, param in ordered.items()]
    if form.preloaded:
        shared = [param for param in shared if param not in each.values()]
    shared.append(param_of(form.count, Count, 1))
    return {param.name: param for param in shared}


def _declare(
    form: Form, name: str, aliases: Sequence[str], params: dict[str, Param]
) -> OperatorFunction:
    """Register the operator of a form, with its kernel."""
    own: Callable[..., Any] = type_rules.of_rows if form.by_rows else type_rules.of_one
    types_of = partial(type_rules.of_many if form.many else own, form)

    def rule_of_types(*data: Any, **params: Any) -> Any:
        return types_of(data, params)

    signature = with_signature(
        rule_of_types,
        form.kernel,
        _documentation(form, params),
        inputs=["data"] if form.many else form.inputs,
        variadic=form.many,
        params=[*params.values()],
    )
    pointwise = not form.many and not form.scalar_inputs and not form.by_rows
    declare_kernels({form.kernel: partial(StepKernel, form)})
    return operator(
        name,
        *aliases,
        outputs=partial(_outputs, form.count) if form.many else ("output",),
        aux=() if form.many else form.updated,
        updates=form.updates if form.group > 2 and (form.many or form.updated) else None,
        traits=POINTWISE if pointwise else NO_TRAITS,
        same="type" if pointwise and not form.mixed else "",
    )(signature)


# --- documentation ---------------------------------------------------------------------------

_TEXTS = {
    "weight": "``[*shape]``, floating.",
    "grad": "The type of ``weight``.",
    "lr": "Learning rate.",
    "wd": "Weight decay.",
    "rescale_grad": "Factor of the gradient.",
    "clip_gradient": "Bound of the rescaled gradient; none if negative.",
    "momentum": "How much of the velocity is kept.",
    "beta1": "How much of the mean is kept.",
    "beta2": "How much of the mean square is kept.",
    "epsilon": "Added to the root of the mean square.",
    "lazy_update": "Has no effect on dense gradients.",
    "mom": "Velocity, overwritten; the type of ``weight``.",
    "mean": "Running mean of the gradient, overwritten; the type of ``weight``.",
    "var": "Running mean of its square, overwritten; the type of ``weight``.",
    "clip_weights": "Bound of the result; none if negative.",
    "t": "Number of the step, from 1.",
    "bias_correction": "Divide the means by ``1 - beta ** t``.",
    "lower_bound": "The least norm of a weight; none if negative.",
    "upper_bound": "The largest norm of a weight; none if negative.",
}
"""Descriptions of arguments that rules share."""
_SECTION = re.compile(r"^(\w+):\n((?:(?: {4}.*)?\n)*)", re.MULTILINE)
_ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def _documentation(form: Form, params: dict[str, Param]) -> str:
    """Return the docstring of a form's operator, generated from its rule's docstring.

    The rule's docstring describes the computation, and under ``Where:`` its specific arguments.
    """
    if form.rule.function.__doc__ is None:  # as with `python -OO`
        return ""
    doc = cleandoc(form.rule.function.__doc__) + "\n"
    sections = {name: text.strip("\n") for name, text in _SECTION.findall(doc)}
    texts = _TEXTS | dict(_ARGUMENT.findall(sections.pop("Where", "")))
    first = _SECTION.search(doc)
    summary = (doc[: first.start()] if first else doc).rstrip()
    if form.mixed or form.many:
        summary, sections = _summary(form, doc), {}
    singular = {many: one for one, many in form.plural.items()}
    if form.mixed:
        wide = "The weight in float32." if form.direction else "The weight in float32, overwritten."
        texts = {k: text.replace("the type of ``weight``", "float32") for k, text in texts.items()}
        texts |= {"weight": "``[*shape]``, 16-bit.", "weight32": wide}
    texts |= {k: f"{texts[one].rstrip('.')}, one for each weight." for k, one in singular.items()}
    texts |= {form.count: "How many weights there are.", "data": _groups(form)}
    names = [*(["data"] if form.many else form.inputs), *params]
    result = f"The new weight{'s' * form.many}."
    if form.direction:
        result = f"The direction, {'float32' if form.mixed else 'in the type of ``weight``'}."
    sections = {
        "Args": "\n".join(f"    {name}: {texts[name]}" for name in names),
        "Returns": f"    {result}",
        "Raises": "    ShapeError: The shapes differ.",
        **sections,
    }
    shown = [f"{name}:\n{text}\n" for name, text in sections.items()]
    return "\n".join([f"{summary}\n", *shown])


def _summary(form: Form, doc: str) -> str:
    """Return the first line of a derived form's docstring."""
    subject = re.split(r"[:;.]| and |, ", doc, maxsplit=1)[0]
    weights = "16-bit weight" if form.mixed else "weight"
    on = f"many {weights}s" if form.many else f"a {weights}"
    suffix = ", with learning rates and weight decays in arrays" if form.preloaded else ""
    return f"{subject} on {on}{suffix}; see ``{form.rule.name}``."


def _groups(form: Form) -> str:
    own = [*form.rule.arrays, *(["weight32"] if form.mixed else [])]
    suffix = ""
    if form.preloaded:
        suffix = ", then learning rates and decays ``[num_weights]``"
    elif form.guard:
        suffix = ", then the factor of the gradients, one element"
    return (
        f"``{', '.join(own)}`` for each weight, of which all but the gradient are\n"
        f"        overwritten{suffix}."
    )
