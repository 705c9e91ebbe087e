"""What only a GPU can show; and the arithmetic of its benchmark, which needs none."""

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks import gpu_cases
from benchmarks.gpu import Peaks, _items, main, row, seconds
from benchmarks.gpu_case import Case
from benchmarks.gpu_cases import DTYPES, cases, families
from benchmarks.gpu_families import WITHOUT
from benchmarks.gpu_nets import COMPILED, SMALL
from benchmarks.gpu_pointwise import of_whole
from benchmarks.gpu_session import Item
from benchmarks.gpu_targets import TARGETS, lines
from hy_kernels.triton import functional as hy, table
from hy_kernels.triton._formula import NAMES
from hy_kernels.triton._overlay import _Selected
from hy_kernels.triton.runtime._launch import recorded, watched
from hy_ndarray import device_of, gpu
from tests.kernels.torch.fake_cuda import guard_devices
from tests.kernels.triton.parity import DEVICE

on_a_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")


def test_a_row_tells_rate_share_and_ratios() -> None:
    case = Case("copy", lambda: None, lambda: None, moved=10**9)
    result = row(case, Peaks(2e12, 1e15), ours=1e-3, theirs=2e-3, compiled=1.5e-3)
    assert [*result.values()] == [1.0, "1000.0 GB/s", 0.5, 2.0, 1.5, 10**9]
    case = Case("product", lambda: None, lambda: None, work=10**12)
    result = row(case, Peaks(2e12, 1e15), ours=2e-3, theirs=2e-3, compiled=2e-3)
    assert [*result.values()] == [2.0, "500.0 TFLOP/s", 0.5, 1.0, 1.0, 0]


def test_every_case_tells_what_it_moves_or_computes() -> None:
    for case in cases("meta"):
        is_compiled_only = re.match(r"product by |.* (alone \w+ \w+|compiled)$", case.name)
        assert case.moved or case.work or is_compiled_only, case.name


def test_every_kernel_has_a_case_or_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pointwise ones are generated alike, and have some cases for all."""
    called, run = set[str](), _Selected.__call__

    def note(self: _Selected, *tensors: Any, **params: Any) -> Any:
        called.add(self._name)
        return run(self, *tensors, **params)

    monkeypatch.setattr(_Selected, "__call__", note)
    for case in cases("meta"):
        if case.moved or case.work:
            with recorded():
                case.run()
    reasons = [*WITHOUT.values()]
    without = frozenset().union(*reasons)
    assert len(without) == sum(map(len, reasons))
    assert set(table().names()) - called - set(NAMES) == without


@pytest.fixture
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes that the interpreter can compute."""
    monkeypatch.setattr("benchmarks.gpu_case.LARGEST", 8)
    monkeypatch.setattr("benchmarks.gpu_case.SIDE", 2)


def told(cases: Iterable[Case], check: Callable[[Case], object]) -> None:
    """Check every one, whichever others fail."""
    errors: list[Exception] = []
    for case in cases:
        try:
            check(case)
        except Exception as error:
            error.add_note(case.name)
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{len(errors)} cases", errors)


def _runs(case: Case) -> None:
    with watched() as launches:
        case.run()
    assert launches, f"{case.name}: torch computed it"
    case.torch()


@pytest.mark.slow
@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", families())
def test_every_case_runs_on_tiny_shapes_by_kernels_and_by_torch(
    family: str, dtype: torch.dtype
) -> None:
    told(families()[family](DEVICE.type, dtype), _runs)


@pytest.mark.usefixtures("_tiny")
def test_cases_of_integers_run_on_tiny_shapes_by_kernels_and_by_torch() -> None:
    told(of_whole(DEVICE.type), _runs)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")  # torch's of what it traces
