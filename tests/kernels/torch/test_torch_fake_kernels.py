"""Kernels that no operator calls by itself run on fake CUDA tensors, with and without libraries.

Lowered graphs call kernels of their own; cuDNN and fused attention are other code than without.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch

from hy_gluon import HybridBlock, nn
from hy_kernels.torch import table
from hy_ndarray import autograd, gpu, nd, ops
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from tests.kernels.torch.fake_cuda import FakeCuda, FakeMemory, Watch, fake_cuda, waits_of
from tests.kernels.torch.fake_rows import backward, waits_of_row
from tests.kernels.torch.private_rows import (
    INT8,
    INT8_ROWS,
    PRIVATE,
    ROWS,
    SELF_ATTENTION,
    Types,
    operands,
)

DEVICE = torch.device("cuda", 1)
DTYPES = ("float32", "float16")


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "libraries"])
def has_libraries(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module", autouse=True)
def gpus(has_libraries: bool) -> Iterator[FakeMemory]:
    with fake_cuda(libraries=has_libraries) as memory, gpu(1):
        yield memory


def of(types: Types) -> list[Any]:
    """Fake tensors on the second GPU."""
    return [torch.empty(shape, dtype=getattr(torch, each), device=DEVICE) for shape, each in types]


def private(name: str, dtype: str) -> tuple[Any, Types, Any]:
    """The operator, and types and parameters of a row."""
    if name in INT8:
        return INT8[name], *INT8_ROWS[name]
    return PRIVATE[name], ROWS[name].types(dtype), ROWS[name].params


def test_every_kernel_is_reached(gpus: FakeMemory) -> None:
    of_operators = {ops.find(case.op).kernel for case in CASES}
    of_graphs = {each.kernel for each in (*PRIVATE.values(), *INT8.values())}
    assert {*table().names()} <= of_operators | of_graphs


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*ROWS, *INT8_ROWS])
def test_kernels_of_graphs_neither_wait_nor_copy(name: str, dtype: str, gpus: FakeMemory) -> None:
    operator, types, params = private(name, dtype)
    record = FakeCuda(gpus).find(operator.kernel)
    assert record is not None
    given = operands(operator, of(types), params)
    takes = inspect.signature(record.function).parameters
    takes_any = any(each.kind is each.VAR_KEYWORD for each in takes.values())
    params = {k: v for k, v in params.items() if k in takes or takes_any}
    results: list[Any] = []

    def run() -> None:
        y = record.function(*given, **params)
        results[:] = y if isinstance(y, tuple) else (y,)

    assert waits_of(run) == []
    assert {x.device for x in results} == {DEVICE}


def calls_of(run: Callable[[], object]) -> list[str]:
    """Functions of torch that are called by the second run."""
    calls: list[str] = []
    for _ in range(2):
        with Watch() as watch:
            run()
        assert watch.found == []
        calls = watch.calls
    return calls


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("with_addend", [False, True])
def test_a_layer_is_one_call_of_cudnn_where_there_is_one(
    with_addend: bool, dtype: str, gpus: FakeMemory, has_libraries: bool
) -> None:
    operator, types, params = private("_channels_last_convolution", dtype)
    kernel = FakeCuda(gpus).find(operator.kernel)
    assert kernel is not None
    addend = [((2, 3, 5, 4), dtype)] if with_addend else []
    given = of([*types, *addend])
    how = {**params, "with_addend": with_addend}
    calls = calls_of(partial(kernel.function, *given, **how))
    whole = {"cudnn_convolution_relu", "cudnn_convolution_add_relu"} & {*calls}
    name = "cudnn_convolution_add_relu" if with_addend else "cudnn_convolution_relu"
    assert whole == ({name} if has_libraries else set())
    assert ("convolution" in calls) is not has_libraries


def recurrent() -> list[Any]:
    """Rows of recurrent layers; one of an LSTM is not slow."""
    own = [case for case in CASES if case.op == "RNN"]
    fast = next(case for case in own if "lstm,bidirectional=True" in str(case))
    return [
        pytest.param(case, marks=[] if case is fast else [pytest.mark.slow], id=str(case))
        for case in own
    ]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", recurrent())
def test_recurrent_layers_are_cudnn_s_where_there_is_one(
    case: OpCase, dtype: str, has_libraries: bool
) -> None:
    waits = waits_of_row(case, dtype)
    assert waits == []
    by_steps = re.search(r"-\[3,0,|projection_size=\d|clip_m|sequence_length=True", str(case))
    is_whole = has_libraries and not by_steps
    calls = calls_of(partial(backward, case, dtype))
    for name in ("_cudnn_rnn_flatten_weight", "_cudnn_rnn", "_cudnn_rnn_backward"):
        assert (name in calls) is is_whole, calls


@pytest.mark.parametrize("dtype", DTYPES)
def test_attention_is_fused_where_that_is_there(
    dtype: str, gpus: FakeMemory, has_libraries: bool
) -> None:
    table = FakeCuda(gpus)
    forward = table.find("dot_product_attention_with_sums")
    back = table.find("dot_product_attention_backward")
    assert forward is not None
    assert back is not None
    (x,) = of([((4, 2, 48), dtype)])  # 8 elements a vector: rows of 16 bytes
    y, sums = forward.function(x, x, x, **SELF_ATTENTION)
    calls = calls_of(lambda: forward.function(x, x, x, **SELF_ATTENTION))
    calls += calls_of(lambda: back.function(y, x, x, x, y, sums, **SELF_ATTENTION))
    kind = "flash" if dtype == "float16" else "efficient"
    name = f"_scaled_dot_product_{kind}_attention"
    fused = {each for each in calls if each.startswith("_scaled_dot_product")}
    assert fused == ({name, f"{name}_backward"} if has_libraries else set())


class Attending(HybridBlock):
    """Self-attention between two dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.before = nn.Dense(48, flatten=False, in_units=16)
        self.after = nn.Dense(4, flatten=False, in_units=16)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        mixed = self.before(x)
        scores = F.contrib.interleaved_matmul_selfatt_qk(mixed, heads=2)
        seen = F.contrib.interleaved_matmul_selfatt_valatt(mixed, F.softmax(scores), heads=2)
        return self.after(seen)


