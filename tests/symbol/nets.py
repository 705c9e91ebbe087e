"""Graphs that several tests use, written for MXNet and for hy alike."""

from typing import Any

__all__ = ["inception_block", "resnet18"]


def _unit(s: Any, data: Any, filters: int, stride: int, name: str, *, same: bool) -> Any:
    """A residual unit with its activations in front (arXiv:1603.05027)."""
    first = s.Activation(
        s.BatchNorm(data, name=f"{name}_bn1"), act_type="relu", name=f"{name}_relu1"
    )
    strides, how = (stride, stride), {"kernel": (3, 3), "pad": (1, 1), "no_bias": True}
    body = s.Convolution(first, num_filter=filters, stride=strides, name=f"{name}_conv1", **how)
    body = s.BatchNorm(body, name=f"{name}_bn2")
    body = s.Activation(body, act_type="relu", name=f"{name}_relu2")
    body = s.Convolution(body, num_filter=filters, stride=(1, 1), name=f"{name}_conv2", **how)
    if same:
        return body + data
    one = {"kernel": (1, 1), "stride": strides, "no_bias": True}
    return body + s.Convolution(first, num_filter=filters, name=f"{name}_sc", **one)


def resnet18(s: Any) -> Any:
    """The residual net of 18 layers whose summary the Symbol tutorial prints."""
    net = s.BatchNorm(s.var("data"), name="bn_data")
    how = {"kernel": (7, 7), "stride": (2, 2), "pad": (3, 3), "no_bias": True}
    net = s.Convolution(net, num_filter=64, name="conv0", **how)
    net = s.Activation(s.BatchNorm(net, name="bn0"), act_type="relu", name="relu0")
    net = s.Pooling(net, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max", name="pooling0")
    for stage, filters in enumerate((64, 128, 256, 512), start=1):
        for unit in (1, 2):
            stride = 2 if unit == 1 and stage > 1 else 1
            name = f"stage{stage}_unit{unit}"
            net = _unit(s, net, filters, stride, name, same=unit == 2)
    net = s.Activation(s.BatchNorm(net, name="bn1"), act_type="relu", name="relu1")
    net = s.Pooling(net, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
    net = s.FullyConnected(s.Flatten(net), num_hidden=1000, name="fc1")
    return s.SoftmaxOutput(net, name="softmax")


def _convolution(s: Any, data: Any, filters: int, name: str, **how: Any) -> Any:
    net = s.Convolution(data, num_filter=filters, name=f"conv_{name}", **how)
    return s.Activation(s.BatchNorm(net, name=f"bn_{name}"), act_type="relu", name=f"relu_{name}")


def inception_block(s: Any) -> Any:
    """The block that the Symbol tutorial composes out of a factory, with fewer filters."""
    data = s.var("Previous Output")
    wide = {"kernel": (3, 3), "pad": (1, 1)}
    one = _convolution(s, data, 8, "in3a_1x1", kernel=(1, 1))
    three = _convolution(s, data, 8, "in3a_3x3_reduce", kernel=(1, 1))
    three = _convolution(s, three, 8, "in3a_3x3", **wide)
    double = _convolution(s, data, 8, "in3a_double_3x3_reduce", kernel=(1, 1))
    double = _convolution(s, double, 12, "in3a_double_3x3_0", **wide)
    double = _convolution(s, double, 12, "in3a_double_3x3_1", **wide)
    pooled = s.Pooling(data, stride=(1, 1), pool_type="avg", name="avg_pool_in3a_pool", **wide)
    projected = _convolution(s, pooled, 4, "in3a_proj", kernel=(1, 1))
    return s.Concat(one, three, double, projected, name="ch_concat_in3a_chconcat")
