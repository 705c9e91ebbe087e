"""BLAS computes in one thread: its own threads would wait awake, on cores that others need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
_SCHEDULER = Path("/proc/self/schedstat")

# Counts how often the system ran each thread that is not Python's: a thread of BLAS that is given
# nothing sleeps. What is printed are the calls that woke one.
_PROGRAM = """
import pathlib, sys, threading
from hy_ndarray import autograd, nd, np

def runs():
    python = {str(each.native_id) for each in threading.enumerate()}
    tasks = pathlib.Path("/proc/self/task").iterdir()
    others = [task for task in tasks if task.name not in python]
    assert others, "BLAS has no threads of its own here"
    return sum(int((task / "schedstat").read_text().split()[2]) for task in others)

def backward(call, *shapes):
    inputs = [nd.ones(shape) for shape in shapes]
    for each in inputs:
        each.attach_grad()
    with autograd.record():
        y = call(*inputs)
    y.backward()
    return y

def layer(x, w):
    return nd.FullyConnected(x, w, num_hidden=w.shape[0], no_bias=True)

m, v, row = nd.ones((300, 300)), nd.ones((300,)), nd.ones((1, 300))
square = m + 300 * nd.eye(300)
M, V = np.ones((300, 300)), np.ones((300,))
images, offsets = nd.ones((1, 64, 24, 24)), nd.zeros((1, 18, 24, 24))
filters = nd.ones((64, 64, 3, 3))
CALLS = {
    "dot": lambda: nd.dot(m, m),
    "dot of a row": lambda: nd.dot(row, m),
    "dot of a column": lambda: nd.dot(m, row, transpose_b=True),
    "dot of a vector": lambda: nd.dot(m, v),
    "batch_dot": lambda: nd.batch_dot(nd.ones((2, 300, 300)), nd.ones((2, 300, 300))),
    "batch_dot of one": lambda: nd.batch_dot(nd.ones((1, 300, 300)), nd.ones((1, 300, 300))),
    "layer": lambda: layer(m, m),
    "layer of one row": lambda: layer(row, m),
    "layer of one unit": lambda: layer(m, row),
    "large layer of one row": lambda: layer(nd.ones((1, 800)), nd.ones((800, 800))),
    "backward of one row": lambda: backward(layer, (1, 300), (300, 300)),
    "backward of one unit": lambda: backward(layer, (300, 300), (1, 300)),
    "convolution": lambda: nd.Convolution(
        images, filters, kernel=(3, 3), num_filter=64, no_bias=True
    ),
    "deformable": lambda: nd.contrib.DeformableConvolution(
        images, offsets, filters, kernel=(3, 3), pad=(1, 1), num_filter=64, no_bias=True
    ),
    "gemm2": lambda: nd.linalg.gemm2(m, m),
    "syrk": lambda: nd.linalg.syrk(m),
    "trsm": lambda: nd.linalg.trsm(square, m),
    "potrf": lambda: nd.linalg.potrf(square),
    "potri": lambda: nd.linalg.potri(square),
    "gelqf": lambda: nd.linalg.gelqf(square),
    "syevd": lambda: nd.linalg.syevd(square),
    "inverse": lambda: nd.linalg.inverse(square),
    "det": lambda: nd.linalg.det(square),
    "svd": lambda: np.linalg.svd(M),
    "eigh": lambda: np.linalg.eigh(M),
    "solve": lambda: np.linalg.solve(square.as_np_ndarray(), V),
    "pinv": lambda: np.linalg.pinv(M),
    "tensorinv": lambda: np.linalg.tensorinv(np.eye(256).reshape(16, 16, 256)),
    "matmul": lambda: np.matmul(V, M),
    "einsum": lambda: np.einsum("ij,jk,kl->il", M, M, M, optimize=True),
    "tensordot": lambda: np.tensordot(M, M),
    "vdot": lambda: np.vdot(M, M),
    "norm": lambda: np.linalg.norm(M),
}
for name, call in CALLS.items():
    before = runs()
    call()
    if runs() != before:
        print(name)
"""


@pytest.mark.skipif(not _SCHEDULER.exists(), reason="counts of the Linux scheduler")
@pytest.mark.skipif(_CORES < 2, reason="BLAS has one thread on one core")
def test_no_call_wakes_a_thread_of_blas() -> None:
    environment = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "2",
        "OMP_NUM_THREADS": "2",
        "HY_KERNELS": "cpu=numpy",
    }
    command = [sys.executable, "-c", _PROGRAM]
    ran = subprocess.run(  # noqa: S603  # ours
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split("\n")[:-1] == []
