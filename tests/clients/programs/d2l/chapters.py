"""Functions of "Dive into Deep Learning" that several chapters use, on data made up."""

from functools import partial
from typing import Any

import numpy
from d2l import mxnet as d2l

from mxnet import autograd, gluon, np
from mxnet.gluon import nn
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import array, downloaded, ids


def checks(side: str) -> Checks:
    """What is defined once and used by many chapters; their loops are in the files beside."""
    del side
    return {
        "linear regression": linear_regression,
        "made-up data": made_up,
        "names of functions": names,
        "convolution by hand": convolution,
        "text": text,
        "attention": attention,
        "transformer encoder": transformer_encoder,
        "anchors": anchors,
        "optimizers": optimizers,
        "generative adversarial networks": partial(
            adversarial, dense, array("x", 8, 2), array("z", 8, 2)
        ),
        "the same, convolutional": partial(
            adversarial, convolutional, array("x", 4, 3, 8, 8), array("z", 4, 6, 1, 1)
        ),
        "metrics": metrics,
    }


def linear_regression() -> Any:
    """Gradient descent by hand."""
    w, b = array("w", 2, 1), np.zeros(1)
    features = array("features", 20, 2)
    labels = d2l.linreg(features, np.array([[2.0], [-3.4]]), 4.2)
    for parameter in (w, b):
        parameter.attach_grad()
    loss = None
    for _ in range(3):
        with autograd.record():
            loss = d2l.squared_loss(d2l.linreg(features, w, b), labels)
        loss.backward()
        d2l.sgd([w, b], 0.3, 20)
    batches = [*d2l.load_array((features, labels), 8, is_train=False)]
    return [w, b, loss, batches]


def made_up() -> Any:
    """Random rows on a line, and a file of numbers."""
    x, y = d2l.synthetic_data(np.array([2.0, -3.4]), 4.2, 500)
    w, *_ = numpy.linalg.lstsq(numpy.hstack([x.asnumpy(), numpy.ones((500, 1))]), y.asnumpy(), 1)
    assert numpy.allclose(w.ravel(), [2, -3.4, 4.2], atol=0.01)
    numpy.random.seed(1)  # noqa: NPY002  # the order of the batches
    rows = uniform("airfoil", (40, 4)).round(3)
    with downloaded({"airfoil.dat": "\n".join("\t".join(map(str, row)) for row in rows)}):
        batches, width = d2l.get_data_ch11(8, 24)
        return [x.shape, y.shape, width, [*batches]]


def names() -> Any:
    """What the book calls by names of its own, the same in each of its libraries."""
    x = d2l.tensor([[1.0, 2.0], [3.0, 4.0]])
    device = d2l.try_all_gpus()[0]
    made = [d2l.ones((1, 2)), d2l.zeros((1, 2)), d2l.eye(2), d2l.arange(2), d2l.linspace(0, 1, 3)]
    curves = [f(x) for f in (d2l.sin, d2l.sinh, d2l.cos, d2l.cosh, d2l.tanh, d2l.exp, d2l.log)]
    joined = [d2l.concat([x, x]), d2l.stack([x, x]), d2l.matmul(x, x), d2l.transpose(x)]
    drawn = [d2l.normal(0, 1, (2, 3)).shape, d2l.rand(2, 3).shape]
    others = [d2l.abs(-x), d2l.argmax(x, axis=1), d2l.astype(x, "int32"), d2l.reduce_sum(x, axis=0)]
    grid = d2l.meshgrid(d2l.arange(2), d2l.arange(3))
    return [made, curves, joined, drawn, others, grid, d2l.to(x, device), d2l.size(x)]


def convolution() -> Any:
    """Cross-correlation element by element."""
    return d2l.corr2d(array("x", 6, 8), array("k", 1, 2))


def text() -> Any:
    """Vocabularies, mini-batches of a corpus, translation pairs."""
    tokens = d2l.tokenize(["the time machine by wells", "the time traveller"])
    vocab = d2l.Vocab(tokens, min_freq=1, reserved_tokens=["<pad>", "<bos>", "<eos>"])
    source = d2l.build_array_nmt([["the", "time"], ["wells"]], vocab, 5)
    numpy.random.seed(0)  # noqa: NPY002  # the book's samplers draw from it
    d2l.random.seed(0)
    batches = [*d2l.seq_data_iter_sequential([*range(35)], 2, 5)]
    centers = d2l.get_centers_and_contexts([[*range(7)], [*range(7, 10)]], 2)
    return [vocab.token_to_idx["time"], *source, batches, centers[0]]


