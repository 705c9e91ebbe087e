"""GluonNLP's models: BERT and its kin, Transformer, ELMo, AWD language models, attention."""

from functools import partial
from pathlib import Path
from typing import Any

import gluonnlp as nlp
from gluonnlp.model.transformer import get_transformer_encoder_decoder
from gluonnlp.model.translation import NMTModel

import mxnet as mx
from tests.clients.exchange import exchanged
from tests.clients.forms import in_all_forms
from tests.clients.formula import filled, uniform, words
from tests.clients.program import Checks

TOKENS = ["the", "quick", "brown", "fox", "jump", "##ed", "over", "lazy", "dog", "."]


def checks(side: str) -> Checks:
    """Small ones of every family."""
    found: Checks = {
        "bert_12_768_12": partial(bert, "bert_12_768_12"),
        "ernie_12_768_12": partial(bert, "ernie_12_768_12"),
        "distilbert": distilbert,
        "roberta": roberta,
        "bert classifier": classifier,
        "transformer": transformer,
        "transformer's parts": transformer_parts,
        "elmo": partial(elmo, masked=False),
        "elmo with a mask": masked_elmo,
        "elmo with a mask, in all forms": partial(elmo, masked=True),  # MXNet cannot trace it
        "awd language model": partial(language_model, "awd_lstm_lm_600"),
        "awd language model's steps": steps_of_language_model,
        "standard language model": eager_language_model,
        "standard language model in all forms": partial(language_model, "standard_lstm_lm_200"),
        "cache language model": cache,
        "big language model": big,
        "attention": attention,
        "convolutions and highways": convolutions,
        "beam search": beam_search,
    }
    return found | exchanged(side, written, read, resumed)


def vocabulary(kind: Any = nlp.vocab.BERTVocab) -> Any:
    """Ten words and the special ones."""
    return kind(nlp.data.count_tokens(TOKENS * 2))


def ids(name: str, *shape: int, count: int = 10) -> Any:
    """Indices of words, as floats, as users give them."""
    return mx.nd.array(words(name, shape, count))


SMALL = {"num_layers": 2, "units": 32, "hidden_size": 64, "num_heads": 4, "embed_size": 32}


def model(name: str, **options: Any) -> Any:
    """A model by its name, made small."""
    return nlp.model.get_model(
        name,
        dataset_name=None,
        vocab=vocabulary(),
        pretrained=False,
        hparam_allow_override=True,
        **(SMALL | options),
    )[0]


def bert(name: str) -> Any:
    """Sequence and pooled output, next sentence, masked words."""
    net = filled(model(name))
    lengths, places = mx.nd.array([6, 3]), mx.nd.array([[1, 2], [0, 1]])
    inputs = ids("tokens", 2, 6), ids("types", 2, 6, count=2), lengths, places
    return in_all_forms(net, *inputs)


def distilbert() -> Any:
    """Without token types."""
    net = nlp.model.DistilBERTModel(encoder(), vocab_size=12, units=32, embed_size=32)
    return in_all_forms(filled(net), ids("tokens", 2, 6), mx.nd.array([6, 3]))


def encoder(**options: Any) -> Any:
    """Two layers of BERT's encoder."""
    return nlp.model.BERTEncoder(
        units=32, hidden_size=64, num_layers=2, num_heads=4, max_length=20, dropout=0.0, **options
    )


def roberta() -> Any:
    """Masked words only."""
    net = nlp.model.RoBERTaModel(encoder(), vocab_size=12, units=32, embed_size=32)
    inputs = ids("tokens", 2, 6), mx.nd.array([6, 3]), mx.nd.array([[1, 2], [0, 1]])
    return in_all_forms(filled(net), *inputs)


