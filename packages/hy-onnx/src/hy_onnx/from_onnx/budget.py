"""Budget: a limit on memory and work of computing constants during import."""

from dataclasses import dataclass

__all__ = ["Budget"]


@dataclass
class Budget:
    """Remaining bytes that may be allocated and elements that may be processed.

    A file of a few bytes can require any amount of both, so the cost is reserved before a constant
    is computed.
    """

    bytes: int
    work: int

    def reserve(self, size: int, work: int = 0) -> None:
        """Subtract ``size`` bytes and ``work`` elements from the budget.

        Raises:
            ValueError: The budget is exceeded; the message names the setting that allows more.
        """
        for need, left, what in ((size, self.bytes, "bytes"), (work, self.work, "steps")):
            if need > left:
                raise ValueError(
                    f"they would take {need} {what}; if the file is to be trusted, set "
                    f"HY_MAX_FILE_EXPANSION in the environment to {need} or more"
                )
        self.bytes -= size
        self.work -= work
