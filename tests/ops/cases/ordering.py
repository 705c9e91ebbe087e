"""Searching and sorting along an axis."""

import numpy as np

from tests.ops.op_case import OpCase

TIED = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]])
SEARCHES = (("argmax", np.argmax), ("argmin", np.argmin))

CASES = (
    *(
        OpCase(name, (shape,), lambda x, *, f=function, **params: f(x, **params), params)
        for name, function in SEARCHES
        for shape, params in (
            ((3, 5), {"axis": 1}),
            ((2, 3, 4), {"axis": -2, "keepdims": True}),
            ((0, 4), {"axis": 1}),
        )
    ),
    *(OpCase(n, ((2, 3, 4),), lambda x, f=f: f(x)[None]) for n, f in SEARCHES),
    *(OpCase(n, ((2, 3),), lambda x, axis, f=f: f(x, axis), {"axis": 1}, inputs={0: TIED})
      for n, f in SEARCHES),
    OpCase("argmax_channel", ((2, 4, 3),), lambda x: x.argmax(1)),
)  # fmt: skip