def classifier() -> Any:
    """Fine tuning: BERTAdam, a step on two sentences."""
    options = {"use_decoder": False, "use_classifier": False, "dropout": 0.0}
    net = filled(nlp.model.BERTClassifier(model("bert_12_768_12", **options), 3, dropout=0))
    net.hybridize(static_alloc=True)
    trainer = mx.gluon.Trainer(
        net.collect_params(), "bertadam", {"learning_rate": 1e-3, "epsilon": 1e-6}
    )
    cost = mx.gluon.loss.SoftmaxCELoss()
    inputs = ids("tokens", 2, 6), ids("types", 2, 6, count=2), mx.nd.array([6, 3])
    values = []
    for _ in range(3):
        with mx.autograd.record():
            value = cost(net(*inputs), mx.nd.array([0, 2])).mean()
        value.backward()
        trainer.allreduce_grads()
        nlp.utils.clip_grad_global_norm([*net.collect_params().values()], 1)
        trainer.update(1)
        values.append(value)
    return values


def translator() -> Any:
    """A small Transformer of encoder and decoder."""
    parts = get_transformer_encoder_decoder(
        num_layers=2, num_heads=2, units=16, hidden_size=32, dropout=0.0,
        max_src_length=20, max_tgt_length=20,
    )  # fmt: skip
    vocab = vocabulary(nlp.Vocab)
    return NMTModel(
        src_vocab=vocab,
        tgt_vocab=vocab,
        encoder=parts[0],
        decoder=parts[1],
        one_step_ahead_decoder=parts[2],
        embed_size=16,
        prefix="transformer_",
    )


def transformer() -> Any:
    """Training with smoothed labels, a step."""
    net = filled(translator())
    source, target = ids("source", 2, 5), ids("target", 2, 6)
    lengths = mx.nd.array([5, 3]), mx.nd.array([5, 4])
    forms = in_all_forms(net, source, target[:, :-1], *lengths, exported=False)  # it is a `Block`
    smooth = nlp.loss.LabelSmoothing(units=14, epsilon=0.1)
    cost = nlp.loss.MaskedSoftmaxCELoss(sparse_label=False)
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    values = []
    for _ in range(2):
        with mx.autograd.record():
            out, _ = net(source, target[:, :-1], *lengths)
            value = cost(out, smooth(target[:, 1:]), lengths[1]).mean()
        value.backward()
        trainer.step(1)
        values.append(value)
    return [forms, *values]


def transformer_parts() -> Any:
    """Encoder, decoder and its single step; the first two can be exported."""
    net = filled(translator())
    lengths = mx.nd.array([5, 3])
    source, target = net.src_embed(ids("source", 2, 5)), net.tgt_embed(ids("target", 2, 5))
    memory, _ = net.encode(ids("source", 2, 5), valid_length=lengths)
    states = net.decoder.init_state_from_encoder(memory, lengths)
    return [
        in_all_forms(net.encoder, source, None, lengths),
        in_all_forms(net.decoder, target, states, mx.nd.array([5, 4])),
        # Its `forward` adds an axis before the graph begins.
        in_all_forms(net.one_step_ahead_decoder, target[:, 0], states, exported=False),
    ]


def beam_search() -> Any:
    """Translation by beam search over the decoder's single steps."""
    net = filled(translator())
    states = net.decoder.init_state_from_encoder(
        net.encode(ids("source", 2, 5), valid_length=mx.nd.array([5, 3]))[0], mx.nd.array([5, 3])
    )
    sampler = nlp.model.BeamSearchSampler(
        beam_size=3, decoder=lambda *inputs: net.decode_step(*inputs)[:2], eos_id=3,
        scorer=nlp.model.BeamSearchScorer(alpha=0.6, K=5), max_length=6,
    )  # fmt: skip
    return [*sampler(mx.nd.array([2, 2]), states)]


def characters_to_states() -> Any:
    """ELMo, and what it is asked: two sentences of five words of ten characters."""
    net = nlp.model.ELMoBiLM(
        rnn_type="lstmpc", output_size=16, filters=[[1, 4], [2, 8]], char_embed_size=4,
        num_highway=1, conv_layer_activation="relu", max_chars_per_token=10, char_vocab_size=262,
        input_size=16, hidden_size=24, proj_size=16, num_layers=2, cell_clip=3, proj_clip=3,
        skip_connection=True,
    )  # fmt: skip
    filled(net)
    characters = mx.nd.array(words("characters", (2, 5, 10), 260) + 1)
    return net, characters, net.begin_state(mx.nd.zeros, batch_size=2)


