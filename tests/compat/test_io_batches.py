"""``mx.io.DataDesc``, ``DataBatch`` and ``DataIter``: what MXNet 1.9.1 shows of them."""

import copy
import doctest
import importlib
import pickle
from typing import Any

import numpy as np
import pytest

import hy_gluon.batches
import mxnet as mx
from mxnet.io import DataBatch, DataDesc, DataIter


def test_a_description_is_a_tuple_of_name_and_shape_with_attributes() -> None:
    desc = DataDesc("data", (2, 3))
    assert tuple(desc) == ("data", (2, 3))
    assert desc._fields == ("name", "shape")
    assert (desc.name, desc.shape, desc.dtype, desc.layout) == ("data", (2, 3), np.float32, "NCHW")
    assert repr(desc) == "DataDesc[data,(2, 3),<class 'numpy.float32'>,NCHW]"


def test_a_copied_description_keeps_dtype_and_layout() -> None:
    desc = DataDesc("x", (1,), "int8", "NC")
    for copied in (copy.copy(desc), copy.deepcopy(desc), pickle.loads(pickle.dumps(desc))):  # noqa: S301
        assert repr(copied) == "DataDesc[x,(1,),int8,NC]"


def test_the_batch_axis_is_where_the_layout_has_n() -> None:
    axes = [DataDesc.get_batch_axis(layout) for layout in ("NCHW", None, "TNC", "CHW")]
    assert axes == [0, 0, 1, -1]


def test_descriptions_are_made_of_shapes_and_types_by_name() -> None:
    shapes = [("a", (1, 2)), ("b", (3,))]
    typed = DataDesc.get_list(shapes, [("b", "int32"), ("a", "float16")])
    assert [repr(desc) for desc in typed] == [
        "DataDesc[a,(1, 2),float16,NCHW]",
        "DataDesc[b,(3,),int32,NCHW]",
    ]
    assert {desc.dtype for desc in DataDesc.get_list(shapes, None)} == {np.float32}


def test_a_batch_shows_its_shapes() -> None:
    data, label = mx.nd.ones((2, 3)), mx.nd.ones((2,))
    assert (
        str(DataBatch([data], [label])) == "DataBatch: data shapes: [(2, 3)] label shapes: [(2,)]"
    )
    assert str(DataBatch([data])) == "DataBatch: data shapes: [(2, 3)] label shapes: None"
    batch = DataBatch(None, bucket_key=7)
    assert (batch.data, batch.pad, batch.index, batch.bucket_key) == (None, None, None, 7)


@pytest.mark.parametrize(
    "arguments", [{"data": mx.nd.ones((2,))}, {"data": [], "label": mx.nd.ones((2,))}]
)
def test_a_batch_of_one_array_without_a_list_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(
        TypeError, match=r"must be a list of NDArrays, not NDArray; write \[array\]"
    ):
        DataBatch(**arguments)


def test_the_base_iterator_is_empty() -> None:
    base = DataIter(3)
    assert base.batch_size == 3
    assert list(base) == []
    assert [base.getdata(), base.getlabel(), base.getindex(), base.getpad()] == [None] * 4
    base.reset()
    assert list(base) == []


def test_a_subclass_gives_what_it_moves_on_to() -> None:
    class Three(DataIter):
        count = 0

        def iter_next(self) -> bool:
            self.count += 1
            return self.count <= 3

        def getdata(self) -> Any:
            return [mx.nd.array([self.count])]

        def getpad(self) -> int:
            return self.count - 1

    batches = list(Three())
    assert [batch.data[0].asscalar() for batch in batches] == [1, 2, 3]
    assert [batch.pad for batch in batches] == [0, 1, 2]


def test_the_path_of_the_file_has_what_the_package_has() -> None:
    assert mx.io.io.DataBatch is mx.io.DataBatch
    assert importlib.import_module("mxnet.io.io").CSVIter is mx.io.CSVIter
    assert importlib.import_module("mxnet.io.utils") is mx.io.utils
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(mx.io, "nothing")  # noqa: B009


def test_the_examples_run() -> None:
    assert doctest.testmod(hy_gluon.batches).attempted > 0
    assert doctest.testmod(hy_gluon.batches).failed == 0
