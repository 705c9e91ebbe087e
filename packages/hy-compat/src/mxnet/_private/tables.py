"""Private functions of ``mxnet.notebook.callback``."""

from collections.abc import Iterable
from typing import Any


def _add_new_columns(dataframe: Any, metrics: dict[str, Any]) -> None:
    """Add columns for new metrics to a data frame."""
    for name in metrics:
        if name not in dataframe.columns:
            dataframe[name] = None


def _extend(baseData: list[Any], newData: Iterable[Any]) -> None:  # noqa: N803  # MXNet's names
    """Append new values to a list."""
    baseData.extend(newData)
