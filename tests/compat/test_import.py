"""``import mxnet``: the paths people import, what stands behind them, and clear refusals."""

import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hy_gluon
import hy_ndarray
import hy_symbol
import mxnet as mx
from mxnet import numpy_dispatch_protocol as protocol


def output_of(program: str, **variables: str) -> str:
    call = [sys.executable, "-c", program]
    done = subprocess.run(  # noqa: S603  # our own
        call, check=True, capture_output=True, text=True, env=os.environ | variables
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("mxnet.nd", "NDArray", hy_ndarray.NDArray),
        ("mxnet.ndarray", "NDArray", hy_ndarray.NDArray),
        ("mxnet.ndarray.ndarray", "NDArray", hy_ndarray.NDArray),
        ("mxnet.ndarray", "CachedOp", hy_gluon.CachedOp),
        ("mxnet.symbol", "Symbol", hy_symbol.Symbol),
        ("mxnet.sym", "var", hy_symbol.var),
        ("mxnet.symbol.symbol", "Symbol", hy_symbol.Symbol),
        ("mxnet.gluon", "HybridBlock", hy_gluon.HybridBlock),
        ("mxnet.gluon.block", "SymbolBlock", hy_gluon.SymbolBlock),
        ("mxnet.gluon.parameter", "Parameter", hy_gluon.Parameter),
        ("mxnet.gluon.nn", "Dense", hy_gluon.nn.Dense),
        ("mxnet.gluon.nn.activations", "PReLU", hy_gluon.nn.PReLU),
        ("mxnet.gluon.nn.basic_layers", "Dense", hy_gluon.nn.Dense),
        ("mxnet.gluon.nn.conv_layers", "Conv2D", hy_gluon.nn.Conv2D),
        ("mxnet.gluon.rnn.rnn_cell", "LSTMCell", hy_gluon.rnn.LSTMCell),
        ("mxnet.gluon.rnn.rnn_layer", "LSTM", hy_gluon.rnn.LSTM),
        ("mxnet.gluon.data.dataset", "RecordFileDataset", hy_gluon.data.RecordFileDataset),
        ("mxnet.gluon.data.sampler", "BatchSampler", hy_gluon.data.BatchSampler),
        ("mxnet.gluon.contrib.nn.basic_layers", "Identity", hy_gluon.contrib.nn.Identity),
        (
            "mxnet.gluon.contrib.cnn.conv_layers",
            "DeformableConvolution",
            hy_gluon.contrib.cnn.DeformableConvolution,
        ),
        ("mxnet.gluon.contrib.data.sampler", "IntervalSampler", hy_gluon.data.IntervalSampler),
        ("mxnet.optimizer.optimizer", "Adam", hy_gluon.optimizer.Adam),
        ("mxnet.optimizer.optimizer", "Optimizer", hy_gluon.optimizer.Optimizer),
        ("mxnet.context", "Context", hy_ndarray.Context),
        ("mxnet.autograd", "record", hy_ndarray.autograd.record),
        ("mxnet.executor", "Executor", hy_symbol.Executor),
        ("mxnet.name", "Prefix", hy_symbol.Prefix),
        ("mxnet.attribute", "AttrScope", hy_symbol.AttrScope),
        ("mxnet.init", "Xavier", hy_gluon.initializer.Xavier),
        ("mxnet.contrib.amp", "init", hy_gluon.amp.init),
        ("mxnet.contrib.quantization", "quantize_net", hy_gluon.quantization.quantize_net),
        ("mxnet.contrib.quant", "calib_graph", hy_gluon.quantization.calib_graph),
        ("mxnet.contrib.amp.amp", "convert_model", hy_gluon.amp.convert_model),
        ("mxnet.contrib.amp.loss_scaler", "LossScaler", hy_gluon.amp.LossScaler),
        (
            "mxnet.contrib.amp.lists.symbol_fp16",
            "FP16_FUNCS",
            hy_gluon.amp.list_lp16_ops("float16"),
        ),
        ("mxnet.contrib.nd", "box_nms", hy_ndarray.nd.contrib.box_nms),
        ("mxnet.contrib.symbol", "foreach", hy_symbol.sym.contrib.foreach),
        ("mxnet.np", "ndarray", hy_ndarray.np.ndarray),
        ("mxnet.numpy", "sin", hy_ndarray.np.sin),
        ("mxnet.numpy.linalg", "norm", hy_ndarray.np.linalg.norm),
        ("mxnet.npx", "set_np", hy_ndarray.semantics.set_np),
        ("mxnet.numpy_extension", "reshape", hy_ndarray.npx.reshape),
        ("mxnet.symbol.numpy", "dot", hy_symbol.sym.np.dot),
        ("mxnet.util", "use_np", hy_ndarray.semantics.use_np),
        ("mxnet", "use_np", hy_ndarray.semantics.use_np),
        ("mxnet.base", "MXNetError", hy_ndarray.HyError),
        ("mxnet.base", "NotImplementedForSymbol", hy_symbol.NotForSymbolError),
    ],
)
def test_a_path_of_mxnet_leads_to_the_object_itself(path: str, name: str, expected: object) -> None:
    assert getattr(importlib.import_module(path), name) is expected


