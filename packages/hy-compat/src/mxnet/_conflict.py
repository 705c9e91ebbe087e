"""Refuses to run where MXNet's own distribution is installed into the same folder."""

from importlib.metadata import PackageNotFoundError, distribution

__all__ = ["refuse_other_mxnet"]


def refuse_other_mxnet() -> None:
    """Raise ImportError if a distribution called ``mxnet`` is installed beside hy-compat.

    Both install a package ``mxnet``: their files would mix.
    """
    for name in ("mxnet", "mxnet-mkl", "mxnet-cu112", "mxnet-cu110"):
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        raise ImportError(
            f"{name} {found.version} and hy-compat are installed in one environment, and both "
            f"provide `import mxnet`; run `pip uninstall {name}`, then reinstall hy-compat"
        )
