"""Adapt docstrings for the site to griffe, which reads sources without importing them."""

import re
from collections.abc import Mapping
from textwrap import indent
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^( *)Example:$", re.MULTILINE)
_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod|obj):`~?([^`]+)`")
_ROW = re.compile(r"(?:function_of_(?:one|two)|comparison)\('\w+', (['\"])(.*?)\1")
_CALL = re.compile(r"_(?:unary|binary|comparison)\('(\w+)'")
_ON_HOST = re.compile(r"on_host\('([\w.]+)'\)")


class Extension(griffe.Extension):
    """Documents overloads and assigned names, adapts docstrings, and adds examples to them.

    Args:
        examples: Doctests by the path of the definition that they belong to.
    """

    def __init__(self, examples: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._examples = examples or {}

    def on_module_members(self, *, mod: griffe.Module, **_: Any) -> None:
        """Document a function by its last overload, and the docstring that any of them has."""
        for name, overloads in mod.overloads.items():
            if name not in mod.members and overloads:
                last = overloads[-1]
                if last.docstring is None:
                    last.docstring = next((x.docstring for x in overloads if x.docstring), None)
                mod.set_member(name, last)

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Write examples in Google's form, ``Examples``, and Sphinx roles as code."""
        if obj.docstring is not None:
            text = _EXAMPLE.sub(r"\1Examples:", obj.docstring.value)
            obj.docstring.value = _ROLE.sub(r"`\1`", text) + self._section(obj.path)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Document names that a module assigns, such as ``Variable = var``."""
        self._document_assigned(pkg, set())

    def _section(self, path: str) -> str:
        """Return the section of a docstring with the example of a path; empty if it has none."""
        text = self._examples.get(path, "")
        return f"\n\nExamples:\n{indent(text, '    ')}" if text else ""

    def _document_assigned(self, module: griffe.Module, seen: set[str]) -> None:
        if module.path in seen:
            return
        seen.add(module.path)
        for name, member in list(module.members.items()):
            if member.is_alias:
                continue
            if isinstance(member, griffe.Module):
                self._document_assigned(member, seen)
            elif isinstance(member, griffe.Attribute) and member.docstring is None:
                function = _as_function(member)
                if function is not None:
                    module.set_member(name, function)
                else:
                    member.docstring = griffe.Docstring(_attribute_doc(member), parent=member)


def _as_function(attribute: griffe.Attribute) -> griffe.Function | None:
    """Return the function that an attribute's row makes, or the method that it is; None if none."""
    value = str(attribute.value)
    if row := _ROW.match(value):
        count = 2 if value.startswith(("function_of_two", "comparison")) else 1
        return _function(attribute, _operands(count, "positional or keyword", out=True), row[2])
    if called := _CALL.match(value):
        count = 1 if value.startswith("_unary") else 2
        text = f"The array API standard's function `{called[1]}`, on arrays of hy."
        return _function(attribute, _operands(count, "positional-only", out=False), text)
    if on_host := _ON_HOST.match(value):
        page = f"https://numpy.org/doc/stable/reference/generated/numpy.{on_host[1]}.html"
        text = (
            f"[`numpy.{on_host[1]}`]({page}) of arrays; its arguments are NumPy's. NumPy computes "
            "it on the host, so no gradient flows through it."
        )
        parameters = [
            griffe.Parameter("args", kind=griffe.ParameterKind.var_positional),
            griffe.Parameter("kwargs", kind=griffe.ParameterKind.var_keyword),
        ]
        return _function(attribute, parameters, text, None)
    method = _method(attribute)
    if method is None:
        return None
    text = method.docstring.value if method.docstring else ""
    of = "Symbol" if attribute.path.startswith("hy_symbol.") else "ndarray"
    return _function(attribute, [*method.parameters][1:], text, of)


def _function(
    attribute: griffe.Attribute,
    parameters: list[griffe.Parameter],
    text: str,
    returns: str | None = "ndarray",
) -> griffe.Function:
    function = griffe.Function(
        attribute.name,
        lineno=attribute.lineno,
        endlineno=attribute.endlineno,
        parameters=griffe.Parameters(*parameters),
        returns=returns,
        parent=attribute.parent,
    )
    function.docstring = griffe.Docstring(text, parent=function)
    return function


def _operands(count: int, kind: str, *, out: bool) -> list[griffe.Parameter]:
    names = ["x"] if count == 1 else ["x1", "x2"]
    parameters = [griffe.Parameter(x, kind=griffe.ParameterKind(kind)) for x in names]
    optional = griffe.Parameter("out", kind=griffe.ParameterKind(kind), default="None")
    return [*parameters, optional] if out else parameters


def _method(attribute: griffe.Attribute) -> griffe.Function | None:
    """Return the method behind ``normal = sampling.normal`` where ``sampling = Sampling(...)``."""
    instance, _, name = str(attribute.value).rpartition(".")
    module = attribute.parent
    maker = module.members.get(instance) if isinstance(module, griffe.Module) else None
    if not isinstance(maker, griffe.Attribute) or not isinstance(maker.value, griffe.ExprCall):
        return None
    try:
        definition = attribute.modules_collection[maker.value.canonical_path]
        method = definition.members.get(name)
    except (KeyError, griffe.GriffeError):
        return None
    return method if isinstance(method, griffe.Function) else None


def _attribute_doc(attribute: griffe.Attribute) -> str:
    """Return the docstring of what an attribute stands for, or what its value says."""
    target = target_of(attribute)
    if target is not None and target.docstring is not None:
        return f"Same as `{target.name}`.\n\n{target.docstring.value}"
    if str(attribute.annotation) == "TypeAlias":
        return f"The type `{attribute.value}`."
    if attribute.value is None:
        return f"A `{attribute.annotation}`."
    return f"Defined as `{attribute.value}`."


def target_of(attribute: griffe.Attribute) -> griffe.Object | None:
    """Return the function or class that an attribute aliases."""
    if not isinstance(attribute.value, griffe.ExprName | griffe.ExprAttribute):
        return None
    try:
        target = attribute.modules_collection[attribute.value.canonical_path]
        return target.final_target if isinstance(target, griffe.Alias) else target
    except (KeyError, griffe.GriffeError):
        return None
