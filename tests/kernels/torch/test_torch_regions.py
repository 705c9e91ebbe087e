"""Regions of interest and correlation by torch's own kernels give the numpy table's numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.torch import table
from hy_kernels.torch._host import ELSEWHERE
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.vision import position_sensitive, roi_align
from tests.changed_costs import change_costs

DTYPES = {"float64": 1e-9, "float32": 2e-4}
PLAIN: dict[str, Any] = {"pooled_size": (2, 3), "spatial_scale": 0.5}
ALIGN: dict[str, Any] = PLAIN | {
    "sample_ratio": 2,
    "position_sensitive": False,
    "aligned": False,
}
PARTS: dict[str, Any] = {"spatial_scale": 0.5, "output_dim": 4, "pooled_size": 3, "group_size": 2}
SHIFT: dict[str, Any] = PARTS | {
    "part_size": 2,
    "sample_per_part": 3,
    "trans_std": 0.2,
    "no_trans": False,
}
FAR: dict[str, Any] = {
    "kernel_size": 3,
    "max_displacement": 2,
    "stride1": 2,
    "stride2": 1,
    "pad_size": 3,
    "is_multiply": False,
}
SHAPE = (3, 6, 9, 11)
COUNT = 12


def own(name: str) -> Any:
    """Torch's own kernel, also where numpy's takes its place on CPUs."""
    found = table().find(name)
    assert found is not None
    return ELSEWHERE.get(name, found.function)


def theirs(name: str) -> Any:
    found = numpy_table().find(name)
    assert found is not None
    return found.function


def normal(*shape: int) -> Callable[[np.random.Generator], Any]:
    return lambda rng: rng.standard_normal(shape)


def regions(rng: np.random.Generator) -> Any:
    """Inside and outside of the images, the wrong way round, and of no image."""
    corners = rng.uniform(-6, 30, (COUNT, 4))
    corners[::3] = np.round(corners[::3])  # samples on pixels, and on edges
    corners[: COUNT // 2, 2:] = corners[: COUNT // 2, :2] + rng.uniform(0, 16, (COUNT // 2, 2))
    images = rng.integers(-1, SHAPE[0], (COUNT, 1))
    return np.concatenate([images, corners], 1)


def turned(rng: np.random.Generator) -> Any:
    found = regions(rng)
    found[:, 3:] = np.abs(found[:, 3:])
    return np.concatenate([found, rng.uniform(-180, 180, (COUNT, 1))], 1)


def given(how: dict[str, Any]) -> Callable[[np.random.Generator], Any]:
    """Gradients of what is sampled with these parameters."""
    size: tuple[int, int] = (ALIGN | how)["pooled_size"]
    return normal(COUNT, 6, *size)


Rows = tuple[str, tuple[Callable[[np.random.Generator], Any], ...], dict[str, Any]]
IMAGES, BY_SETS = normal(*SHAPE), normal(3, 16, 9, 11)
GIVEN = normal(COUNT, 4, 3, 3)
TRANS = normal(COUNT, 4, 2, 2)
ROWS: tuple[Rows, ...] = (
    ("roi_pooling", (IMAGES, regions), PLAIN),
    ("roi_pooling", (lambda rng: rng.integers(0, 3, SHAPE) * 1.0, regions), PLAIN),  # equal ones
    *(
        (name, tensors, ALIGN | how)
        for how in (
            {},
            {"aligned": True},
            {"sample_ratio": -1},
            {"sample_ratio": -1, "aligned": True, "spatial_scale": 2.5},
            {"sample_ratio": 1, "pooled_size": (4, 1)},
        )
        for name, tensors in (
            ("roi_align", (IMAGES, regions)),
            (
                "roi_align_backward",
                (given(how), regions, IMAGES),
            ),
        )
    ),
    ("roi_align", (IMAGES, regions), ALIGN | {"position_sensitive": True}),
    (
        "roi_align_backward",
        (normal(COUNT, 1, 2, 3), regions, IMAGES),
        ALIGN | {"position_sensitive": True, "sample_ratio": -1},
    ),
    ("rroi_align", (IMAGES, turned), PLAIN | {"sampling_ratio": -1}),
    ("rroi_align", (IMAGES, turned), PLAIN | {"sampling_ratio": 2}),
    ("psroi_pooling", (BY_SETS, regions), PARTS),
    ("psroi_pooling_backward", (GIVEN, regions, BY_SETS), PARTS),
    ("deformable_psroi_pooling", (BY_SETS, regions, TRANS), SHIFT),
    ("deformable_psroi_pooling_backward", (GIVEN, BY_SETS, regions, TRANS), SHIFT),
    ("correlation", (normal(2, 3, 9, 8),) * 2, FAR),
    ("correlation", (normal(2, 3, 9, 8),) * 2, FAR | {"is_multiply": True, "stride2": 2}),
    ("correlation_backward", (normal(2, 25, 5, 4), *(normal(2, 3, 9, 8),) * 2), FAR),
    (
        "correlation_backward",
        (normal(2, 25, 5, 4), *(normal(2, 3, 9, 8),) * 2),
        FAR | {"is_multiply": True},
    ),
)


def drawn(row: Rows, dtype: str, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [draw(rng).astype(dtype) for draw in row[1]]


def assert_equal(name: str, arrays: list[Any], params: dict[str, Any], tolerance: float) -> None:
    wanted = theirs(name)(*arrays, **params)
    found = own(name)(*map(torch.from_numpy, arrays), **params)
    found, wanted = (y if isinstance(y, tuple) else (y,) for y in (found, wanted))
    for one, other in zip(found, wanted, strict=True):
        assert one.is_contiguous()
        assert one.numpy().dtype == other.dtype
        np.testing.assert_allclose(one.numpy(), other, tolerance, tolerance)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_regions_everywhere_are_numpy_s(row: Rows, dtype: str) -> None:
    for seed in range(4):
        assert_equal(row[0], drawn(row, dtype, seed), row[2], DTYPES[dtype])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_regions_some_at_a_time_are_those_at_once(
    row: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = dict.fromkeys(("bin_indices", "bin_numbers", "regions", "samples"), 200)
    change_costs(monkeypatch, COSTS, blocks=few)
    assert_equal(row[0], drawn(row, "float64"), row[2], 1e-9)


def test_what_is_no_number_is_the_largest_of_its_part_alone() -> None:
    x = np.arange(24.0).reshape(1, 1, 4, 6)
    x[0, 0, 1, 1] = np.nan
    rois = np.array([[0, 0, 0, 5, 3.0]])
    how = {"pooled_size": (2, 2), "spatial_scale": 1.0}
    assert_equal("roi_pooling", [x, rois], how, 0)
    y, index = own("roi_pooling")(torch.from_numpy(x), torch.from_numpy(rois), **how)
    assert index.flatten().tolist() == [7, 11, 20, 23]
    assert y.isnan().sum() == 1


@pytest.mark.parametrize("sample_ratio", [-1, 2])
@pytest.mark.parametrize("edge", [np.nan, np.inf, -np.inf, 1e30])
def test_regions_that_are_nowhere_read_no_memory_that_is_not_there(
    edge: float, sample_ratio: int
) -> None:
    x = torch.ones(1, 2, 5, 5)
    rois = torch.tensor([[0, edge, 0, 3, 3], [0, 0, 0, edge, edge], [edge, 0, 0, 2, 2]])
    y = own("roi_align")(x, rois, **ALIGN | {"sample_ratio": sample_ratio})[:2]
    assert y.shape == (2, 2, 2, 3)
    own("roi_pooling")(x, rois, **PLAIN)


@pytest.mark.parametrize(
    ("name", "rows", "params"),
    [
        ("rroi_align", 6, PLAIN | {"sampling_ratio": 1}),
        ("psroi_pooling", 5, PARTS),
        ("roi_align", 5, ALIGN),
    ],
)
def test_an_image_that_is_not_there_is_told_on_cpus(
    name: str, rows: int, params: dict[str, Any]
) -> None:
    rois = torch.ones(3, rows)
    rois[0, 0] = 0
    with pytest.raises(IndexError, match="region 1 is of image 1; there are 1"):
        own(name)(torch.ones(1, 16, 3, 3), rois, **params)


@pytest.mark.parametrize("row", [row for row in ROWS if regions in row[1] or turned in row[1]],
                         ids=lambda row: row[0])  # fmt: skip
def test_elsewhere_its_regions_are_zeros(row: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    name, draws, params = row
    for module in (roi_align, position_sensitive):
        monkeypatch.setattr(module, "images_of", lambda rois, _: rois[:, 0].long())
    arrays = drawn(row, "float64")
    where = next(i for i, draw in enumerate(draws) if draw in (regions, turned))
    known = [x.copy() for x in arrays]
    arrays[where][::2, 0], known[where][::2, 0] = SHAPE[0] + 2, -1
    found, wanted = (own(name)(*map(torch.from_numpy, each), **params) for each in (arrays, known))
    found, wanted = (y if isinstance(y, tuple) else (y,) for y in (found, wanted))
    for one, other in zip(found, wanted, strict=True):
        assert torch.equal(one, other)
