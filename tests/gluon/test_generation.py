"""Decoders generate by a cache what they compute without one; it grows with the text."""

from typing import Any

import pytest

import hy_ndarray
from hy_gluon._errors import LayerError
from hy_gluon.model_zoo.transformer import Decoder, generate, stream
from hy_ndarray import nd


def decoder(max_length: int, **options: Any) -> Decoder:
    hy_ndarray.random.seed(3)
    net = Decoder(16, units=8, num_layers=2, num_heads=2, max_length=max_length, **options)
    net.initialize("normal")
    return net


def likeliest(net: Decoder, tokens: list[int], count: int) -> list[int]:
    """Generate by computing the whole text anew for each token."""
    text = list(tokens)
    for _ in range(count):
        scores = net(nd.array([text], dtype="int32"))[0, -1]
        text.append(int(scores.asnumpy().argmax()))
    return text[len(tokens) :]


@pytest.mark.parametrize(
    "options", [{"active": False}, {}, {"donate_argnums": 2}], ids=["eager", "hybrid", "in place"]
)
@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_a_growing_cache_gives_the_tokens_of_whole_texts(
    positions: str, options: dict[str, Any]
) -> None:
    net = decoder(100, positions=positions)
    net.hybridize(**options)
    prompt = [3, 1, 4, 1, 5]
    assert generate(net, prompt, 70) == likeliest(net, prompt, 70)


@pytest.mark.parametrize(
    ("prompt", "count", "max_length", "lengths"),
    [
        (1, 4, 1000, [64]),
        (1, 64, 1000, [64]),
        (1, 65, 1000, [64, 128]),
        (60, 100, 170, [64, 128, 170]),
        (200, 1, 1000, [256]),
        (5, 4, 20, [20]),
    ],
)
def test_the_cache_doubles_where_the_text_outgrows_it(
    monkeypatch: pytest.MonkeyPatch, prompt: int, count: int, max_length: int, lengths: list[int]
) -> None:
    net, begun = decoder(max_length), []
    begin_cache = net.begin_cache

    def noted(batch_size: int, length: int) -> Any:
        begun.append(length)
        return begin_cache(batch_size, length)

    monkeypatch.setattr(net, "begin_cache", noted)
    assert len(generate(net, [1] * prompt, count)) == count
    assert begun == lengths


def test_generation_stops_behind_the_last_token() -> None:
    net = decoder(64)
    (first, *_) = whole = generate(net, [1, 2], 8)
    assert generate(net, [1, 2], 8, end=first) == [first]
    assert list(stream(net, [1, 2], 8, top_k=1, temperature=0.5, seed=1)) == whole


def test_texts_without_an_end_or_a_beginning_are_refused() -> None:
    net = decoder(8)
    with pytest.raises(LayerError, match="at least one token"):
        generate(net, [], 2)
    with pytest.raises(LayerError, match="5 tokens and 4 more are over the net's max_length=8"):
        generate(net, [1] * 5, 4)
