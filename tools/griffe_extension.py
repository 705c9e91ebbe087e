"""For the site: what griffe, which reads the sources, would not understand of them by itself."""

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^( *)Example:$", re.MULTILINE)
_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod|obj):`~?([^`]+)`")


class Extension(griffe.Extension):
    """Functions that a stub says by overloads alone; our form of docstrings."""

    def on_module_members(self, *, mod: griffe.Module, **_: Any) -> None:
        """Take the last overload, the most general one, for the function."""
        for name, overloads in mod.overloads.items():
            if name not in mod.members and overloads:
                mod.set_member(name, overloads[-1])

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Let examples be code, as they are in Google's section ``Examples``, and roles names."""
        if obj.docstring is not None:
            text = _EXAMPLE.sub(r"\1Examples:", obj.docstring.value)
            obj.docstring.value = _ROLE.sub(r"`\1`", text)
