"""Names of MXNet's C library that raise an error with an alternative when used."""

from typing import Any, NoReturn

from mxnet.base import LibraryError

__all__ = ["Absent", "AbsentError", "Handle", "absent_class"]


class AbsentError(LibraryError, NotImplementedError):
    """A function of MXNet's C library that hy does not have was called."""


class Absent:
    """Function or value of MXNet's C library that raises an error when used.

    Args:
        name: Name in MXNet.
        instead: Alternative for programs, for the message.
    """

    def __init__(self, name: str, instead: str) -> None:
        self.__name__ = name
        self._instead = instead

    def _refuse(self, name: str) -> NoReturn:
        raise AbsentError(
            f"{name} is part of MXNet's C library, which hy does not have; {self._instead}"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse(self.__name__)

    def __getattr__(self, name: str) -> NoReturn:
        # Copying, pickling and hasattr probe for dunder names, and expect the plain error.
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"{self.__name__}.{name}")

    def __repr__(self) -> str:
        return f"<{self.__name__} of MXNet's C library>"


def absent_class(name: str, instead: str) -> type:
    """Return a class without instances, for ``isinstance`` checks."""

    def refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        Absent(cls.__name__, instead)()

    return type(name, (), {"__new__": refuse, "__doc__": f"MXNet's {name}; {instead}."})


class Handle:
    """Stand-in for a pointer of MXNet's C library, with the object as an attribute.

    Args:
        value: The object.
    """

    def __init__(self, value: Any) -> None:
        self.wrapped = value

    @property
    def value(self) -> NoReturn:
        """Raise an error: there is no memory address.

        Raises:
            AbsentError: Always; the message says what to use.
        """
        Absent(
            f"the address of a {type(self.wrapped).__name__}",
            "hand over the object itself, or its memory by __dlpack__ or asnumpy()",
        )()

    def __repr__(self) -> str:
        return f"<handle of a {type(self.wrapped).__name__}>"
