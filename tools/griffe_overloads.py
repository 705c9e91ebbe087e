"""For the site: functions that a stub says by overloads alone are documented, too."""

from typing import Any

import griffe


class Overloads(griffe.Extension):
    """Takes the last overload, the most general one, for the function."""

    def on_module_members(self, *, mod: griffe.Module, **_: Any) -> None:
        """Called when the members of a module are known."""
        for name, overloads in mod.overloads.items():
            if name not in mod.members and overloads:
                mod.set_member(name, overloads[-1])
