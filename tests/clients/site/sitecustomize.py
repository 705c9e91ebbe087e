"""Names that newer releases of Python and numpy dropped and clients of MXNet still use."""

import collections
import collections.abc
import inspect

import numpy as np

for _name in ("Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence", "Callable"):
    if not hasattr(collections, _name):
        setattr(collections, _name, getattr(collections.abc, _name))
for _name, _kind in {
    "bool": bool,
    "int": int,
    "float": float,
    "object": object,
    "str": str,
}.items():
    if _name not in vars(np):
        setattr(np, _name, _kind)
if not hasattr(inspect, "getargspec"):
    vars(inspect)["getargspec"] = lambda function: inspect.getfullargspec(function)[:4]
