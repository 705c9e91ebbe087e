"""TensorBoardHandler: logs training to TensorBoard."""

import os
import struct
import time
import zlib
from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.contrib.estimator.tracking import Sample, Tracker, TrackingHandler
from hy_ndarray.warning import warn
from hy_symbol import Graph

__all__ = ["ScalarWriter", "TensorBoardHandler", "encoded_png"]

_BINS_COUNT = 64


class ScalarWriter(Protocol):
    """Interface of a TensorBoard writer, as in tensorboardX, PyTorch and mxboard."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> Any:
        """Write one point of a curve."""

    def flush(self) -> Any:
        """Write all data to the disk."""

    def close(self) -> Any:
        """Close the file."""


class TensorBoardHandler(TrackingHandler):
    """Writes event files for TensorBoard; needs the extra ``tensorboard`` (tensorboardX).

    Args:
        log_dir: Folder of the event files; None if ``writer`` is given.
        metrics: See :class:`TrackingHandler`.
        log_interval: See :class:`TrackingHandler`.
        priority: See :class:`TrackingHandler`.
        writer: Writer to use instead of tensorboardX's; it stays open. A ``SummaryWriter`` of
            PyTorch or tensorboardX shows everything; the graph is an event file of its own in its
            folder, which needs tensorboardX. Another writer must have the methods of
            :class:`Tracker` for more than curves.
        histograms: See :class:`TrackingHandler`.
        graph: See :class:`TrackingHandler`.
        samples: See :class:`TrackingHandler`.

    Raises:
        ImportError: tensorboardX is not installed.
        EstimatorError: Not exactly one of ``log_dir`` and ``writer`` is given, ``log_interval`` is
            invalid, or ``metrics`` are not metrics.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        metrics: Any = None,
        log_interval: int | str = "epoch",
        priority: float = 0,
        writer: ScalarWriter | None = None,
        *,
        histograms: bool = False,
        graph: bool = False,
        samples: Callable[[Any], Mapping[str, Sample]] | None = None,
    ) -> None:
        if (log_dir is None) == (writer is None):
            raise EstimatorError("TensorBoardHandler takes either a log_dir or a writer")
        if log_dir is not None:
            _require_tensorboardx()
        self.log_dir = None if log_dir is None else os.fspath(log_dir)
        add_image = getattr(writer, "add_image", None)
        # A SummaryWriter: other trackers take images [H, W, C] without saying so.
        if add_image is not None and "dataformats" in signature(add_image).parameters:
            writer = _Summaries(writer)
        shown: dict[str, Any] = {"histograms": histograms, "graph": graph, "samples": samples}
        super().__init__(writer, metrics, log_interval, priority, **shown)

    def _open(self) -> Tracker:
        assert self.log_dir is not None
        return _EventFile(self.log_dir)


class _Summaries:
    """Tracker that writes by a ``SummaryWriter`` of PyTorch or tensorboardX."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Write one point of a curve."""
        self._writer.add_scalar(tag, scalar_value, global_step)

    def add_text(self, tag: str, text: str, global_step: int) -> None:
        """Write a text."""
        self._writer.add_text(tag, text, global_step)

    def add_image(self, tag: str, image: npt.NDArray[np.uint8], global_step: int) -> None:
        """Write an image ``[H, W, C]``."""
        self._writer.add_image(tag, image, global_step, dataformats="HWC")

    def add_histogram(self, tag: str, values: npt.NDArray[Any], global_step: int) -> None:
        """Write a histogram of numbers, if there are any."""
        if values.size:
            self._writer.add_histogram(tag, values, global_step)

    def add_graph(self, graph: Graph) -> None:
        """Write a graph to an event file of its own; warn if tensorboardX is missing."""
        # Their add_graph traces a net of PyTorch; PyTorch calls the folder log_dir.
        folder = getattr(self._writer, "log_dir", None) or self._writer.logdir
        try:
            file = _EventFile(folder)
        except ImportError:
            warn("TensorBoardHandler: the graph is not written, which needs tensorboardX")
            return
        file.add_graph(graph)
        file.close()

    def flush(self) -> None:
        """Write all data to the disk."""
        self._writer.flush()

    def close(self) -> None:
        """Close the files."""
        self._writer.close()


