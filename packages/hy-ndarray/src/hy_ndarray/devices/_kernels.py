"""Kernels: lookup of a device's kernels by name, in its tables and among compositions."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any, Protocol

from hy_ndarray._errors import KernelError
from hy_ndarray.devices._carrying import Carried, shares_buffers
from hy_ndarray.devices._compositions import Composed, composition_of
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._index_checks import with_checks
from hy_ndarray.devices._packing import PackedCalls, Watched
from hy_ndarray.devices._protocols import Kernel, KernelFunction, KernelTable, Params
from hy_ndarray.devices._waiting import waiting
from hy_ndarray.foreign import kind_of

_MAX_FUNCTIONS = 8192  # functions cached per device
_FACTS = [name for name in dir(Kernel) if not name.startswith("_")]

current_scope: ContextVar[Any] = ContextVar("kernel_table", default=None)
"""The innermost ``use_kernels`` scope of this thread or task, or None."""
# The bound method, which guarded lookups call each time.
_scope = current_scope.get


_derived: dict[str, Callable[["Kernels"], Kernel]] = {}


def declare_kernels(kernels: Mapping[str, Callable[["Kernels"], Kernel]]) -> None:
    """Register functions that create kernels from operators, by kernel name."""
    _derived.update(kernels)


def is_derived(kernel: str) -> bool:
    """Return whether a kernel can be created from its operator, so that tables need not have it."""
    return kernel in _derived


class StaleTableError(KeyError):
    """Another kernel table serves this thread; the call's arrays must be migrated first."""


# A dict, because a hit of a subclass with __missing__ runs no Python code.
class Kernels(dict[Any, KernelFunction]):
    """Kernel functions of a device by name, or by :class:`KernelKey` with bound parameters.

    Args:
        tables: The tables, in order of preference.
        wait: Function that waits for the device, called after each kernel, if given.
        checks: Whether kernels check indices before they compute.
        handle: The table's handle of the device.
        device_key: Type and number of the device.
        watched: Counter of writes to memory; without it, calls cache no packed operands.
    """

    def __init__(
        self,
        tables: tuple[KernelTable, ...],
        wait: Callable[[], None] | None = None,
        *,
        checks: bool = False,
        handle: Any = None,
        device_key: tuple[str, int] = ("cpu", 0),
        watched: Watched | None = None,
    ) -> None:
        super().__init__()
        self.tables = tables
        self._wait = wait
        self._checks = checks
        self._handle = handle
        self._device_key = device_key
        self._watched = watched
        self.variant: Callable[[KernelFunction, str], KernelFunction] | None = None
        """Returns an observer's variant of a kernel, while there is an observer."""
        self._records: dict[str, Kernel] = {}

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._cached(key, self.record(key).function)
        variant, record = self.variant, self.record(key.kernel)
        # The result of a pointwise kernel may have another type than the operand.
        if key.in_place and (record.out != "in place" or record.pointwise):
            return None
        # While kernels are observed, calls use the observer's variant of the plain function.
        special = None if variant is not None else record.specialize
        # Hits of a dict run no Python code, so the least recently used entry is unknown: drop all.
        if len(self) > _MAX_FUNCTIONS:
            self.clear()
        function: Any = None if special is None else special(None, key.params)
        if function is None and key.plain:
            function = partial(self[key.kernel], **key.params) if key.params else self[key.kernel]
        # Observed calls run the kernel itself: the packed form would run unseen.
        if function is not None and variant is None:
            function = self._with_packing(function, record, key.params)
        self[key] = function
        if self.variant is not variant:  # another thread changed it meanwhile
            self.pop(key, None)
        return function

    def _with_packing(
        self, function: KernelFunction, record: Kernel, params: Params
    ) -> KernelFunction:
        """Return a function that caches the packed form of an operand, if the kernel has one."""
        if record.packing is None or self._watched is None:
            return function
        packing = record.packing(params)
        if packing is None:
            return function
        return PackedCalls(packing, function, self.tables[0].memory, self._watched)

    def record(self, name: str) -> Kernel:
        """Return the record of a kernel; its function is not wrapped for an observer.

        Raises:
            KernelError: No table has the kernel.
        """
        record = self._records.get(name)
        if record is not None:
            return record
        kernel = self._find(name)
        if kernel is not None:
            # Wrapped in the record, from which eager calls and programs both take the function.
            if self._wait is not None:
                kernel = waiting(kernel, self._wait)
            if self._checks:
                kernel = with_checks(kernel, self.tables[0].memory.to_numpy)
            self._records[name] = kernel
            return kernel
        tried = ", ".join(repr(table.name) for table in self.tables)
        remedy = "choose another one with hy_ndarray.use_kernels(...), or install a package with it"
        raise KernelError(f"{name}: no kernel in table {tried}; {remedy}")

    def _find(self, name: str) -> Kernel | None:
        """Return the table's kernel, else a derived or composed one, else a fallback's; or None."""
        for table in self.own:
            record = table.find(name)
            if record is not None:
                return _checked_kernel(record, name, table)
        derived = self._derived(name)
        if derived is not None:
            return derived
        # Before the fallbacks, whose kernels may have to copy operands to other buffers and back.
        composition = composition_of(name)
        if composition is not None and self.tables:
            return Composed(
                name, composition, find=self.record, tables=self.sharing_tables, device=self._handle
            )
        first = self.tables[:1]
        for table in self.tables[len(self.own) :]:
            record = table.find(name)
            if record is None:
                continue
            record = _checked_kernel(record, name, table)
            if shares_buffers(first[0], table):
                return record
            return Carried(
                record,
                table=first[0],
                handle=self._handle,
                other=table,
                device_key=self._device_key,
            )
        return None

    @property
    def sharing_tables(self) -> tuple[KernelTable, ...]:
        """Return the tables that use the buffer type of the first."""
        return tuple(table for table in self.tables if shares_buffers(self.tables[0], table))

    @property
    def own(self) -> tuple[KernelTable, ...]:
        """Return the tables preferred to compositions: the first, and the one that it overlays."""
        is_laid_over = any(getattr(table, "is_overlay", False) for table in self.tables[:1])
        return self.tables[: 2 if is_laid_over else 1]

    def is_composed(self, name: str) -> bool:
        """Return whether a kernel is composed or derived, because the table lacks it."""
        follows = composition_of(name) is not None or name in _derived
        return follows and all(table.find(name) is None for table in self.own)

    def _derived(self, name: str) -> Kernel | None:
        """Return the kernel created from its operator; None if none is declared."""
        make = _derived.get(name)
        return None if make is None else make(self)

    def _cached(self, name: str, kernel: KernelFunction) -> KernelFunction:
        variant = self.variant
        function = kernel if variant is None else variant(kernel, name)
        self[name] = function
        if self.variant is not variant:  # another thread changed it meanwhile
            self.pop(name, None)
        return function

    def wrap(self, variant: Callable[[KernelFunction, str], KernelFunction] | None) -> None:
        self.variant = variant
        self.clear()

    def lose(self, lost: Any) -> None:
        """Replace all tables by ``lost``, whose every use raises an error."""
        self.tables = (lost,)
        self.clear()
        self._records.clear()