def attention() -> Any:
    """Additive, dot products, several heads; masks by lengths."""
    queries, keys, values = array("q", 2, 1, 20), array("k", 2, 10, 2), array("v", 2, 10, 4)
    lengths = np.array([2, 6])
    additive = filled(d2l.AdditiveAttention(num_hiddens=8, dropout=0.1))
    dot = filled(d2l.DotProductAttention(dropout=0.5))
    heads = filled(d2l.MultiHeadAttention(8, 4, 0.5))
    return [
        d2l.masked_softmax(array("x", 2, 2, 4), np.array([[1, 3], [2, 4]])),
        additive(queries, keys, values, lengths),
        additive.attention_weights,
        dot(array("q2", 2, 1, 2), keys, values, lengths),
        heads(array("h", 2, 3, 8), values.repeat(2, -1), values.repeat(2, -1), lengths),
    ]


def transformer_encoder() -> Any:
    """Two blocks over ten words."""
    net = filled(d2l.TransformerEncoder(20, 24, 48, 8, 2, 0.5))
    return net(ids("x", 2, 10, count=20), np.array([3, 2]))


def anchors() -> Any:
    """Boxes over an image, matched to the truth, decoded, suppressed."""
    found = d2l.multibox_prior(np.zeros((1, 3, 4, 6)), sizes=[0.75, 0.5], ratios=[1, 2])
    truth = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
    chosen = found[:, ::7][:, :6]
    targets = d2l.multibox_target(chosen, np.expand_dims(truth, axis=0))
    scores = np.array([[[0.0] * 4, [0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.9]]])
    boxes = np.array(
        [[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91],
         [0.55, 0.2, 0.9, 0.88]]
    )  # fmt: skip
    detected = d2l.multibox_detection(scores, np.zeros((1, 16)), np.expand_dims(boxes, axis=0))
    return [found, targets, detected, d2l.box_iou(boxes, boxes)]


def optimizers() -> Any:
    """Steps of the algorithms of chapter 11 by the trainer, from weights by formula."""
    features = array("features", 30, 3)
    labels = np.dot(features, np.array([1.0, -2.0, 0.5]))
    results = []
    for name, options in [
        ("sgd", {"learning_rate": 0.05, "momentum": 0.5}),
        ("adagrad", {"learning_rate": 0.1}),
        ("rmsprop", {"learning_rate": 0.01, "gamma1": 0.9}),
        ("adam", {"learning_rate": 0.01}),
    ]:
        net = filled(nn.Dense(1, in_units=3))
        trainer = gluon.Trainer(net.collect_params(), name, options)
        loss, value = gluon.loss.L2Loss(), None
        for x, y in d2l.load_array((features, labels), 10, is_train=False):
            with autograd.record():
                value = loss(net(x), y)
            value.backward()
            trainer.step(10)
        results += [value, net.weight.data()]
    return results


def dense() -> Any:
    """A generator and a discriminator of points."""
    return nn.Dense(2, in_units=2), nn.Dense(1, in_units=2)


def convolutional() -> Any:
    """Those of pictures of 8 by 8."""
    generator, discriminator = nn.HybridSequential(), nn.HybridSequential()
    generator.add(
        nn.Conv2DTranspose(8, kernel_size=4, use_bias=False), nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Conv2DTranspose(3, kernel_size=4, strides=2, padding=1, activation="tanh"),
    )  # fmt: skip
    discriminator.add(
        nn.Conv2D(8, kernel_size=4, strides=2, padding=1), nn.BatchNorm(), nn.LeakyReLU(0.2),
        nn.Conv2D(1, kernel_size=4, use_bias=False), nn.Flatten(),
    )  # fmt: skip
    for net in (generator, discriminator):
        net.hybridize()
    return generator, discriminator


def adversarial(made: Any, x: Any, z: Any) -> Any:
    """Two steps of the discriminator and of the generator."""
    generator, discriminator = (filled(net) for net in made())
    options = {"learning_rate": 0.05, "beta1": 0.5}
    trainers = [
        gluon.Trainer(net.collect_params(), "adam", options) for net in (generator, discriminator)
    ]
    loss = gluon.loss.SigmoidBCELoss()
    losses = [
        (
            d2l.update_D(x, z, discriminator, generator, loss, trainers[1]),
            d2l.update_G(z, discriminator, generator, loss, trainers[0]),
        )
        for _ in range(2)
    ]
    learned = [net.collect_params(".*weight").values() for net in (generator, discriminator)]
    return [losses, [[p.data() for p in parameters] for parameters in learned]]


def metrics() -> Any:
    """Accuracy, an epoch of chapter 3, evaluation on a device."""
    net = filled(nn.Dense(4, in_units=3))
    data = [(array(str(i), 6, 3), ids(str(i), 6, count=4)) for i in range(3)]
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    cost = gluon.loss.SoftmaxCrossEntropyLoss()
    epoch = d2l.train_epoch_ch3(net, data, cost, trainer.step)
    return [
        epoch,
        d2l.evaluate_accuracy(net, data),
        d2l.evaluate_accuracy_gpu(net, data),
        d2l.evaluate_loss(net, data, cost),
    ]
