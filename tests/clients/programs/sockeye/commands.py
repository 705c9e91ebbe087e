"""Sockeye's commands, called as its console scripts call them, on sequences of digits."""

import contextlib
import importlib
import io
import json
import shlex
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import mxnet as mx
from tests.clients.exchange import exchanged
from tests.clients.formula import drawn, words
from tests.clients.program import Checks

PLAIN = ""
FAMILIES = {
    "transformer": PLAIN,
    "transformer, weights apart": "--weight-tying-type none --transformer-activation-type gelu",
    "transformer, learned positions": "--transformer-positional-embedding-type learned"
    " --transformer-preprocess '' --transformer-postprocess drn",
    "transformer, gated": "--transformer-feed-forward-use-glu --transformer-activation-type swish1",
    "simple recurrent units": "--decoder ssru_transformer",
    "hidden units' amplitudes": "--lhuc decoder --allow-missing-params",
    "length ratio": "--length-task ratio --length-task-layers 2",
    "output length": "--length-task length",
    "momentum": "--optimizer sgd --momentum 0.9 --gradient-clipping-type abs",
    "updates of two batches": "--update-interval 2 --label-smoothing 0.2",
    "clipped norm": "--gradient-clipping-type norm --gradient-clipping-threshold 0.1",
    "decoder alone": "--fixed-param-strategy all_except_decoder",
}
"""Options of training, by what they choose."""

SIZES = (
    "--num-layers 2 --num-embed 16 --transformer-model-size 16 --transformer-attention-heads 2"
    " --transformer-feed-forward-num-hidden 32 --transformer-dropout-attention 0"
    " --transformer-dropout-act 0 --transformer-dropout-prepost 0 --embed-dropout 0"
)
TRAINING = (
    "--batch-type sentence --batch-size 16 --checkpoint-interval 2"
    " --decode-and-evaluate 0 --initial-learning-rate 0.01 --seed 3 --max-seq-len 9 --use-cpu"
    " --keep-last-params 9 --overwrite-output"
)


def checks(side: str) -> Checks:
    """Every family trains, scores and translates; the other commands use the plain one's model."""
    found: Checks = {name: partial(family, name, options) for name, options in FAMILIES.items()} | {
        "source and target factors": factors,
        "decoding while training": decoding,
        "translation": translation,
        "evaluation": evaluation,
        "reranking": reranking,
        "neighbours": neighbours,
        "command line's other tools": tools,
    }
    return found | exchanged(side, written, read)


def call(tool: str, arguments: str, entered: str = "") -> str:
    """One command, in this process, which reads what is entered; what it printed."""
    module = importlib.import_module(f"sockeye.{tool}")
    with (
        mock.patch.object(sys, "argv", [tool, *shlex.split(arguments)]),
        mock.patch.object(sys, "stdin", io.StringIO(entered)),
        contextlib.redirect_stdout(io.StringIO()) as printed,
    ):
        module.main()
    return printed.getvalue()


def sentences(name: str, count: int) -> list[str]:
    """Lines of one to eight digits."""
    lengths = 1 + words(f"lengths of {name}", (count,), 8)
    digits = words(name, (count, 8), 10)
    return [" ".join(map(str, row[:n])) for row, n in zip(digits, lengths, strict=True)]


def put(path: str, lines: list[str]) -> str:
    """Write lines; give the path."""
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def lines_of(path: str) -> list[str]:
    """The lines of a file."""
    return Path(path).read_text(encoding="utf-8").splitlines()


def changed(lines: list[str], change: Callable[[str], str]) -> list[str]:
    """Each word of each line changed."""
    return [" ".join(map(change, line.split())) for line in lines]


def corpus() -> str:
    """Arguments that name made-up training data: digits, and the same sorted."""
    source, held = sentences("source", 64), sentences("held out", 12)
    put("train.src", source)
    put("train.tgt", [" ".join(sorted(line.split())) for line in source])
    put("dev.src", held)
    put("dev.tgt", [" ".join(sorted(line.split())) for line in held])
    return "--source train.src --target train.tgt"


HELD_OUT = "--validation-source dev.src --validation-target dev.tgt"


