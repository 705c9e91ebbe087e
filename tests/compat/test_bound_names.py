"""Modules bind what MXNet's bind: their imports, private functions, handles of its C library."""

import os
import subprocess
import sys
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet._binding import bound, listed_paths, load
from tools.mxnet_modules import exceptions, recorded

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each module is looked at in a copy")
def test_star_imports_and_dir_hold_mxnets_names() -> None:
    command = [sys.executable, "-m", "tools.mxnet_modules"]
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stdout + done.stderr


def test_each_exception_has_a_reason_and_is_of_a_name_of_mxnets() -> None:
    names = {f"{path}.{name}" for path, parts in recorded().items() for name in sum(parts, ())}
    for pattern, reason in exceptions().items():
        assert reason, pattern
        assert any(fnmatchcase(name, pattern) for name in names), pattern


def test_every_listed_name_leads_somewhere() -> None:
    sources = {source for path in listed_paths() for source in bound(path).values() if source}
    for source in sources:
        load(source)


def test_a_star_import_of_test_utils_brings_what_tests_are_written_with() -> None:
    names: dict[str, object] = {}
    exec("from mxnet.test_utils import *", names)  # noqa: S102  # a module's level is needed
    assert names["mx"] is mx
    assert names["np"] is np
    assert names["os"] is os
    assert names["array"] is mx.nd.array
    assert names["rnd"] is np.random


@pytest.mark.parametrize(
    ("path", "name", "shown"),
    [
        ("mxnet.symbol.symbol", "array", "mxnet.symbol"),
        ("mxnet.ndarray.ndarray", "Context", "mxnet.ndarray"),
        ("mxnet.io.io", "np", "mxnet.io"),
    ],
)
def test_a_module_below_another_has_names_of_its_own(path: str, name: str, shown: str) -> None:
    inner, outer = import_module(path), import_module(shown)
    assert hasattr(inner, name)
    assert not hasattr(outer, name)


def test_what_is_assigned_to_a_module_below_another_is_assigned_to_that() -> None:
    inner: Any = import_module("mxnet.image.image")
    image: Any = mx.image
    before = image.resize_short
    try:
        inner.resize_short = len
        assert image.resize_short is len
    finally:
        inner.resize_short = before
    assert image.resize_short is before


def test_import_of_a_hy_module_binds_no_names_of_mxnets() -> None:
    code = (
        "import mxnet; names = {}; exec('from hy_gluon.image import *', names);"
        " print('os' in names, hasattr(mxnet.image, 'os'))"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


def test_functions_of_the_c_library_say_what_to_use() -> None:
    base: Any = mx.base
    library = base._LIB
    with pytest.raises(mx.MXNetError, match="MXNDArrayCreateEx is a function of MXNet's C library"):
        library.MXNDArrayCreateEx()
    api = import_module("mxnet._ffi.function")
    with pytest.raises(NotImplementedError, match=r"functions of mx\.nd"):
        api.get_global_func("x")
    assert base.NDArrayHandle().value is None  # an empty pointer, as there
