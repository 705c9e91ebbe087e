"""Recurrent layers, attention, and heads of detectors as ONNX models."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, initializer, nn, rnn
from hy_gluon.model_zoo import transformer
from hy_gluon.onnx import export_model
from hy_ndarray import nd, random
from tests.onnx.runtime import agree, outputs_of


def rows(shape: tuple[int, ...], seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def started(net: HybridBlock) -> HybridBlock:
    random.seed(1)
    net.initialize(initializer.Uniform(0.5))
    net.hybridize()
    return net


class Encoder(HybridBlock):
    """A layer of BERT: attention with interleaved projections, then two dense layers."""

    def __init__(self, units: int, heads: int, hidden: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.heads = heads
        with self.name_scope():
            self.projections = nn.Dense(units * 3, flatten=False, in_units=units)
            self.output = nn.Dense(units, flatten=False, in_units=units)
            self.norm, self.last_norm = nn.LayerNorm(in_channels=units), nn.LayerNorm()
            self.first = nn.Dense(hidden, flatten=False, in_units=units)
            self.gelu = nn.GELU()
            self.second = nn.Dense(units, flatten=False, in_units=hidden)

    def hybrid_forward(self, F: Any, x: Any, length: Any) -> Any:
        mixed = self.projections(x)
        scores = F.contrib.interleaved_matmul_selfatt_qk(mixed, heads=self.heads)
        steps = F.contrib.arange_like(scores, axis=2)
        inside = F.broadcast_lesser(
            F.reshape(steps, shape=(1, 1, -1)), F.reshape(length, shape=(-1, 1, 1))
        )
        inside = F.repeat(inside, repeats=self.heads, axis=0)
        weights = F.softmax(F.broadcast_add(scores, (inside - 1) * 1e4), axis=-1)
        y = F.contrib.interleaved_matmul_selfatt_valatt(mixed, weights, heads=self.heads)
        x = self.norm(x + self.output(y))
        return self.last_norm(x + self.second(self.gelu(self.first(x))))


class Bert(HybridBlock):
    """Words and places embedded, encoders, and a pooled first word."""

    def __init__(self, layers: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.words = nn.Embedding(50, 16)
            self.places = nn.Embedding(12, 16)
            self.encoders = [Encoder(16, 4, 32) for _ in range(layers)]
            for encoder in self.encoders:
                self.register_child(encoder)
            self.pool = nn.Dense(16, activation="tanh", flatten=False, in_units=16)

    def hybrid_forward(self, F: Any, words: Any, length: Any) -> Any:
        steps = F.contrib.arange_like(words, axis=1)
        x = F.broadcast_add(self.words(words), F.expand_dims(self.places(steps), axis=0))
        x = F.transpose(x, axes=(1, 0, 2))
        for encoder in self.encoders:
            x = encoder(x, length)
        first = F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0)
        return F.transpose(x, axes=(1, 0, 2)), self.pool(first)


def test_a_bert_like_encoder_takes_batches_and_sentences_of_any_length(tmp_path: Path) -> None:
    net = started(Bert(2))
    path = str(tmp_path / "bert.onnx")
    words = np.random.default_rng(1).integers(0, 50, (2, 7)).astype(np.float32)
    length = np.array([7, 4], np.float32)
    net(nd.array(words), nd.array(length))
    export_model(net, None, [("batch", "words"), ("batch",)], onnx_file_path=path)
    for shape in ((2, 7), (3, 11), (1, 5)):
        words = np.random.default_rng(2).integers(0, 50, shape).astype(np.float32)
        length = np.arange(2, 2 + shape[0]).astype(np.float32)
        wanted = [y.asnumpy() for y in net(nd.array(words), nd.array(length))]
        agree(outputs_of(path, {"data0": words, "data1": length}), wanted)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("kind", [rnn.LSTM, rnn.GRU, rnn.RNN])
def test_a_recurrent_layer_gives_outputs_and_states(
    kind: Any, bidirectional: bool, layers: int, tmp_path: Path
) -> None:
    net = kind(6, layers, bidirectional=bidirectional, input_size=5)
    started(net)
    x = rows((7, 3, 5))
    states = [nd.array(rows(s.shape, 1)) for s in net.begin_state(3)]
    y, last = net(nd.array(x), states)
    path = str(tmp_path / "rnn.onnx")
    shapes = [(7, "batch", 5), *((s.shape[0], "batch", 6) for s in states)]
    export_model(net, None, shapes, onnx_file_path=path)
    names = ["data0", *(f"data{i}" for i in range(1, len(states) + 1))]
    feeds = dict(zip(names, [x, *(s.asnumpy() for s in states)], strict=True))
    agree(outputs_of(path, feeds), [y.asnumpy(), *(s.asnumpy() for s in last)])


@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_a_recurrent_net_begins_with_zeros(layout: str, tmp_path: Path) -> None:
    net = nn.HybridSequential()
    net.add(rnn.LSTM(6, layout=layout, input_size=5), nn.Dense(4, flatten=False))
    started(net)
    x = rows((7, 3, 5))
    wanted = net(nd.array(x)).asnumpy()
    path = str(tmp_path / "rnn.onnx")
    export_model(net, None, [x.shape], onnx_file_path=path)
    agree(outputs_of(path, {"data": x}), [wanted])


class Single(HybridBlock):
    """A single-shot detector on one map of features."""

    def __init__(self, classes: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.classes = classes
        with self.name_scope():
            self.features = nn.Conv2D(8, 3, strides=2, padding=1, in_channels=3)
            self.scores = nn.Conv2D(4 * (classes + 1), 3, padding=1, in_channels=8)
            self.offsets = nn.Conv2D(4 * 4, 3, padding=1, in_channels=8)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        x = self.features(x)
        anchors = F.contrib.MultiBoxPrior(x, sizes=(0.3, 0.5), ratios=(1, 2, 0.5), clip=True)
        scores = F.reshape(
            F.transpose(self.scores(x), axes=(0, 2, 3, 1)), (0, -1, self.classes + 1)
        )
        scores = F.transpose(F.softmax(scores, axis=-1), axes=(0, 2, 1))
        offsets = F.flatten(F.transpose(self.offsets(x), axes=(0, 2, 3, 1)))
        return F.contrib.MultiBoxDetection(
            scores, offsets, anchors, threshold=0.2, nms_threshold=0.45, nms_topk=60
        )


class Yolo(HybridBlock):
    """The head of YOLO version 3 on one map of features, as GluonCV has it."""

    def __init__(self, classes: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.classes = classes
        with self.name_scope():
            self.prediction = nn.Conv2D(3 * (classes + 5), 1, in_channels=8)
            self.anchors = self.params.get_constant(
                "anchors", np.array([[[[10, 13], [16, 30], [33, 23]]]], np.float32)
            )

    def hybrid_forward(self, F: Any, x: Any, anchors: Any) -> Any:
        width = 5 + self.classes
        pred = F.reshape(self.prediction(x), (0, 3 * width, -1))
        pred = F.reshape(F.transpose(pred, axes=(0, 2, 1)), (0, -1, 3, width))
        centers = F.sigmoid(F.slice_axis(pred, axis=-1, begin=0, end=2)) * 8
        sizes = F.broadcast_mul(F.exp(F.slice_axis(pred, axis=-1, begin=2, end=4)), anchors)
        trust = F.sigmoid(F.slice_axis(pred, axis=-1, begin=4, end=5))
        chances = F.sigmoid(F.slice_axis(pred, axis=-1, begin=5, end=None))
        scores = F.broadcast_mul(chances, trust)
        boxes = F.concat(centers - sizes / 2, centers + sizes / 2, dim=-1)
        boxes = F.tile(boxes, reps=(self.classes, 1, 1, 1, 1))
        scores = F.expand_dims(F.transpose(scores, axes=(3, 0, 1, 2)), axis=-1)
        ids = F.broadcast_add(
            scores * 0, F.reshape(F.arange(0, self.classes), shape=(self.classes, 1, 1, 1, 1))
        )
        found = F.concat(ids, scores, boxes, dim=-1)
        found = F.reshape(F.transpose(found, axes=(1, 0, 2, 3, 4)), (0, -1, 6))
        return F.contrib.box_nms(
            found, overlap_thresh=0.45, valid_thresh=0.01, topk=40, id_index=0, score_index=1
        )


@pytest.mark.parametrize(("kind", "shape"), [(Single, (3, 16, 16)), (Yolo, (8, 4, 4))])
def test_a_head_of_a_detector_gives_the_same_boxes(
    kind: Any, shape: tuple[int, ...], tmp_path: Path
) -> None:
    net = started(kind(3))
    x = rows((2, *shape), 3)
    wanted = net(nd.array(x)).asnumpy()
    assert 3 < (wanted[0, :, 0] >= 0).sum() < wanted.shape[1]
    path = str(tmp_path / "head.onnx")
    export_model(net, None, [("batch", *shape)], onnx_file_path=path)
    agree(outputs_of(path, {"data": x}), [wanted])
    x = rows((3, *shape), 4)
    agree(outputs_of(path, {"data": x}), [net(nd.array(x)).asnumpy()])


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bert", "vit"])
def test_transformers(kind: str, tmp_path: Path) -> None:
    tokens = np.random.default_rng(0).integers(0, 11, (2, 5)).astype(np.float32)
    common: dict[str, Any] = {"max_length": 8, "units": 8, "num_layers": 2, "num_heads": 4}
    if kind == "gpt2":
        net: HybridBlock = transformer.Decoder(11, **common)
    elif kind == "llama":
        net = transformer.Decoder(
            11, norm="rms", activation="silu", positions="rotary", num_kv_heads=2, **common
        )
    elif kind == "bert":
        net = transformer.Bert(11, hidden_units=8, **common)
    else:
        tokens = rows((2, 1, 8, 8))
        net = transformer.VisionTransformer(3, 8, 1, 2, 8, image_size=8, patch_size=4, channels=1)
    found: Any = started(net)(nd.array(tokens))
    path = str(tmp_path / "net.onnx")
    shape = tokens.shape if kind == "vit" else ("batch", "tokens")
    export_model(net, None, [shape], onnx_file_path=path)
    if kind != "vit":  # of any length
        tokens = np.concatenate([tokens, tokens[:, :2]], 1)[:1]
        found = net(nd.array(tokens))
    wanted = found if isinstance(found, list | tuple) else [found]
    agree(outputs_of(path, {"data": tokens}), [x.asnumpy() for x in wanted])


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.RMSNorm(in_channels=6),
        lambda: nn.SwiGLU(4, 5, in_units=6),
        lambda: nn.GEGLU(4, 5, use_bias=True, in_units=6),
        lambda: nn.Remat(nn.Dense(4, in_units=6, flatten=False, activation="tanh")),
        lambda: nn.MultiHeadAttention(6, 2, num_kv_heads=1, causal=True, in_units=6),
    ],
    ids=["RMSNorm", "SwiGLU", "GEGLU", "Remat", "MultiHeadAttention"],
)
def test_layers_of_transformers(make: Any, tmp_path: Path) -> None:
    net, x = make(), rows((2, 5, 6))
    found = started(net)(nd.array(x))
    path = str(tmp_path / "net.onnx")
    export_model(net, None, [x.shape], onnx_file_path=path)
    agree(outputs_of(path, {"data": x}), [found.asnumpy()])


@pytest.mark.parametrize("scaling", [None, {"rope_type": "linear", "factor": 4.0}])
def test_rotary_embedding(scaling: dict[str, Any] | None, tmp_path: Path) -> None:
    net = started(nn.RotaryEmbedding(6, scaling=scaling))
    positions = np.array([[0, 1, 2, 3], [500, 7, 1, 90]], np.float32)
    found = net(nd.array(positions))
    path = str(tmp_path / "net.onnx")
    export_model(net, None, [positions.shape], onnx_file_path=path)
    agree(outputs_of(path, {"data": positions}), [x.asnumpy() for x in found])
