"""Arrays are printed as MXNet prints them; the texts are those of MXNet 1.9.1."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, nd

BIG = """
[[0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]
 ...
 [0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]]
<NDArray 40x40 @cpu(0)>"""

LONG = """
[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]
<NDArray 2000 @cpu(0)>"""

WIDE = """
[[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.
  18. 19.]
 [20. 21. 22. 23. 24. 25. 26. 27. 28. 29. 30. 31. 32. 33. 34. 35. 36. 37.
  38. 39.]]
<NDArray 2x20 @cpu(0)>"""


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (nd.arange(6).reshape(2, 3), "\n[[0. 1. 2.]\n [3. 4. 5.]]\n<NDArray 2x3 @cpu(0)>"),
        (nd.array([1.5], dtype="float64"), "\n[1.5]\n<NDArray 1 @cpu(0)>"),
        (nd.array([1.5, 2.25], dtype="float16"), "\n[1.5  2.25]\n<NDArray 2 @cpu(0)>"),
        (nd.array([1, 2], dtype="int32"), "\n[1 2]\n<NDArray 2 @cpu(0)>"),
        (nd.array([1, 2], dtype="uint8"), "\n[1 2]\n<NDArray 2 @cpu(0)>"),
        (nd.ones((3,), dtype="bool"), "\n[ True  True  True]\n<NDArray 3 @cpu(0)>"),
        (nd.zeros((2,), dtype="bfloat16"), "\n[0 0]\n<NDArray 2 @cpu(0)>"),
        (
            nd.array([1.123456789, 1e10, 1e-10]),
            "\n[1.1234568e+00 1.0000000e+10 1.0000000e-10]\n<NDArray 3 @cpu(0)>",
        ),
        (nd.array([np.nan, np.inf, -np.inf]), "\n[ nan  inf -inf]\n<NDArray 3 @cpu(0)>"),
        (nd.ones((2, 1, 1, 2)), "\n[[[[1. 1.]]]\n\n\n [[[1. 1.]]]]\n<NDArray 2x1x1x2 @cpu(0)>"),
        (nd.array([]), "\n[]\n<NDArray 0 @cpu(0)>"),
        (nd.array([[[]]]), "\n[]\n<NDArray 1x1x0 @cpu(0)>"),
        (nd.array(2.5), "\n2.5\n<NDArray  @cpu(0)>"),
        (nd.array([[1, 2]], cpu(3)), "\n[[1. 2.]]\n<NDArray 1x2 @cpu(3)>"),
        (nd.arange(40).reshape(2, 20), WIDE),
        (nd.zeros((40, 40)), BIG),
        (
            nd.arange(2000),
            LONG,
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else f"{value.shape} {value.dtype.__name__}",
)
def test_repr_and_str_are_the_text_of_mxnet(array: nd.NDArray, text: str) -> None:
    assert repr(array) == str(array) == f"{array}" == text


def test_a_subclass_prints_its_own_name() -> None:
    class Special(nd.NDArray):
        __slots__ = ()

    x: Any = nd.from_numpy(np.zeros(1), array_cls=Special)
    assert repr(x) == "\n[0.]\n<Special 1 @cpu(0)>"


def test_print_options_of_numpy_apply() -> None:
    with np.printoptions(precision=2, threshold=4):
        assert repr(nd.array([1.2345])) == "\n[1.23]\n<NDArray 1 @cpu(0)>"
        assert "..." in repr(nd.arange(10))
