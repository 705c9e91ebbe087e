"""Chapters 9 and 10: translators trained by the book's loop, which then translate."""

import math
from functools import partial
from typing import Any

import numpy
from d2l import mxnet as d2l

import mxnet as mx
from mxnet import np, npx
from mxnet.gluon import nn, rnn
from tests.clients.formula import filled, prescribed
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import array, curves, downloaded, ids

PAIRS = [
    ("Go.", "Va !"), ("Hi.", "Salut !"), ("I won!", "J'ai gagné !"), ("He lost.", "Il a perdu."),
    ("I'm home.", "Je suis chez moi."), ("He is calm.", "Il est calme."),
]  # fmt: skip
STEPS = 6


def checks(side: str) -> Checks:
    """Each decoder of the two chapters; masks, scores and the parts of a Transformer."""
    del side
    return {
        "masked loss and scores": masked,
        "recurrent layers": partial(translator, recurrent, 0.01),
        "attention": partial(translator, attentive, 0.01),
        "Transformer": partial(translator, transformer, 0.004),
        "parts of a Transformer": parts,
    }


def sentences() -> Any:
    """Shuffled batches of the pairs, two vocabularies."""
    numpy.random.seed(4)  # noqa: NPY002  # the order of the batches
    text = "\n".join(f"{source}\t{target}" for source, target in PAIRS * 4)
    with downloaded({"fra.txt": text}):
        return d2l.load_data_nmt(8, STEPS)


