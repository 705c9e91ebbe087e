"""Losses that are not hybridized keep nothing large for the gradient."""

import gc

import numpy as np
import pytest
import torch

from hy_gluon.loss import SoftmaxCrossEntropyLoss, classification
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd
from tests.kernels.triton.parity import on_table

SHAPE = (7, 41)


def large(size: int) -> int:
    """How many tensors of so many elements there are."""
    gc.collect()
    return sum(type(each) is torch.Tensor and each.numel() == size for each in gc.get_objects())


@pytest.mark.parametrize("sparse", [True, False])
def test_the_tape_keeps_no_probabilities(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, sparse: bool
) -> None:
    monkeypatch.setattr(classification, "_MIN_FUSED_ELEMENTS", 1)
    x = rng.normal(0, 3, SHAPE)
    label = rng.integers(0, SHAPE[1], SHAPE[0]) if sparse else rng.uniform(0, 0.05, SHAPE)
    weights = np.eye(SHAPE[1])[label] if sparse else label
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    loss_of = SoftmaxCrossEntropyLoss(sparse_label=sparse)
    with on_table("triton"):
        scores, labels = nd.array(x), nd.array(label)
        scores.attach_grad()
        before = large(x.size)
        with watched() as launches:
            with autograd.record():
                loss = loss_of(scores, labels)
            assert large(x.size) == before
            loss.backward()
    names = [each.name for each in launches if "softmax" in each.name]
    kind = "pick" if sparse else "dot"
    assert names == [f"log_softmax_{kind}_rows", f"log_softmax_{kind}_rows_backward"]
    np.testing.assert_allclose(loss.asnumpy(), -(np.log(p) * weights).sum(1), rtol=1e-4)
    assert scores.grad is not None
    slope = p * weights.sum(1, keepdims=True) - weights
    np.testing.assert_allclose(scores.grad.asnumpy(), slope, rtol=1e-3, atol=1e-5)
