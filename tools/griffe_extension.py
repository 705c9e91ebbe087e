"""Adapt docstrings for the site to griffe, which reads sources without importing them."""

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^( *)Example:$", re.MULTILINE)
_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod|obj):`~?([^`]+)`")
_ROW = re.compile(r"(?:function_of_(?:one|two)|comparison)\('\w+', (['\"])(.*?)\1")
_CALL = re.compile(r"on_host\('(\w+)'\)|_(?:unary|binary|comparison)\('(\w+)'")


class Extension(griffe.Extension):
    """Documents overloads and assigned names, and adapts docstrings."""

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
            obj.docstring.value = _ROLE.sub(r"`\1`", text)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Document names that a module assigns, such as ``Variable = var``."""
        _document_assigned(pkg, set())


def _document_assigned(module: griffe.Module, seen: set[str]) -> None:
    if module.path in seen:
        return
    seen.add(module.path)
    for member in list(module.members.values()):
        if member.is_alias:
            continue
        if isinstance(member, griffe.Module):
            _document_assigned(member, seen)
        elif isinstance(member, griffe.Attribute) and member.docstring is None:
            member.docstring = griffe.Docstring(_text(member), parent=member)


def _text(attribute: griffe.Attribute) -> str:
    """Return the docstring of what an attribute stands for, or what its value says."""
    value = attribute.value
    target = _target(attribute)
    if target is not None and target.docstring is not None:
        return f"Same as `{target.name}`.\n\n{target.docstring.value}"
    if row := _ROW.match(str(value)):
        return row[2]
    if called := _CALL.match(str(value)):
        name = called[1] or called[2]
        kind = "NumPy's" if called[1] else "The array API standard's"
        return f"{kind} function `{name}`, on arrays of hy."
    if str(attribute.annotation) == "TypeAlias":
        return f"The type `{value}`."
    if value is None:
        return f"A `{attribute.annotation}`."
    return f"Defined as `{value}`."


def _target(attribute: griffe.Attribute) -> griffe.Object | None:
    """Return the function or class that an attribute is another name of."""
    if not isinstance(attribute.value, griffe.ExprName | griffe.ExprAttribute):
        return None
    try:
        target = attribute.modules_collection[attribute.value.canonical_path]
        return target.final_target if isinstance(target, griffe.Alias) else target
    except (KeyError, griffe.GriffeError):
        return None