def test_one_module_under_both_names() -> None:
    assert mx.nd is hy_ndarray.nd
    assert mx.ndarray is mx.nd
    assert mx.sym is hy_symbol.sym
    assert mx.gluon is hy_gluon
    assert mx.viz is hy_symbol.viz
    assert mx.contrib.amp is hy_gluon.amp
    assert mx.contrib.sym is mx.sym.contrib
    spec = hy_gluon.__spec__
    assert spec is not None
    assert spec.name == "hy_gluon"  # the alias leaves the module's own identity alone


@pytest.mark.slow
def test_arrays_are_saved_without_importing_gluon_first() -> None:
    code = (
        "import sys, mxnet as mx; assert 'hy_gluon' not in sys.modules; "
        "from mxnet.nd import save; assert mx.nd.load_frombuffer and mx.nd.CachedOp; "
        "print(mx.nd.save is save)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_a_name_that_does_not_exist_says_so() -> None:
    for module, name in (mx, "tensorflow"), (mx.contrib, "svm"):
        with pytest.raises(AttributeError, match=f"'{module.__name__}' has no attribute '{name}'"):
            getattr(module, name)
    with pytest.raises(ModuleNotFoundError, match=r"mxnet\.nowhere"):
        importlib.import_module("mxnet.nowhere")


def test_the_context_functions() -> None:
    assert str(mx.cpu()) == "cpu(0)"
    assert mx.gpu(1).device_id == 1
    assert mx.num_gpus() >= 0
    assert mx.__version__ == "1.9.1"


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("mxnet-1.9.1.dist-info", "mxnet 1.9.1"),
        ("mxnet_cu117-1.9.1.dist-info", "mxnet-cu117 1.9.1"),
        ("mxnet_mkl-1.6.0-py3.11.egg-info", "mxnet-mkl 1.6.0"),
        ("mxnet_model_server-1.0.8.dist-info", ""),
        ("keras_mxnet-2.2.4.3.dist-info", ""),
    ],
)
def test_mxnets_own_distributions_are_refused(tmp_path: Path, folder: str, told: str) -> None:
    (tmp_path / folder).mkdir()
    code = f"import sys; sys.path.append({str(tmp_path)!r}); import mxnet"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == bool(told)
    if told:
        assert f"{told} and hy-compat are installed in one environment" in done.stderr


def test_importing_mxnet_loads_neither_torch_nor_graphs_nor_gluon() -> None:
    code = (
        "import sys, mxnet; heavy = {'torch', 'hy_symbol', 'hy_gluon'}; "
        "assert not heavy & set(sys.modules); print('clean')"
    )
    assert output_of(code, HY_KERNELS="") == "clean"  # the table that nobody chose