MASK = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]


def elmo(masked: bool) -> Any:
    """Characters to contextual states, forward and backward."""
    return in_all_forms(*characters_to_states(), *([mx.nd.array(MASK)] if masked else []))


def masked_elmo() -> Any:
    """The second sentence is shorter."""
    net, *inputs = characters_to_states()
    return net(*inputs, mx.nd.array(MASK))


def language(name: str) -> Any:
    """A language model, words, and the state before them."""
    net, _ = nlp.model.get_model(
        name, dataset_name=None, vocab=vocabulary(nlp.Vocab), pretrained=False,
        hparam_allow_override=True, embed_size=20, hidden_size=20 if "standard" in name else 24,
    )  # fmt: skip
    filled(net)
    return net, ids("tokens", 7, 2), net.begin_state(func=mx.nd.zeros, batch_size=2)


def language_model(name: str) -> Any:
    """Scores of next words in all forms; gradients through the graph."""
    net, tokens, hidden = language(name)
    return [in_all_forms(net, tokens, hidden), gradients(net, tokens, hidden)]


def eager_language_model() -> Any:
    """The one that MXNet cannot trace."""
    net, tokens, hidden = language("standard_lstm_lm_200")
    return [net(tokens, hidden), gradients(net, tokens, hidden)]


def gradients(net: Any, tokens: Any, hidden: Any) -> Any:
    """The loss over two stretches of text, the second from the state after the first."""
    _, hidden = net(tokens, hidden)
    with mx.autograd.record(train_mode=False):
        out, _ = net(tokens, hidden)
        value = mx.gluon.loss.SoftmaxCELoss()(out, ids("next", 7, 2)).mean()
    value.backward()
    found = [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]
    return [value, found[0], found[-1]]


def steps_of_language_model() -> Any:
    """Truncated backpropagation with regularized activations and clipped gradients."""
    net = nlp.model.train.AWDRNN("lstm", 14, 20, 24, 2, True, 0, 0, 0, 0, 0)
    filled(net)
    net.hybridize(static_alloc=True)
    cost = mx.gluon.loss.SoftmaxCELoss()
    small, smooth = (
        nlp.loss.ActivationRegularizationLoss(2.0),
        nlp.loss.TemporalActivationRegularizationLoss(1.0),
    )
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 5, "wd": 1e-6})
    hidden, values = net.begin_state(func=mx.nd.zeros, batch_size=2), []
    for i in range(3):
        hidden = [[state.detach() for state in layer] for layer in hidden]
        with mx.autograd.record():
            out, hidden, raw, dropped = net(ids(f"tokens {i}", 7, 2), hidden)
            value = cost(out, ids(f"next {i}", 7, 2)).mean() + small(*dropped[-1:])
            value = value + smooth(*raw[-1:])
        value.backward()
        nlp.utils.clip_grad_global_norm([*net.collect_params().values()], 0.25)
        trainer.step(1)
        values.append(value)
    return [values, [p.data() for p in net.collect_params().values()]]


def cache() -> Any:
    """A cache of the words seen."""
    inner = nlp.model.AWDRNN("lstm", 12, 20, 24, 2, True, 0, 0, 0, 0, 0)
    net = nlp.model.train.CacheCell(inner, 12, window=3, theta=0.6, lambdas=0.2)
    filled(inner)
    begin = inner.begin_state(func=mx.nd.zeros, batch_size=1)
    inputs = ids("tokens", 4, 1), ids("next", 4, 1), None, None, begin
    out, words_seen, keys, _ = net(*inputs)
    return [out, words_seen, keys]


