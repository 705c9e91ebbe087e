"""A block that is made again, as another was, runs what was planned for that one."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_ndarray import NDArray, autograd, nd
from hy_symbol import Differentiable, Joint
from hy_symbol.compile import codegen
from hy_symbol.execution import differentiable, program

FLAGS: list[dict[str, Any]] = [{}, {"static_alloc": True}, {"mirror": True}]


def net(seed: int = 0, prefix: str = "net_", rate: float = 0.0) -> nn.HybridSequential:
    """Two layers with weights of their own; of one name, as programs that set prefixes make it."""
    made = nn.HybridSequential(prefix=prefix)
    with made.name_scope():
        made.add(nn.Dense(300, activation="tanh"), nn.Dropout(rate), nn.Dense(200))
    made.initialize()
    made(nd.zeros((1, 400)))
    draw = np.random.default_rng(seed)
    for parameter in made.collect_params().values():
        parameter.set_data(nd.array(draw.normal(size=parameter.shape) / 20))
    return made


def results(block: HybridBlock, x: NDArray, *, times: int = 3) -> list[Any]:
    """Predictions, outputs and gradients of some passes."""
    found = []
    for _ in range(times):
        found.append(block(x).asnumpy())
        with autograd.record():
            y = block(x)
        y.backward()
        found += [y.asnumpy(), *(p.grad().asnumpy() for p in block.collect_params().values())]
    return found


def inputs(rows: int = 64) -> NDArray:
    return nd.array(np.random.default_rng(rows).normal(size=(rows, 400)))


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is differentiated, planned, and compiled."""
    made: list[str] = []
    for owner, name in ((differentiable, "plan"), (program, "plan"), (codegen, "generated")):
        whole = getattr(owner, name)

        def noted(*args: Any, _whole: Any = whole, _name: str = name, **kwargs: Any) -> Any:
            made.append(_name)
            return _whole(*args, **kwargs)

        monkeypatch.setattr(owner, name, noted)
    whole_joint = Joint.of

    def joint(*args: Any, **kwargs: Any) -> Any:
        made.append("joint")
        return whole_joint(*args, **kwargs)

    monkeypatch.setattr(Joint, "of", joint)
    return made


@pytest.mark.parametrize("flags", FLAGS[:2])
def test_equal_blocks_are_planned_once(flags: dict[str, Any], planned: list[str]) -> None:
    for seed in range(3):
        block = net(seed)
        block.hybridize(**flags)
        results(block, inputs())
        if seed == 0:
            assert planned
        else:
            assert not planned
        planned.clear()


@pytest.mark.parametrize("flags", FLAGS)
def test_equal_blocks_compute_with_their_own_values(flags: dict[str, Any]) -> None:
    x = inputs()
    for seed in range(3):
        block, eager = net(seed), net(seed)
        block.hybridize(**flags)
        for one, other in zip(results(block, x), results(eager, x), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("flags", FLAGS)
def test_equal_blocks_have_memory_of_their_own(flags: dict[str, Any]) -> None:
    x = inputs()
    expected = [results(net(seed), x, times=1) for seed in range(2)]
    blocks = [net(seed) for seed in range(2)]
    for block in blocks:
        block.hybridize(**flags)
        results(block, x)
    found = []
    for block in blocks:  # both passes are under way at once
        with autograd.record():
            found.append(block(x))
    for block, y, wanted in zip(blocks, found, expected, strict=True):
        y.backward()
        gradients = [p.grad().asnumpy() for p in block.collect_params().values()]
        for one, other in zip([y.asnumpy(), *gradients], wanted[1:], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_blocks_of_other_types_are_planned_for_themselves(planned: list[str]) -> None:
    for dtype in ("float32", "float64"):
        block = net()
        block.cast(dtype)
        block.hybridize()
        planned.clear()
        y = results(block, inputs().astype(dtype))[0]
        assert y.dtype == dtype
        assert planned


def test_blocks_of_other_names_are_planned_for_themselves(planned: list[str]) -> None:
    for prefix in ("net_", "other_"):
        block = net(prefix=prefix)
        block.hybridize()
        planned.clear()
        results(block, inputs())
        assert planned
        with autograd.record():
            assert f"{prefix}dense0_tanh_fwd" in str(block.explain(inputs()))


def test_memory_of_a_static_block_is_freed_with_it() -> None:
    x = inputs()
    kept = net(1)
    pools = []
    for block in (net(0), kept):
        block.hybridize(static_alloc=True)
        results(block, x)
        assert block._cached_op is not None
        pool = block._cached_op._options.pool
        assert pool is not None
        assert pool.pieces
        pools.append(pool)
    assert pools[0] is not pools[1]
    shared = kept._cached_op._cache.pool  # type: ignore[union-attr]
    assert shared is not None
    assert not shared.pieces
    (plans,) = kept._cached_op._plans.values()  # type: ignore[union-attr]
    (training,) = plans.training.values()
    both = training.programs
    assert isinstance(both, Differentiable)
    assert both.arena is not None
