"""Chapters 14 and 15: embeddings, BERT from its data to its training, sentiments, inference."""

import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy
from d2l import mxnet as d2l

import mxnet as mx
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn, rnn
from tests.clients.formula import filled, words
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import curves, downloaded, ids, in_turn

DEVICES = [mx.cpu(0), mx.cpu(1)]
SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()
WORDS = ["the", "dog", "cat", "sees", "a", "small", "black", "house", "and", "likes", "it"]


def checks(side: str) -> Checks:
    """Data sets of sentences made up; what the chapters train on them."""
    del side
    return {
        "word vectors": word_vectors,
        "vectors from a file": vectors_from_file,
        "BERT": bert,
        "BERT's data": bert_data,
        "BERT's training": bert_training,
        "sentiments, recurrent": partial(sentiments, recurrent),
        "sentiments, convolutions": partial(sentiments, convolutions),
        "inference": inference,
        "inference's data": inference_data,
    }


def sentences(name: str, count: int) -> list[str]:
    """Sentences of three to eight words."""
    lengths = 3 + words(f"lengths of {name}", (count,), 6)
    rows = words(name, (count, 8), len(WORDS))
    return [" ".join(WORDS[i] for i in row[:n]) for row, n in zip(rows, lengths, strict=True)]


def seed() -> None:
    """The book draws from Python's generator, its loaders from numpy's."""
    random.seed(8)
    numpy.random.seed(8)  # noqa: NPY002  # what loaders draw from


def word_vectors() -> Any:
    """Pairs of words with others drawn as noise; a step of skip-grams, half of them masked."""
    seed()
    rows = words("ptb", (900, 9), 400)  # most frequent words are left out of texts
    with downloaded({"ptb.train.txt": "\n".join(" ".join(map(str, row)) for row in rows)}):
        batches, vocab = d2l.load_data_ptb(128, 2, 3)
        first, *others = list[Any](batches)
    center = filled(nn.Embedding(len(vocab), 4))
    context = filled(nn.Embedding(len(vocab), 4))
    parameters = {**center.collect_params(), **context.collect_params()}
    trainer = gluon.Trainer(parameters, "adam", {"learning_rate": 0.01})
    loss, values = gluon.loss.SigmoidBCELoss(), []
    centers, contexts, mask, label = first
    for _ in range(3):
        with autograd.record():
            pairs = npx.batch_dot(center(centers), context(contexts).swapaxes(1, 2))
            value = loss(pairs.reshape(label.shape), label, mask)
            value = value * mask.shape[1] / mask.sum(axis=1)
        value.backward()
        trainer.step(len(centers))
        values.append(value)
    generator = d2l.RandomGenerator([2, 3, 4])
    return [first, len(others), values, [generator.draw() for _ in range(8)]]


def vectors_from_file() -> Any:
    """A table of vectors, with and without a header, asked for words and one it lacks."""
    rows = [f"{word} {i} {i / 2} {-i}" for i, word in enumerate(WORDS)]
    with downloaded({"vec.txt": "\n".join(["10 3", *rows])}):
        embedding = d2l.TokenEmbedding("glove.6b.50d")
    return [len(embedding), embedding[["cat", "absent", "it"]]]


def bert() -> Any:
    """Masked words and next sentences."""
    net = filled(d2l.BERTModel(30, 16, 32, 2, 2, 0.2))
    tokens = ids("tokens", 2, 8, count=30)
    segments = np.array([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]])
    places = np.array([[1, 5, 2], [6, 1, 5]])
    pieces = d2l.get_tokens_and_segments(["a", "b"], ["c"])
    return [*net(tokens, segments, np.array([8, 5]), places), pieces[1]]


def wiki() -> Any:
    """Batches of masked pairs of sentences, and their vocabulary."""
    seed()
    paragraphs = [" . ".join(sentences(f"wiki {i}", 5)) for i in range(8)]
    with downloaded({"wikitext-2/wiki.train.tokens": "\n".join(paragraphs)}):
        return d2l.load_data_wiki(4, 20)


def bert_data() -> Any:
    """The batches themselves."""
    batches, vocab = wiki()
    return [next(iter(batches)), len(vocab)]


def bert_training() -> Any:
    """Steps of both tasks on two devices."""
    batches, vocab = wiki()
    net = filled(d2l.BERTModel(len(vocab), 16, 32, 2, 2, 0.0), ctx=DEVICES)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    values = []
    for batch, _ in zip(batches, range(3), strict=False):
        shards = [gluon.utils.split_and_load(x, DEVICES, even_split=False) for x in batch]
        with autograd.record():
            masked, following, both = d2l._get_batch_loss_bert(net, SOFTMAX, len(vocab), *shards)
        for one in both:
            one.backward()
        trainer.step(1)
        values += [masked, following]
    return values


class Recurrent(nn.Block):
    """A sentence by the first and last states of an LSTM in both directions."""

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab, 8)
        self.encoder = rnn.LSTM(6, num_layers=2, bidirectional=True, input_size=8)
        self.decoder = nn.Dense(2)

    def forward(self, inputs: Any) -> Any:
        """Scores of two classes."""
        outputs = self.encoder(self.embedding(inputs.T))
        return self.decoder(np.concatenate((outputs[0], outputs[-1]), axis=1))


