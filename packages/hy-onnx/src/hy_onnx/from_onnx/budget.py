"""Budget: a limit of the memory and work of computing constants while a model is read."""

from dataclasses import dataclass

__all__ = ["Budget"]


@dataclass
class Budget:
    """Bytes that may still be allocated, and elements that may still be processed.

    A file of a few bytes can ask for any number of both, so each is claimed before it is taken.
    """

    bytes: int
    work: int

    def reserve(self, size: int, work: int = 0) -> None:
        """Subtract bytes of a result, and elements of work; refuse more than the limit.

        Raises:
            ValueError: There is not so much left; names the setting that allows more.
        """
        for need, left, what in ((size, self.bytes, "bytes"), (work, self.work, "steps")):
            if need > left:
                raise ValueError(
                    f"they would take {need} {what}; if the file is to be trusted, set "
                    f"HY_MAX_FILE_EXPANSION in the environment to {need} or more"
                )
        self.bytes -= size
        self.work -= work
