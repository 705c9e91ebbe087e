"""Registry: optimizers by name; hy's own are imported on first use."""

from importlib import import_module
from typing import Any, Generic, TypeVar

__all__ = ["OWN", "Registry"]

_Class = TypeVar("_Class", bound=type[Any])

OWN = {
    "AdaBelief": "since_mxnet2",
    "AdaDelta": "adaptive",
    "AdaGrad": "adaptive",
    "Adafactor": "adafactor",
    "Adam": "adam",
    "AdamW": "adam",
    "Adamax": "adam",
    "DCASGD": "sgd",
    "FTML": "adam",
    "Ftrl": "adaptive",
    "LAMB": "large_batch",
    "LANS": "since_mxnet2",
    "LARS": "large_batch",
    "LBSGD": "large_batch",
    "Lion": "lion",
    "Muon": "muon",
    "NAG": "sgd",
    "Nadam": "adam",
    "RMSProp": "adaptive",
    "SGD": "sgd",
    "SGLD": "sgd",
    "ScheduleFreeAdamW": "schedule_free",
    "ScheduleFreeSGD": "schedule_free",
    "Signum": "sgd",
    "Test": "sgd",
    "ccSGD": "sgd",
}
"""Modules of hy's optimizers by class name."""
_HOMES = {"groupadagrad": "adaptive", **{name.lower(): home for name, home in OWN.items()}}
"""Modules of hy's optimizers by registered name, including contrib's."""


class Registry(Generic[_Class]):
    """Optimizer classes by name; as a class attribute, it reads as a dictionary of all classes.

    Reading it so imports all modules of optimizers.
    """

    def __init__(self) -> None:
        self._classes: dict[str, _Class] = {}

    def __get__(self, instance: object, owner: type) -> dict[str, _Class]:
        # Whoever asks for the dictionary wants all names, so all modules are loaded.
        for home in {*_HOMES.values()}:
            _load(home)
        return self._classes

    def find(self, name: str) -> _Class | None:
        """Return the class registered under a name, imported on first use, or None."""
        if name not in self._classes and name in _HOMES:
            _load(_HOMES[name])
        return self._classes.get(name)

    def add(self, name: str, klass: _Class) -> None:
        """Register a class under a name."""
        self._classes[name] = klass


def _load(home: str) -> None:
    """Import a module that registers optimizers."""
    import_module(f"{__package__}.{home}")
