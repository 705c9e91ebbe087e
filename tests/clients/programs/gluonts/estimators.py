"""GluonTS's estimators: trained on made-up series, asked for forecasts, written and read."""

import random
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from gluonts import mx as ts
from gluonts.dataset.common import ListDataset
from gluonts.model.predictor import Predictor
from gluonts.mx.model.renewal import DeepRenewalProcessEstimator
from gluonts.mx.model.tpp import PointProcessSampleForecast
from gluonts.mx.trainer import Trainer

import mxnet as mx
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks

LENGTH, CONTEXT, SAMPLES = 6, 12, 5


def checks(side: str) -> Checks:
    """Training by the estimator itself; losses with weights by formula; files of predictors."""
    found: Checks = {}
    for name in ESTIMATORS:
        found[f"{name} trains and predicts"] = partial(trained, name)
        if name != "DeepRenewal":  # its network takes its parameters for inputs
            found[f"{name} loss"] = partial(loss, name)
    found["writes"] = partial(written, side)
    sides = [other for other in ("hy", "mxnet") if Path(f"{other}-predictor").exists()]
    return found | {f"reads {other}": partial(read, other) for other in sides}


def trainer(hybridize: bool = True) -> Any:
    """Two batches of one epoch."""
    return Trainer(epochs=1, num_batches_per_epoch=2, hybridize=hybridize, learning_rate=1e-3)


def deep_ar() -> Any:
    """Autoregressive LSTM."""
    return ts.DeepAREstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, num_cells=8, dropout_rate=0.0,
        num_parallel_samples=SAMPLES, batch_size=4, trainer=trainer(),
    )  # fmt: skip


def transformer() -> Any:
    """Attention over the past."""
    return ts.TransformerEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, model_dim=8, num_heads=2,
        dropout_rate=0.0, num_parallel_samples=SAMPLES, batch_size=4, trainer=trainer(),
    )  # fmt: skip


def feed_forward() -> Any:
    """Dense layers."""
    return ts.SimpleFeedForwardEstimator(
        prediction_length=LENGTH, context_length=CONTEXT, num_hidden_dimensions=[8],
        num_parallel_samples=SAMPLES, batch_size=4, trainer=trainer(),
    )  # fmt: skip


def deep_factor() -> Any:
    """Global factors, local noise."""
    return ts.DeepFactorEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, num_hidden_global=8,
        num_factors=3, num_parallel_samples=SAMPLES, batch_size=4, trainer=trainer(),
    )  # fmt: skip


def deep_state() -> Any:
    """A state space, its coefficients from an LSTM."""
    return ts.DeepStateEstimator(
        freq="D", prediction_length=LENGTH, past_length=CONTEXT, cardinality=[1], num_layers=1,
        num_cells=8, dropout_rate=0.0, use_feat_static_cat=False, num_parallel_samples=SAMPLES,
        batch_size=4, trainer=trainer(hybridize=False),
    )  # fmt: skip


def canonical() -> Any:
    """A recurrent network and a distribution."""
    return ts.CanonicalRNNEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, num_cells=8,
        num_parallel_samples=SAMPLES, trainer=trainer(),
    )  # fmt: skip


def gaussian_process() -> Any:
    """Kernels, in double precision."""
    return ts.GaussianProcessEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, cardinality=1,
        num_parallel_samples=SAMPLES, batch_size=4, trainer=trainer(hybridize=False),
    )  # fmt: skip


def n_beats() -> Any:
    """Stacks of residual blocks."""
    return ts.NBEATSEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, num_stacks=2, widths=[8],
        num_blocks=[1], num_block_layers=[2], batch_size=4, trainer=trainer(),
    )  # fmt: skip


def mqcnn() -> Any:
    """Causal convolutions, quantiles of every horizon."""
    return ts.MQCNNEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, channels_seq=[4, 4],
        dilation_seq=[1, 2], kernel_size_seq=[3, 3], decoder_mlp_dim_seq=[6], batch_size=4,
        trainer=trainer(),
    )  # fmt: skip


def mqrnn() -> Any:
    """The same by a recurrent encoder."""
    return ts.MQRNNEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, decoder_mlp_dim_seq=[6],
        batch_size=4, trainer=trainer(),
    )  # fmt: skip


def wavenet() -> Any:
    """Dilated convolutions over bins."""
    return ts.WaveNetEstimator(
        freq="D", prediction_length=LENGTH, num_bins=16, n_residue=4, n_skip=4, dilation_depth=2,
        n_stacks=1, train_window_length=16, num_parallel_samples=SAMPLES, batch_size=4,
        trainer=trainer(hybridize=False),
    )  # fmt: skip


def fusion() -> Any:
    """Temporal fusion transformer."""
    return ts.TemporalFusionTransformerEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, hidden_dim=8, num_heads=2,
        dropout_rate=0.0, batch_size=4, trainer=trainer(),
    )  # fmt: skip


def deep_var() -> Any:
    """Several series at once."""
    return ts.DeepVAREstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, target_dim=2, num_layers=1,
        num_cells=8, dropout_rate=0.0, rank=1, num_parallel_samples=SAMPLES, batch_size=4,
        pick_incomplete=False, trainer=trainer(),
    )  # fmt: skip