def trained(options: str, data: str = "", folder: str = "model") -> str:
    """Train from weights by formula; give the model's folder."""
    data = data or corpus()
    arguments = f"{data} {HELD_OUT} --output {folder} {SIZES} {TRAINING} {options}"
    call("train", f"{arguments} --max-updates 1")
    values = loaded(f"{folder}/params.best")
    start = {
        name: mx.nd.array(drawn(i, name, values[name].shape))
        for i, name in enumerate(sorted(values))
    }
    mx.nd.save("start.params", start)
    call("train", f"{arguments} --params start.params --max-updates 4")
    return folder


def loaded(path: str) -> Any:
    """Arrays by name."""
    return mx.nd.load(path)


def parameters(folder: str) -> Any:
    """Values after training, of some parameters."""
    values = loaded(f"{folder}/params.best")
    names = sorted(values)
    return [values[name] for name in (names[0], names[len(names) // 2], names[-1])]


def metrics(folder: str, *names: str) -> Any:
    """What training wrote down at its checkpoints: perplexities, losses and what is named."""
    wanted = "perplexity", "loss", *names
    return [
        [float(value) for key, value in sorted(pairs) if any(name in key for name in wanted)]
        for pairs in (
            [part.split("=") for part in line.split("\t")[1:]]
            for line in lines_of(f"{folder}/metrics")
        )
    ]


def scores(folder: str, options: str = "") -> list[float]:
    """Scores of the held-out pairs."""
    call("score", f"--use-cpu --model {folder} --source dev.src --target dev.tgt"
         f" --output scores --batch-size 5 {options}")  # fmt: skip
    return [float(line) for line in lines_of("scores")]


def translated(folder: str, options: str = "--beam-size 3") -> Any:
    """Translations of the held-out sentences, and their scores."""
    call("translate", f"--use-cpu --models {folder} --input dev.src --output out"
         f" --output-type json --max-input-length 9 {options}")  # fmt: skip
    outputs = [json.loads(line) for line in lines_of("out")]
    return [np.array([one["translation"] for one in outputs]), [one["score"] for one in outputs]]


def family(name: str, options: str) -> Any:
    """Metrics of training, parameters after it, scores and translations."""
    del name
    folder = trained(options)
    return [metrics(folder), parameters(folder), scores(folder), translated(folder)]


def factors() -> Any:
    """Words with a second stream beside them, on both sides, from prepared data."""
    corpus()
    for part in ("train", "dev"):
        source, target = lines_of(f"{part}.src"), lines_of(f"{part}.tgt")
        put(f"{part}.sf", changed(source, lambda digit: "low" if int(digit) < 5 else "high"))
        put(f"{part}.tf", changed(target, lambda digit: "even" if int(digit) % 2 else "odd"))
    data = "--source-factors train.sf --target-factors train.tf"
    shutil.rmtree("prepared", ignore_errors=True)
    call("prepare_data", f"{corpus()} {data} --max-seq-len 9 --output prepared"
         " --num-samples-per-shard 40")  # fmt: skip
    options = (
        "--validation-source-factors dev.sf --validation-target-factors dev.tf"
        " --source-factors-num-embed 4 --source-factors-combine concat"
        " --target-factors-combine sum --weight-tying-type none"
    )
    folder = trained(options, "--prepared-data prepared")
    both = "--source-factors dev.sf --target-factors dev.tf"
    return [
        metrics(folder),
        parameters(folder),
        scores(folder, both),
        translated(folder, "--beam-size 2 --input-factors dev.sf"),
    ]


def translation() -> Any:
    """Ways to search: greedy, n best, batches, penalties, lists of words, an ensemble."""
    folder = trained(PLAIN)
    put("table", [f"{digit}\t{digit}\t0" for digit in range(10)])
    call("lexicon", f"create -i table -m {folder} -k 3 -o lexicon")
    put("avoided", ["3 3", "7"])
    ways = [
        "--beam-size 1",
        "--greedy --beam-size 1",
        "--beam-size 4 --nbest-size 2",
        "--beam-size 3 --batch-size 4 --length-penalty-alpha 0.5 --length-penalty-beta 1",
        "--beam-size 3 --brevity-penalty-type constant --brevity-penalty-weight 0.5",
        "--beam-size 3 --restrict-lexicon lexicon --restrict-lexicon-topk 2",
        "--beam-size 3 --avoid-list avoided",
        "--beam-size 2 --prevent-unk --beam-search-stop first",
    ]
    ensembles = [
        f"--models {folder} {folder} --checkpoints 1 2 --ensemble-mode {mode}"
        for mode in ("linear", "log_linear")
    ]
    constrained = [json.dumps({"text": line, "constraints": ["5"]}) for line in lines_of("dev.src")]
    put("constrained", constrained)
    arguments = "--beam-size 4 --json-input --input constrained"
    return [translated(folder, way) for way in (*ways, *ensembles, arguments)]


def tools() -> Any:
    """Averages of checkpoints, extracted parameters, vocabularies."""
    folder = trained(PLAIN)
    call("average", f"--strategy last -n 2 --output average.params {folder}")
    average = loaded("average.params")
    call("extract_parameters", f"{folder} --names output_layer.weight --output extracted.npz")
    with np.load("extracted.npz") as archive:
        extracted = [archive[name] for name in sorted(archive)]
    call("vocab", "--inputs train.src --output vocabulary.json")
    vocabulary = json.loads(Path("vocabulary.json").read_text(encoding="utf-8"))
    names = sorted(average)
    return [average[names[0]], average[names[-1]], extracted, sorted(vocabulary)]


def decoding() -> Any:
    """Held-out sentences are translated at each checkpoint; the best one is that with most BLEU."""
    names = "bleu-val", "chrf-val", "rouge1-val"
    folder = trained("--decode-and-evaluate 8 --optimized-metric bleu")
    return [
        metrics(folder, *names),
        parameters(folder),
        np.array(lines_of(f"{folder}/decode.output.0.00002")),
    ]


def numbers(printed: str) -> list[float]:
    """All that a table of numbers holds."""
    return [float(word) for word in printed.split() if word != "(-)"]


def evaluation() -> Any:
    """Scores of translations as a whole, one by one, and of two systems."""
    wanted, one, other = sentences("wanted", 8), sentences("one", 8), sentences("wanted", 8)
    put("references", wanted)
    put("one.out", one)
    put("other.out", [*other[:4], *one[4:]])
    arguments = "--references references --metrics bleu chrf rouge1 rouge2 rougel"
    return [
        numbers(call("evaluate", f"{arguments} --hypotheses other.out")),
        numbers(call("evaluate", f"{arguments} --hypotheses other.out --sentence")),
        numbers(call("evaluate", f"{arguments} --hypotheses one.out other.out")),
    ]


def reranking() -> Any:
    """The best of several translations by what is known to be right."""
    folder = trained(PLAIN)
    translated(folder, "--beam-size 4 --nbest-size 4")
    arguments = "--reference dev.tgt --hypotheses out --output reranked"
    found = []
    for metric in ("bleu", "chrf"):
        call("rerank", f"{arguments} --metric {metric} --return-score")
        lists = [json.loads(line) for line in lines_of("reranked")]
        found.append([(np.array(one["translations"]), one["scores"]) for one in lists])
    call("rerank", f"{arguments} --output-best --output-reference-instead-of-blank")
    return [found, np.array(lines_of("reranked"))]


def neighbours() -> Any:
    """The words nearest to some, on both sides."""
    folder = trained("--weight-tying-type none")
    return [
        np.array(call("embeddings", f"--model {folder} --side {side} -k 2 --norm", "1 2 7").split())
        for side in ("source", "target")
    ]


MODEL = "config", "version", "params.best", "vocab.src.0.json", "vocab.trg.0.json"


def written(folder: Path) -> Any:
    """What of a model's folder scores and translates; and what it gives."""
    model = trained(PLAIN)
    for name in MODEL:
        shutil.copy(Path(model) / name, folder / name)
    return [scores(model), translated(model)]


def read(folder: Path) -> Any:
    """What it gives elsewhere."""
    corpus()
    return [scores(str(folder)), translated(str(folder))]
