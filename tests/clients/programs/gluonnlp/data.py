"""GluonNLP's vocabularies, embeddings, tokenizers, samplers and batches, without a download."""

import tempfile
from pathlib import Path
from typing import Any

import gluonnlp as nlp
import numpy as np
from gluonnlp.data import batchify

import mxnet as mx
from tests.clients.formula import uniform, words
from tests.clients.program import Checks

TEXT = "the quick brown fox jumped over the lazy dog . the dog slept"


def checks(side: str) -> Checks:
    """All that chance has no part in."""
    del side
    return {
        "vocabulary": vocabulary,
        "embedding": embedding,
        "bert tokens": bert_tokens,
        "samplers": samplers,
        "batches": batches,
        "streams": streams,
        "language model batches": language_model_batches,
        "word2vec": word2vec,
        "metrics": metrics,
        "losses": losses,
    }


def vocabulary() -> Any:
    """Counted, limited, written and read."""
    counter = nlp.data.count_tokens(TEXT.split())
    vocab = nlp.Vocab(counter, max_size=6, min_freq=1)
    again = nlp.Vocab.from_json(vocab.to_json())
    return [again[TEXT.split()], again.idx_to_token, len(vocab)]


def embedding() -> Any:
    """A file of vectors, attached to a vocabulary, asked for neighbours."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.txt"
        rows = [f"{word} {i} {i + 1} {i * 2}" for i, word in enumerate(sorted(set(TEXT.split())))]
        file.write_text("\n".join(rows))
        vectors = nlp.embedding.TokenEmbedding.from_file(str(file))
        vocab = nlp.Vocab(nlp.data.count_tokens(TEXT.split()))
        vocab.set_embedding(vectors)
        vectors.serialize(str(Path(folder) / "vectors.npz"))
        again = nlp.embedding.TokenEmbedding.deserialize(str(Path(folder) / "vectors.npz"))
        return [vocab.embedding["dog", "fox", "absent"], again["quick"]]


def bert_tokens() -> Any:
    """Word pieces of two sentences, padded."""
    vocab = nlp.vocab.BERTVocab(
        nlp.data.count_tokens([*TEXT.split(), "##ed", "jump", "##y", "laz"])
    )
    tokenizer = nlp.data.BERTTokenizer(vocab, lower=True)
    transform = nlp.data.BERTSentenceTransform(tokenizer, max_seq_length=16, pair=True)
    return [tokenizer("The FOX jumped, lazily!"), transform(("The dog", "A quick fox"))]


def samplers() -> Any:
    """Buckets of similar lengths, unshuffled."""
    lengths = [*words("lengths", (40,), 30) + 1]
    fixed = nlp.data.FixedBucketSampler(
        lengths, batch_size=4, num_buckets=5, ratio=0.5, bucket_scheme=nlp.data.ExpWidthBucket()
    )
    constant = nlp.data.FixedBucketSampler(lengths, batch_size=4, num_buckets=3)
    order = nlp.data.SortedSampler(lengths)
    split = nlp.data.SplitSampler(10, num_parts=2, part_index=1)
    return [fixed.stats(), [*constant], [*order], sorted(split)]


def batches() -> Any:
    """Samples of unequal lengths through a data loader."""
    samples = [(words(str(n), (n,), 9), n) for n in (3, 5, 2, 4)]
    function = batchify.Tuple(batchify.Pad(axis=0, pad_val=-1, ret_length=True), batchify.Stack())
    loader = mx.gluon.data.DataLoader(samples, batch_size=2, batchify_fn=function)
    return [*loader]


def streams() -> Any:
    """Files read one by one."""
    with tempfile.TemporaryDirectory() as folder:
        for i in range(2):
            (Path(folder) / f"{i}.txt").write_text(f"{TEXT}\n{i} dogs\n")
        stream = nlp.data.SimpleDatasetStream(
            nlp.data.CorpusDataset, str(Path(folder) / "*.txt"), "sequential"
        )
        return [[*dataset] for dataset in stream]


def language_model_batches() -> Any:
    """A text cut for truncated backpropagation."""
    vocab = nlp.Vocab(nlp.data.count_tokens(TEXT.split()))
    data = mx.gluon.data.SimpleDataset(TEXT.split())
    cut = batchify.CorpusBPTTBatchify(vocab, seq_len=3, batch_size=2, last_batch="keep")
    return [*cut(data)]


def word2vec() -> Any:
    """Centers and contexts; an embedding of n-grams."""
    function = batchify.EmbeddingCenterContextBatchify(
        batch_size=4, window_size=2, reduce_window_size_randomly=False, cbow=True
    )
    coded = mx.gluon.data.SimpleDataset([[*range(8)]])
    found = [*function(coded)]
    net = nlp.model.train.FasttextEmbeddingModel(
        {word: i for i, word in enumerate("abc")},
        nlp.vocab.create_subword_function("NGramHashes", num_subwords=20),
        output_dim=4,
    )
    net.initialize(mx.init.One())
    return [[[centers, contexts[1]] for centers, contexts in found], net["abc"]]


def metrics() -> Any:
    """Accuracy under a mask."""
    metric = nlp.metric.MaskedAccuracy()
    metric.update(
        [mx.nd.array([1, 2, 0])], [mx.nd.array(uniform("m", (3, 4)))], [mx.nd.array([1, 1, 0])]
    )
    return metric.get()[1]


def losses() -> Any:
    """Activation regularization and label smoothing."""
    states = [mx.nd.array(uniform("states", (3, 2, 4)))]
    smooth = nlp.loss.LabelSmoothing(units=4, epsilon=0.2)
    return [
        nlp.loss.ActivationRegularizationLoss(2.0)(*states),
        nlp.loss.TemporalActivationRegularizationLoss(1.0)(*states),
        smooth(mx.nd.array(np.array([[1, 3]]))),
    ]