class Decoder(d2l.Decoder):  # type: ignore[misc]  # d2l has no types
    """Words to states of a GRU, each beside the encoder's last state."""

    def __init__(self, vocab_size: int, embed_size: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = rnn.GRU(hidden, layers)
        self.dense = nn.Dense(vocab_size, flatten=False)

    def init_state(self, enc_outputs: Any, *args: Any) -> Any:
        """The encoder's states."""
        del args
        return enc_outputs[1]

    def forward(self, X: Any, state: Any) -> Any:
        """Scores of next words."""
        embedded = self.embedding(X).swapaxes(0, 1)
        context = np.broadcast_to(state[0][-1], (len(embedded), *state[0][-1].shape))
        output, state = self.rnn(np.concatenate((embedded, context), 2), state)
        return self.dense(output).swapaxes(0, 1), state


class AttentiveDecoder(d2l.AttentionDecoder):  # type: ignore[misc]  # d2l has no types
    """Before each word, the encoder's states are weighed anew."""

    def __init__(self, vocab_size: int, embed_size: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.attention = d2l.AdditiveAttention(hidden, 0)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = rnn.GRU(hidden, layers)
        self.dense = nn.Dense(vocab_size, flatten=False)
        self._weights: list[Any] = []

    def init_state(self, enc_outputs: Any, enc_valid_lens: Any, *args: Any) -> Any:
        """All outputs, the last states, and how many outputs count."""
        del args
        outputs, states = enc_outputs
        return outputs.swapaxes(0, 1), states, enc_valid_lens

    def forward(self, X: Any, state: Any) -> Any:
        """Scores of next words, one step after the other."""
        enc_outputs, hidden, lengths = state
        outputs, self._weights = [], []
        for x in self.embedding(X).swapaxes(0, 1):
            query = np.expand_dims(hidden[0][-1], axis=1)
            context = self.attention(query, enc_outputs, enc_outputs, lengths)
            both = np.concatenate((context, np.expand_dims(x, axis=1)), axis=-1)
            output, hidden = self.rnn(both.swapaxes(0, 1), hidden)
            outputs.append(output)
            self._weights.append(self.attention.attention_weights)
        scores = self.dense(np.concatenate(outputs, axis=0))
        return scores.swapaxes(0, 1), [enc_outputs, hidden, lengths]

    @property
    def attention_weights(self) -> Any:
        """Of the last call."""
        return self._weights


class DecoderBlock(nn.Block):
    """Attention to earlier words, then to the source, then two dense layers."""

    def __init__(self, hidden: int, inner: int, heads: int, place: int) -> None:
        super().__init__()
        self.place = place
        self.own = d2l.MultiHeadAttention(hidden, heads, 0)
        self.source = d2l.MultiHeadAttention(hidden, heads, 0)
        self.dense = d2l.PositionWiseFFN(inner, hidden)
        self.norms = nn.Sequential()
        self.norms.add(*(d2l.AddNorm(0) for _ in range(3)))

    def forward(self, X: Any, state: Any) -> Any:
        """The words seen before are kept in the state while one word after the other is asked."""
        enc_outputs, lengths, seen = state
        before = seen[self.place]
        seen[self.place] = X if before is None else np.concatenate((before, X), axis=1)
        steps = None
        if mx.autograd.is_training():
            steps = np.tile(np.arange(1, X.shape[1] + 1, ctx=X.ctx), (X.shape[0], 1))
        y = self.norms[0](X, self.own(X, seen[self.place], seen[self.place], steps))
        z = self.norms[1](y, self.source(y, enc_outputs, enc_outputs, lengths))
        return self.norms[2](z, self.dense(z)), state


class TransformerDecoder(d2l.AttentionDecoder):  # type: ignore[misc]  # d2l has no types
    """Two of these blocks."""

    def __init__(self, vocab_size: int, hidden: int, inner: int, heads: int, layers: int) -> None:
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.embedding = nn.Embedding(vocab_size, hidden)
        self.places = d2l.PositionalEncoding(hidden, 0)
        self.blocks: Any = nn.Sequential()
        self.blocks.add(*(DecoderBlock(hidden, inner, heads, i) for i in range(layers)))
        self.dense = nn.Dense(vocab_size, flatten=False)
        self._weights: list[Any] = []

    def init_state(self, enc_outputs: Any, enc_valid_lens: Any, *args: Any) -> Any:
        """What was seen before the first word: nothing."""
        del args
        return [enc_outputs, enc_valid_lens, [None] * self.layers]

    def forward(self, X: Any, state: Any) -> Any:
        """Scores of next words."""
        x = self.places(self.embedding(X) * math.sqrt(self.hidden))
        self._weights = []
        for block in self.blocks:
            x, state = block(x, state)
            self._weights.append(block.source.attention.attention_weights)
        return self.dense(x), state

    @property
    def attention_weights(self) -> Any:
        """Of the last call, by layer."""
        return self._weights


def recurrent(source: int, target: int) -> Any:
    """Two GRUs."""
    encoder = d2l.Seq2SeqEncoder(source, embed_size=8, num_hiddens=16, num_layers=2)
    return d2l.EncoderDecoder(encoder, Decoder(target, 8, 16, 2))


def attentive(source: int, target: int) -> Any:
    """The same encoder, weighed."""
    encoder = d2l.Seq2SeqEncoder(source, embed_size=8, num_hiddens=16, num_layers=2)
    return d2l.EncoderDecoder(encoder, AttentiveDecoder(target, 8, 16, 2))


def transformer(source: int, target: int) -> Any:
    """Attention alone."""
    encoder = d2l.TransformerEncoder(source, 16, 32, 4, 2, 0)
    return d2l.EncoderDecoder(encoder, TransformerDecoder(target, 16, 32, 4, 2))


def translator(made: Any, rate: float) -> Any:
    """Trained for twenty rounds by the chapter's loop; then it translates two sentences."""
    batches, source, target = sentences()
    net = prescribed(made(len(source), len(target)))
    losses = curves(d2l.train_seq2seq, net, batches, rate, 20, target, mx.cpu())
    translated, scores, attention = [], [], []
    for pair in PAIRS[1:3]:
        english, french = map(d2l.preprocess_nmt, pair)
        keep = not isinstance(net.decoder, Decoder)
        words, weights = d2l.predict_seq2seq(net, english, source, target, STEPS, mx.cpu(), keep)
        translated.append(words)
        scores.append(d2l.bleu(words, french, k=2) if words else 0.0)
        attention.append(weights)
    return [losses, numpy.array(translated), scores, attention]


def masked() -> Any:
    """Losses that end with the sentence; n-grams in common."""
    loss = d2l.MaskedSoftmaxCELoss()
    return [
        loss(np.ones((3, 4, 10)), np.ones((3, 4)), np.array([4, 2, 0])),
        loss(array("scores", 3, 4, 10), ids("labels", 3, 4), np.array([4, 1, 3])),
        d2l.bleu("il est calme .", "il est paresseux .", 2),
    ]


def parts() -> Any:
    """Places, dense layers, additions, and one block of the encoder."""
    block = filled(d2l.EncoderBlock(24, 48, 8, 0.5))
    x = array("x", 2, 6, 24)
    heads = d2l.transpose_qkv(x, 4)
    return [
        block(x, np.array([3, 2])),
        filled(d2l.PositionWiseFFN(4, 8))(x),
        filled(d2l.AddNorm(0.5))(x, x),
        filled(d2l.PositionalEncoding(24, 0))(x),
        heads,
        d2l.transpose_output(heads, 4),
        npx.softmax(x),
    ]
