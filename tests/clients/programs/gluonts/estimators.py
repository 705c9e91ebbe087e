"""GluonTS's estimators, all of its `mx` half made small, and series made up for each."""

import random
from typing import Any

import numpy as np
import pandas as pd
from gluonts import mx as ts
from gluonts.dataset.common import ListDataset
from gluonts.mx.model.canonical._estimator import MLPForecasterEstimator
from gluonts.mx.trainer import Trainer

import mxnet as mx
from tests.clients.formula import uniform

__all__ = ["CONTEXT", "ESTIMATORS", "feed_forward", "points", "seed", "series"]

LENGTH, CONTEXT, SAMPLES = 6, 12, 5


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
    return ts.DeepRenewalProcessEstimator(
        prediction_length=LENGTH, context_length=CONTEXT, num_cells=6, num_layers=1,
        dropout_rate=0.0, num_parallel_samples=SAMPLES, batch_size=4,
        trainer=trainer(hybridize=False),
    )  # fmt: skip


def canonical_mlp() -> Any:
    """Dense layers and a distribution."""
    return MLPForecasterEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, hidden_dim_sequence=[8],
        num_parallel_samples=SAMPLES, trainer=trainer(),
    )  # fmt: skip


def ensemble() -> Any:
    """N-BEATS several times, with two lengths of the past and two losses."""
    return ts.NBEATSEnsembleEstimator(
        freq="D", prediction_length=LENGTH, meta_context_length=[6, 12],
        meta_loss_function=["sMAPE", "MASE"], meta_bagging_size=1, num_stacks=2, widths=[8],
        num_blocks=[1], num_block_layers=[2], batch_size=4, trainer=trainer(),
    )  # fmt: skip


def hierarchical() -> Any:
    """A total and its two parts, whose forecasts add up."""
    return ts.DeepVARHierarchicalEstimator(
        freq="D", prediction_length=LENGTH, context_length=CONTEXT, num_layers=1, num_cells=8,
        S=np.array([[1, 1], [1, 0], [0, 1]], np.float32), num_samples_for_loss=4,
        likelihood_weight=1.0, CRPS_weight=0.0, dropout_rate=0.0, num_parallel_samples=SAMPLES,
        batch_size=4, trainer=trainer(),
    )  # fmt: skip


def points() -> Any:
    """Events of two kinds in continuous time."""
    return ts.DeepTPPEstimator(
        prediction_interval_length=4.0, context_interval_length=8.0, num_marks=2, freq="h",
        num_hidden_dimensions=6, num_parallel_samples=SAMPLES, num_training_instances=4,
        batch_size=4, trainer=trainer(hybridize=False),
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
    "MLPForecaster": canonical_mlp,
    "NBEATSEnsemble": ensemble,
    "DeepVARHierarchical": hierarchical,
}
SEVERAL = {"DeepVAR", "GPVAR", "LSTNet"}


def series(name: str) -> Any:
    """Made-up series: of one value a day, or of several."""
    start = pd.Period("2020-01-01", freq="D")
    if name in SEVERAL or name == "DeepVARHierarchical":
        target = np.abs(uniform("several", (2, 80))) + 1
        if name not in SEVERAL:
            target = np.concatenate([target.sum(axis=0, keepdims=True), target])
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
