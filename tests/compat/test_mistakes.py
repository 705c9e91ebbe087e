"""Common mistakes, and the words by which a message helps."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_ndarray import suggestion
from mxnet import autograd, gluon, nd, sym
from mxnet.gluon import loss, nn, rnn
from mxnet.gluon.data.vision import transforms

NAMES: dict[str, Any] = {
    "mx": mx,
    "nd": nd,
    "sym": sym,
    "np": np,
    "gluon": gluon,
    "nn": nn,
    "rnn": rnn,
    "loss": loss,
    "transforms": transforms,
    "autograd": autograd,
    "x": nd.ones((2, 3)),
    "y": nd.zeros((2, 3)),
    "hosted": np.ones((2, 3), np.float32),
    "image": nd.ones((1, 8, 8, 3)),
    "s": sym.var("s"),
}


def net(*, hybrid: bool = False) -> nn.HybridSequential:
    """Two small layers."""
    made = nn.HybridSequential()
    made.add(nn.Dense(4, in_units=3, activation="relu"), nn.Dense(2, in_units=4))
    made.initialize()
    if hybrid:
        made.hybridize()
    return made


def initialized(block: Any) -> Any:
    """The block, with values."""
    block.initialize()
    return block


def params() -> Any:
    """Those of a layer."""
    return initialized(nn.Dense(1, in_units=1)).collect_params()


NAMES |= {"net": net, "initialized": initialized, "params": params}

TYPOS = [  # an expression, the name that its message offers
    ("nd.sofmax", "softmax"),
    ("nd.Relu", "relu"),
    ("nd.contrib.box_nsm", "box_nms"),
    ("nd.linalg.gem2", "gemm2"),
    ("nd.random.unifrom", "uniform"),
    ("nd.image.resiez", "resize"),
    ("sym.Variabel", "Variable"),
    ("sym.sofmax", "softmax"),
    ("s.reshpae", "reshape"),
    ("mx.np.arrray", "array"),
    ("mx.np.linalg.nrom", "norm"),
    ("mx.np.random.unifrom", "uniform"),
    ("mx.npx.sofmax", "softmax"),
    ("mx.cpuu", "cpu"),
    ("mx.random.sede", "seed"),
    ("mx.io.NDArrayIterator", "NDArrayIter"),
    ("mx.metric.Acuracy", "Accuracy"),
    ("mx.optimizer.Adma", "Adam"),
    ("mx.init.Xaiver", "Xavier"),
    ("mx.lr_scheduler.FactorSchedular", "FactorScheduler"),
    ("mx.mod.Modul", "Module"),
    ("mx.callback.Speedmeter", "Speedometer"),
    ("mx.autograd.recrod", "record"),
    ("mx.profiler.set_confg", "set_config"),
    ("mx.image.imreed", "imread"),
    ("mx.viz.plot_netwrok", "plot_network"),
    ("gluon.Trianer", "Trainer"),
    ("gluon.HybridBlok", "HybridBlock"),
    ("gluon.data.DataLoder", "DataLoader"),
    ("gluon.data.vision.MINST", "MNIST"),
    ("gluon.utils.splt_and_load", "split_and_load"),
    ("gluon.model_zoo.vision.resnet81_v1", "resnet18_v1"),
    ("transforms.ToTenser", "ToTensor"),
    ("nn.Dens", "Dense"),
    ("nn.dense", "Dense"),
    ("rnn.LTSM", "LSTM"),
    ("loss.SoftmaxCrossEntropy", "SoftmaxCrossEntropyLoss"),
    ("nn.Dense(1).intialize", "initialize"),
    ("nn.HybridSequential().hybridise", "hybridize"),
    ("loss.L2Loss().colect_params", "collect_params"),
]


@pytest.mark.parametrize(("code", "meant"), TYPOS)
def test_a_mistyped_attribute_is_answered_with_the_nearest(code: str, meant: str) -> None:
    with pytest.raises(AttributeError) as caught:
        eval(code, dict(NAMES))  # noqa: S307  # our own
    assert type(caught.value) is AttributeError
    assert str(caught.value).endswith(
        f"has no attribute {caught.value.name!r}; did you mean {meant!r}?"
    )


MISTAKES: list[tuple[str, type[Exception], tuple[str, ...]]] = [
    # arguments
    ("nn.Dense(3, activaton='relu')", TypeError, ("Dense", "did you mean 'activation'?")),
    ("nn.Conv2D(1, 3, pading=1)", TypeError, ("Conv2D", "'padding'")),
    ("nn.LayerNorm(epsilom=1)", TypeError, ("LayerNorm", "'epsilon'")),
    ("nn.HybridSequential(prefx='a')", TypeError, ("HybridSequential", "'prefix'")),
    ("loss.L2Loss(wieght=1)", TypeError, ("L2Loss", "'weight'")),
    ("rnn.LSTM(3, num_layer=2)", TypeError, ("LSTM", "'num_layers'")),
    ("rnn.GRUCell(3, input_sise=2)", TypeError, ("GRUCell", "'input_size'")),
    ("transforms.Resize(3, kepp_ratio=True)", TypeError, ("Resize", "'keep_ratio'")),
    ("mx.optimizer.SGD(momentun=1)", TypeError, ("SGD", "'momentum'")),
    ("mx.optimizer.create('adam', lerning_rate=1)", TypeError, ("Adam", "'learning_rate'")),
    ("gluon.Trainer(params(), 'sgd', {'wdd': 1})", TypeError, ("SGD", "'wd'")),
    ("gluon.Trainer(params(), 'sgd', kvstoer='local')", TypeError, ("Trainer", "'kvstore'")),
    ("gluon.Parameter('w', shpae=(1,))", TypeError, ("Parameter", "'shape'")),
    ("gluon.data.DataLoader([1], bacth_size=1)", TypeError, ("DataLoader", "'batch_size'")),
    ("mx.io.NDArrayIter(x, bacth_size=1)", TypeError, ("NDArrayIter", "'batch_size'")),
    ("mx.mod.Module(s, data_name=['s'])", TypeError, ("Module", "'data_names'")),
    ("mx.init.Xavier(rndtype='uniform')", TypeError, ("Xavier", "'rnd_type'")),
    ("mx.metric.TopKAccuracy(topk=3)", TypeError, ("TopKAccuracy", "'top_k'")),
    ("mx.metric.create('acc', axsi=1)", TypeError, ("Accuracy", "'axis'")),
    ("mx.lr_scheduler.FactorScheduler(3, factr=2)", TypeError, ("FactorScheduler", "'factor'")),
    ("gluon.model_zoo.vision.get_model('alexnet', clases=2)", TypeError, ("'classes'",)),
    ("nd.FullyConnected(x, x, num_hiden=2, no_bias=True)", TypeError, ("'num_hidden'",)),
    ("nd.sum(x, axes=1)", TypeError, ("sum", "'axis'")),
    ("sym.FullyConnected(s, num_hiden=2)", TypeError, ("'num_hidden'",)),
    ("net().hybridize(static_aloc=True)", mx.MXNetError, ("'static_alloc'",)),
    # registered names
    ("gluon.Trainer(params(), 'adma')", ValueError, ("adma", "did you mean 'adam'?")),
    ("mx.optimizer.create('addam')", ValueError, ("did you mean 'adam'?",)),
    ("mx.init.create('xaiver')", ValueError, ("did you mean 'xavier'?",)),
    ("mx.metric.create('acuracy')", ValueError, ("did you mean 'accuracy'?",)),
    ("mx.kv.create('locla')", ValueError, ("did you mean 'local'?",)),
    ("mx.Context('gppu')", ValueError, ("did you mean 'gpu'?",)),
    ("gluon.model_zoo.vision.get_model('resnet18v1')", ValueError, ("'resnet18_v1'?",)),
    ("nn.HybridLambda('reluu')", ValueError, ("did you mean 'relu'?",)),
    ("nn.Lambda('reluu')", ValueError, ("did you mean 'relu'?",)),
    ("nn.Dense(3, weight_initializer='xaiver').initialize()", ValueError, ("'xavier'?",)),
    ("nn.Dense(3, dtype='flaot32')", TypeError, ("did you mean 'float32'?",)),
    ("nd.ones(3, dtype='flaot32')", TypeError, ("did you mean 'float32'?",)),
    # values out of a few
    ("nn.Dense(1, activation='rleu')", ValueError, ("'sigmoid'", "did you mean 'relu'?")),
    ("nn.Activation('tahn')", ValueError, ("act_type='tahn'", "'tanh'?")),
    ("nn.Conv2D(1, 3, activation='rleu')", ValueError, ("did you mean 'relu'?",)),
    ("rnn.RNNCell(3, activation='rleu')", ValueError, ("did you mean 'relu'?",)),
    ("rnn.LSTMCell(3, recurrent_activation='sigmod')", ValueError, ("'sigmoid'?",)),
    ("gluon.contrib.rnn.Conv1DRNNCell((1, 4), 2, 3, 3, activation='rleu')", ValueError,
     ("did you mean 'relu'?",)),
    ("nn.Conv2D(1, 3, layout='NHCW')", ValueError, ("'NHCW'", "'NCHW' and 'NHWC'")),
    ("nn.MaxPool2D(layout='NHCW')", ValueError, ("'NCHW' and 'NHWC'",)),
    ("loss.CTCLoss(layout='NTX')", ValueError, ("'NTC' or 'TNC'",)),
    ("sym.Pooling(s, pool_type='maxx', kernel=(2, 2))", ValueError, ("did you mean 'max'?",)),
    ("sym.RNN(s, mode='lsmt', state_size=2, num_layers=1)", ValueError, ("'lstm'?",)),
    # operands
    ("nd.relu(hosted)", TypeError, ("data is a numpy array", "nd.array(...)")),
    ("nd.dot(x, hosted.tolist())", TypeError, ("rhs is a list", "nd.array(...)")),
    ("x + hosted", TypeError, ("numpy array", "nd.array(...)")),
    ("mx.npx.relu(hosted)", TypeError, ("numpy array", "np.array(...)")),
    ("net()(hosted)", ValueError, ("not a numpy array", "nd.array(...)")),
    ("net(hybrid=True)([[1, 2, 3]])", ValueError, ("not a list", "nd.array(...)")),
    ("rnn.LSTM(3)(hosted)", ValueError, ("not a numpy array", "nd.array(...)")),
    ("sym.relu(hosted)", TypeError, ("a numpy array is given where a Symbol belongs", "sym.var")),
    ("s + hosted", TypeError, ("numpy array", "params.get_constant")),
    ("nd.save('none', {'a': hosted})", TypeError, ("not a numpy array", "nd.array(...)")),
    ("gluon.utils.clip_global_norm([hosted], 1)", TypeError, ("numpy array", "nd.array(...)")),
    ("autograd.backward(hosted)", TypeError, ("numpy array", "nd.array(...)")),
    ("nd.FullyConnected(x, x.astype('float64'), num_hidden=2, no_bias=True)", TypeError,
     ("weight float64 must be float32", "astype")),
    # shapes
    ("net()(nd.ones((2, 5)))", ValueError, ("has 5 features, the weight takes 3",)),
    ("net(hybrid=True)(nd.ones((2, 5)))", ValueError, ("has 5 features, the weight takes 3",)),
    ("initialized(nn.Conv2D(3, 3, in_channels=3))(image)", ValueError,
     ("looks like NHWC", "x.transpose((0, 3, 1, 2))", "layout='NHWC'")),
    ("initialized(nn.Conv2D(3, 3, in_channels=3, layout='NHWC'))(image.transpose((0, 3, 1, 2)))",
     ValueError, ("looks like NCHW", "x.transpose((0, 2, 3, 1))", "layout='NCHW'")),
    ("initialized(nn.Conv2D(3, 3, in_channels=3))(nd.ones((1, 4, 8, 8)))", ValueError,
     ("has 4 channels, the weight takes 3",)),
    ("initialized(nn.Conv2D(3, 3))(nd.ones((3, 8, 8)))", ValueError, ("x.expand_dims(0)",)),
    ("loss.SoftmaxCrossEntropyLoss()(x, y)", ValueError, ("one-hot", "sparse_label=False")),
    ("loss.L2Loss()(nd.ones((4, 1)), nd.ones(3))", ValueError,
     ("labels (3,) have 3, predictions (4, 1) have 4",)),
    ("nd.concat(x, nd.ones((3, 4)), dim=1)", ValueError, ("(2, 3) and (3, 4)", "dim=1")),
    # children
    ("net().add(nn.Dense)", ValueError, ("the class Dense", "Dense(...)")),
    ("transforms.Compose([nn.Dense]).initialize()", ValueError, ("the class Dense", "Dense(...)")),
    ("net().add(lambda x: x)", ValueError, ("function", "nn.Lambda")),
    ("net().add(s)", ValueError, ("SymbolBlock",)),
    ("net().add([nn.Dense(1)])", ValueError, ("a list", "add(*blocks)")),
    ("net().add('relu')", ValueError, ("'relu'", "nn.Activation")),
]  # fmt: skip


@pytest.mark.parametrize(("code", "kind", "words"), MISTAKES)
def test_a_mistake_is_answered_with_what_to_do(
    code: str, kind: type[Exception], words: tuple[str, ...]
) -> None:
    with pytest.raises(kind) as caught:
        eval(code, dict(NAMES))  # noqa: S307  # our own
    assert isinstance(caught.value, mx.MXNetError)
    for word in words:
        assert word in str(caught.value)


def test_hints_cost_little_where_nobody_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestion, "nearest", lambda *_: pytest.fail("looked for a name"))
    assert not hasattr(nd, "sofmax")
    assert not hasattr(nn, "Dens")
    assert not hasattr(nn.Dense(1), "activaton")
    assert getattr(sym.var("x"), "reshpae", None) is None


def test_a_hint_survives_a_pickle() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(nd, "sofmax")  # noqa: B009  # which type checkers refuse
    copied = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  # our own
    assert str(copied) == str(caught.value)
    assert "no attribute 'sofmax'" in caught.value.args[0]


def test_a_property_that_fails_says_its_own_words() -> None:
    class Model(gluon.Block):
        @property
        def size(self) -> int:
            return self.units  # type: ignore[no-any-return, attr-defined]

    with pytest.raises(AttributeError, match="no attribute 'units'"):
        Model().size  # noqa: B018


def test_an_argument_of_a_users_own_block_is_offered() -> None:
    class Model(nn.HybridBlock):
        def __init__(self, units: int = 1, **kwargs: Any) -> None:  # noqa: ARG002
            super().__init__(**kwargs)

    with pytest.raises(TypeError, match=r"Model: unknown argument 'unit'; did you mean 'units'\?"):
        Model(unit=2)


def test_only_arrays_make_symbols_lack_a_function() -> None:
    class Model(nn.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.array([1]) + x

    model = Model()
    model.hybridize()
    with pytest.raises(AttributeError, match=r"only nd has it.*params\.get_constant"):
        model(nd.ones(1))


class NoSuper:
    """Begins no base class."""

    def __init__(self) -> None:
        self.units = 3


class NoSuperChild:
    """Has a child before it begins its base class."""

    def __init__(self) -> None:
        self.child = nn.Dense(1)


class _Double(autograd.Function):
    def forward(self, x: Any) -> Any:
        return x * 2

    def backward(self, dy: Any) -> Any:
        return dy * 2


SUPER: list[tuple[type, type, Callable[[Any], Any]]] = [
    (gluon.Block, NoSuperChild, lambda b: b),
    (nn.HybridBlock, NoSuperChild, lambda b: b),
    (nn.Sequential, NoSuper, lambda b: b.add(nn.Dense(1))),
    (nn.HybridSequential, NoSuper, lambda b: b.add(nn.Dense(1))),
    (nn.HybridBlock, NoSuper, lambda b: b.params),
    (nn.HybridBlock, NoSuper, lambda b: b.name_scope()),
    (nn.HybridBlock, NoSuper, lambda b: b(nd.ones(1))),
    (nn.HybridBlock, NoSuper, lambda b: b.collect_params()),
    (nn.HybridBlock, NoSuper, lambda b: b.initialize()),
    (nn.HybridBlock, NoSuper, lambda b: b.hybridize()),
    (rnn.HybridRecurrentCell, NoSuper, lambda b: b(nd.ones(1), [])),
    (loss.Loss, NoSuper, lambda b: b(nd.ones(1), nd.ones(1))),
    (mx.optimizer.Optimizer, NoSuper, lambda b: gluon.Trainer(params(), b)),
    (mx.metric.EvalMetric, NoSuper, lambda b: b.get()),
    (mx.init.Initializer, NoSuper, lambda b: b.dumps()),
    (mx.lr_scheduler.LRScheduler, NoSuper, lambda b: b.base_lr),
    (mx.operator.CustomOpProp, NoSuper, lambda b: b.need_top_grad_),
    (_Double, NoSuper, lambda b: b(nd.ones(1))),
    (mx.io.DataIter, NoSuper, lambda b: b.batch_size),
    (mx.mod.BaseModule, NoSuper, lambda b: b.binded),
]


@pytest.mark.parametrize(("base", "first", "use"), SUPER)
def test_a_forgotten_super_init_is_said_in_these_words(
    base: type, first: type, use: Callable[[Any], Any]
) -> None:
    kind = type("Mine", (first, base), {})
    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) first in"):
        use(kind())


def test_what_needs_no_super_init_works_without() -> None:
    kind = type("Data", (NoSuper, gluon.data.Dataset), {"__len__": lambda _: 3})
    assert len(kind()) == 3
    fill = {"_init_weight": lambda _, name, array: array.__setitem__(slice(None), 2)}
    init = type("Two", (NoSuper, mx.init.Initializer), fill)()
    layer = nn.Dense(1, in_units=1, weight_initializer=init)
    layer.initialize()
    assert layer.weight.data().asscalar() == 2


def test_functions_are_transforms_as_in_mxnet() -> None:
    both = transforms.Compose([lambda image: image + 1, transforms.Cast("int32")])
    assert both(nd.ones(2)).asnumpy().tolist() == [2, 2]
    assert transforms.RandomApply(lambda image: image + 1, 1.0)(nd.ones(1)).asscalar() == 2
    with pytest.raises(ValueError, match="the class Cast; add an instance"):
        transforms.Compose([transforms.Cast]).hybridize()


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A folder with a graph and its parameters."""
    model = net(hybrid=True)
    model(nd.ones((1, 3)))
    model.export(str(tmp_path / "net"))
    return tmp_path


