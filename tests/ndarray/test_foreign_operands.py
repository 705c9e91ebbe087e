"""What messages say of operands that are no arrays, and of names that do not exist."""

import sys
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, nd, np as hnp
from hy_ndarray.foreign import conversion, kind_of
from hy_ndarray.suggestion import nearest, unknown_argument


class Tensor:
    """An array of another library, as far as messages look at it."""

    __module__ = "torch"

    def __dlpack__(self, **_: Any) -> Any:
        raise NotImplementedError


class Frame:
    """A table of another library."""

    __module__ = "pandas.core.frame"

    def __array__(self) -> Any:
        return np.ones(2)


@pytest.mark.parametrize(
    ("value", "kind", "how"),
    [
        (np.ones(2), "a numpy array", "nd.array(...)"),
        ([1], "a list", "nd.array(...)"),
        (1, "an int", "nd.array(...)"),
        (Tensor(), "a torch.Tensor", "nd.from_dlpack(...), or nd.array(...), which copies"),
        (Frame(), "a pandas.Frame", "nd.array(...)"),
        ("a", "a str", ""),
        (None, "None", ""),
    ],
)
def test_an_operand_is_named_with_what_makes_an_array_of_it(
    value: Any, kind: str, how: str
) -> None:
    assert kind_of(value) == kind
    assert conversion(value) == (f"; make an NDArray of it with {how}" if how else "")


def test_operators_name_what_they_were_given() -> None:
    tensor: Any = Tensor()
    with pytest.raises(ArgumentError, match=r"input data is a torch\.Tensor, .*nd\.from_dlpack"):
        nd.relu(tensor)
    with pytest.raises(
        ArgumentError, match=r"cannot combine an NDArray with a torch\.Tensor.*from_dlpack"
    ):
        nd.ones(2) + tensor
    with pytest.raises(
        ArgumentError, match=r"cannot combine an NDArray with a torch\.Tensor.*from_dlpack"
    ):
        tensor * nd.ones(2)
    with pytest.raises(ArgumentError, match=r"input b is a numpy array.*np\.array"):
        hnp.dot(hnp.ones(2), np.ones(2))


def test_an_object_that_computes_with_arrays_itself_still_does() -> None:
    class Unit:
        def __radd__(self, other: Any) -> str:
            return f"{type(other).__name__} and unit"

    assert nd.ones(2) + Unit() == "NDArray and unit"


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("sofmax", ["softmax", "Softmax", "softmin"], "softmax"),
        ("adma", ["adamax", "adam"], "adam"),
        ("DENSE", ["dense_net", "Dense"], "Dense"),
        ("relu", ["relu"], None),
        ("xyz", ["relu"], None),
        ("reluu", ["_reluu_", "relu"], "relu"),
        ("_relu", ["_relu1"], "_relu1"),
    ],
)
def test_the_nearest_name_has_the_fewest_edits(
    name: str, known: list[str], meant: str | None
) -> None:
    assert nearest(name, known) == meant


def test_an_argument_of_nothing_says_that_none_is_taken() -> None:
    assert str(unknown_argument("f", "x", [])) == "f: unknown argument 'x' (it takes none)"


def test_interpreters_offer_methods_of_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(nd.ones(2), "reshpae")  # noqa: B009  # which type checkers refuse
    sys.__excepthook__(caught.type, caught.value, None)
    assert "Did you mean: 'reshape'?" in capsys.readouterr().err
