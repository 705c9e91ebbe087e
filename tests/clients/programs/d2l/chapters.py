"""The functions of "Dive into Deep Learning", chapter by chapter, on data made up."""

from typing import Any

import numpy
from d2l import mxnet as d2l

import mxnet as mx
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn
from tests.clients.formula import filled, uniform, words
from tests.clients.program import Checks

npx.set_np()


def checks(side: str) -> Checks:
    """Forward and training of what the chapters define; no chapter's data is downloaded."""
    del side
    return {
        "linear regression": linear_regression,
        "convolution by hand": convolution,
        "residual network": residual_network,
        "recurrent network from scratch": recurrent_scratch,
        "recurrent network": recurrent,
        "text": text,
        "sequence to sequence": seq2seq,
        "attention": attention,
        "transformer encoder": transformer_encoder,
        "anchors": anchors,
        "optimizers": optimizers,
        "bert": bert,
        "recommenders": recommenders,
        "generative adversarial networks": adversarial,
        "metrics": metrics,
    }


def array(name: str, *shape: int) -> Any:
    """Values by formula."""
    return np.array(uniform(name, shape))


def ids(name: str, *shape: int, count: int = 10) -> Any:
    """Indices by formula."""
    return np.array(words(name, shape, count))


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


def convolution() -> Any:
    """Cross-correlation element by element."""
    return d2l.corr2d(array("x", 6, 8), array("k", 1, 2))


def residual_network() -> Any:
    """The 18 layers of chapter 13, and a step on two devices' halves."""
    net = d2l.resnet18(10)
    filled(net)
    x, y = array("x", 4, 3, 32, 32), ids("y", 4)
    eager = net(x)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-3})
    cost = gluon.loss.SoftmaxCrossEntropyLoss()
    loss, right = d2l.train_batch_ch13(net, x, y, cost, trainer, [mx.cpu(0)])
    return [eager, loss, right]


def recurrent_scratch() -> Any:
    """A recurrent network of arrays; its gradients clipped."""

    def parameters(vocab: int, hidden: int, device: Any) -> Any:
        shapes = [(vocab, hidden), (hidden, hidden), (hidden,), (hidden, vocab), (vocab,)]
        made = [array(str(i), *shape).as_in_ctx(device) for i, shape in enumerate(shapes)]
        for one in made:
            one.attach_grad()
        return made

    def forward(inputs: Any, state: Any, params: Any) -> Any:
        w_xh, w_hh, b_h, w_hq, b_q = params
        (hidden,) = state
        outputs = []
        for x in inputs:
            hidden = np.tanh(np.dot(x, w_xh) + np.dot(hidden, w_hh) + b_h)
            outputs.append(np.dot(hidden, w_hq) + b_q)
        return np.concatenate(outputs, axis=0), (hidden,)

    def begin(batch: int, hidden: int, device: Any) -> Any:
        return (np.zeros((batch, hidden), ctx=device),)

    net = d2l.RNNModelScratch(10, 16, d2l.try_gpu(), parameters, begin, forward)
    data = [(ids("x", 2, 5), ids("y", 2, 5))] * 2
    cost = gluon.loss.SoftmaxCrossEntropyLoss()
    perplexity, _ = d2l.train_epoch_ch8(
        net, data, cost, lambda batch_size: d2l.sgd(net.params, 0.5, batch_size), mx.cpu(), False
    )
    return [perplexity, net.params[0]]


def recurrent() -> Any:
    """The same of Gluon's layers, and what it would write next."""
    vocab = d2l.Vocab(d2l.tokenize(["time traveller"], "char"))
    net = d2l.RNNModel(mx.gluon.rnn.GRU(16), len(vocab))
    filled(net)
    out, state = net(ids("x", 2, 5), net.begin_state(batch_size=2, ctx=mx.cpu()))
    return [out, *state, d2l.predict_ch8("time ", 6, net, vocab, mx.cpu())]


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


def seq2seq() -> Any:
    """Two GRUs, a loss that ends with the sentence, training by the chapter's loop."""
    encoder = d2l.Seq2SeqEncoder(vocab_size=10, embed_size=8, num_hiddens=16, num_layers=2)
    filled(encoder)
    output, state = encoder(ids("x", 4, 7))
    loss = d2l.MaskedSoftmaxCELoss()
    masked = loss(np.ones((3, 4, 10)), np.ones((3, 4)), np.array([4, 2, 0]))
    return [output, *state, masked, d2l.bleu("il est calme .", "il est paresseux .", 2)]


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
    """The algorithms of chapter 11 through its training function."""
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


def bert() -> Any:
    """Masked words and next sentences."""
    net = filled(d2l.BERTModel(30, 16, 32, 2, 2, 0.2))
    tokens = ids("tokens", 2, 8, count=30)
    segments = np.array([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]])
    places = np.array([[1, 5, 2], [6, 1, 5]])
    pieces = d2l.get_tokens_and_segments(["a", "b"], ["c"])
    return [*net(tokens, segments, np.array([8, 5]), places), pieces[1]]


def recommenders() -> Any:
    """Losses of rankings."""
    positive, negative = array("p", 4, 1), array("n", 4, 1)
    return [
        d2l.BPRLoss()(positive, negative),
        d2l.HingeLossbRec()(positive, negative),
        d2l.hit_and_auc([1, 5, 3], [3], 2),
    ]


def adversarial() -> Any:
    """A step of the discriminator and one of the generator."""
    nets = [filled(nn.Dense(2, in_units=2)), filled(nn.Dense(1, in_units=2))]
    generator, discriminator = nets
    options = {"learning_rate": 0.05}
    trainers = [gluon.Trainer(net.collect_params(), "adam", options) for net in nets]
    loss = gluon.loss.SigmoidBCELoss()
    x, z = array("x", 8, 2), array("z", 8, 2)
    return [
        d2l.update_D(x, z, discriminator, generator, loss, trainers[1]),
        d2l.update_G(z, discriminator, generator, loss, trainers[0]),
        generator.weight.data(),
        discriminator.weight.data(),
    ]


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
