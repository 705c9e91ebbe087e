"""Models of the zoo as parameters of tests: one of each family by day, the others at night."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

__all__ = ["by_family"]

# The other models of a family have more of the same layers.
_ONE_OF_A_FAMILY = (
    "alexnet",
    "densenet121",
    "inceptionv3",
    "mobilenet1.0",
    "mobilenetv2_1.0",
    "resnet18_v1",
    "resnet50_v1",
    "resnet50_v2",
    "squeezenet1.0",
    "vgg11_bn",
)


def by_family(names: Iterable[str], quick: Collection[str] = ()) -> list[Any]:
    """Return names of models as parameters, marked ``slow`` but for those that are ``quick``."""
    return [
        name
        if name in quick
        else pytest.param(
            name,
            marks=[pytest.mark.slow, *([] if name in _ONE_OF_A_FAMILY else [pytest.mark.nightly])],
        )
        for name in names
    ]
