"""What numpy's kernels compute for the torch table, on the CPU alone: which, of what, and where."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.torch import TorchTable, table
from hy_kernels.torch._floats import OF_INTEGERS
from hy_kernels.torch._host import ELSEWHERE, HOST, DeviceError
from hy_ndarray import KernelError, cpu, explain, gpu, nd, ops, use_kernels
from hy_ndarray.testing import OpCase, values_of
from hy_ndarray.testing.cases import CASES
from tests.kernels.derived import kernel_of, uncomposed
from tools import operators

META = torch.device("meta")
INTEGERS = (torch.int8, torch.uint8, torch.int32, torch.int64, torch.bool)

WHATEVER = {"imdecode": "its file is on the host", "imread": "its file is on the host"}
"""Kernels that torch has none of, and why."""

ON_CPUS = {
    "box_nms": "a box is compared with those alone that it may reach",
    "calibrate_entropy": "a range takes no time for bins outside of it",
    "roi_align": "the pixels of a region are read once for all its parts",
    "roi_align_backward": "the pixels of a region are written once for all its parts",
}
"""Kernels that torch has for other devices: why numpy's are faster on CPUs."""

WHOLE_NUMBERS = (
    "activation activation_backward adaptive_avg_pooling2d adaptive_avg_pooling2d_backward "
    "batch_norm batch_norm_v1 batch_norm_with_relu "
    "bilinear_resize2d bilinear_resize2d_backward bilinear_sampler "
    "bilinear_sampler_backward ctc_loss ctc_loss_backward deformable_convolution "
    "deformable_convolution_backward deformable_psroi_pooling "
    "deformable_psroi_pooling_backward "
    "group_norm instance_norm l2_normalization l2_normalization_backward layer_norm "
    "leaky_relu leaky_relu_backward leaky_relu_curve log_softmax log_softmax_backward "
    "log_softmax_dot log_softmax_dot_backward log_softmax_pick log_softmax_pick_backward "
    "lrn lrn_backward "
    "modulated_deformable_convolution modulated_deformable_convolution_backward "
    "normalize_backward pooling pooling_lp_backward pooling_sum_backward "
    "pooling_v1 prelu_backward psroi_pooling psroi_pooling_backward "
    "rnn rnn_backward roi_align roi_align_backward rroi_align softmax "
    "softmax_backward "
    "softmax_cross_entropy softmax_cross_entropy_backward softmax_output "
    "softmax_output_backward softmin sync_batch_norm"
)
"""Kernels that torch has for floats: of integers and booleans numpy's know what they mean."""

PARAMETERS: dict[str, tuple[str, str]] = {
    "activation": ("act_type", "relu"),
    "activation_backward": ("act_type", "relu"),
    "pooling": ("pool_type", "max sum"),
}
"""Of these, the parameter with which torch's takes integers, too."""


def function_of(name: str) -> Any:
    return kernel_of(table(), name).function


def test_what_numpy_s_kernels_compute_is_listed() -> None:
    for name in table().names():  # all that defines them is imported
        table().find(name)
    assert set(HOST) == WHATEVER.keys()
    assert ELSEWHERE.keys() == ON_CPUS.keys()
    assert OF_INTEGERS.keys() == set(WHOLE_NUMBERS.split())
    assert {name for name, unless in OF_INTEGERS.items() if unless} == PARAMETERS.keys()


def test_the_page_of_operators_tells_all_of_them() -> None:
    texts: dict[str, list[str]] = {name: ["numpy's, on the CPU"] for name in WHATEVER}
    for name in WHOLE_NUMBERS.split():
        texts.setdefault(name, []).append("of integers numpy's, on the CPU")
    for name in ON_CPUS:
        texts.setdefault(name, []).append("on CPUs numpy's")
    assert operators.borrowed() == {name: "; ".join(told) for name, told in texts.items()}


def test_a_kernel_that_is_not_listed_is_torch_s() -> None:
    by_torch = {n for n in table().names() if "_host" not in function_of(n).__module__}
    assert by_torch.isdisjoint(HOST)
    assert by_torch | set(HOST) >= uncomposed()
    assert set(table().names()) >= uncomposed()


