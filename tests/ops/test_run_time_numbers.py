"""Numbers that a program is given when it runs, as parameters of operators."""

import pytest

from hy_ndarray import ArgumentError, nd
from hy_ndarray.ops import RunTimeNumber, find
from hy_symbol import sym


def test_they_stay_as_they_are_among_other_parameters() -> None:
    rate, count = RunTimeNumber("lr"), RunTimeNumber("t")
    op = find("_multi_lamb_update")
    params = op.parse({"learning_rates": (rate,), "wds": "(0.5,)", "step_count": (count,)})
    assert (params["learning_rates"], params["wds"], params["step_count"]) == (
        (rate,),
        (0.5,),
        (count,),
    )
    assert find("ftml_update").parse({"lr": "0.5", "t": count})["t"] is count


def test_operands_are_combined_with_them() -> None:
    x, n = sym.var("x"), RunTimeNumber("n")
    found = [y.graph.outputs[0][0] for y in (x + n, x - n, x * n, x / n)]
    assert [node.op.name for node in found if node.op] == [
        "_plus_scalar",
        "_minus_scalar",
        "_mul_scalar",
        "_div_scalar",
    ]
    assert all(node.params["scalar"] is n for node in found)


def test_what_is_no_number_is_still_refused() -> None:
    with pytest.raises(ArgumentError, match="parameter lr"):
        nd.sgd_update(nd.ones((1,)), nd.ones((1,)), lr=object())  # type: ignore[arg-type]  # meant