@pytest.mark.slow
def test_parts_of_gluon_and_io_are_loaded_when_they_are_asked_for() -> None:
    program = (
        "import sys, multiprocessing, mxnet as mx; mx.gluon.Block; mx.io.DataIter;"
        " late = ['hy_gluon.nn', 'hy_gluon.data', 'hy_gluon.contrib', 'mxnet.io.csv_iter'];"
        " print([name in sys.modules for name in late], end=' ');"
        " mx.gluon.contrib.nn, mx.gluon.data, mx.io.CSVIter;"
        " print([name in sys.modules for name in late], end=' ');"
        " paths = mx.gluon.nn.basic_layers.Dense is mx.gluon.nn.Dense,"
        " mx.gluon.data.dataloader.ThreadPool;"
        " print(paths[0], paths[1] is multiprocessing.pool.ThreadPool)"
    )
    assert output_of(program) == f"{[False] * 4} {[True] * 4} True True"


def test_a_star_import_binds_operators_and_what_other_packages_register() -> None:
    code = (
        "from mxnet.nd import *; from mxnet.sym.contrib import *; from mxnet.random import *; "
        "from mxnet.nd._internal import *; "
        "print(softmax.__name__, box_nms.__name__, uniform.__name__, _plus_scalar.__name__, "
        "save.__module__, contrib.__name__, 'namespaces' in globals())"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    expected = "softmax box_nms uniform _plus_scalar hy_gluon.files hy_ndarray.nd.contrib False\n"
    assert done.stdout == expected


def test_optimizers_are_reached_through_the_module_that_mxnet_keeps_them_in() -> None:
    code = (
        "import sys, mxnet as mx; mx.optimizer.optimizer.Optimizer;"
        " kinds = ['adam', 'adaptive', 'large_batch', 'sgd'];"
        " print([name for name in kinds if f'hy_gluon.optimizer.{name}' in sys.modules], end=' ');"
        " print(mx.optimizer.optimizer.SGD is mx.optimizer.SGD, end=' ');"
        " print([name for name in kinds if f'hy_gluon.optimizer.{name}' in sys.modules], end=' ');"
        " print(mx.optimizer.contrib.GroupAdaGrad.__name__, hasattr(mx.optimizer.optimizer, 'S'))"
    )
    assert output_of(code) == "[] True ['sgd'] GroupAdaGrad False"


def test_functions_of_numpy_are_reached_through_the_module_of_its_array() -> None:
    assert mx.np.multiarray.sin is mx.np.sin
    assert mx.np.multiarray.ndarray is mx.np.ndarray
    assert not hasattr(mx.np.multiarray, "sine")


@pytest.mark.slow
def test_modules_are_reached_as_attributes_without_importing_their_paths() -> None:
    code = (
        "import mxnet as mx; "
        "print(mx.gluon.nn.basic_layers.Dense is mx.gluon.nn.Dense, "
        "mx.nd.numpy.exp is mx.np.exp, mx.nd.ndarray.NDArray is mx.nd.NDArray, "
        "mx.sym.numpy is mx.sym.np, mx.sym.symbol.Symbol is mx.sym.Symbol, "
        "mx.metric.ndarray is mx.nd, mx.contrib.amp.amp.init is mx.contrib.amp.init)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True True True True True True True\n"


def test_numpys_modules_have_mxnets_paths() -> None:
    for path in ("ndarray.numpy", "numpy.multiarray", "numpy.utils"):
        assert importlib.import_module(f"mxnet.{path}").float32 is mx.np.float32
    assert importlib.import_module("mxnet.numpy.fallback") is mx.np.fallback
    assert importlib.import_module("mxnet.numpy.fallback_linalg") is mx.np.linalg
    assert importlib.import_module("mxnet.ndarray.numpy_extension").relu is mx.npx.relu
    assert importlib.import_module("mxnet.ndarray.numpy.random") is mx.np.random


def test_what_numpy_computes_for_mx_np_has_mxnets_names() -> None:
    names = mx.np.fallback.__all__
    assert len(names) == len(set(names)) == 84
    assert {"mirr", "npv", "vander"} <= set(names)
    assert not {"resize", "shape", "unravel_index"} & set(names)
    assert all(getattr(mx.np, name) is getattr(mx.np.fallback, name) for name in names)


def test_the_innermost_scope_is_an_attribute_of_its_class_alone() -> None:
    assert isinstance(mx.AttrScope.current, mx.AttrScope)
    assert isinstance(mx.name.NameManager.current, mx.name.NameManager)
    assert not hasattr(mx.attribute, "current")
    assert not hasattr(mx.name, "current")


def test_registered_operators_of_numpys_interface_take_name_and_their_own_keywords() -> None:
    functions: Any = importlib.import_module("mxnet.ndarray.numpy")
    extensions: Any = importlib.import_module("mxnet.ndarray.numpy_extension")
    x = mx.np.array([[1, 0], [3, 4]])
    assert functions.all(data=x, axis=1, name="both").tolist() == [False, True]
    assert functions.max(x, 0, True, name="top").tolist() == [[3, 4]]
    assert extensions.reshape(a=x, newshape=(-1,), name="flat").shape == (4,)


def test_private_names_that_programs_use_are_there() -> None:
    assert isinstance(mx.nd.ones(1), mx.gluon.tensor_types)
    assert isinstance(mx.sym.var("x"), mx.gluon.parameter.tensor_types)
    store = importlib.import_module("mxnet.gluon.model_zoo.model_store")
    store._model_sha1.update({"own": "0123456789abcdef"})
    assert store.short_hash("own") == "01234567"
    del store._model_sha1["own"]
    assert mx.nd.op.Custom is mx.nd.Custom
    assert mx.sym.op.Custom is mx.sym.Custom
    assert mx.npx.Context is mx.Context
    loader = mx.gluon.data.DataLoader([1, 2], 1, num_workers=1, thread_pool=True)
    dataloader = importlib.import_module("mxnet.gluon.data.dataloader")
    assert type(iter(loader)) is dataloader._MultiWorkerIter
    loader.close()


@pytest.mark.slow
def test_programs_use_what_mxnet_imports_without_importing_it() -> None:
    code = (
        "import multiprocessing, mxnet as mx; pickler = mx.gluon.data.dataloader.ForkingPickler; "
        "print(multiprocessing.pool.ThreadPool.__name__, pickler.__name__)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "ThreadPool ForkingPickler\n"


def test_numpys_functions_take_mxnets_arrays() -> None:
    @protocol.with_array_function_protocol
    def total(x: Any) -> object:
        return np.sum(x)

    @protocol.with_array_ufunc_protocol
    def double(x: Any) -> object:
        return np.add(x, x)

    x = mx.np.ones(3)
    assert isinstance(total(x), mx.np.ndarray)
    assert isinstance(double(x), mx.np.ndarray)
    assert total.__name__ == "total"


def test_contexts_say_mxnets_path_which_programs_write_into_files() -> None:
    kind = type(mx.cpu())
    assert f"{kind.__module__}.{kind.__qualname__}" == "mxnet.context.Context"
    assert pickle.loads(pickle.dumps(mx.cpu(1))) is mx.cpu(1)  # noqa: S301  # our own


@pytest.mark.parametrize("contrib", [mx.nd.contrib, mx.sym.contrib], ids=["nd", "sym"])
def test_the_names_of_contrib_are_in_its_dict_where_gluoncv_looks_for_them(contrib: Any) -> None:
    assert {"box_encode", "box_decode", "ROIAlign"} <= vars(contrib).keys()
    removed = vars(contrib).pop("box_decode")
    assert "box_decode" not in vars(contrib)
    assert contrib.box_decode.__name__ == removed.__name__


def test_kernels_are_loaded_with_the_import() -> None:
    program = "import sys, mxnet; print('hy_kernels.numpy' in sys.modules, 'torch' in sys.modules)"
    assert output_of(program, HY_KERNELS="") == "True False"


def test_a_table_that_is_not_there_is_an_error_only_where_arrays_are_made() -> None:
    program = (
        "import mxnet as mx\n"
        "try:\n    mx.nd.ones(1)\n"
        "except mx.MXNetError as error:\n    print(error)"
    )
    assert "'absent'" in output_of(program, HY_KERNELS="cpu=absent")