@pytest.mark.parametrize("name", WHATEVER)
def test_a_kernel_of_numpy_s_refuses_another_device(name: str) -> None:
    given: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "imdecode": ([torch.empty(2, dtype=torch.uint8, device=META)], {}),
        "imread": ([], {"filename": "nowhere.png", "device": META}),
    }
    tensors, how = given[name]
    with pytest.raises(DeviceError, match=rf"^{name}: .* on the CPU alone.* meta.*mx\.cpu\(\)"):
        function_of(name)(*tensors, flag=1, to_rgb=True, **how)


def whole(case: OpCase, dtype: torch.dtype, device: torch.device) -> Any:
    """The result for a row's inputs as integers."""
    op = ops.find(case.op)
    needed = {"is_train": case.is_train, "device": device}
    inputs = [
        None if v is None else torch.from_numpy(np.asarray(v)).to(dtype).to(device)
        for v in values_of(case)
    ]
    more = {name: needed[name] for name in op.needs}
    return function_of(op.kernel)(*inputs, **op.parse(case.params), **more)


def of_integers() -> list[OpCase]:
    """The rows whose kernel leaves integers to numpy's, with these parameters."""
    found = []
    for case in CASES:
        op = ops.find(case.op)
        name, allowed = PARAMETERS.get(op.kernel, ("", ""))
        taken = bool(name) and op.parse(case.params)[name] in allowed.split()
        if op.kernel in WHOLE_NUMBERS.split() and "rng" not in op.needs and not taken:
            found.append(case)
    return found


@pytest.mark.parametrize("case", of_integers(), ids=str)
def test_integers_elsewhere_are_refused_and_copied_nowhere(case: OpCase) -> None:
    kernel = ops.find(case.op).kernel
    for dtype in INTEGERS:
        with pytest.raises(DeviceError, match=rf"^{kernel}: .* on the CPU alone.* meta"):
            whole(case, dtype, META)


def test_each_kernel_of_the_list_is_asked_so() -> None:
    asked = {ops.find(case.op).kernel for case in of_integers()}
    drawing = {ops.find(case.op).kernel for case in CASES if "rng" in ops.find(case.op).needs}
    assert asked >= set(WHOLE_NUMBERS.split()) - drawing


def test_integers_on_the_cpu_are_numpy_s() -> None:
    how = {"axis": -1, "temperature": None}
    given = torch.tensor([[3, 1], [2, 2]])
    theirs = numpy_table().find("softmax_backward")
    assert theirs is not None
    found = function_of("softmax_backward")(given, given, given, **how)
    np.testing.assert_array_equal(found.numpy(), theirs.function(*[given.numpy()] * 3, **how))


def test_an_error_of_the_device_reaches_programs_as_one_of_the_kernel() -> None:
    class Elsewhere(TorchTable):
        device_types: tuple[str, ...] = ("gpu",)

        def count(self, device_type: str) -> int:
            return int(device_type == "gpu")

        def device(self, device_type: str, device_id: int) -> torch.device:  # noqa: ARG002
            return META

    refused = pytest.raises(KernelError, match=r"DeviceError: imread: .* CPU alone")
    with use_kernels(Elsewhere(), device="gpu"), gpu(0), refused:
        nd._internal._cvimread(filename="nowhere.png")


# --- explain ---------------------------------------------------------------------------------


def borrowed(op: str, *arrays: Any) -> str:
    with use_kernels("torch"):
        return explain(op, *arrays).borrowed


def test_explain_says_where_numpy_computes() -> None:
    with use_kernels("torch"):
        floats = nd.zeros((2, 2), cpu())
        integers = floats.astype("int32")
        assert str(explain("_contrib_ROIAlign")) == (
            "_contrib_ROIAlign on cpu(0): kernel 'roi_align' of table 'torch': numpy's, on the CPU"
        )
        assert str(explain("ROIPooling")).endswith("kernel 'roi_pooling' of table 'torch'")
    assert borrowed("_cvimread") == borrowed("softmax", integers) == "numpy's, on the CPU"
    assert borrowed("softmax") == borrowed("softmax", floats) == ""
    assert borrowed("Pooling", integers) == "with some parameters numpy's, on the CPU"
    assert table().borrowed("roi_align", "gpu", ()) == ""
    assert table().borrowed("imread", "gpu", ()) == "numpy's, on the CPU"


def test_other_tables_borrow_nothing() -> None:
    with use_kernels("numpy"):
        assert explain("_contrib_ROIAlign").borrowed == ""
