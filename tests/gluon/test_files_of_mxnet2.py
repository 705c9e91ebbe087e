"""Files that MXNet 2.0.0b1 wrote (``mxnet2/make.py``): nets, arrays and states of trainers.

``data/mxnet2/<net>.io.npz`` holds inputs and the outputs that MXNet computed.
"""

from pathlib import Path
from typing import Any

import numpy as onp
import pytest

from hy_gluon import SymbolBlock
from hy_ndarray import np
from hy_ndarray.npx import use_np

DATA = Path(__file__).parent / "data" / "mxnet2"
INPUTS = {
    "lenet": ["data"],
    "lstm": ["data"],
    "gru": ["data"],
    "rnn": ["data"],
    "bert": ["data0", "data1"],
}


def checked(net: Any, name: str) -> None:
    """Compare what a net gives with what MXNet computed."""
    values = onp.load(DATA / f"{name}.io.npz", allow_pickle=False)
    outputs = net(*(np.array(values[f"in{i}"]) for i, _ in enumerate(INPUTS[name])))
    for i, output in enumerate(outputs if isinstance(outputs, list | tuple) else [outputs]):
        onp.testing.assert_allclose(output.asnumpy(), values[f"out{i}"], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", INPUTS)
@use_np
def test_an_export_of_mxnet_2_gives_its_numbers(name: str) -> None:
    files = (str(DATA / f"{name}-symbol.json"), INPUTS[name], str(DATA / f"{name}-0000.params"))
    net = SymbolBlock.imports(*files)
    checked(net, name)
    net.hybridize()
    checked(net, name)
