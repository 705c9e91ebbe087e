# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping
from typing import overload
from hy_symbol.symbol.symbol import Symbol
from hy_symbol.sym import _operators as _main
from hy_symbol.sym._operators import contrib as _contrib

@overload
def adagrad_update(weight: Symbol, grad: Symbol, history: Symbol, lr: float, epsilon: float = 1e-07,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """AdaGrad: ``history += grad²``, then a step of ``lr * grad / sqrt(history + epsilon)``."""
@overload
def adagrad_update(weight: Symbol | None = None, grad: Symbol | None = None,
        history: Symbol | None = None, *, lr: float, epsilon: float = 1e-07, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def retain(data: Symbol | None = None, indices: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return an array with the given rows kept and all other rows zero."""

ElementWiseSum = _main.add_n
Embedding = _main.Embedding
FullyConnected = _main.FullyConnected
LinearRegressionOutput = _main.LinearRegressionOutput
LogisticRegressionOutput = _main.LogisticRegressionOutput
MAERegressionOutput = _main.MAERegressionOutput
_contrib_round_ste = _contrib.round_ste
_contrib_sign_ste = _contrib.sign_ste
abs = _main.abs
adam_update = _main.adam_update
add_n = _main.add_n
arccos = _main.arccos
arccosh = _main.arccosh
arcsin = _main.arcsin
arcsinh = _main.arcsinh
arctan = _main.arctan
arctanh = _main.arctanh
broadcast_add = _main.broadcast_add
broadcast_div = _main.broadcast_div
broadcast_minus = _main.broadcast_sub
broadcast_mul = _main.broadcast_mul
broadcast_plus = _main.broadcast_add
broadcast_sub = _main.broadcast_sub
cast_storage = _main.cast_storage
cbrt = _main.cbrt
ceil = _main.ceil
clip = _main.clip
concat = _main.Concat
cos = _main.cos
cosh = _main.cosh
degrees = _main.degrees
dot = _main.dot
elemwise_add = _main.elemwise_add
elemwise_div = _main.elemwise_div
elemwise_mul = _main.elemwise_mul
elemwise_sub = _main.elemwise_sub
exp = _main.exp
expm1 = _main.expm1
fix = _main.fix
floor = _main.floor
ftrl_update = _main.ftrl_update
gamma = _main.gamma
gammaln = _main.gammaln
log = _main.log
log10 = _main.log10
log1p = _main.log1p
log2 = _main.log2
make_loss = _main.make_loss
mean = _main.mean
negative = _main.negative
norm = _main.norm
radians = _main.radians
relu = _main.relu
rint = _main.rint
round = _main.round
rsqrt = _main.rsqrt
sgd_mom_update = _main.sgd_mom_update
sgd_update = _main.sgd_update
sigmoid = _main.sigmoid
sign = _main.sign
sin = _main.sin
sinh = _main.sinh
slice = _main.slice
sqrt = _main.sqrt
square = _main.square
stop_gradient = _main.BlockGrad
sum = _main.sum
tan = _main.tan
tanh = _main.tanh
trunc = _main.trunc
where = _main.where
zeros_like = _main.zeros_like
