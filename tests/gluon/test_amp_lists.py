"""Which operator computes in which precision: MXNet's lists, and the policy made of them."""

import importlib
from typing import Any

import numpy as np
import pytest

from hy_gluon import amp
from hy_gluon.amp import AMPError, Policy
from hy_gluon.amp.listing import ABSENT
from hy_gluon.amp.lists import symbol_fp16
from hy_ndarray import DTypeError
from hy_ndarray.core.casting import Casting
from hy_ndarray.ops import exists, find

LISTS = {
    "float16": (
        amp.list_lp16_ops,
        amp.list_fp32_ops,
        amp.list_lp16_fp32_ops,
        amp.list_widest_type_cast,
    ),
    "bfloat16": (
        amp.list_lp16_ops,
        amp.list_fp32_ops,
        amp.list_lp16_fp32_ops,
        amp.list_widest_type_cast,
    ),
}


def casting(policy: Policy, name: str, count: int = 1, **params: Any) -> Casting | None:
    op = find(name)
    inputs = [f"input{i}" for i in range(count)]
    inputs += [None] * (0 if op.variadic else len(op.inputs) - count)  # type: ignore[list-item]
    return policy.casting(op, inputs, op.parse(params))


@pytest.mark.parametrize(
    ("dtype", "sizes"), [("float16", [4, 136, 318, 113]), ("bfloat16", [2, 438, 15, 109])]
)
def test_the_lists_are_as_long_as_mxnets(dtype: str, sizes: list[int]) -> None:
    found = [names(dtype) for names in LISTS[dtype]]
    assert [len(names) for names in found] == sizes
    assert sum(sizes) == len({name for names in found for name in names})  # each in one list


def test_single_names_as_mxnet_has_them() -> None:
    assert amp.list_lp16_ops("float16") == [
        "Convolution",
        "Deconvolution",
        "FullyConnected",
        "RNN",
    ]
    assert {"softmax", "exp", "LayerNorm", "sum"} <= set(amp.list_fp32_ops("float16"))
    assert {"BatchNorm", "Pooling", "relu"} <= set(amp.list_lp16_fp32_ops("float16"))
    assert {"Concat", "elemwise_add", "dot"} <= set(amp.list_widest_type_cast("float16"))
    assert {"Deconvolution", "RNN", "Flatten"} <= set(amp.list_fp32_ops("bfloat16"))
    for dtype in LISTS:
        assert amp.list_conditional_fp32_ops(dtype) == [
            ("Activation", "act_type", ["softrelu"]),
            ("LeakyReLU", "act_type", ["elu", "selu"]),
        ]
        assert "SoftmaxOutput" in amp.list_loss_output_functions(dtype)
    assert amp.list_lp16_use_fp32_params("float16") is None
    assert set(amp.list_lp16_use_fp32_params("bfloat16") or {}) == {
        "BatchNorm",
        "BatchNormWithReLU",
    }


@pytest.mark.parametrize("dtype", LISTS)
def test_every_operator_exists_or_is_known_to_be_absent(dtype: str) -> None:
    for names in LISTS[dtype]:
        for name in names(dtype):
            assert exists(name) or name in ABSENT, name


def test_dtypes_by_every_name() -> None:
    mxnets = np.dtype([("bfloat16", np.uint16)])  # how MXNet spells it
    assert amp.list_lp16_ops(np.float16) is amp.list_lp16_ops("float16")
    assert amp.list_lp16_ops(mxnets) is amp.list_lp16_ops("bfloat16")
    with pytest.raises(DTypeError, match="float16 or bfloat16, not float32"):
        amp.list_fp32_ops("float32")


def test_the_lists_are_modules_too() -> None:
    module = importlib.import_module("hy_gluon.amp.lists.symbol_bf16")
    assert amp.list_lp16_ops("bfloat16") is module.BF16_FUNCS


# --- the policy -------------------------------------------------------------------------------


def test_four_kinds_of_operators() -> None:
    policy = Policy("float16")
    assert casting(policy, "Convolution", 3, kernel=(3, 3), num_filter=1) == Casting("float16")
    assert casting(policy, "softmax") == Casting("float32")
    assert casting(policy, "dot", 2) == Casting(None)
    assert casting(policy, "relu") is None


def test_aliases_are_the_operator() -> None:
    assert find("Softmax") is find("SoftmaxOutput")
    assert casting(Policy("float16"), "Softmax", 2) == Casting("float32")
    only = Policy("float16", target_dtype_ops=["concat"])
    assert casting(only, "Concat", 2) == Casting("float16")


def test_values_of_parameters_decide() -> None:
    policy = Policy("float16")
    assert casting(policy, "Activation", act_type="softrelu") == Casting("float32")
    assert casting(policy, "Activation", act_type="tanh") is None


def test_an_operator_that_no_list_names_computes_in_the_dtype_it_gets() -> None:
    assert "im2col" not in amp.list_lp16_fp32_ops("float16")
    assert casting(Policy("float16"), "im2col", kernel=(1, 1)) is None


def test_operands_that_must_agree_and_do_not_are_cast() -> None:
    policy = Policy("float16")
    agree = Casting(None, if_differing=True)
    assert casting(policy, "LeakyReLU", 2, act_type="prelu") == agree
    assert casting(policy, "LeakyReLU", 1, act_type="leaky") is None
    assert casting(Policy("bfloat16"), "Concat", 2) == agree


def test_auxiliary_states_and_updated_arrays_are_never_cast() -> None:
    policy = Policy("float16", fp32_ops=["BatchNorm", "multi_sgd_mom_update"])
    found = casting(policy, "BatchNorm", 5)
    assert found == Casting("float32", frozenset(("moving_mean", "moving_var")))
    assert casting(policy, "multi_sgd_mom_update", 3, lrs=[1], wds=[0], num_weights=1) is None


def test_parameters_that_stay_float32_in_bfloat16() -> None:
    policy = Policy("bfloat16", target_dtype_ops=["BatchNorm"])
    found = casting(policy, "BatchNorm", 5)
    assert found is not None
    assert found.dtype == "bfloat16"
    assert {"gamma", "beta", "moving_mean", "moving_var"} <= found.unchanged


def test_what_is_named_in_an_argument_leaves_the_other_lists() -> None:
    policy = Policy("float16", target_dtype_ops=["exp"], conditional_fp32_ops=[])
    assert casting(policy, "exp") == Casting("float16")
    assert casting(policy, "Activation", act_type="softrelu") is None


def test_lists_may_be_changed_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbol_fp16, "FP32_FUNCS", [*symbol_fp16.FP32_FUNCS, "im2col"])
    assert casting(Policy("float16"), "im2col", kernel=(1, 1)) == Casting("float32")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fp32_ops": ["sofmax"]}, "fp32_ops: unknown operator 'sofmax'; did you mean 'softmax'"),
        ({"target_dtype_ops": "exp"}, "must be a list of names of operators"),
        ({"conditional_fp32_ops": ["relu"]}, "must be .operator, parameter, list of its values."),
        ({"fp32_ops": ["concat"], "target_dtype_ops": ["Concat"]}, "Concat: named in two lists"),
    ],
)
def test_mistakes(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(AMPError, match=message):
        Policy("float16", **arguments)