def gp_var() -> Any:
    """Several series through a Gaussian process."""
    return ts.GPVAREstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, target_dim=2, num_layers=1,
        num_cells=8, dropout_rate=0.0, rank=1, num_parallel_samples=SAMPLES, batch_size=4,
        pick_incomplete=False, trainer=trainer(),
    )  # fmt: skip


def lst_net() -> Any:
    """Convolution, recurrence, skips."""
    return ts.LSTNetEstimator(
        prediction_length=LENGTH, context_length=CONTEXT, num_series=2, skip_size=2, ar_window=4,
        channels=4, kernel_size=3, rnn_num_cells=6, rnn_num_layers=1, skip_rnn_num_cells=4,
        dropout_rate=0.0, batch_size=4, trainer=trainer(),
    )  # fmt: skip


def renewal() -> Any:
    """Intermittent demand."""
    return DeepRenewalProcessEstimator(
        prediction_length=LENGTH, context_length=CONTEXT, num_cells=6, num_layers=1,
        dropout_rate=0.0, num_parallel_samples=SAMPLES, batch_size=4,
        trainer=trainer(hybridize=False),
    )  # fmt: skip


ESTIMATORS = {
    "DeepAR": deep_ar,
    "Transformer": transformer,
    "SimpleFeedForward": feed_forward,
    "DeepFactor": deep_factor,
    "DeepState": deep_state,
    "CanonicalRNN": canonical,
    "GaussianProcess": gaussian_process,
    "NBEATS": n_beats,
    "MQCNN": mqcnn,
    "MQRNN": mqrnn,
    "WaveNet": wavenet,
    "TemporalFusionTransformer": fusion,
    "DeepVAR": deep_var,
    "GPVAR": gp_var,
    "LSTNet": lst_net,
    "DeepRenewal": renewal,
}
SEVERAL = {"DeepVAR", "GPVAR", "LSTNet"}


def series(name: str) -> Any:
    """Made-up series: of one value a day, or of two."""
    start = pd.Period("2020-01-01", freq="D")
    if name in SEVERAL:
        target = np.abs(uniform("several", (2, 80))) + 1
        return ListDataset([{"start": start, "target": target}], freq="D", one_dim_target=False)
    values = [np.abs(uniform(str(i), (70,))).round(2) for i in range(4)]
    if name == "DeepRenewal":
        values = [np.where(value < 0.6, 0, 3).astype(np.float32) for value in values]
    entries: list[dict[str, Any]] = [{"start": start, "target": value} for value in values]
    if name == "GaussianProcess":
        entries = [{**entry, "feat_static_cat": [0]} for entry in entries]
    return ListDataset(entries, freq="D")


def seed() -> None:
    """Windows of training are drawn by numpy and Python."""
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # what GluonTS draws from
    mx.random.seed(1)


def trained(name: str) -> Any:
    """The estimator's own training and prediction; chance decides about the values."""
    seed()
    data = series(name)
    predictor = ESTIMATORS[name]().train(data)
    forecasts = [*predictor.predict(data)]
    assert not any(isinstance(forecast, PointProcessSampleForecast) for forecast in forecasts)
    means = [forecast.quantile(0.5) for forecast in forecasts]
    assert all(np.isfinite(mean).all() for mean in means)
    return [len(forecasts), [mean.shape for mean in means]]


def loss(name: str) -> Any:
    """Losses of a batch and some gradients, eagerly and hybridized, weights by formula."""
    seed()
    estimator = ESTIMATORS[name]()
    data = estimator.create_transformation().apply(series(name), is_train=True)
    batch = next(iter(estimator.create_training_data_loader(data)))
    net = estimator.create_training_network()
    filled(net)
    net.cast(estimator.dtype)
    inputs = [batch[key] for key in ts.util.get_hybrid_forward_input_names(type(net))]
    results = []
    for hybrid in (False, True):
        if hybrid and estimator.trainer.hybridize:
            net.hybridize()
        with mx.autograd.record():
            out = net(*inputs)
            value = out[0] if isinstance(out, list | tuple) else out
        value.backward()
        learned = [p for p in net.collect_params().values() if p.grad_req != "null"]
        results.append([value, learned[0].grad(), learned[-1].grad()])
    return results


def forecast(predictor: Any) -> Any:
    """The shape and, of parameters of distributions, the values that it predicts."""
    return [sample.mean.shape for sample in predictor.predict(series("SimpleFeedForward"))]


def written(side: str) -> Any:
    """A predictor's folder."""
    predictor = feed_forward().train(series("SimpleFeedForward"))
    filled(predictor.prediction_net)
    folder = Path(f"{side}-predictor")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    predictor.serialize(folder)
    return [*forecast(predictor), parameters(predictor)]


def parameters(predictor: Any) -> Any:
    """What a network of dense layers gives before anything is drawn."""
    net = predictor.prediction_net
    past = mx.nd.array(uniform("past", (2, CONTEXT)))
    return net.get_distr_args(mx.nd, past)


def read(side: str) -> Any:
    """The folder of one side."""
    predictor = Predictor.deserialize(Path(f"{side}-predictor"))
    return [*forecast(predictor), parameters(predictor)]
