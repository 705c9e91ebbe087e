"""Each public function and class of MXNet's main modules has pairs of calls."""

import re
from fnmatch import fnmatchcase

import pytest

from tests.pairs.answers import FAMILIES, pairs
from tools.mxnet_names import names

MODULES = {
    "mxnet.nd": "nd",
    "mxnet.nd.contrib": "nd.contrib",
    "mxnet.nd.image": "nd.image",
    "mxnet.nd.linalg": "nd.linalg",
    "mxnet.nd.random": "nd.random",
    "mxnet.nd.sparse": "nd.sparse",
    "mxnet.np": "np",
    "mxnet.np.linalg": "np.linalg",
    "mxnet.np.random": "np.random",
    "mxnet.npx": "npx",
    "mxnet.npx.image": "npx.image",
    "mxnet.npx.random": "npx.random",
    "mxnet.sym": "sym",
    "mxnet.sym.contrib": "sym.contrib",
    "mxnet.sym.linalg": "sym.linalg",
    "mxnet.sym.random": "sym.random",
    "mxnet.gluon.nn": "gluon.nn",
    "mxnet.gluon.rnn": "gluon.rnn",
    "mxnet.gluon.loss": "gluon.loss",
    "mxnet.gluon.data": "gluon.data",
    "mxnet.gluon.data.vision.transforms": "gluon.data.vision.transforms",
    "mxnet.gluon.contrib.nn": "gluon.contrib.nn",
    "mxnet.gluon.contrib.rnn": "gluon.contrib.rnn",
    "mxnet.gluon.utils": "gluon.utils",
    "mxnet.io": "io",
    "mxnet.metric": "metric",
    "mxnet.optimizer": "optimizer",
    "mxnet.lr_scheduler": "lr_scheduler",
    "mxnet.initializer": "init",
    "mxnet.image": "image",
    "mxnet.kvstore": "mx.kv",
    "mxnet.module": "mod",
}
NO_CALLS = {
    "gradients and graph samplers of the C library": (
        "*.contrib.backward_* *.contrib.dgl_* *.contrib.edge_id *.contrib.quantized_rnn"
    ),
    "updates that other names have, too": "*.contrib.*adamw_update nd.contrib.multi_mp_lamb_update",
    "classes whose objects other calls make": (
        "np.ndarray nd.sparse.*NDArray sym.Symbol npx.Context gluon.rnn.HybridRecurrentCell "
        "image.DetAugmenter mx.kv.KVStore*"
    ),
    "helpers of indexing, imported names": "nd.*index* nd.get_* optimizer.NDabs image.is_np_array",
    "state of the process, the network": "np.set_printoptions npx.reset_np gluon.utils.download",
}


def called() -> set[str]:
    """Dotted names in all calls."""
    dotted = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
    return {
        name for family in FAMILIES for call, _ in pairs(family) for name in dotted.findall(call)
    }


CALLED = called()


def missing(module: str) -> list[str]:
    left = " ".join(NO_CALLS.values()).split()
    space = MODULES[module]
    own = [name for name in names()[module] if "." not in name.name and name.signature is not None]
    full = [f"{space}.{name.name}" for name in own if not name.name.startswith("_")]
    return [n for n in full if n not in CALLED and not any(fnmatchcase(n, p) for p in left)]


@pytest.mark.parametrize("module", MODULES)
def test_each_name_has_a_call(module: str) -> None:
    assert missing(module) == []
