"""An export, or a save of a model, that ends half way leaves files of one save."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hy_gluon import SymbolBlock
from hy_gluon.nn import Dense, HybridSequential
from hy_ndarray import nd


class Crash(BaseException):
    """Stands for the end of the process."""


def net_of(value: int) -> HybridSequential:
    """A net whose graph and parameters both tell ``value``: so many layers, that multiply by it."""
    net = HybridSequential(prefix="net_")
    with net.name_scope():
        for _ in range(value):
            net.add(Dense(1, use_bias=False, in_units=1))
    net.initialize("ones")
    net[0].weight.set_data(nd.full((1, 1), value))
    net.hybridize()
    net(nd.ones((1, 1)))
    return net


def interrupted(step: int, save: Callable[[], object]) -> bool:
    """Whether ``save`` ended before its ``step``-th change of a name in the folder."""
    left = [step]

    def counted(work: Any) -> Any:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Crash
            return work(*arguments, **options)

        return wrapper

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", counted(Path.replace))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        try:
            save()
        except Crash:
            return True
    return False


def imported(prefix: Path) -> int:
    block = SymbolBlock.imports(f"{prefix}-symbol.json", "data", f"{prefix}-0000.params")
    value = int(block(nd.ones((1, 1))).asscalar())
    assert len(block.collect_params().keys()) == value, "files of two exports"
    return value


def test_a_crash_in_export_leaves_a_pair(tmp_path: Path) -> None:
    old, new = net_of(1), net_of(2)
    found, finished = set(), 0
    for step in range(20):
        prefix = tmp_path / str(step) / "net"
        prefix.parent.mkdir()
        old.export(str(prefix))
        finished += not interrupted(step, lambda at=prefix: new.export(str(at)))  # type: ignore[misc]  # bound now
        found.add(imported(prefix))
        old.export(str(prefix))
        assert imported(prefix) == 1
        assert {path.name for path in prefix.parent.iterdir()} == {
            "net-symbol.json",
            "net-0000.params",
        }
    assert found == {1, 2}
    assert 0 < finished < 20


def test_a_crash_in_save_leaves_a_model(tmp_path: Path) -> None:
    net = net_of(1)
    found, finished = set(), 0
    for step in range(20):
        prefix = tmp_path / str(step) / "net"
        prefix.parent.mkdir()
        net[0].weight.set_data(nd.full((1, 1), 1))
        net.save(str(prefix))
        net[0].weight.set_data(nd.full((1, 1), 2))
        net.hybridize(active=False)
        finished += not interrupted(step, lambda at=prefix: net.save(str(at)))  # type: ignore[misc]  # bound now
        again = net_of(1)
        again.hybridize(active=False)
        again.load(str(prefix))
        value = int(again[0].weight.data().asscalar())
        assert again[0]._active == (value == 1), "files of two saves"
        found.add(value)
        net.hybridize()
        net(nd.ones((1, 1)))
    assert found == {1, 2}
    assert 0 < finished < 20
