"""From arrays to numpy, Python, other libraries and files, and back; memory shared or copied."""

import copy
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from hy_ndarray import (
    ArgumentError,
    DTypeError,
    ShapeError,
    autograd,
    cpu,
    cpu_pinned,
    gpu,
    nd,
    np as np_arrays,
)
from tests.dlpack import writable_view

# --- what an array is -------------------------------------------------------------------------


def test_an_array_tells_what_it_is() -> None:
    x = nd.zeros((2, 3), dtype="int8")
    assert (x.shape, x.ndim, x.size, len(x)) == ((2, 3), 2, 6, 2)
    assert x.dtype is np.int8
    assert x.context == x.ctx == cpu()
    assert (x.stype, x.writable, x.grad) == ("default", True, None)
    assert x.T.shape == (3, 2)
    assert nd.zeros((2, 3, 4)).T.shape == (4, 3, 2)


def test_an_array_stands_for_its_dtype() -> None:
    labels = nd.array([1, 2], dtype="int32")
    given: Any = labels
    assert nd.ones((2,)).astype(given, copy=False).dtype is np.int32
    assert nd.zeros((2,), dtype=given).dtype is np.int32
    assert nd.ones((2,)).astype(labels.asnumpy()).dtype is np.int32


def test_an_array_is_not_made_by_its_class() -> None:
    with pytest.raises(ArgumentError, match="cannot be constructed directly"):
        nd.NDArray([1, 2])


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1,), (1, 1), ()])
def test_one_element_is_a_number(shape: tuple[int, ...]) -> None:
    x = nd.array(np.full(shape, 2.5))
    assert x.asscalar() == 2.5
    assert type(x.asscalar()) is np.float32
    assert (x.item(), type(x.item())) == (2.5, float)
    assert (float(x), int(x), bool(x), f"{float(x):.2f}") == (2.5, 2, True, "2.50")


@pytest.mark.parametrize("convert", [float, int, lambda x: x.asscalar(), lambda x: x.item()])
@pytest.mark.parametrize("size", [0, 2])
def test_several_elements_are_no_number(convert: Any, size: int) -> None:
    with pytest.raises(ShapeError, match=f"has {size} elements"):
        convert(nd.empty((size,)))


def test_the_truth_of_several_elements_is_ambiguous() -> None:
    assert not nd.array([0])
    assert nd.array([-1])
    assert not nd.array([])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(nd.array([1, 2]))


def test_an_array_of_one_integer_is_an_index() -> None:
    assert ["a", "b"][nd.array([1], dtype="int32")] == "b"
    assert range(10)[nd.array([2], dtype="int64") :] == range(2, 10)
    with pytest.raises(DTypeError, match="float32 cannot be used as an index"):
        ["a", "b"][nd.array([1])]


# --- as a sequence ----------------------------------------------------------------------------


def test_iteration_gives_views_of_the_rows() -> None:
    x = nd.array([[1, 2], [3, 4]])
    for row in x:
        row[:] = row * 10
    np.testing.assert_array_equal(x.asnumpy(), [[10, 20], [30, 40]])
    assert [v.shape for v in nd.array([1, 2])] == [(1,), (1,)]
    assert max(nd.array([1, 3, 2])).asscalar() == 3
    assert list(nd.array([])) == []


def test_a_number_without_axes_has_no_length() -> None:
    for use in (len, list):
        with pytest.raises(TypeError, match="has no axes, and so no length"):
            use(nd.array(1))


def test_containment_looks_at_the_elements() -> None:
    x = nd.array([[1, 2], [3, 4]])
    assert 3 in x
    assert 7 not in x
    assert x in [None, x]


# --- numpy ------------------------------------------------------------------------------------


def test_asnumpy_is_a_copy() -> None:
    x = nd.array([1, 2])
    x.asnumpy()[:] = 9
    np.testing.assert_array_equal(x.asnumpy(), [1, 2])


def test_numpy_reads_an_array_without_a_copy_where_it_can() -> None:
    x = nd.array([1, 2])
    view = np.asarray(x)
    view[0] = 9
    assert x[0].asscalar() == 9
    np.array(x)[0] = 5
    assert x[0].asscalar() == 9
    assert np.asarray(x, dtype="int64").dtype == np.int64
    assert np.asarray(x, copy=False).dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype="int64", copy=False)