class Convolutions(nn.Block):
    """A sentence by the largest values of convolutions over learned and fixed vectors."""

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.embedding, self.fixed = nn.Embedding(vocab, 8), nn.Embedding(vocab, 8)
        self.convolutions: Any = nn.Sequential()
        self.convolutions.add(*(nn.Conv1D(4, k, activation="relu") for k in (2, 3)))
        self.pool = nn.GlobalMaxPool1D()
        self.decoder = nn.Dense(2)

    def forward(self, inputs: Any) -> Any:
        """Scores of two classes."""
        both = np.concatenate((self.embedding(inputs), self.fixed(inputs)), axis=2)
        features = both.transpose(0, 2, 1)
        found = [np.squeeze(self.pool(layer(features)), axis=-1) for layer in self.convolutions]
        return self.decoder(np.concatenate(found, axis=1))


def recurrent(vocab: int) -> Any:
    """The first of these."""
    return Recurrent(vocab)


def convolutions(vocab: int) -> Any:
    """The second; its fixed vectors do not learn."""
    net = Convolutions(vocab)
    net.fixed.collect_params().setattr("grad_req", "null")
    return net


def reviews() -> Any:
    """Sentences about likes and others; and how many the book's loaders find in their folders."""
    texts = sentences("reviews", 20)
    labels = ["pos" if "likes" in text else "neg" for text in texts]
    files: dict[str, str | bytes] = {
        f"aclImdb/{part}/{label}/{i}.txt": f"{text} {text}\n{text} {text}"
        for part in ("train", "test")
        for i, (label, text) in enumerate(zip(labels, texts, strict=True))
    }
    with downloaded(files) as folder:
        found, _ = d2l.read_imdb(str(Path(folder, "aclImdb")), True)
        train, test, vocab = d2l.load_data_imdb(4, 8)
        counts = len(found), len([*train]), len([*test]), len(vocab)
    # Files of a folder have no order, so words of equal number have none in that vocabulary.
    vocab = d2l.Vocab(d2l.tokenize(texts), reserved_tokens=["<pad>"])
    rows = [d2l.truncate_pad(vocab[text.split()], 8, vocab["<pad>"]) for text in texts]
    return np.array(rows), np.array([int(label == "pos") for label in labels]), vocab, counts


def sentiments(made: Any) -> Any:
    """Trained by the loop of chapter 13 on two devices; then asked about two sentences."""
    x, y, vocab, counts = reviews()
    net = filled(made(len(vocab)), ctx=DEVICES)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    batches = in_turn(x, y, size=4)
    found = curves(d2l.train_ch13, net, batches, batches, SOFTMAX, trainer, 2, DEVICES)
    asked = [d2l.predict_sentiment(net, vocab, text) for text in ("it likes it", "the dog sees")]
    return [counts, x, found, numpy.array(asked)]


def snli() -> Any:
    """Pairs of sentences and whether one follows from the other, in the files of SNLI."""
    labels = "entailment", "contradiction", "neutral", "-"
    files: dict[str, str | bytes] = {}
    for part, count in (("train", 24), ("test", 6)):
        premises, hypotheses = sentences(f"{part} 1", count), sentences(f"{part} 2", count)
        rows = [
            f"{labels[i % 4]}\t( {premise} )\t( {hypothesis} )"
            for i, (premise, hypothesis) in enumerate(zip(premises, hypotheses, strict=True))
        ]
        files[f"snli_1.0_{part}.txt"] = "\n".join(["label\tone\ttwo", *rows])
    return files


def inference_data() -> Any:
    """Premises, hypotheses, labels; batches in a random order."""
    seed()
    with downloaded(snli()) as folder:
        premises, hypotheses, labels = d2l.read_snli(folder, False)
        train, test, vocab = d2l.load_data_snli(4, 10)
        return [
            numpy.array(premises), numpy.array(hypotheses), labels, len(vocab),
            [*train], [*test],
        ]  # fmt: skip


class Comparison(nn.Block):
    """Words of one sentence beside those of the other that they attend to."""

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab, 8)
        self.attend, self.compare = nn.Dense(6, "relu", flatten=False), nn.Dense(6, flatten=False)
        self.aggregate = nn.Dense(3)

    def forward(self, X: Any) -> Any:
        """Scores of three classes."""
        a, b = (self.embedding(sentence) for sentence in X)
        scores = npx.batch_dot(self.attend(a), self.attend(b), transpose_b=True)
        beta = npx.batch_dot(npx.softmax(scores), b)
        alpha = npx.batch_dot(npx.softmax(scores.transpose(0, 2, 1)), a)
        both = [self.compare(np.concatenate(pair, axis=2)) for pair in ((a, beta), (b, alpha))]
        return self.aggregate(np.concatenate([v.sum(axis=1) for v in both], axis=1))


def inference() -> Any:
    """The loop of chapter 13 with two inputs, divided over two devices; a question."""
    seed()
    with downloaded(snli()):
        train, test, vocab = d2l.load_data_snli(3, 10)
    net = filled(Comparison(len(vocab)), ctx=DEVICES)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    found = curves(
        d2l.train_ch13, net, train, test, SOFTMAX, trainer, 2, DEVICES,
        d2l.split_batch_multi_inputs,
    )  # fmt: skip
    asked = d2l.predict_snli(net, vocab, ["a", "dog"], ["a", "black", "dog"])
    return [found, numpy.array([asked])]
