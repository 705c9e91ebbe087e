"""No kernel of the torch table lets the host wait for a GPU, or copies, unless there is a reason.

Every row of the cases runs on fake CUDA tensors, forward and backward.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import torch

from hy_gluon import Trainer
from hy_gluon.gradients import clip
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.model_zoo.vision import resnet18_v1
from hy_ndarray import autograd, gpu, nd
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from tests.kernels.torch.fake_cuda import FakeMemory, Watch, fake_cuda, waits_of
from tests.kernels.torch.fake_rows import waits_of_row

# whether memory is shared follows from addresses, which fakes have none of
pytestmark = pytest.mark.filterwarnings("ignore:Accessing the data pointer of FakeTensor")

WAITING: dict[str, str] = {
    "a matrix that is singular or not positive definite is an error that programs catch": """
        _linalg_cofactor _linalg_det _linalg_inverse _linalg_potrf _linalg_potri _linalg_slogdet
        _linalg_syevd _np_tensorsolve_backward _npi_cholesky _npi_det _npi_eig _npi_eigh
        _npi_eigvals _npi_eigvalsh _npi_norm _npi_slogdet _npi_solve _npi_svd _npi_tensorinv
        _npi_tensorsolve""",
    "a parameter in an array that is out of range is an error that programs catch": """
        _npi_bernoulli _npi_choice _npi_exponential _npi_gamma _npi_gumbel _npi_logistic _npi_normal
        _npi_normal_n _npi_pareto _npi_powerd _npi_rayleigh _npi_weibull _npx_constraint_check""",
    "the result has as many elements as numbers say": """
        _boolean_mask_backward _contrib_boolean_mask _npi_bincount _npi_boolean_mask_assign_tensor
        _npi_delete _npi_unique _npx_nonzero""",
    "boxes are compared until nothing changes, sooner than after as many rounds as boxes": """
        _contrib_MultiBoxDetection _contrib_MultiProposal _contrib_Proposal _contrib_box_nms""",
    "the memory for all pixels of a region depends on its size": """
        _contrib_PSROIPooling _contrib_ROIAlign _contrib_RROIAlign _psroi_pooling_backward
        _roi_align_backward""",
    "numbers are drawn again until all are different": "_sample_unique_zipfian",
    "what decodes a file is on the host": "_cvimdecode _cvimread",
}
"""Operators whose rows wait, forward or backward, by reason."""
REASONS = {op: reason for reason, names in WAITING.items() for op in names.split()}
SOME: dict[str, str] = {
    "_linalg_det": r"\[3",  # a batch of none has no factors
    "_npi_norm": r"ord=-?2,axis=\(\d, \d\),flag=[02]",  # singular values
    **dict.fromkeys(
        (
            *("_npi_normal", "_npi_normal_n", "_npi_gumbel", "_npi_logistic"),
            *("_npi_exponential", "_npi_rayleigh"),
        ),
        "scale=None",
    ),
    "_npi_gamma": "shape=None",
    **dict.fromkeys(("_npi_pareto", "_npi_weibull", "_npi_powerd"), "-a=None"),
    "_npi_bernoulli": "is_logit=False.*prob=None",  # a logit has no range
    "_npi_choice": "weighted=True",
    "_npi_delete": r"\]x\[\d",  # not at an integer, nor a slice
    "_contrib_MultiBoxDetection": r"x\[(1,12|2,20)\](?!.*nms_threshold=2)",  # boxes, suppressed
    "_contrib_box_nms": r"-\[[1-9]",  # a batch of none has no boxes
    "_contrib_PSROIPooling": r"x\[3,5\]",
    **dict.fromkeys(
        ("_contrib_ROIAlign", "_contrib_RROIAlign", "_roi_align_backward"),
        r"x\[[1-9],\d\](?!.*sampl\w+_ratio)",
    ),
}
"""Rows that wait of operators of which not all do: what their names contain."""


@pytest.fixture(scope="module", autouse=True)
def gpus() -> Iterator[FakeMemory]:
    with fake_cuda() as memory, gpu(1):  # what is made on torch's current device is on another
        yield memory


def may_wait(case: OpCase) -> bool:
    """Whether there is a reason for a row."""
    return case.op in REASONS and bool(re.search(SOME.get(case.op, ""), str(case)))


def rows(names: tuple[str, ...] = ()) -> list[Any]:
    """Each row of some operators, or of all; the first one of an operator is not slow."""
    known: set[str] = set()
    params = []
    assert {*names} <= {case.op for case in CASES}
    for case in (case for case in CASES if not names or case.op in names):
        marks = [pytest.mark.slow] if case.op in known else []
        known.add(case.op)
        params.append(pytest.param(case, marks=marks, id=str(case)))
    return params


@pytest.mark.parametrize("case", rows())
def test_a_kernel_neither_waits_nor_copies_unless_there_is_a_reason(case: OpCase) -> None:
    waits = waits_of_row(case)
    assert bool(waits) is may_wait(case), waits


@pytest.mark.parametrize("op", sorted(REASONS))
def test_what_is_on_the_list_does_wait(op: str) -> None:
    own = [case for case in CASES if case.op == op]
    assert (op in SOME) == (not all(map(may_wait, own)))
    assert waits_of_row(next(filter(may_wait, own)))


@pytest.mark.parametrize("op", SOME)
def test_a_row_of_an_operator_on_the_list_does_not_wait_without_a_reason(op: str) -> None:
    case = next(case for case in CASES if case.op == op and not may_wait(case))
    assert waits_of_row(case) == []


NETS = (
    *("Convolution", "Deconvolution", "FullyConnected", "Pooling", "Embedding", "Dropout", "RNN"),
    *("BatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm", "L2Normalization", "LRN"),
    *("Activation", "LeakyReLU", "softmax", "log_softmax", "SoftmaxOutput", "SoftmaxActivation"),
    *("dot", "batch_dot", "take", "Concat", "_contrib_interleaved_matmul_selfatt_qk"),
    *("_contrib_interleaved_matmul_selfatt_valatt", "_contrib_interleaved_matmul_encdec_qk"),
    *("_contrib_interleaved_matmul_encdec_valatt", "_contrib_scaled_dot_product_attention"),
    "_contrib_AdaptiveAvgPooling2D",
)
"""Operators of nets, which compute in 16 bits, too."""


@pytest.mark.parametrize("case", rows(NETS))
def test_operators_of_nets_neither_wait_nor_copy_in_16_bits(case: OpCase) -> None:
    assert waits_of_row(case, "float16") == []


def test_a_wait_is_noticed() -> None:
    x = nd.ones((3,))
    assert waits_of(lambda: x.buffer.sum().item())
    assert waits_of(lambda: bool(x.buffer.any()))
    assert waits_of(lambda: x.buffer[x.buffer > 0])
    assert waits_of(x.buffer.cpu)
    assert waits_of(lambda: x.buffer[torch.zeros(3, dtype=torch.int64)])
    for device in ("cpu", "cuda:0"):
        with pytest.raises(RuntimeError, match="device"):
            waits_of(partial(lambda on: x.buffer + torch.ones(3, device=on), device))


def test_clipping_neither_waits_nor_copies_after_the_first_time() -> None:
    gradients = [nd.ones((3, 2)), nd.ones((4,), dtype="float16")]
    clip([gradients], 0.5)
    assert waits_of(partial(clip, [gradients], 0.5)) == []


@pytest.mark.parametrize(
    ("optimizer", "is_hybrid"),
    [
        ("sgd", True),
        pytest.param("sgd", False, marks=pytest.mark.slow),
        pytest.param("adam", True, marks=pytest.mark.slow),
    ],
)
def test_a_training_step_neither_waits_nor_copies_after_the_second(
    optimizer: str, is_hybrid: bool, gpus: FakeMemory
) -> None:
    net = resnet18_v1(classes=10)
    net.initialize(ctx=gpu(1))
    net.hybridize(is_hybrid)
    settings = {"learning_rate": 0.1, **({"momentum": 0.9} if optimizer == "sgd" else {})}
    trainer = Trainer(net.collect_params(), optimizer, settings)
    loss = SoftmaxCrossEntropyLoss()
    x, label = nd.ones((4, 3, 32, 32)), nd.zeros((4,))

    def step() -> None:
        with autograd.record():
            y = loss(net(x), label)
        y.backward()
        trainer.step(4)

    with Watch():
        step()
        step()
    arrays = gpus.arrays
    for _ in range(2):
        with Watch() as watch:
            step()
        assert watch.found == []
        assert len(watch.calls) > 100
    assert gpus.arrays == arrays
