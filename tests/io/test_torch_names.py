"""Parameters under PyTorch's names and back."""

from typing import Any

import numpy as np
import pytest

from hy_io import from_torch_state_dict, to_torch_state_dict


def shaped(**shapes: tuple[int, ...]) -> dict[str, Any]:
    return {name.replace("__", "."): np.zeros(shape) for name, shape in shapes.items()}


NET = shaped(
    conv__weight=(8, 3, 5, 5),
    conv__bias=(8,),
    bn__gamma=(8,),
    bn__beta=(8,),
    bn__running_mean=(8,),
    bn__running_var=(8,),
    norm__gamma=(4,),
    norm__beta=(4,),
    act__alpha=(1,),
    embed__weight=(10, 4),
    rnn__l0_i2h_weight=(16, 4),
    rnn__r0_h2h_bias=(16,),
    rnn__l1_h2r_weight=(2, 4),
    out__0__weight=(2, 4),
)
THERE = [
    "conv.weight",
    "conv.bias",
    "bn.weight",
    "bn.bias",
    "bn.running_mean",
    "bn.running_var",
    "bn.num_batches_tracked",
    "norm.weight",
    "norm.bias",
    "act.weight",
    "embed.weight",
    "rnn.weight_ih_l0",
    "rnn.bias_hh_l0_reverse",
    "rnn.weight_hr_l1",
    "out.0.weight",
]


def test_structural_names_become_those_of_pytorch_and_come_back() -> None:
    state = to_torch_state_dict(NET)
    assert list(state) == THERE
    assert state["bn.num_batches_tracked"].dtype == np.int64
    back = from_torch_state_dict(state)
    assert list(back) == list(NET)
    assert all(back[name] is array for name, array in NET.items())


def test_exported_names_lose_their_marks() -> None:
    exported = shaped(net_dense0_weight=(2, 3), net_lstm0_l0_i2h_bias=(8,))
    marked = {f"arg:{name}": array for name, array in exported.items()}
    marked["aux:net_bn0_moving_var"] = np.zeros(2)
    assert list(to_torch_state_dict(marked)) == [
        "net_dense0.weight",
        "net_lstm0.bias_ih_l0",
        "net_bn0.running_var",
        "net_bn0.num_batches_tracked",
    ]


def test_names_of_a_single_layer_have_no_dot() -> None:
    assert list(to_torch_state_dict(shaped(weight=(2, 3), bias=(2,)))) == ["weight", "bias"]
    assert list(from_torch_state_dict(shaped(weight=(2,), bias=(2,)))) == ["gamma", "beta"]


def test_weights_with_channels_last_are_turned() -> None:
    weight = np.arange(2 * 5 * 4 * 3).reshape(2, 5, 4, 3)
    state = to_torch_state_dict({"c.weight": weight}, channels_last=["c"])
    assert state["c.weight"].shape == (2, 3, 5, 4)
    back = from_torch_state_dict(state, channels_last=["c"])["c.weight"]
    np.testing.assert_array_equal(back, weight)


def test_kinds_can_be_said() -> None:
    state = shaped(a__weight=(2,), b__weight=(2,))
    kinds = {"a": "norm", "b": "plain"}
    assert list(from_torch_state_dict(state, kinds=kinds)) == ["a.gamma", "b.weight"]


def test_unknown_parameters_are_told() -> None:
    with pytest.raises(ValueError, match=r"'x\.scale' is of no known layer"):
        to_torch_state_dict(shaped(x__scale=(1,)))
    with pytest.raises(ValueError, match=r"'x\.in_proj_weight' is of no known layer"):
        from_torch_state_dict(shaped(x__in_proj_weight=(1,)))
    with pytest.raises(ValueError, match=r"another one both become 'x\.weight'"):
        to_torch_state_dict(shaped(x__weight=(1,), x__gamma=(1,)))
