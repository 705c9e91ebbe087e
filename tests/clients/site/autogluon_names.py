"""What newer releases of Python and of packages dropped and AutoGluon 0.3.1 still uses."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import sklearn.metrics

for _kind in (pd.Series, pd.DataFrame):
    if not hasattr(_kind, "iteritems"):
        setattr(_kind, "iteritems", _kind.items)

_log_loss = sklearn.metrics.log_loss


def _bounded(y_true: Any, y_pred: Any, *, eps: float = 1e-15, **options: Any) -> Any:
    """Take the bound of probabilities, which scikit-learn chooses itself since 1.5."""
    return _log_loss(y_true, np.clip(np.asarray(y_pred, float), eps, 1 - eps), **options)


vars(sklearn.metrics)["log_loss"] = _bounded
_default = json.JSONEncoder.default


def _plain(self: json.JSONEncoder, value: Any) -> Any:
    """Write numbers of numpy: since numpy 2 a float32 times a number of Python's stays one."""
    return value.item() if isinstance(value, np.generic) else _default(self, value)


vars(json)["JSONEncoder"].default = _plain


class _Settable(pickle.Unpickler):
    """One whose methods can be set, which Python's own refuses since 3.13."""


vars(pickle)["Unpickler"] = _Settable
