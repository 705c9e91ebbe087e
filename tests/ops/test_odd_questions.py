"""Type rules answer, or refuse with one of hy's errors that names operator, input and value."""

from typing import Any

import pytest

from hy_ndarray import ArgumentError, DTypeError, HyError, ShapeError, ops
from hy_ndarray.ops import TensorType
from tools.fuzz_rules import ask

ROWS: list[tuple[str, list[Any], dict[str, Any], type[HyError], str]] = [
    ("_channel_sum", [(2, 3), (3,)], {"axis": 5}, ShapeError, r"axis=5 .* 2 axes of in0 \(2, 3\)"),
    ("_channel_spread", [(3,), (2,)], {"axis": 1}, ShapeError, r"axis=1 .* 1 axes of in1 \(2,\)"),
    ("_bilinear_resize2d_like", [(1, 1, 2, 2), (3,)], {}, ShapeError, r"in1 \(3,\) must have 4"),
    ("_adaptive_avg_pooling2d_like", [(1, 1, 2, 2), ()], {}, ShapeError, r"in1 \(\) must have 4"),
    ("preloaded_multi_sgd_update", [(2,)], {}, ShapeError, "1 arrays were given; the last 2"),
    ("stack", [], {}, ArgumentError, "needs at least the inputs data, got 0"),
    ("add_n", [], {}, ArgumentError, "needs at least the inputs args, got 0"),
    (
        "_concat_backward",
        [(2,)],
        {"dim": 0, "parts": 1},
        ArgumentError,
        "needs at least the inputs dy, data",
    ),
    (
        "_concat_backward",
        [(2,), (1,), (1,)],
        {"dim": 0, "parts": 3},
        ArgumentError,
        "the parameters declare 3 outputs, but the inputs give 2",
    ),
    ("_head_part", [(2, 2, 4)], {"heads": 1, "parts": 0, "part": 0}, ArgumentError, "parts=0"),
    (
        "FullyConnected",
        [(), (3, 1), (3,)],
        {"num_hidden": 3},
        ShapeError,
        r"in0 \(\) must have at least 1",
    ),
    (
        "_contrib_group_adagrad_update",
        [(), (), (1, 1)],
        {"lr": 1},
        ShapeError,
        "must have at least 1 axes",
    ),
    ("_npi_inv", [(2, 3)], {}, ShapeError, "_linalg_inverse 'n': "),
    ("_arange", [], {"start": 0, "stop": "inf"}, ArgumentError, "_arange 'n': stop=inf must be"),
    ("_npi_arange", [], {"start": "nan"}, ArgumentError, "start=nan must be finite"),
    (
        "_image_resize",
        [(4, 0, 3)],
        {"size": 2, "keep_ratio": True},
        ShapeError,
        "image that is not empty, got 4 x 0",
    ),
    ("_npi_delete", [(4,)], {"step": 0, "axis": 0}, ArgumentError, "step must not be 0"),
    ("_npi_hsplit", [(4, 4)], {"indices": ()}, ShapeError, "define no parts"),
    ("col2im", [(1, 4, 2)], {"output_size": (2, 3), "kernel": 2}, ShapeError, "2 numbers each"),
    ("_npi_tensorsolve", [(2, 2), (2,)], {"a_axes": 7}, ShapeError, "axis=7 is outside"),
    ("cast", [(2,)], {"dtype": "("}, ArgumentError, r"dtype='\(' must be a dtype"),
    ("cast", [(2,)], {"dtype": "f4,f4"}, ArgumentError, "must be a dtype"),
]


@pytest.mark.parametrize(("name", "shapes", "given", "kind", "message"), ROWS)
def test_an_odd_question_is_refused_by_name(
    name: str, shapes: list[Any], given: dict[str, Any], kind: type[HyError], message: str
) -> None:
    op = ops.find(name)
    inputs = [TensorType(shape, "float32", name=f"in{i}") for i, shape in enumerate(shapes)]

    def question() -> None:
        params = op.parse(given)
        op.infer(inputs, params, [TensorType() for _ in op.output_names(params)], node="n")

    with pytest.raises(kind, match=message) as caught:
        question()
    assert str(caught.value).startswith(op.name)


def test_images_of_unknown_channels_join_to_unknown_channels() -> None:
    op = ops.find("UpSampling")
    images = [TensorType((2, 1, 2, 4)), TensorType((2, None, 1, 2))]
    params = op.parse({"scale": 3, "sample_type": "nearest"})
    (joined,) = op.infer(images, params, [TensorType()])
    assert joined.shape == (2, None, 6, 12)


def test_a_triangle_does_not_tell_how_many_axes_its_data_have() -> None:
    data = TensorType()
    ops.find("_npi_tril").infer([data], {"k": 0}, [TensorType((3, 3))])
    assert data.shape is None


def test_what_mixed_precision_casts_has_an_unknown_dtype_until_its_data_have_one() -> None:
    op = ops.find("amp_cast")
    data = TensorType((2,))
    (found,) = op.infer([data], op.parse({"dtype": "float16"}), [TensorType()])
    assert (data.dtype, found.dtype) == (None, None)
    data.set_dtype("int32")
    (found,) = op.infer([data], op.parse({"dtype": "float16"}), [found])
    assert found.dtype == "int32"


def test_a_dtype_is_not_read_as_python() -> None:
    for text in ("(", "f4,f4", "(2,)f4", "9" * 1000, "float32\n", "i4" * 100):
        with pytest.raises(DTypeError, match="unknown dtype") as caught:
            ops.find("cast").params["dtype"].parse_value(text)
        assert len(str(caught.value)) < 250


@pytest.mark.parametrize("name", [op.name for op in ops.operators()])
def test_rules_raise_nothing_but_errors_of_hy(name: str) -> None:
    """The same questions as ``tools/fuzz_rules.py`` asks, which asks more."""
    for seed in range(10):
        try:
            ask(ops.find(name), seed)
        except HyError:
            continue