def test_swapped_files_of_an_export_are_named(exported: Path) -> None:
    graph, weights = str(exported / "net-symbol.json"), str(exported / "net-0000.params")
    with pytest.raises(mx.MXNetError, match=r"not JSON: it holds arrays of MXNet \(\.params\)"):
        gluon.SymbolBlock.imports(weights, ["data"], graph)
    with pytest.raises(ValueError, match=r"found a graph in JSON .*; sym\.load reads it"):
        gluon.SymbolBlock.imports(graph, ["data"], graph)
    with pytest.raises(ValueError, match=r"net-symbol\.json: .*found a graph in JSON"):
        net().load_parameters(graph)


@pytest.mark.parametrize(
    "load", [nd.load, mx.npx.load, sym.load, lambda f: net().load_parameters(f)]
)
def test_a_text_is_called_a_text(tmp_path: Path, load: Callable[[str], Any]) -> None:
    file = tmp_path / "notes"
    file.write_text("hello world")
    with pytest.raises(ValueError, match=r"(found|holds) text"):
        load(str(file))


# --- warnings ------------------------------------------------------------------------------------


def _collect() -> None:
    class Model(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Dense(1)]

    outer = nn.Sequential()
    outer.add(Model())
    outer.initialize()


def _overwrite() -> None:
    schedule = mx.lr_scheduler.FactorScheduler(3, base_lr=1)
    gluon.Trainer(params(), "sgd", {"learning_rate": 2, "lr_scheduler": schedule})


def _hybridize() -> None:
    outer = nn.Sequential()
    outer.add(nn.Sequential())
    outer[0].add(nn.Dense(1))
    outer.hybridize()


def _initialize_again() -> None:
    params().initialize()


@pytest.mark.parametrize("program", [_collect, _overwrite, _hybridize, _initialize_again])
def test_a_warning_points_to_the_program(program: Callable[[], None]) -> None:
    with pytest.warns(UserWarning, match=".") as caught:
        program()
    assert {warning.filename for warning in caught} == {__file__}
