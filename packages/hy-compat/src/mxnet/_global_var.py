"""Array classes and their setters under their names in MXNet's ``_global_var``."""

from mxnet._private.arrays import _ndarray_cls, _np_ndarray_cls
from mxnet._private.pointers import _set_ndarray_class, _set_np_ndarray_class

__all__ = ["_ndarray_cls", "_np_ndarray_cls", "_set_ndarray_class", "_set_np_ndarray_class"]
