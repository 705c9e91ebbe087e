"""Private functions of ``mxnet.notebook.callback``."""

from typing import Any


def _add_new_columns(dataframe: Any, metrics: dict[str, Any]) -> None:
    """Give a data frame the columns of metrics that it does not have."""
    for name in metrics:
        if name not in dataframe.columns:
            dataframe[name] = None


def _extend(baseData: dict[str, list[Any]], newData: dict[str, Any]) -> None:  # noqa: N803
    """Append what is new to the lists of the same names."""
    for name, value in newData.items():
        baseData.setdefault(name, []).append(value)
