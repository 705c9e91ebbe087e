"""``mx.base`` and ``mx.util``: the small names that programs build on, as MXNet 1.9.1 has them."""

import array
import ctypes
import inspect
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import base, util


def test_types_by_kind() -> None:
    assert base.integer_types == (int, np.int32, np.int64)
    assert isinstance(np.float16(1), base.numeric_types)
    assert not isinstance("1", base.numeric_types)
    assert base.string_types == (str,)
    assert base.mx_real_t is np.float32
    assert (base.mx_uint, base.mx_float) == (ctypes.c_uint, ctypes.c_float)


def test_the_home_folder_is_what_the_variable_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MXNET_HOME", raising=False)
    assert base.data_dir() == base.data_dir_default() == str(Path("~/.mxnet").expanduser())
    monkeypatch.setenv("MXNET_HOME", "elsewhere")
    assert base.data_dir() == "elsewhere"


WITHOUT_HOME = """
import os, pwd

def unknown(uid):
    raise KeyError(uid)

os.environ.pop("HOME", None)
os.environ.pop("MXNET_HOME", None)
pwd.getpwuid = unknown
import mxnet as mx

print(mx.base.data_dir())
try:
    mx.gluon.data.vision.MNIST()
except mx.MXNetError as error:
    print(error)
os.environ["MXNET_HOME"] = "/nowhere"
print(mx.base.data_dir())
"""


def test_a_user_needs_no_home_directory() -> None:
    """As in a container that runs with the id of a user whom it does not know."""
    command = [sys.executable, "-c", WITHOUT_HOME]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    folder, error, named = done.stdout.splitlines()
    assert (folder, named) == ("~/.mxnet", "/nowhere")
    assert error.startswith("~/.mxnet/datasets/mnist: this user has no home directory; name")


def test_arrays_of_c() -> None:
    assert base.py_str(b"ab") == "ab"
    assert base.c_str("ab").value == b"ab"
    assert list(base.c_str_array(["a", "b"])) == [b"a", b"b"]
    assert base.c_array(base.mx_uint, [1, 2])[:] == [1, 2]
    memory = array.array("I", [1, 2])
    shared = base.c_array_buf(base.mx_uint, memory)
    shared[0] = 5
    assert memory[0] == 5
    handles = base.c_handle_array([types.SimpleNamespace(handle=ctypes.c_void_p(7))])
    assert handles[:] == [7]


def test_memory_of_c_is_read_and_shared() -> None:
    text = ctypes.create_string_buffer(b"hello")
    pointer = ctypes.cast(text, ctypes.POINTER(ctypes.c_char))
    assert base.ctypes2buffer(pointer, 3) == bytearray(b"hel")
    with pytest.raises(TypeError, match="expected char pointer"):
        base.ctypes2buffer(text, 3)
    numbers = (ctypes.c_float * 6)(*range(6))
    shared = base.ctypes2numpy_shared(ctypes.cast(numbers, base.mx_float_p), (2, 3))
    numbers[5] = 9.0
    np.testing.assert_array_equal(shared, [[0, 1, 2], [3, 4, 9]])
    with pytest.raises(TypeError, match="expected float pointer"):
        base.ctypes2numpy_shared(numbers, (2, 3))


def test_the_last_error_of_the_c_interface_is_raised() -> None:
    handle = ctypes.c_void_p()
    code = base._LIB.NNGetOpHandle(base.c_str("nosuch"), ctypes.byref(handle))
    assert code == -1
    with pytest.raises(mx.MXNetError, match="'nosuch'"):
        base.check_call(code)


def test_documentation_of_parameters() -> None:
    names = ["a", "num_args", "a", "b"]
    told = base.build_param_doc(names, ["int", "int", "float", "c"], ["doc", "n", "", "d"])
    assert told == "Parameters\n----------\na : int\n    doc\nb : c\n    d\n"
    told = base.build_param_doc(names, ["int", "int", "float", "c"], ["doc", "n", "", "d"], False)
    assert told == "Parameters\n----------\na : int\n    doc\na : float\nb : c\n    d\n"


def test_docstrings_get_file_and_line() -> None:
    def documented() -> None:
        """What it does."""

    line = inspect.getsourcelines(documented)[1]
    module = types.ModuleType(__name__)
    vars(module).update(documented=documented, Path=Path)
    base.add_fileline_to_docstring(module)
    assert documented.__doc__ == f"What it does.\n\nFrom:{__file__}:{line}"
    base.add_fileline_to_docstring(module)
    assert documented.__doc__.count("From:") == 1


def test_a_class_property_and_a_class_with_a_metaclass() -> None:
    class Named:
        @base.classproperty
        def kind(cls: Any) -> str:  # noqa: N805  # as MXNet's take it
            return str(cls.__name__)

    class Meta(type):
        pass

    class Made(base.with_metaclass(Meta, dict)):  # type: ignore[misc]
        pass

    assert Named.kind == "Named"
    assert type(Made) is Meta
    assert Made.__mro__ == (Made, dict, object)


def test_errors_of_sparse_arrays_name_the_function() -> None:
    error = base.NotSupportedForSparseNDArray(len, "al", 1, "2")
    assert isinstance(error, mx.MXNetError)
    assert 'Function len (namely operator "al")' in str(error)


LEGAL = [
    ("where", True, True),
    ("where", False, True),
    ("casting", "no", True),
    ("casting", "any", False),
    ("order", "K", True),
    ("order", "Z", False),
    ("dtype", "float32", True),
    ("dtype", np.uint8, True),
    ("dtype", "uint16", False),
    ("dtype", np.bool_, False),
    ("dtype", None, False),
    ("dtype", "x", False),
    ("subok", False, True),
    ("zz", True, False),
]


@pytest.mark.parametrize(("key", "value", "expected"), LEGAL)
def test_options_of_ufuncs_are_legal_as_in_mxnet(key: str, value: object, expected: bool) -> None:
    assert util.np_ufunc_legal_option(key, value) is expected


def test_wrapped_functions_take_the_options_of_ufuncs() -> None:
    @util.wrap_np_unary_func
    def one(x: int, out: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """About one."""
        return x, out, kwargs

    @util.wrap_np_binary_func
    def two(x1: int, x2: int, out: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        return x1, x2, out, kwargs

    assert (one.__name__, one.__doc__) == ("one", "About one.")
    assert one(1, 2, where=True, subok=True) == (1, 2, {})
    assert two(1, 2, out=4, casting="same_kind") == (1, 2, 4, {})
    with pytest.raises(NotImplementedError, match="where=False is not implemented yet"):
        one(1, where=False)
    with pytest.raises(NotImplementedError, match="dtype=float32"):
        two(1, 2, dtype="float32")
    with pytest.raises(TypeError, match="zz is an invalid keyword to function 'one'"):
        one(1, zz=0)


def test_a_decorator_sets_the_module() -> None:
    def function() -> None:
        pass

    assert util.set_module("foo.bar")(function).__module__ == "foo.bar"
    assert util.set_module(None)(function).__module__ == "foo.bar"


def test_gpus_are_asked_only_of_contexts_that_are_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"received ctx cpu\(0\)"):
        util.get_cuda_compute_capability(mx.cpu())
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(mx.MXNetError, match=r"gpu\(0\) is not in CUDA_VISIBLE_DEVICES=''"):
        util.get_gpu_memory(0)
    with pytest.raises(mx.MXNetError, match=r"gpu\(3\) is not in"):
        mx.context.gpu_memory_info(3)
