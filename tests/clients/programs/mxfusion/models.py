"""MXFusion's probabilistic models: densities, posteriors, Gaussian processes."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mxfusion import Model, Variable
from mxfusion.common import config
from mxfusion.components.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Gamma,
    Laplace,
    MultivariateNormal,
    Normal,
    NormalMeanPrecision,
    Uniform,
)
from mxfusion.components.distributions.gp.kernels import RBF, Bias, Linear, Matern32, White
from mxfusion.components.functions import MXFusionGluonFunction
from mxfusion.components.functions.operators import broadcast_to
from mxfusion.components.variables import PositiveTransformation
from mxfusion.inference import (
    MAP,
    GradBasedInference,
    MinibatchInferenceLoop,
    ModulePredictionAlgorithm,
    StochasticVariationalInference,
    TransferInference,
    create_Gaussian_meanfield,
)
from mxfusion.modules.gp_modules import GPRegression, SparseGPRegression, SVGPRegression

import mxnet as mx
from tests.clients.exchange import exchanged
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks

config.DEFAULT_DTYPE = "float64"
RISING = np.linspace(-1, 1, 12)[:, None]


def checks(side: str) -> Checks:
    """Chance is left out: samples are compared by shape."""
    found: Checks = {
        "densities": densities,
        "samples": samples,
        "kernels": kernels,
        "mean and variance": mean_and_variance,
        "mini-batches": batches,
        "network with priors": network,
        "Gaussian process": partial(process, GPRegression),
        "sparse Gaussian process": partial(process, SparseGPRegression),
        "variational Gaussian process": partial(process, SVGPRegression),
    }
    return found | exchanged(side, written, read)


def array(values: Any) -> Any:
    """In double precision."""
    return mx.nd.array(values, dtype="float64")


def densities() -> Any:
    """Logarithms of densities, with a batch of samples in front."""
    x, unit = uniform("x", (2, 5, 1)), (uniform("unit", (2, 5, 1)) + 1.2) / 2.4
    cases: list[tuple[Any, dict[str, Any], Any]] = [
        (Normal, {"mean": x, "variance": unit}, x + 0.1),
        (NormalMeanPrecision, {"mean": x, "precision": unit}, x + 0.1),
        (Laplace, {"location": x, "scale": unit}, x + 0.1),
        (Gamma, {"alpha": unit + 1, "beta": unit}, unit),
        (Beta, {"alpha": unit + 1, "beta": unit + 2}, unit),
        (Bernoulli, {"prob_true": unit}, (unit > 0.5).astype(float)),
        (Uniform, {"low": unit - 1, "high": unit + 1}, unit),
    ]
    results = []
    for kind, parameters, value in cases:
        names = list(parameters)
        model = Model()
        given = {}
        for name in names:
            setattr(model, name, Variable(shape=(5, 1)))
            given[name] = getattr(model, name)
        model.y = kind.define_variable(shape=(5, 1), **given)
        arrays = {getattr(model, n).uuid: array(v) for n, v in parameters.items()}
        arrays[model.y.uuid] = array(value)
        results.append(model.y.factor.log_pdf(F=mx.nd, variables=arrays))
    return [*results, *vectors()]


def vectors() -> Any:
    """Densities of vectors and classes."""
    a = uniform("a", (1, 3, 3)).astype(float)
    covariance = a @ a.transpose(0, 2, 1) + 2 * np.eye(3)
    model = Model()
    model.mean, model.covariance = Variable(shape=(3,)), Variable(shape=(3, 3))
    model.y = MultivariateNormal.define_variable((3,), model.mean, model.covariance)
    normal = {
        model.mean.uuid: array(np.zeros((1, 3))),
        model.covariance.uuid: array(covariance),
        model.y.uuid: array(uniform("vector", (1, 3))),
    }
    results = [model.y.factor.log_pdf(F=mx.nd, variables=normal)]
    model = Model()
    model.a = Variable(shape=(3,))
    model.y = Dirichlet.define_variable(model.a, shape=(3,))
    dirichlet = {model.a.uuid: array([[[1.0, 2, 3]]]), model.y.uuid: array([[[0.2, 0.3, 0.5]]])}
    results.append(model.y.factor.log_pdf(F=mx.nd, variables=dirichlet))
    model = Model()
    model.p = Variable(shape=(4, 3))
    model.y = Categorical.define_variable(model.p, num_classes=3, shape=(4, 1))
    categorical = {
        model.p.uuid: array(uniform("p", (1, 4, 3))),
        model.y.uuid: array([[[0], [2], [1], [0]]]),
    }
    return [*results, model.y.factor.log_pdf(F=mx.nd, variables=categorical)]


def samples() -> Any:
    """Draws, by shape."""
    model = Model()
    model.mean, model.variance = Variable(shape=(1,)), Variable(shape=(1,))
    model.y = Normal.define_variable(model.mean, model.variance, shape=(1,))
    given = {model.mean.uuid: array([[0.0]]), model.variance.uuid: array([[1.0]])}
    drawn = model.y.factor.draw_samples(F=mx.nd, variables=given, num_samples=500)
    assert abs(float(drawn.mean().asscalar())) < 0.5
    return drawn.shape


def kernels() -> Any:
    """Covariances of kernels, their sum and their product."""
    x = array(uniform("x", (1, 6, 2)))
    made = RBF(2, ARD=True), Linear(2), Matern32(2), Bias(2), White(2)
    found = []
    for kernel in (*made, made[0] + made[1], made[1] * made[2]):
        values = {
            name: array(np.full((1, *variable.shape), 0.7))
            for name, variable in kernel.parameters.items()
        }
        found += [kernel.K(mx.nd, x, **values), kernel.Kdiag(mx.nd, x, **values)]
    return found


def gaussian() -> Any:
    """A normal distribution with unknown mean and variance."""
    model = Model()
    model.mean = Variable(shape=(1,), initial_value=array([0.1]))
    model.variance = Variable(
        shape=(1,), transformation=PositiveTransformation(), initial_value=array([1.5])
    )
    model.n = Variable()
    model.y = Normal.define_variable(model.mean, model.variance, shape=(model.n, 1))
    return model


def data() -> Any:
    """Twenty numbers."""
    return array(uniform("data", (20, 1)) * 2 + 3)


def mean_and_variance() -> Any:
    """Maximum a posteriori, by gradients."""
    model = gaussian()
    inference = GradBasedInference(inference_algorithm=MAP(model=model, observed=[model.y]))
    inference.run(y=data(), learning_rate=0.1, max_iter=20, verbose=False, optimizer="adam")
    return [inference.params[model.mean], inference.params[model.variance]]


def batches() -> Any:
    """The same in rows, scaled by how many there are."""
    model = gaussian()
    loop = MinibatchInferenceLoop(batch_size=5, rv_scaling={model.y: 20 / 5})
    inference = GradBasedInference(MAP(model=model, observed=[model.y]), grad_loop=loop)
    mx.random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # what shuffles batches
    inference.run(y=data(), learning_rate=0.05, max_iter=3, verbose=False)
    return inference.params[model.mean].shape


def network() -> Any:
    """A network whose weights are drawn, its posterior of independent normal distributions."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            mx.gluon.nn.Dense(4, activation="tanh", in_units=1), mx.gluon.nn.Dense(1, in_units=4)
        )
    net.cast("float64")
    filled(net)
    model = Model()
    model.n = Variable()
    model.f = MXFusionGluonFunction(net, num_outputs=1, broadcastable=False)
    model.x = Variable(shape=(model.n, 1))
    model.variance = Variable(
        shape=(1,), transformation=PositiveTransformation(), initial_value=array([0.1])
    )
    model.r = model.f(model.x)
    for variable in model.r.factor.parameters.values():
        mean, variance = (array(np.full(variable.shape, v)) for v in (0.0, 1.0))
        variable.set_prior(Normal(mean=mean, variance=variance))
    variance = broadcast_to(model.variance, (model.n, 1))
    model.y = Normal.define_variable(model.r, variance, shape=(model.n, 1))
    observed = [model.y, model.x]
    posterior = create_Gaussian_meanfield(model=model, observed=observed)
    algorithm = StochasticVariationalInference(
        num_samples=3, model=model, posterior=posterior, observed=observed
    )
    inference = GradBasedInference(inference_algorithm=algorithm)
    x = array(RISING)
    inference.initialize(y=x * x, x=x)
    inference.run(y=x * x, x=x, max_iter=5, learning_rate=1e-2, verbose=False)
    return inference.params[model.variance].shape


