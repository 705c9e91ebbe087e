"""OverAxes: base class of layers over one, two or three spatial axes."""

from inspect import cleandoc
from textwrap import indent
from types import FunctionType
from typing import Any, ClassVar

from hy_gluon.block import HybridBlock

LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
"""The orders of the axes, by the number of the spatial ones."""


class OverAxes(HybridBlock):
    """Base class of layers that differ only in their number of spatial axes.

    A subclass with ``axes=n`` copies ``__init__`` from the base, whose defaults are for one axis:
    defaults of the arguments in :attr:`_hy_per_axis` are repeated for each axis, and the layout is
    extended. :attr:`_hy_details` of the base is appended to the subclass's docstring, with ``7, 7``
    for ``{each:7}`` and the values of :meth:`_hy_words` for other placeholders.

    Example:
        >>> class Window(OverAxes):
        ...     _hy_per_axis = ("size",)
        ...     _hy_details = "Windows are ``({each:n})``."
        ...     def __init__(self, size=1, layout="NCW"):
        ...         super().__init__()
        ...         self.size, self.layout = size, layout
        >>> class Window2D(Window, axes=2):
        ...     '''A window.'''
        >>> window = Window2D()
        >>> window.size, window.layout, Window2D.__doc__.split()[-1]
        ((1, 1), 'NCHW', 'n)``.')
    """

    _hy_axes: ClassVar[int] = 0
    """0 in a base: what a program derives from it has as many as its layout says."""
    _hy_per_axis: ClassVar[tuple[str, ...]] = ()
    _hy_details: ClassVar[str] = ""
    _hy_layouts: ClassVar[tuple[str, ...]] = (*LAYOUTS[1], *LAYOUTS[2], *LAYOUTS[3])

    def __init_subclass__(cls, axes: int = 0, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not axes:
            return
        cls._hy_axes = axes
        if "_hy_layouts" not in cls.__dict__:
            cls._hy_layouts = LAYOUTS[axes]
        details = indent(cleandoc(cls._hy_details).format(**cls._hy_words()), "    ")
        cls.__doc__ = f"{cls.__doc__ or cls.__name__}\n\n{details}\n    "
        if "__init__" not in cls.__dict__:
            cls._hy_take_init(axes)

    @classmethod
    def _hy_words(cls) -> dict[str, object]:
        """Return the values of the placeholders in :attr:`_hy_details`."""
        return {
            "name": cls.__name__,
            "each": _Each(cls._hy_axes),
            "layout": cls._hy_layouts[0],
            "layouts": " or ".join(f'``"{layout}"``' for layout in cls._hy_layouts),
        }

    @classmethod
    def _hy_take_init(cls, axes: int) -> None:
        """Give the class a copy of the base's ``__init__`` with defaults for ``axes`` axes."""
        # A copy of the function, and not a wrapper: signatures, tracebacks and keyword names stay,
        # and calls cost nothing more.
        base = cls.__init__
        assert isinstance(base, FunctionType)
        defaults = base.__defaults__ or ()
        names = base.__code__.co_varnames[: base.__code__.co_argcount][-len(defaults) :]
        values = (cls._hy_default(*pair, axes) for pair in zip(names, defaults, strict=True))
        function = FunctionType(
            base.__code__, base.__globals__, base.__name__, tuple(values), base.__closure__
        )
        function.__annotations__ = base.__annotations__
        function.__qualname__ = f"{cls.__qualname__}.__init__"
        function.__module__ = cls.__module__
        type.__setattr__(cls, "__init__", function)

    @classmethod
    def _hy_default(cls, name: str, value: Any, axes: int) -> Any:
        if name.endswith("layout"):
            return LAYOUTS[axes][0]
        if name not in cls._hy_per_axis or axes == 1:
            return value
        return value * axes if isinstance(value, tuple) else (value,) * axes


class _Each:
    """Formatter of the placeholder ``{each:7}``, which repeats 7 for each axis."""

    def __init__(self, axes: int) -> None:
        self.axes = axes

    def __format__(self, what: str) -> str:
        return ", ".join([what] * self.axes)
