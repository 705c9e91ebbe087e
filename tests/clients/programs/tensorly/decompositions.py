"""TensorLy on MXNet's backend: operations, decompositions, regression."""

from typing import Any

import numpy as np
import tensorly as tl
from tensorly import decomposition, random, regression, tenalg
from tensorly.tenalg.svd import svd_interface

import mxnet as mx
from tests.clients.formula import uniform
from tests.clients.program import Checks

tl.set_backend("mxnet")


def checks(side: str) -> Checks:
    """Each family of functions."""
    del side
    return {
        "operations": operations,
        "products": products,
        "reductions": reductions,
        "linear algebra": algebra,
        "canonical polyadic": canonical,
        "non-negative": positive,
        "Tucker": tucker,
        "tensor train": train,
        "PARAFAC2": parafac2,
        "robust": robust,
        "power iteration": power,
        "regression": regressors,
        "gradients": gradients,
    }


def tensor(name: str, *shape: int) -> Any:
    """Values by formula."""
    return tl.tensor(uniform(name, shape))


def operations() -> Any:
    """Unfolding, vectors, parts, indices."""
    x = tensor("x", 3, 4, 2)
    parts = [tl.unfold(x, mode) for mode in range(3)]
    assert isinstance(parts[0], mx.np.ndarray)
    return [
        *parts,
        tl.fold(parts[1], 1, (3, 4, 2)),
        tl.tensor_to_vec(x),
        tl.partial_unfold(x, mode=1, skip_begin=1),
        tl.moveaxis(x, 0, 2),
        tl.concatenate([x, x], axis=1),
        tl.stack([x, x]),
        tl.where(x > 0, x, tl.zeros_like(x)),
        tl.index_update(tl.copy(x), tl.index[0], 1.0),
        tl.clip(x, 0, 0.5),
    ]


def products() -> Any:
    """Kronecker, Khatri-Rao, n-mode, inner and outer."""
    x, a, b = tensor("x", 3, 4, 2), tensor("a", 5, 4), tensor("b", 3, 4)
    return [
        tenalg.mode_dot(x, a, 1),
        tenalg.multi_mode_dot(x, [tensor("c", 2, 3), a], [0, 1]),
        tenalg.khatri_rao([a, b]),
        tenalg.kronecker([a, b]),
        tenalg.inner(x, x),
        tenalg.outer([tensor("u", 3), tensor("v", 2)]),
    ]


def reductions() -> Any:
    """Norms, sums, means, sorts."""
    x = tensor("x", 3, 4)
    return [
        tl.norm(x, 2), tl.norm(x, 1), tl.sum(x, axis=0), tl.mean(x), tl.max(x), tl.argmax(x),
        tl.sign(x), tl.abs(x), tl.sqrt(tl.abs(x)), tl.cumsum(x) if hasattr(tl, "cumsum") else x,
    ]  # fmt: skip


def algebra() -> Any:
    """Solutions and factors, put together again."""
    a = tensor("a", 4, 4) + 3 * tl.eye(4)
    q, r = tl.qr(a)
    u, s, v = svd_interface(a, n_eigenvecs=3)
    return [tl.solve(a, tensor("b", 4, 2)), tl.dot(q, r), s, tl.dot(u * s, v), tl.transpose(a)]


def canonical() -> Any:
    """Alternating least squares."""
    x = tensor("x", 4, 5, 3)
    factors = decomposition.parafac(x, 2, n_iter_max=5, init="svd", tol=1e-9)
    return [
        tl.cp_to_tensor(factors),
        decomposition.CP(2, n_iter_max=3).fit_transform(x).factors[0].shape,
    ]


def positive() -> Any:
    """Factors without negative values."""
    x = tl.abs(tensor("x", 4, 5, 3))
    one = decomposition.non_negative_parafac(x, 2, n_iter_max=5, init="svd")
    two = decomposition.non_negative_tucker(x, [2, 2, 2], n_iter_max=5, init="svd")
    return [tl.cp_to_tensor(one), tl.tucker_to_tensor(two)]


def tucker() -> Any:
    """Higher orthogonal iteration."""
    x = tensor("x", 4, 5, 3)
    found = decomposition.tucker(x, [2, 2, 2], n_iter_max=5)
    (core, factors), _ = decomposition.partial_tucker(x, rank=[2, 2], modes=[0, 1])
    again = tenalg.multi_mode_dot(core, factors, [0, 1])
    return [tl.tucker_to_tensor(found), found[0].shape, again]


def train() -> Any:
    """A chain of cores."""
    cores = decomposition.tensor_train(tensor("x", 4, 5, 3), [1, 3, 2, 1])
    return [tl.tt_to_tensor(cores), [core.shape for core in cores]]


def parafac2() -> Any:
    """Slices of different lengths."""
    slices = [tensor("one", 6, 4), tensor("two", 5, 4), tensor("three", 7, 4)]
    found = decomposition.parafac2(
        slices, 2, n_iter_max=5, random_state=np.random.RandomState(0), init="svd"
    )
    return [one.shape for one in found.projections]


def robust() -> Any:
    """A low rank and what is sparse beside it."""
    return [*decomposition.robust_pca(tensor("x", 4, 5), n_iter_max=5)]


def power() -> Any:
    """One component, by iteration from chance."""
    x = tensor("x", 4, 4, 4)
    weights, factors = decomposition.parafac_power_iteration(x, 1, n_repeat=2, n_iteration=3)
    return [weights.shape, [factor.shape for factor in factors]]


def regressors() -> Any:
    """Weights of low rank, from tensors to numbers."""
    x, y = tensor("x", 20, 4, 3), tensor("y", 20)
    kruskal = regression.CPRegressor(weight_rank=2, n_iter_max=3, verbose=0, random_state=0)
    tuck = regression.TuckerRegressor(weight_ranks=[2, 2], n_iter_max=3, verbose=0, random_state=0)
    results = [kruskal.fit(x, y).predict(x), tuck.fit(x, y).predict(x)]
    return [*results, random.random_cp((3, 4), 2, random_state=0, full=True)]


def gradients() -> Any:
    """A Tucker tensor fitted by gradient descent, as TensorLy's guide does."""
    x = tensor("x", 4, 4, 4)
    core = tensor("core", 2, 2, 2)
    factors = [tensor(f"factor {i}", 4, 2) for i in range(3)]
    for part in (core, *factors):
        part.attach_grad()
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            loss = tl.norm(tl.tucker_to_tensor((core, factors)) - x, 2)
        loss.backward()
        losses.append(loss)
        for part in (core, *factors):
            part[:] = part - 0.05 * part.grad
    return [losses, core]