def test_tolist_gives_python_numbers() -> None:
    assert nd.array([[1, 2], [3, 4]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_from_numpy_shares_memory_and_keeps_the_dtype() -> None:
    values = np.zeros(3)
    x, y = nd.from_numpy(values), nd.from_numpy(values)
    assert x.dtype is np.float64
    x[0] = 1
    y[1] = 2
    np.testing.assert_array_equal(values, [1, 2, 0])
    np.testing.assert_array_equal(x.asnumpy(), [1, 2, 0])


def test_from_numpy_locks_the_memory_that_it_shares() -> None:
    values = np.zeros(3)
    nd.from_numpy(values)
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1


def test_from_numpy_copies_where_it_is_told_to_or_must() -> None:
    values = np.arange(6).reshape(2, 3)
    nd.from_numpy(values, zero_copy=False)[:] = 0
    assert values.any()
    np.testing.assert_array_equal(nd.from_numpy(values.T, zero_copy=False).asnumpy(), values.T)
    values[0] = 0
    constant = np.frombuffer(b"abc", "uint8")
    nd.from_numpy(constant)[:] = 0
    assert constant.tobytes() == b"abc"


def test_from_numpy_says_what_it_cannot_share() -> None:
    with pytest.raises(ShapeError, match="needs a C-contiguous array"):
        nd.from_numpy(np.zeros((2, 3)).T)
    with pytest.raises(ValueError, match="M8"):
        nd.from_numpy(np.zeros(1, "M8[s]"))
    with pytest.raises(ArgumentError, match=r"must be a numpy\.ndarray, got list") as raised:
        nd.from_numpy([1])  # type: ignore[arg-type]
    assert isinstance(raised.value, AttributeError)


# --- DLPack -----------------------------------------------------------------------------------


def test_numpy_takes_over_the_memory_of_an_array() -> None:
    x = nd.array([1, 2])
    values = writable_view(x)
    values[0] = 9
    assert x[0].asscalar() == 9


class OldExporter:
    """A library whose DLPack has no version, and cannot say that memory is read-only."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __dlpack__(self, stream: Any = None) -> Any:
        return self.values.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


class NewExporter(OldExporter):
    """A library whose DLPack says by a flag whether memory is read-only."""

    def __dlpack__(self, stream: Any = None, **options: Any) -> Any:
        return self.values.__dlpack__(stream=stream, **options)


@pytest.mark.parametrize("exporter", [lambda values: values, OldExporter, NewExporter])
def test_an_array_takes_over_the_memory_of_another_library(exporter: Any) -> None:
    values = np.arange(4.0)
    x = nd.from_dlpack(exporter(values))
    x[1:3] = -1
    np.testing.assert_array_equal(values, [0, -1, -1, 3])
    del values
    np.testing.assert_array_equal(x.asnumpy(), [0, -1, -1, 3])


def test_read_only_memory_of_another_library_is_copied() -> None:
    values = np.arange(3.0)
    values.flags.writeable = False
    nd.from_dlpack(NewExporter(values))[:] = 7
    np.testing.assert_array_equal(values, [0, 1, 2])


@pytest.mark.parametrize("export", [nd.to_dlpack_for_read, nd.to_dlpack_for_write])
def test_a_capsule_hands_memory_over_once(export: Any) -> None:
    x = nd.array([1, 2])
    capsule = export(x)
    y = nd.from_dlpack(capsule)
    y[0] = 9
    assert x[0].asscalar() == 9
    with pytest.raises(ArgumentError, match="an unused DLPack capsule"):
        nd.from_dlpack(capsule)


def test_what_is_no_dlpack_is_refused() -> None:
    with pytest.raises(ArgumentError, match="is neither an array nor an unused DLPack capsule"):
        nd.from_dlpack([1, 2])


# --- copies -----------------------------------------------------------------------------------

SHARED: dict[str, Callable[[Any], Any]] = {
    "detach": lambda x: x.detach(),
    "reshape": lambda x: x.reshape(3, 2),
    "flatten in place": lambda x: x.flatten(inplace=True),
    "expand_dims in place": lambda x: x.expand_dims(0, inplace=True),
    "squeeze in place": lambda x: x.squeeze(inplace=True),
    "as_in_context": lambda x: x.as_in_context(cpu()),
    "as_nd_ndarray": lambda x: x.as_nd_ndarray(),
    "astype without copy": lambda x: x.astype("float32", copy=False),
}
COPIED: dict[str, Callable[[Any], Any]] = {
    "copy": lambda x: x.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "copyto a context": lambda x: x.copyto(cpu()),
    "as_in_context elsewhere": lambda x: x.as_in_context(cpu(1)),
    "astype": lambda x: x.astype("float32"),
    "tostype": lambda x: x.tostype("default"),
    "T": lambda x: x.T,
    "flatten": lambda x: x.flatten(),
    "expand_dims": lambda x: x.expand_dims(0),
    "squeeze": lambda x: x.squeeze(),
    "nd.array": nd.array,
    "nd.reshape": lambda x: nd.reshape(x, shape=(3, 2)),
}


@pytest.mark.parametrize("name", [*SHARED, *COPIED])
def test_memory_is_shared_where_mxnet_shares_it(name: str) -> None:
    x = nd.ones((2, 3))
    y = {**SHARED, **COPIED}[name](x)
    y[:] = 0
    assert bool((x.asnumpy() == 0).all()) == (name in SHARED)


def test_deepcopy_copies_an_array_once_per_place() -> None:
    x = nd.ones((1,))
    first, second = copy.deepcopy([x, x])
    assert first is second


def test_copyto_writes_into_an_array_of_the_same_shape() -> None:
    x, target = nd.array([1.7, 2]), nd.zeros((2,), cpu(1), "int32")
    assert x.copyto(target) is target
    np.testing.assert_array_equal(target.asnumpy(), [1, 2])
    with pytest.raises(
        ShapeError, match=r"source \(2,\) and target \(3,\) must have the same shape"
    ):
        x.copyto(nd.zeros((3,)))
    with pytest.raises(ArgumentError, match="must be an NDArray or a context, got a numpy array"):
        x.copyto(np.zeros(2))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["as_in_context", "as_in_ctx", "copyto"])
def test_arrays_go_to_contexts_alone(name: str) -> None:
    with pytest.raises(ArgumentError):
        getattr(nd.ones(2), name)("cpu(0)")


def test_gradients_flow_between_contexts() -> None:
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = (x * x).as_in_context(cpu(1)) * nd.array([10, 100], cpu(1))
    y.backward()
    assert x.grad is not None
    assert x.grad.context == cpu()
    np.testing.assert_array_equal(x.grad.asnumpy(), [20, 400])


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "float16", "int64", "int8", "bool"])
def test_astype_truncates(dtype: str) -> None:
    x = nd.array([0, 0.5, 1.7, 3.2])
    np.testing.assert_array_equal(x.astype(dtype).asnumpy(), x.asnumpy().astype(dtype))
    assert x.astype(None).dtype is np.float32


def test_a_storage_that_is_not_there_says_so() -> None:
    with pytest.raises(ArgumentError, match="stype='coo' is not a storage type"):
        nd.ones((1,)).tostype("coo")


# --- pickle -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x",
    [
        nd.array([[1, 2], [3, 4]]),
        nd.array([], dtype="int8"),
        nd.array(2.5),
        nd.ones((2,), dtype="bfloat16"),
        nd.ones((2,), cpu(1), "float16"),
        nd.ones((2,), cpu_pinned()),
    ],
    ids=lambda x: f"{x.shape} {x.dtype.__name__} {x.context}",
)
def test_a_pickled_array_comes_back(x: nd.NDArray) -> None:
    y = pickle.loads(pickle.dumps(x))  # noqa: S301
    assert (y.shape, y.dtype, y.context) == (x.shape, x.dtype, x.context)
    np.testing.assert_array_equal(y.asnumpy(), x.asnumpy())


def test_an_array_of_an_absent_device_comes_back_on_the_cpu() -> None:
    pickled = pickle.dumps(nd.ones((2,), cpu(7)), protocol=2)
    elsewhere = pickled.replace(b"cpu", b"gpu")
    assert elsewhere != pickled
    y = pickle.loads(elsewhere)  # noqa: S301
    np.testing.assert_array_equal(y.asnumpy(), [1, 1])
    assert y.context == (gpu(7) if y.context.device_type == "gpu" else cpu())


def test_bfloat16_goes_through_dlpack_as_bits() -> None:
    x = nd.array([1, 2, 3], dtype="bfloat16")
    y = nd.from_dlpack(x)
    assert y.dtype.__name__ == "bfloat16"
    y[1] = 5
    assert x.asnumpy().tolist() == [1, 5, 3]
    z = nd.from_dlpack(nd.to_dlpack_for_write(x))
    z[0] = 7
    assert x.asnumpy().tolist() == [7, 5, 3]


def test_only_arrays_on_gpus_have_the_interface_of_cuda() -> None:
    class Remote:
        shape, dtype = (2,), np.dtype("float32")
        __cuda_array_interface__: ClassVar = {"shape": (2,), "version": 3}

    x = nd.ones((2,))
    assert not hasattr(x, "__cuda_array_interface__")
    x._data = Remote()
    assert x.__cuda_array_interface__ == Remote.__cuda_array_interface__


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64"])
def test_the_order_of_bytes_is_the_machine_s(dtype: str) -> None:
    # MXNet: arrays of the native dtype, except that from_numpy cannot share the memory.
    values = np.arange(4).reshape(2, 2).astype(np.dtype(dtype).newbyteorder(">"))
    for made in (
        nd.array(values, dtype=values.dtype),
        np_arrays.array(values),
        nd.from_numpy(values, zero_copy=False),
        nd.zeros((2, 2), dtype=values.dtype) + nd.array(values, dtype=dtype),
        nd.array(values).astype(values.dtype.str),
    ):
        assert made.dtype == np.dtype(dtype)
        assert made.asnumpy().dtype.isnative
        assert made.asnumpy().tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ArgumentError, match="order of bytes"):
        nd.from_numpy(values)