class _Serving(Protocol):
    @property
    def calls(self) -> "Calls": ...


class Calls(dict[Any, KernelFunction]):
    """Kernels of a device for eager calls, valid while its table serves the calling thread.

    While one table serves all threads this is an ordinary dict. While threads use several, it is
    *guarded*: empty, so that every lookup goes through ``__missing__``, which checks the thread.

    Args:
        kernels: The device's kernels.
        context: The device's context.
        serving: Returns the device that serves a context in the calling thread.
    """

    def __init__(
        self, kernels: Kernels, context: Context, serving: Callable[[Context], "_Serving"]
    ) -> None:
        super().__init__()
        self._kernels = kernels
        self._context = context
        self._serving = serving
        self._scopes: frozenset[object] = frozenset()
        self.guarded = True

    def __missing__(self, key: Any) -> Any:
        guarded = self.guarded
        if guarded and _scope() not in self._scopes and not self.serve():
            raise StaleTableError(key)
        kernel = self._kernels[key]
        # While guarded, the dict stays empty, so that each lookup comes here and checks the thread.
        if not guarded:
            if len(self) > _MAX_FUNCTIONS:
                self.clear()
            variant = self._kernels.variant
            # Stored before the state is checked: guard() and Device.observe() clear the dict
            # without a lock, and an entry stored after the check could survive them.
            self[key] = kernel
            if self.guarded or self._kernels.variant is not variant:  # another thread changed it
                self.pop(key, None)
        return kernel

    def guard(self, guarded: bool, scopes: frozenset[object] = frozenset()) -> None:
        """Set whether each lookup checks that the table serves the calling thread.

        Args:
            guarded: Whether lookups check.
            scopes: Scopes in which these kernels are known to serve; None: outside of all scopes.
        """
        self._scopes = scopes
        self.guarded = guarded
        if guarded:
            self.clear()

    def record(self, name: str) -> Kernel:
        """Return the record of a kernel, after checking that the table serves the thread.

        Raises:
            KernelError: No table has the kernel.
            StaleTableError: Another table serves the calling thread.
        """
        if self.guarded and not self.serve():
            raise StaleTableError(name)
        return self._kernels.record(name)

    def serve(self) -> bool:
        """Return whether the device of these kernels serves its context in the calling thread."""
        return self._serving(self._context).calls is self


def _checked_kernel(record: Any, name: str, table: KernelTable) -> Kernel:
    missing = [fact for fact in _FACTS if not hasattr(record, fact)]
    if missing:
        raise KernelError(
            f"{name}: table {table.name!r} returned {kind_of(record)}, which is not a "
            f"Kernel: it lacks {', '.join(missing)}; see hy_ndarray.Kernel"
        )
    checked: Kernel = record
    return checked
