"""Programs that subclass MXNet's classes may give their members any name that MXNet leaves free.

Private names of ours on such classes begin with ``_hy_``: a network that calls its layers
``self._blocks`` must not replace a method of ours.
"""

from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from mxnet import gluon, nd
from tests.data.mxnet_names.record_objects import private_names

FILE = Path(__file__).parents[1] / "data" / "mxnet_names" / "objects.txt"
LINES = [line for line in FILE.read_text("utf-8").splitlines() if line and line[0] != "#"]
OBJECTS = {line.split(" |")[0]: line.split(" |")[1].split() for line in LINES}


@pytest.mark.parametrize("text", OBJECTS)
def test_private_names_of_ours_leave_those_of_programs_alone(text: str) -> None:
    ours = set(private_names(mx, text)) - set(OBJECTS[text])
    # Constants are in capitals; the last two are MXNet's names, of most of the subclasses.
    allowed = "_hy_", "_repr_", "_abc_", "_update_impl", "_num_hidden"
    assert not {name for name in ours if not name.startswith(allowed) and name.lower() == name}


def test_a_net_may_call_its_layers_blocks() -> None:
    class Net(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self._blocks = gluon.nn.HybridSequential()
            self._blocks.add(gluon.nn.Dense(2, in_units=3))
            self._run, self._traces, self._guards = 1, 2, 3

        def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
            return self._blocks(x) * self._run

    net = Net()
    net.initialize(mx.init.One())
    eager = net(nd.ones((1, 3)))
    net.hybridize()
    assert net(nd.ones((1, 3))).asnumpy().tolist() == eager.asnumpy().tolist() == [[3, 3]]
