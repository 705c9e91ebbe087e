"""Hot kernels, compiled for H100: how they read, by what they multiply, and that none spills.

All of them are compiled by one process where Triton compiles, some seconds after the first time.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HOT = (  # case, function, loads, products
    ("multiply, gelu, add float16 16777216", "fused", "vectors", ""),
    ("sum float16 8192x4096 axis 1", "fused", "vectors", ""),
    ("sum float16 8192x1001 axis 1", "fused", "vectors", ""),
    ("sum float16 8192x4096 axis 0", "fused", "vectors", ""),
    ("mean float32 8192x1000", "fused", "vectors", ""),
    ("softmax float16 8192x64", "softmax_rows", "vectors", ""),
    ("softmax bfloat16 2048x50257", "softmax_rows", "vectors", ""),
    ("softmax_backward float16 2048x50257", "softmax_rows_backward", "vectors", ""),
    ("softmax_cross_entropy float16 8192x1000", "log_softmax_pick_rows", "vectors", ""),
    (
        "log_softmax_pick_backward float16 2048x50257",
        "log_softmax_pick_rows_backward",
        "vectors",
        "",
    ),
    ("layer_norm float16 8192x768", "normalize_rows", "vectors", ""),
    ("layer_norm backward float16 8192x768", "normalize_rows_backward", "vectors", ""),
    ("layer_norm backward float16 4096x1001", "normalize_rows_backward", "vectors", ""),
    ("batch_norm_with_relu float16 64x56x56x256", "channel_statistics", "vectors", ""),
    ("multi_adam_update float32 4419775", "adam_steps", "vectors", ""),
    ("multi_lamb_update float32 4419775", "lamb_moments", "vectors", ""),
    ("multi_lamb_update float32 4419775", "lamb_steps", "vectors", ""),
    ("multi_sum_sq float16 4419775", "block_totals", "vectors", ""),
    ("pooling max NHWC float16 64x112x112x64", "pooled_windows", "vectors", ""),
    ("product by 128x128x64x8x3 float16 4096x4096", "product_tiles", "async", "wgmma"),
    ("product by 128x128x64x8x3 float16 4096x1000x4096", "product_tiles", "async", "wgmma"),
    (
        "product by descriptors, 128x256x64x8x3, columns float16 4096x4096",
        "large_product_tiles",
        "tma",
        "wgmma",
    ),
    ("product of float8, bias, gelu float16 4096x4096", "large_product_tiles", "tma", "wgmma"),
    ("convolution by 128x128x64x8x3 float16 32x64x56x56", "convolved_tiles", "async", "wgmma"),
    ("convolution float16 32x224x224x3 by 64x7x7x3", "convolved_tiles", "async", "wgmma"),
    ("convolution float16 32x28x28x40 by 240x1x1x40", "convolved_tiles", "async", "wgmma"),
    ("convolution to data float16 32x28x28x40 by 240x1x1x40", "convolved_tiles", "async", "wgmma"),
    ("attention float16 4x16x2048x64 causal True", "attention_forward", "async", "wgmma"),
    (
        "scaled_dot_product_attention of few queries float16 8x8x8192x128",
        "attention_parts",
        "async",
        "mma",  # of 16 rows
    ),
    (
        "attention backward float16 4x16x2048x64 causal True",
        "attention_backward_keys",
        "async",
        "wgmma",
    ),
    (
        "attention backward float16 4x16x2048x64 causal True",
        "attention_backward_queries",
        "async",
        "wgmma",
    ),
    (
        "attention masked, dropped backward float16 4x16x1024x64",
        "attention_backward_keys",
        "async",
        "wgmma",
    ),
    (
        "attention backward float16 4x16x2048x192 causal True",
        "attention_backward_keys",
        "async",
        "wgmma",
    ),
    (
        "attention backward float16 4x16x2048x256 causal False",
        "attention_backward_keys_2",
        "async",
        "wgmma",
    ),
    (
        "attention backward float16 4x16x2048x256 causal False",
        "attention_backward_queries",
        "async",
        "wgmma",
    ),
    ("attention float16 4x16x2048x256 causal False", "attention_forward", "async", "wgmma"),
    (
        "scaled_dot_product_attention backward float16 4x2048x32x128",
        "attention_backward_keys",
        "async",
        "wgmma",
    ),
)
PROGRAM = """
import json, sys
import tools.triton_resources as t
wanted = {tuple(x) for x in json.loads(sys.argv[1])}
chosen = [x for x in t.launched() if (x[0].name, x[1]) in wanted]
print(json.dumps([[row.case, row.function, *row.taken] for row in t.rows(chosen)]))
"""


@cache
def taken() -> dict[tuple[str, str], list[int | str]]:
    """What each launch takes: registers, shared memory, spilled bytes, loads and products."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, json.dumps([x[:2] for x in HOT])]
    done = subprocess.run(  # noqa: S603  # our own program
        command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode == 0, done.stderr
    return {(case, name): rest for case, name, *rest in json.loads(done.stdout)}


@pytest.mark.parametrize(
    ("case", "function", "loads", "products"), HOT, ids=[f"{x[1]} of {x[0]}" for x in HOT]
)
def test_a_hot_kernel_is_what_the_gpu_is_fast_at(
    case: str, function: str, loads: str, products: str
) -> None:
    registers, _, spilled, *how = taken()[case, function]
    assert how == [loads, products]
    assert spilled == 0
    assert int(registers) <= 255
