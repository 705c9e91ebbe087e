"""Thousands of usual and wrong calls give what they gave on MXNet 1.9.1, or are listed."""

from collections import Counter
from pathlib import Path

import pytest

import mxnet as mx
from tests.pairs.answers import FAMILIES, Difference, differences, kinds, pairs

LISTED = {call: kind.name for kind in kinds() for call in kind.calls}


def _shown(family: str, found: Difference) -> str:
    return f"{family}: {found.call}\n    MXNet: {found.want}\n    hy:    {found.have}"[:1000]


@pytest.mark.parametrize("family", FAMILIES)
def test_calls_give_what_mxnet_gave_or_are_listed(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = {difference.call: difference for difference in differences(mx, family)}
    capfd.readouterr()
    new = [_shown(family, d) for call, d in found.items() if (family, call) not in LISTED]
    assert not new, f"{len(new)} calls differ from MXNet 1.9.1:\n" + "\n".join(new)
    gone = [c for f, c in LISTED if f == family and c not in found]
    assert not gone, "these agree now, take them off the list:\n" + "\n".join(gone)


def test_each_kind_of_difference_has_a_reason_and_calls_of_its_own() -> None:
    every = [call for kind in kinds() for call in kind.calls]
    assert [call for call, count in Counter(every).items() if count > 1] == []
    for kind in kinds():
        assert kind.calls, kind.name
        assert len(kind.reason) > 20, kind.name


def test_there_are_five_thousand_pairs_of_every_family() -> None:
    counts = {family: sum(1 for _ in pairs(family)) for family in FAMILIES}
    assert sum(counts.values()) >= 5000
    assert {"nd", "np", "npx", "sym", "gluon", "io", "metric", "optimizer"} <= counts.keys()
    assert {"initializer", "image", "kvstore", "module"} <= counts.keys()
