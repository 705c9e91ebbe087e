"""Arrays are printed as MXNet prints them; the texts are those of MXNet 1.9.1."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, nd, np as np_

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


# --- in notebooks ---------------------------------------------------------------------------------


def test_notebooks_show_arrays_of_two_axes_as_tables() -> None:
    assert nd.array([[1, 0.333333], [-2.5, 40000]])._repr_html_() == (
        "<table><tr><td>1</td><td>0.3333</td></tr><tr><td>-2.5</td><td>4e+04</td></tr></table>"
        "<small>NDArray 2x2, float32, cpu(0)</small>"
    )
    assert nd.array([7, 8], dtype="int32")._repr_html_() == (
        "<table><tr><td>7</td><td>8</td></tr></table><small>NDArray 2, int32, cpu(0)</small>"
    )
    assert nd.ones((2,), dtype="bool")._repr_html_().startswith("<table><tr><td>True</td>")
    assert nd.ones((1, 1), dtype="bfloat16")._repr_html_().startswith("<table><tr><td>1</td>")


def test_long_tables_of_notebooks_are_cut() -> None:
    text = nd.arange(400).reshape((20, 20))._repr_html_()
    assert text.count("<tr>") == 11
    assert text.count("<td>") == 121
    assert text.count("⋯") == 21
    assert nd.ones((11, 1))._repr_html_().count("<tr>") == 11


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (
            nd.zeros((1, 1, 2)),
            "<pre>[[[0. 0.]]]</pre><small>NDArray 1x1x2, float32, cpu(0)</small>",
        ),
        (np_.zeros((0, 2)), "<pre>[]</pre><small>ndarray 0x2, float32, cpu(0)</small>"),
        (np_.array(3), "<pre>3.0</pre><small>ndarray one number, float32, cpu(0)</small>"),
        (nd.sparse.zeros("csr", (9, 9)), "<pre>&lt;CSRNDArray 9x9 @cpu(0)&gt;</pre>"),
    ],
    ids=["three axes", "empty", "number", "sparse"],
)
def test_notebooks_show_other_arrays_as_texts(array: nd.NDArray, text: str) -> None:
    assert array._repr_html_() == text
