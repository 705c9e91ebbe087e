"""``mx.onnx`` and ``mx.contrib.onnx``: MXNet's paths of what writes and reads ONNX models."""

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib import onnx as onnx_mxnet
from mxnet.contrib.onnx.mx2onnx.export_model import export_model
from mxnet.contrib.onnx.onnx2mx.import_model import get_model_metadata, import_model
from mxnet.contrib.onnx.onnx2mx.import_to_gluon import import_to_gluon
from mxnet.onnx import mx2onnx


def test_every_path_leads_to_the_same_functions() -> None:
    assert mx.onnx.export_model is mx2onnx.export_model is onnx_mxnet.export_model is export_model
    assert mx.contrib.onnx.import_model is onnx_mxnet.import_model_ is import_model
    assert onnx_mxnet.get_model_metadata is onnx_mxnet.get_model_metadata_ is get_model_metadata
    assert onnx_mxnet.import_to_gluon is onnx_mxnet.import_to_gluon_ is import_to_gluon
    assert onnx_mxnet.onnx2mx.import_model.import_model is import_model
    assert onnx_mxnet.mx2onnx.export_model.export_model is export_model
    assert list(inspect.signature(import_to_gluon).parameters) == ["model_file", "ctx"]


def test_a_checkpoint_goes_out_and_comes_in_by_the_names_of_mxnet(tmp_path: Path) -> None:
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    net = mx.sym.SoftmaxOutput(net, name="softmax")
    params = {"fc_weight": mx.nd.array([[1, 2, 3], [4, 5, 6]]), "fc_bias": mx.nd.zeros((2,))}
    prefix = str(tmp_path / "net")
    mx.model.save_checkpoint(prefix, 3, net, params, {})
    path = str(tmp_path / "net.onnx")
    files = f"{prefix}-symbol.json", f"{prefix}-0003.params"
    mx.onnx.export_model(*files, [(1, 3)], np.float32, path)
    assert get_model_metadata(path)["input_tensor_data"] == [("data", (1, 3))]
    symbol, arguments, states = onnx_mxnet.import_model(path)
    assert symbol.list_outputs() == ["softmax_output"]
    assert states == {}
    x = mx.nd.array([[0.1, 0.2, 0.3]])
    (wanted,) = net.eval(mx.cpu(), data=x, softmax_label=mx.nd.zeros((1,)), **params)
    (found,) = symbol.eval(mx.cpu(), data=x, **arguments)
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-6)
    block = onnx_mxnet.import_to_gluon(path, mx.cpu())
    np.testing.assert_allclose(block(x).asnumpy(), wanted.asnumpy(), rtol=1e-6)


@pytest.mark.slow
def test_mxnet_loads_onnx_when_a_model_is_written_or_read() -> None:
    code = (
        "import sys, mxnet as mx; assert 'hy_onnx' not in sys.modules; "
        "mx.onnx.export_model, mx.contrib.onnx.import_model; assert 'onnx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  # the line above