def big() -> Any:
    """Importance sampling over a large vocabulary."""
    net = nlp.model.train.BigRNN(12, 16, 24, 1, 8, 5, embed_dropout=0.0, encode_dropout=0.0)
    filled(net)
    trainer = mx.gluon.Trainer(net.collect_params(), "adagrad", {"learning_rate": 0.1})
    inputs = ids("tokens", 4, 2), ids("next", 4, 2)
    samples = [mx.nd.array([1, 3, 5, 7, 8]), mx.nd.ones((5,)) * 0.2, mx.nd.ones((4, 2)) * 0.2]
    hidden = net.begin_state(batch_size=2, func=mx.nd.zeros)
    with mx.autograd.record():
        out, _, label = net(*inputs, hidden, samples)
        value = mx.gluon.loss.SoftmaxCELoss()(out, label).mean()
    value.backward()
    trainer.step(1)
    return [out, label, value]


def attention() -> Any:
    """Cells with masks."""
    query, key = (mx.nd.array(uniform(n, (2, 4, 8))) for n in ("query", "key"))
    mask = mx.nd.array(words("mask", (2, 4, 4), 2))
    cells = [
        nlp.model.DotProductAttentionCell(scaled=True),
        nlp.model.MLPAttentionCell(units=6),
        nlp.model.MultiHeadAttentionCell(nlp.model.DotProductAttentionCell(), 8, 8, 8, 2),
    ]
    results = []
    for cell in cells:
        filled(cell)
        results.append(cell(query, key, key, mask))
        cell.hybridize()
        results.append(cell(query, key, key, mask))
    return results


def convolutions() -> Any:
    """Encoders of characters."""
    net = nlp.model.ConvolutionalEncoder(
        embed_size=8, num_filters=(4, 6), ngram_filter_sizes=(1, 3), num_highway=1, output_size=5
    )
    lengths = mx.nd.array([[1.0, 1.0]] * 6)
    return in_all_forms(filled(net), mx.nd.array(uniform("text", (6, 2, 8))), lengths)


FILED = {
    "num_layers": 1, "units": 8, "hidden_size": 12, "num_heads": 2, "embed_size": 8,
    "max_length": 8, "dropout": 0.0, "use_decoder": False, "use_classifier": False,
}  # fmt: skip


def written(folder: Path) -> Any:
    """Weights, the states of their trainer, and an exported encoder."""
    net = filled(model("bert_12_768_12", **FILED))
    net.hybridize()
    trainer = bert_adam(net)
    value = step(net, trainer)
    net.save_parameters(str(folder / "bert.params"))
    trainer.save_states(str(folder / "bert.states"))
    net.export(str(folder / "encoder"))
    return [value, net(*sentence())]


def bert_adam(net: Any) -> Any:
    """What trains."""
    options = {"learning_rate": 1e-3, "epsilon": 1e-6}
    return mx.gluon.Trainer(net.collect_params(), "bertadam", options)


def step(net: Any, trainer: Any) -> Any:
    """Towards zeros."""
    with mx.autograd.record():
        value = sum((output**2).mean() for output in net(*sentence()))
    value.backward()
    trainer.step(1)
    return value


def sentence() -> tuple[Any, ...]:
    """Inputs of a small BERT."""
    return ids("tokens", 2, 6), ids("types", 2, 6, count=2), mx.nd.array([6, 3])


def read(folder: Path) -> Any:
    """What the files give."""
    net = model("bert_12_768_12", **FILED)
    net.load_parameters(str(folder / "bert.params"))
    imported = mx.gluon.SymbolBlock.imports(
        str(folder / "encoder-symbol.json"),
        ["data0", "data1", "data2"],
        str(folder / "encoder-0000.params"),
    )
    return [net(*sentence()), imported(*sentence())]


def resumed(folder: Path) -> Any:
    """The next step."""
    net = model("bert_12_768_12", **FILED)
    net.load_parameters(str(folder / "bert.params"))
    trainer = bert_adam(net)
    trainer.load_states(str(folder / "bert.states"))
    return [step(net, trainer), net(*sentence())]
