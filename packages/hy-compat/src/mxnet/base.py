"""MXNet's base names."""

import numpy as np

from hy_ndarray import HyError

__all__ = ["MXNetError", "mx_real_t", "numeric_types", "string_types"]

MXNetError = HyError

mx_real_t = np.float32
"""The default dtype."""

numeric_types = (float, int, np.generic)
string_types = (str,)