class _EventFile:
    """Writer of an event file whose ``flush`` waits until the data are on disk.

    tensorboardX's SummaryWriter hands data to a thread, so that a crash would lose the last
    minutes.
    """

    def __init__(self, folder: str) -> None:
        from tensorboardX.event_file_writer import EventsWriter  # noqa: PLC0415  # an extra

        Path(folder).mkdir(parents=True, exist_ok=True)
        # Names have the second; another file within the same one would take its place.
        self._file = EventsWriter(str(Path(folder) / "events"), f".{time.time_ns()}")

    def _write_event(self, step: int, **content: Any) -> None:
        from tensorboardX.proto.event_pb2 import Event  # noqa: PLC0415

        self._file.write_event(Event(wall_time=time.time(), step=step, **content))

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Write one point of a curve."""
        from tensorboardX.summary import scalar  # noqa: PLC0415

        self._write_event(global_step, summary=scalar(tag, scalar_value))

    def add_text(self, tag: str, text: str, global_step: int) -> None:
        """Write a text, which TensorBoard shows as Markdown."""
        from tensorboardX.summary import text as summary_of  # noqa: PLC0415

        self._write_event(global_step, summary=summary_of(tag, text))

    def add_image(self, tag: str, image: npt.NDArray[np.uint8], global_step: int) -> None:
        """Write an image ``[H, W, C]``."""
        from tensorboardX.proto.summary_pb2 import Summary  # noqa: PLC0415

        height, width, channels = image.shape
        encoded = Summary.Image(
            height=height,
            width=width,
            colorspace=channels,
            encoded_image_string=encoded_png(image),
        )
        summary = Summary(value=[Summary.Value(tag=tag, image=encoded)])
        self._write_event(global_step, summary=summary)

    def add_histogram(self, tag: str, values: npt.NDArray[Any], global_step: int) -> None:
        """Write a histogram of numbers, in 64 bins."""
        from tensorboardX.summary import histogram_raw  # noqa: PLC0415

        counts, edges = np.histogram(values, _BINS_COUNT)
        smallest, largest = (values.min(), values.max()) if values.size else (0.0, 0.0)
        total, squares = float(values.sum()), float(np.square(values).sum())
        summary = histogram_raw(
            tag, smallest, largest, values.size, total, squares, edges[1:].tolist(), counts.tolist()
        )
        self._write_event(global_step, summary=summary)

    def add_graph(self, graph: Graph) -> None:
        """Write a graph."""
        from tensorboardX.proto.graph_pb2 import GraphDef  # noqa: PLC0415
        from tensorboardX.proto.node_def_pb2 import NodeDef  # noqa: PLC0415

        nodes = [
            NodeDef(
                name=node.name,
                op="Variable" if node.op is None else node.op.name,
                input=[source.name for source, _ in node.inputs],
            )
            for node in graph.nodes
        ]
        self._write_event(0, graph_def=GraphDef(node=nodes).SerializeToString())

    def flush(self) -> None:
        """Write all data to the disk."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def encoded_png(image: npt.NDArray[np.uint8]) -> bytes:
    r"""Return an image ``[H, W, C]`` of 1, 3 or 4 channels, encoded as PNG.

    Source:
        ISO/IEC 15948 (PNG), sections 5 and 11.

    Example:
        >>> import numpy as np
        >>> encoded_png(np.zeros((2, 3, 1), np.uint8))[:8]
        b'\x89PNG\r\n\x1a\n'
    """
    height, width, channels = image.shape
    color = {1: 0, 3: 2, 4: 6}[channels]
    rows = np.ascontiguousarray(image).reshape(height, -1)
    # Each row begins with the number of its filter; 0 is none.
    filtered = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        # Big-endian; the length counts the content alone, the checksum the kind, too.
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    data = zlib.compress(filtered.tobytes())
    start = b"\x89PNG\r\n\x1a\n"
    return start + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _require_tensorboardx() -> None:
    try:
        import tensorboardX  # noqa: F401, PLC0415  # an extra
    except ImportError:
        raise ImportError(
            'TensorBoardHandler needs tensorboardX: try `pip install "hy-gluon[tensorboard]"`, or '
            "give it a writer",
            name="tensorboardX",
        ) from None
