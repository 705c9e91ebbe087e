"""``mx.runtime`` and ``mx.libinfo``: what an installation can do."""

import doctest
from importlib.util import find_spec

import pytest

import mxnet as mx
import mxnet.runtime

NAMES = (
    "CUDA CUDNN NCCL CUDA_RTC TENSORRT CPU_SSE CPU_SSE2 CPU_SSE3 CPU_SSE4_1 CPU_SSE4_2 CPU_SSE4A "
    "CPU_AVX CPU_AVX2 OPENMP SSE F16C JEMALLOC BLAS_OPEN BLAS_ATLAS BLAS_MKL BLAS_APPLE LAPACK "
    "MKLDNN OPENCV CAFFE PROFILER DIST_KVSTORE CXX14 INT64_TENSOR_SIZE SIGNAL_HANDLER DEBUG TVM_OP"
)


def test_the_features_are_those_of_mxnet_in_its_order() -> None:
    found = mx.runtime.feature_list()
    assert " ".join(feature.name for feature in found) == NAMES
    assert list(mx.runtime.Features()) == NAMES.split()


def test_features_say_what_is_there() -> None:
    features = mx.runtime.Features()
    assert features.is_enabled("LAPACK")
    assert features.is_enabled("profiler")
    assert features.is_enabled("CUDA") == (mx.num_gpus() > 0)
    assert features.is_enabled("OPENCV") == (find_spec("PIL") is not None)
    assert features.is_enabled("DIST_KVSTORE") == (find_spec("torch") is not None)
    assert not features.is_enabled("TVM_OP")
    assert sum(features[name].enabled for name in NAMES.split() if name.startswith("BLAS")) <= 1


def test_features_print_as_marks() -> None:
    features = mx.runtime.Features()
    assert repr(features["LAPACK"]) == "✔ LAPACK"
    assert repr(features["CAFFE"]) == "✖ CAFFE"
    assert repr(features).startswith("[")
    assert repr(features).count("✔") == sum(feature.enabled for feature in features.values())


def test_there_is_one_object() -> None:
    assert mx.runtime.Features() is mx.runtime.Features()
    assert mx.runtime.Features.instance is mx.runtime.Features()


def test_unknown_features_are_errors() -> None:
    with pytest.raises(RuntimeError, match="feature 'BOGUS' is unknown; known are CUDA, CUDNN"):
        mx.runtime.Features().is_enabled("bogus")
    with pytest.raises(KeyError):
        mx.runtime.Features()["bogus"]


def test_the_example_runs() -> None:
    assert doctest.testmod(mxnet.runtime).attempted > 0
    assert doctest.testmod(mxnet.runtime).failed == 0


def test_libinfo_knows_the_version_and_that_there_is_no_library() -> None:
    assert mx.libinfo.__version__ == mx.__version__ == "1.9.1"
    for find in (mx.libinfo.find_lib_path, mx.libinfo.find_include_path, mx.libinfo.find_conf_path):
        with pytest.raises(RuntimeError, match="hy is written in Python and has no "):
            find()
