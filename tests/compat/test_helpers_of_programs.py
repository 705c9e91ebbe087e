"""Private names of MXNet's that published programs import to write modules, layers and cells."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_gluon.model_zoo.vision import densenet, resnet, vgg
from hy_gluon.nn import _Conv, _infer_weight_shape, _Pooling
from mxnet.base import _as_list, _Null
from mxnet.gluon.data.dataset import _DownloadedDataset
from mxnet.gluon.rnn.rnn_cell import (
    _cells_begin_state,
    _cells_state_info,
    _format_sequence,
    _get_begin_state,
    _mask_sequence_variable_length,
    _reverse_sequences,
)
from mxnet.gluon.utils import _brief_print_list, _indent
from mxnet.module.base_module import _check_input_names, _parse_data_desc

X = mx.nd.array(np.arange(12).reshape(2, 3, 2))
STEPS = [X[:, i] for i in range(3)]


def numbers(steps: Any) -> Any:
    return [step.asnumpy().tolist() for step in steps]


def test_descriptions_of_data_are_read_and_compared_with_names() -> None:
    assert (_as_list(3), _as_list((1, 2))) == ([3], (1, 2))
    data, labels = _parse_data_desc(["data"], [], [("data", (2, 3))], None)
    assert (data[0].name, data[0].shape, labels) == ("data", (2, 3), None)
    with pytest.raises(ValueError, match="Data provided by data_shapes don't match names"):
        _parse_data_desc(["data"], [], [("x", (2, 3))], None)
    with pytest.raises(ValueError, match=r"data_names=\['b'\]"):
        _check_input_names(mx.sym.var("a"), ["b"], "data", True)


def test_an_argument_may_be_passed_on_that_was_not_given() -> None:
    conv = mx.sym.Convolution(
        mx.sym.var("x"), num_filter=2, kernel=(1, 1), dilate=_Null, stride=_Null, name="c"
    )
    assert conv.list_attr() == {"num_filter": "2", "kernel": "(1, 1)"}
    assert mx.nd.softmax(mx.nd.ones((1, 2)), axis=_Null).asnumpy().tolist() == [[0.5, 0.5]]
    with pytest.raises(mx.MXNetError, match="required parameter act_type is missing"):
        mx.nd.Activation(mx.nd.ones((2,)), act_type=_Null)
    assert repr(_Null) == "_Null"


def test_sequences_are_cut_and_joined() -> None:
    steps, axis, module, batch_size = _format_sequence(3, X, "NTC", False)
    assert ([s.shape for s in steps], axis, batch_size) == ([(2, 2)] * 3, 1, 2)
    assert module is mx.nd
    whole, *_ = _format_sequence(None, STEPS, "NTC", True)
    np.testing.assert_array_equal(whole.asnumpy(), X.asnumpy())
    assert _format_sequence(3, STEPS, "NTC", None)[0] == STEPS
    swapped, *_ = _format_sequence(2, X, "NTC", None, in_layout="TNC")
    assert swapped.shape == (3, 2, 2)
    parts, _, module, batch_size = _format_sequence(3, mx.sym.var("x"), "TNC", False)
    assert (len(parts), module is mx.sym, batch_size) == (3, True, 0)
    with pytest.raises(ValueError, match="not length=4"):
        _format_sequence(4, X, "NTC", False)


def test_sequences_end_and_turn_round_where_they_are_said_to() -> None:
    lengths = mx.nd.array([1, 2])
    masked = _mask_sequence_variable_length(mx.nd, STEPS, 3, lengths, 1, False)
    assert numbers(masked) == [[[0, 1], [6, 7]], [[0, 0], [8, 9]], [[0, 0], [0, 0]]]
    assert _mask_sequence_variable_length(mx.nd, X, 3, lengths, 1, True).shape == (2, 3, 2)
    assert numbers(_reverse_sequences(STEPS, 3)) == numbers(STEPS[::-1])
    turned = _reverse_sequences(STEPS, 3, lengths)
    assert numbers(turned) == [[[0, 1], [8, 9]], [[2, 3], [6, 7]], [[4, 5], [10, 11]]]


def test_states_of_cells() -> None:
    cell = mx.gluon.rnn.LSTMCell(3)
    assert [s.shape for s in _get_begin_state(cell, mx.nd, None, X, 2)] == [(2, 3)] * 2
    assert _get_begin_state(cell, mx.nd, [1], X, 2) == [1]
    assert _cells_state_info([cell, cell], 2) == cell.state_info(2) * 2
    assert len(_cells_begin_state([cell, cell], batch_size=2)) == 4


def test_a_cell_of_ones_own_asks_for_its_activation() -> None:
    cell, x = mx.gluon.rnn.RNNCell(3), mx.nd.array([-1, 0.5])
    leaky = cell._get_activation(mx.nd, x, mx.gluon.nn.LeakyReLU(0.5))
    assert leaky.asnumpy().tolist() == [-0.5, 0.5]
    named = cell._get_activation(mx.sym, mx.sym.var("x"), "softrelu", name="out")
    assert named.list_outputs() == ["out_output"]


def test_layers_are_printed_as_mxnets() -> None:
    assert _indent("a\nb\n c", 2) == "a\n  b\n   c"
    assert _brief_print_list(list("abc")) == "'a', 'b', 'c'"
    assert _brief_print_list(list("abcdefghij")) == "'a', 'b', 'c', ..., 'g', 'h', 'i', 'j'"
    assert _brief_print_list(list("abcdefghij"), 4) == "'a', 'b', ..., 'i', 'j'"


def test_layers_of_ones_own_on_those_of_convolution_and_pooling() -> None:
    class Binary(_Conv):
        def __init__(self, channels: int, **kwargs: Any) -> None:
            ones = (1, 1)
            super().__init__(
                channels, (3, 3), ones, ones, ones, 1, "NCHW", 3, None, False, **kwargs
            )

        def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
            return super().hybrid_forward(F, x, F.sign(weight), bias)

    layer = Binary(4, weight_initializer=mx.init.Constant(0.3))
    layer.initialize()
    layer.hybridize()
    assert layer(mx.nd.ones((1, 3, 4, 4))).sum().asscalar() == 1200

    class Mean(_Pooling):
        def __init__(self) -> None:
            super().__init__((1, 1), None, (0, 0), True, True, "avg", "NCHW")

    assert Mean()(mx.nd.ones((1, 2, 3, 3))).shape == (1, 2, 1, 1)
    assert issubclass(mx.gluon.nn.Conv2D, _Conv)
    assert issubclass(mx.gluon.nn.MaxPool2D, _Pooling)
    layers = import_module("mxnet.gluon.nn.conv_layers")
    assert (layers._Conv, layers._Pooling) == (_Conv, _Pooling)
    found = _infer_weight_shape("Convolution", (1, 4, 8, 8), {"kernel": (3, 3), "num_filter": 6})
    assert found == [(1, 4, 8, 8), (6, 4, 3, 3), (6,)]


def test_models_of_ones_own_on_those_of_the_zoo() -> None:
    kind, layers, channels = resnet.resnet_spec[18]
    net = resnet.resnet_net_versions[1](
        resnet.resnet_block_versions[1][kind], layers, channels, classes=4, thumbnail=True
    )
    net.initialize()
    assert net(mx.nd.ones((1, 3, 16, 16))).shape == (1, 4)
    block = densenet._make_dense_block(2, 4, 8, 0, 3)
    block.initialize()
    assert block(mx.nd.ones((1, 3, 4, 4))).shape == (1, 19, 4, 4)
    assert next(iter(block.collect_params().keys())) == "stage3_batchnorm0_gamma"
    half = densenet._make_transition(6)
    half.initialize()
    assert half(mx.nd.ones((1, 3, 4, 4))).shape == (1, 6, 2, 2)
    assert densenet.densenet_spec[121] == (64, 32, [6, 12, 24, 16])
    assert vgg.vgg_spec[11] == ([1, 1, 2, 2, 2], [64, 128, 256, 512, 512])


def test_a_data_set_of_ones_own_files(tmp_path: Path) -> None:
    class Three(_DownloadedDataset):
        def _get_data(self) -> None:
            assert Path(self._root).is_dir()
            self._data, self._label = mx.nd.arange(6).reshape((3, 2)), np.array([1, 2, 3])

    plain = Three(str(tmp_path / "a"), None)
    assert (len(plain), plain[1][0].asnumpy().tolist(), plain[1][1]) == (3, [2, 3], 2)
    changed = Three(str(tmp_path / "a"), lambda data, label: (data * 2, label + 1))
    assert (changed[1][0].asnumpy().tolist(), changed[1][1]) == ([4, 6], 3)