@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize("family", families())
def test_torch_compiles_its_side_of_every_case(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_ = torch.compile
    monkeypatch.setattr(torch, "compile", lambda call: compile_(call, backend="eager"))
    monkeypatch.setattr("benchmarks.gpu._seconds", lambda call: float(call() is None))
    own = families()[family](DEVICE.type, torch.float32)
    told(own, lambda case: seconds(case._replace(run=lambda: None)))


def _result(name: str, share: float, ratio: float, moved: int) -> dict[str, Any]:
    columns = {"ms": 1.0, "share of the peak": share, "torch / ours": ratio, "bytes": moved}
    return {"stage": "Kernels", "name": name, **columns}


def test_a_target_tells_whether_it_is_reached() -> None:
    product, norm = "product bfloat16 4096x4096x4096", "layer_norm float32 8192x4096"
    large, small = 1 << 28, 512
    rows = [
        (_result(product, 0.0, 1.25, 0), "torch / ours 1.25 of 1.00, reached"),
        (_result(product, 0.0, 0.5, 0), "torch / ours 0.50 of 1.00, missed"),
        (_result(norm, 0.91, 0.5, large), "share of the peak 0.91 of 0.90, reached"),
        (_result(norm, 0.89, 9.0, large), "share of the peak 0.89 of 0.90, missed"),
    ]
    for result, told in rows:
        assert f"- {result['name']}: {told}" in lines({"it": result})
    unlike = [_result(norm, 0.5, 9.0, small), {**rows[0][0], "stage": "Nets"}]
    failed = {"stage": "Kernels", "name": product, "error": "none is left"}
    for result in (*unlike, failed):
        own = lines({"it": result})
        assert len(own) == len(lines({}))
        assert all(line.endswith(": nothing was measured") for line in own)


@pytest.mark.slow
def test_every_target_is_of_a_case_on_a_gpu() -> None:
    """Fakes of CUDA tensors have the cases that a GPU has, which are not those of ``meta``."""
    guard_devices()
    with FakeTensorMode(), sdpa_kernel(SDPBackend.MATH):
        own = [(case.name, case.moved) for case in cases("cuda")]
    for target in TARGETS:
        assert any(target.is_of(*each) for each in own), target.pattern
    assert any(name.startswith("tiles alone") for name, _ in own)


@pytest.mark.slow
def test_what_matters_most_is_run_first(monkeypatch: pytest.MonkeyPatch) -> None:
    guard_devices()
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with FakeTensorMode(), sdpa_kernel(SDPBackend.MATH):
        own = [*_items("")]
    assert len({item.key for item in own}) == len(own)

    def kind(item: Item) -> str:
        if item.stage == "Kernels":
            has_target = any(target.is_of(item.name, 1 << 40) for target in TARGETS)
            return "kernel of a target" if has_target else "kernel"
        if item.stage in ("Captures", "Operators"):
            return item.stage
        return "compiled" if item.name == COMPILED else "net"

    kinds = [*dict.fromkeys(map(kind, own))]
    assert kinds == ["Captures", "Operators", "net", "kernel of a target", "compiled", "kernel"]
    nets = [item.stage.split(", ")[0] for item in own if kind(item) == "net"]
    assert tuple(dict.fromkeys(nets))[: len(SMALL)] == SMALL
    assert {f"{name} in bfloat16" for name in ("ResNet-50", "BERT")} < {*nets}


def test_tiles_alone_are_never_the_library_s() -> None:
    a = torch.randn(8, 8, device=DEVICE)
    y = torch.empty_like(a)
    with watched() as launches:
        gpu_cases._by_fastest(a, a, y)
    assert [launch.name for launch in launches] == ["product_tiles"]
    torch.testing.assert_close(y, a @ a)


def test_the_benchmark_measures_tiles_unless_it_is_told_not_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for setting, expected in ((None, "full"), ("cached", "cached")):
        monkeypatch.setenv("HY_AUTOTUNE", setting or "")
        if setting is None:
            monkeypatch.delenv("HY_AUTOTUNE")
        with pytest.raises(SystemExit, match="no CUDA device"):
            main([])
        assert os.environ["HY_AUTOTUNE"] == expected


@on_a_gpu
@pytest.mark.gpu
def test_the_table_is_the_default_for_gpus() -> None:
    assert device_of(gpu(0)).table.name == "triton"


@on_a_gpu
@pytest.mark.gpu
@pytest.mark.slow
def test_tensors_of_more_than_two_thousand_million_elements() -> None:
    x = torch.zeros((1 << 16) + 1, 1 << 15, dtype=torch.float16, device="cuda")
    x[-1, -1] = 10
    y = hy.softmax(x, -1)
    torch.testing.assert_close(y[-1], torch.softmax(x[-1], -1))
