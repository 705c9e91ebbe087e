"""Writes the numbers that test_recent_optimizers.py reads: weights under PyTorch's optimizers.

Run ``python -m tests.gluon.record_optimizers`` in an environment with ``torch``, ``schedulefree``
and ``lion-pytorch``.
"""

import json
from pathlib import Path
from typing import Any

import lion_pytorch
import numpy as np
import schedulefree
import torch

SHAPES = {"wide": (3, 5), "tall": (6, 2), "vector": (4,)}
STEPS = 6
ROWS: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "lion": (lion_pytorch.Lion, {"lr": 0.05, "betas": (0.8, 0.9), "weight_decay": 0.1}, [*SHAPES]),
    "adafactor": (torch.optim.Adafactor, {"lr": 0.3, "weight_decay": 0.1}, [*SHAPES]),
    "muon": (torch.optim.Muon, {"lr": 0.1, "weight_decay": 0.1}, ["wide", "tall"]),
    "muon_rms": (
        torch.optim.Muon,
        {"lr": 0.1, "adjust_lr_fn": "match_rms_adamw", "nesterov": False, "weight_decay": 0.0},
        ["wide", "tall"],
    ),
    "schedulefreesgd": (
        schedulefree.SGDScheduleFree,
        {"lr": 0.2, "momentum": 0.8, "weight_decay": 0.1},
        [*SHAPES],
    ),
    "schedulefreeadamw": (
        schedulefree.AdamWScheduleFree,
        {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.1},
        [*SHAPES],
    ),
}


def main() -> None:
    """Write the file anew."""
    rng = np.random.default_rng(3)
    first = {name: rng.normal(size=shape).astype("f4") for name, shape in SHAPES.items()}
    slopes = [{n: rng.normal(size=s).astype("f4") for n, s in SHAPES.items()} for _ in range(STEPS)]
    found: dict[str, Any] = {
        "first": {name: x.tolist() for name, x in first.items()},
        "slopes": [{name: x.tolist() for name, x in each.items()} for each in slopes],
    }
    for name, (kind, settings, names) in ROWS.items():
        weights = {each: torch.nn.Parameter(torch.tensor(first[each])) for each in names}
        optimizer = kind(list(weights.values()), **settings)
        averaged = hasattr(optimizer, "train")
        if averaged:
            optimizer.train()
        for slope in slopes:
            for each, weight in weights.items():
                weight.grad = torch.tensor(slope[each])
            optimizer.step()
        found[name] = {each: x.detach().tolist() for each, x in weights.items()}
        if averaged:
            optimizer.eval()
            found[f"{name} averaged"] = {each: x.detach().tolist() for each, x in weights.items()}
    path = Path(__file__).parent / "numbers" / "recent_optimizers.json"
    path.write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
