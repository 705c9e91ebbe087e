"""Packages that MXNet's modules import, and hy does not need."""

from importlib import import_module
from typing import Any

__all__ = ["requests"]


class _Package:
    """Stand-in for a package that raises an error with instructions if it is not installed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        # Inspection asks for dunder names, and must not import the package.
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return getattr(import_module(self._name), name)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"{self._name}, which MXNet brings and hy does without, is not installed: "
                f"pip install {self._name}",
                name=self._name,
            ) from error


requests = _Package("requests")