def regression(kind: Any) -> Any:
    """A Gaussian process."""
    model = Model()
    model.n = Variable()
    model.x = Variable(shape=(model.n, 1))
    model.noise = Variable(
        shape=(1,), transformation=PositiveTransformation(), initial_value=array([0.05])
    )
    model.kernel = RBF(input_dim=1, variance=array([1.2]), lengthscale=array([0.6]))
    options = {}
    if kind is not GPRegression:
        model.points = Variable(shape=(4, 1), initial_value=array(np.linspace(-1, 1, 4)[:, None]))
        options["inducing_inputs"] = model.points
    model.y = kind.define_variable(
        X=model.x, kernel=model.kernel, noise_var=model.noise, shape=(model.n, 1), **options
    )
    return model


def process(kind: Any) -> Any:
    """Trained, then asked for means and variances elsewhere."""
    model = regression(kind)
    inference = GradBasedInference(
        inference_algorithm=MAP(model=model, observed=[model.x, model.y])
    )
    if kind is SVGPRegression:
        model.y.factor.svgp_log_pdf.jitter = 1e-8
    x, y = array(RISING), array(np.sin(RISING * 3))
    inference.initialize(x=x, y=y)
    if kind is SVGPRegression:
        latent = model.y.factor._extra_graphs[0]
        inference.params[latent.qU_mean] = array(np.zeros((4, 1)))
        inference.params[latent.qU_cov_W] = array(np.eye(4) * 0.3)
        inference.params[latent.qU_cov_diag] = array(np.ones(4))
    loss, _ = evaluated(inference, x, y)
    inference.run(x=x, y=y, max_iter=5, learning_rate=0.02, verbose=False)
    algorithm = ModulePredictionAlgorithm(
        model=model, observed=[model.x], target_variables=[model.y]
    )
    predicting = TransferInference(algorithm, infr_params=inference.params)
    places = array(np.linspace(-1.2, 1.2, 7)[:, None])
    found = predicting.run(x=places)[0]
    return [loss, found, inference.params[model.noise], inference.params[model.kernel.lengthscale]]


def evaluated(inference: Any, x: Any, y: Any) -> Any:
    """The loss before any step."""
    executor = inference.create_executor()
    return executor(mx.nd.zeros(1), x, y)


def written(folder: Path) -> Any:
    """What was inferred, as MXFusion's archive."""
    model = gaussian()
    inference = GradBasedInference(inference_algorithm=MAP(model=model, observed=[model.y]))
    inference.run(y=data(), learning_rate=0.1, max_iter=5, verbose=False)
    inference.save(str(folder / "inference.zip"))
    return [inference.params[model.mean], inference.params[model.variance]]


def read(folder: Path) -> Any:
    """The archive."""
    model = gaussian()
    inference = GradBasedInference(MAP(model=model, observed=[model.y]))
    inference.initialize(y=data())
    inference.load(str(folder / "inference.zip"))
    return [inference.params[model.mean], inference.params[model.variance]]
