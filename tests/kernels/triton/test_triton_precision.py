"""Products of float32 are tf32 where torch allows it, by the old settings and by the new ones."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import torch
from hy_kernels.triton.runtime._precision import convolution_precision, product_precision
{setting}
for dtype in (torch.float32, torch.float16):
    print(product_precision(dtype), convolution_precision(dtype))
"""


@pytest.mark.parametrize(
    ("setting", "wanted"),
    [
        ("", "ieee tf32"),
        ("torch.backends.cuda.matmul.allow_tf32 = True", "tf32 tf32"),
        ("torch.backends.cudnn.allow_tf32 = False", "ieee ieee"),
        ("torch.backends.cuda.matmul.fp32_precision = 'tf32'", "tf32 tf32"),
        ("torch.backends.cuda.matmul.fp32_precision = 'ieee'", "ieee tf32"),
        ("torch.backends.cudnn.conv.fp32_precision = 'ieee'", "ieee ieee"),
        ("torch.backends.cudnn.fp32_precision = 'ieee'", "ieee ieee"),
        ("torch.backends.fp32_precision = 'tf32'", "tf32 tf32"),
        ("torch.backends.fp32_precision = 'ieee'", "ieee ieee"),
    ],
)
def test_both_kinds_of_settings_are_read(setting: str, wanted: str) -> None:
    """A process each, as torch keeps what was set."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    command = [sys.executable, "-c", PROGRAM.format(setting=setting)]
    done = subprocess.run(  # noqa: S603  # our own program
        command, check=True, capture_output=True, text=True, env=environment
    )
    assert done.stdout.split() == [*wanted.split(), "ieee", "ieee"]  # of 16 bits it is all one
