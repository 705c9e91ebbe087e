"""pandas and bokeh, imported on first use."""

from importlib import import_module
from typing import Any

__all__ = ["Bokeh_Failed_To_Import", "Pandas_Failed_To_Import", "bokeh", "pd"]


class Bokeh_Failed_To_Import(ImportError):  # noqa: N801, N818  # MXNet's name
    """bokeh is not installed."""


class Pandas_Failed_To_Import(ImportError):  # noqa: N801, N818  # MXNet's name
    """pandas is not installed."""


class _Package:
    """Proxy of a package, imported on first use."""

    def __init__(self, name: str, error: type[ImportError]) -> None:
        self._name = name
        self._error = error

    def __getattr__(self, name: str) -> Any:
        try:
            package = import_module(self._name)
        except ImportError as error:
            raise self._error(
                f"mxnet.notebook needs {self._name}: pip install hy-compat[notebook]"
            ) from error
        # Packages such as bokeh do not import their submodules themselves.
        if not hasattr(package, name):
            import_module(f"{self._name}.{name}")
        return getattr(package, name)


pd: Any = _Package("pandas", Pandas_Failed_To_Import)
bokeh: Any = _Package("bokeh", Bokeh_Failed_To_Import)
