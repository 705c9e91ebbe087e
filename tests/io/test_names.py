"""Names of parameters: which dialect a file speaks, and the marks ``arg:`` and ``aux:``."""

import pytest

from hy_io import dialect_of, join_arg_aux, split_arg_aux


@pytest.mark.parametrize(
    ("names", "dialect"),
    [
        (["arg:conv0_weight", "aux:bn0_running_mean"], "exported"),
        (["arg:features.0.weight"], "exported"),
        (["features.0.weight", "output.bias"], "structural"),
        (["scale", "body.0.weight"], "structural"),
        (["net0_dense0_weight", "net0_dense0_bias"], "prefixed"),
        (["weight", "bias"], "prefixed"),
        ([], "structural"),
    ],
)
def test_dialect_is_told_by_the_names(names: list[str], dialect: str) -> None:
    assert dialect_of(iter(names)) == dialect


def test_dialect_of_half_marked_names_is_refused() -> None:
    with pytest.raises(ValueError, match="dialect_of: name 'b' has no 'arg:' or 'aux:'"):
        dialect_of(["arg:a", "b"])


def test_split_keeps_order_and_later_colons() -> None:
    arg, aux = split_arg_aux({"arg:b": 1, "aux:m": 2, "arg:a:c": 3})
    assert list(arg.items()) == [("b", 1), ("a:c", 3)]
    assert aux == {"m": 2}


def test_split_refuses_a_name_without_mark() -> None:
    with pytest.raises(ValueError, match="split_arg_aux: name 'fc_weight' has no"):
        split_arg_aux({"arg:a": 1, "fc_weight": 2})


def test_join_allows_one_name_in_both() -> None:
    assert join_arg_aux({"x": 1}, {"x": 2}) == {"arg:x": 1, "aux:x": 2}
