"""The programs of others that run here, and what to install for each."""

from dataclasses import dataclass

__all__ = ["CLIENTS", "Client"]


@dataclass(frozen=True)
class Client:
    """A program of others.

    Args:
        package: Its name and version as pip takes them; installed without its dependencies, as
            those pin numpy or MXNet itself.
        needs: What it imports of its dependencies.
        build: What must be there before the package is built; it is then built without isolation.
    """

    package: str
    needs: tuple[str, ...] = ()
    build: tuple[str, ...] = ()


CLIENTS = {
    "gluoncv": Client(
        "gluoncv==0.10.5.post0",
        (
            "matplotlib",
            "opencv-python-headless",
            "pandas",
            "pillow",
            "portalocker",
            "pyyaml",
            "requests",
            "scipy",
            "tqdm",
            "yacs",
        ),
    ),
    "gluonnlp": Client(
        "gluonnlp==0.10.0",
        ("numpy", "requests", "scipy"),
        build=("cython==0.29.37", "setuptools<66", "wheel"),
    ),
    "gluonts": Client(
        "gluonts==0.16.3",
        ("packaging", "pandas<3", "pydantic", "toolz<1", "tqdm", "typing_extensions"),
    ),
    "d2l": Client("d2l==0.16.6", ("ipython", "matplotlib", "pandas", "requests")),
}
