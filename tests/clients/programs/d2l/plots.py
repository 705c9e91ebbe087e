"""What the book draws, into pictures that nobody sees."""

import contextlib
import io
from collections.abc import Iterator
from typing import Any
from unittest import mock

from d2l import mxnet as d2l
from matplotlib import pyplot

from mxnet import np
from mxnet.gluon import nn
from tests.clients.formula import filled
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import array, ids, in_turn


def checks(side: str) -> Checks:
    """Arrays that are drawn: curves, pictures, boxes, matrices."""
    del side
    return {
        "curves": curves,
        "pictures": pictures,
        "boxes": boxes,
        "matrices": matrices,
        "times": times,
    }


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Nothing is displayed, and figures are closed."""
    with (
        mock.patch.object(d2l, "use_svg_display"),
        mock.patch.object(d2l.display, "display"),
        mock.patch.object(d2l.display, "clear_output"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        yield
    pyplot.close("all")


def lines() -> Any:
    """The points of all lines of the current axes."""
    return [line.get_xydata() for line in pyplot.gca().get_lines()]


def curves() -> Any:
    """A function, a training's progress, the trace of an optimizer."""
    with quiet():
        x = np.arange(0, 3, 0.5)
        d2l.plot(x, [x**2, 2 * x], "x", "f(x)", legend=["f", "tangent"], figsize=(4, 3))
        found = lines()
        animator = d2l.Animator(xlabel="epoch", legend=["loss", "accuracy"])
        animator.add(1, (0.5, 0.25))
        animator.add(2, (0.25, None))
        found += lines()
        results = d2l.train_2d(lambda x1, x2, s1, s2: (x1 * 0.8, x2 * 0.4, s1, s2), steps=4)
        d2l.show_trace_2d(lambda x1, x2: (x1**2 + 2 * x2**2).asnumpy(), results)
        d2l.annotate("start", (0, 0), (1, 1))
        return [found, lines()]


def pictures() -> Any:
    """Pictures with their classes and predicted ones."""
    net = filled(nn.Dense(10))
    images = array("images", 6, 784)
    with quiet():
        axes = d2l.show_images(images.reshape(6, 28, 28), 2, 3, titles=list("abcdef"))
        shown = [axis.get_images()[0].get_array() for axis in axes]
        d2l.predict_ch3(net, in_turn(images, ids("labels", 6), size=6), n=6)
        return [shown, len(pyplot.gcf().axes)]


def boxes() -> Any:
    """Boxes over a picture, with labels."""
    with quiet():
        d2l.set_figsize((3, 3))
        axes = d2l.plt.imshow(d2l.numpy(array("picture", 8, 8))).axes
        d2l.show_bboxes(axes, np.array([[1, 1, 5, 6], [2, 3, 7, 7]]), ["dog", "cat"])
        axes.add_patch(d2l.bbox_to_rect([0, 1, 3, 5], "blue"))
        return [patch.get_bbox().get_points() for patch in axes.patches]


def matrices() -> Any:
    """Weights of attention."""
    with quiet():
        d2l.show_heatmaps(array("weights", 1, 2, 3, 4), "keys", "queries", titles=["a", "b"])
        return [axis.get_images()[0].get_array() for axis in pyplot.gcf().axes[:2]]


def times() -> Any:
    """Clocks, which add up."""
    timer = d2l.Timer()
    timer.stop()
    timer.start()
    timer.stop()
    return [len(timer.cumsum()), timer.sum() >= timer.avg() >= 0]