def convolving() -> HybridBlock:
    """Convolutions of 16 bits, which GPUs compute with the channels last."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(64, 7, 2, 3, in_channels=3, activation="relu"),
        nn.MaxPool2D(3, 2, 1),
        nn.Conv2D(512, 3, padding=1, in_channels=64),
        nn.GlobalAvgPool2D(),
        nn.Dense(4, in_units=512, activation="relu"),
    )
    return net


TRAINED: dict[str, tuple[Callable[[], HybridBlock], tuple[int, ...], set[str]]] = {
    "images": (
        convolving,
        (16, 3, 64, 64),
        {
            *("nhwc_convolution", "nhwc_convolution_backward_data"),
            *("nhwc_convolution_backward_weight", "fully_connected_activation"),
        },
    ),
    "words": (
        Attending,
        (4, 2, 16),
        {"dot_product_attention_with_sums", "dot_product_attention_backward"},
    ),
}
"""Nets, shapes of their data, and kernels that their graphs are lowered to."""


@pytest.mark.parametrize("name", TRAINED)
def test_lowered_nets_train_in_16_bits_without_a_wait(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, shape, kernels = TRAINED[name]
    found: set[str] = set()
    find = FakeCuda.find

    def noting(table: FakeCuda, kernel: str) -> Any:
        found.add(kernel)
        return find(table, kernel)

    monkeypatch.setattr(FakeCuda, "find", noting)
    net = make()
    net.initialize(ctx=gpu(1))
    net.cast("float16")
    net.hybridize()
    x = nd.ones(shape, dtype="float16")

    def step() -> None:
        with autograd.record():
            y = net(x)
        y.backward()

    calls_of(step)
    assert kernels <= found
