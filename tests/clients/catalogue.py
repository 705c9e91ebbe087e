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
        parts: Other packages of it, and what pins numpy as well; installed like the package.
        old: Whether they say that they want an older Python.
    """

    package: str
    needs: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    old: bool = False


DISTUTILS = "setuptools<81; python_version >= '3.12'"
"""Brings the module that Python left out."""

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
            DISTUTILS,
            "tqdm",
            "yacs",
        ),
    ),
    "gluonnlp": Client(
        "gluonnlp==0.10.0",
        ("numpy", "requests", "scipy"),
        build=(
            "cython==0.29.37; python_version < '3.13'",
            "cython==3.0.12; python_version >= '3.13'",
            "setuptools<66; python_version < '3.12'",
            DISTUTILS,
            "wheel",
        ),
    ),
    "gluonts": Client(
        "gluonts==0.16.3",
        ("packaging", "pandas<3", "pydantic", DISTUTILS, "toolz<1", "tqdm", "typing_extensions"),
    ),
    "d2l": Client("d2l==0.16.6", ("ipython", "matplotlib", "pandas", "requests")),
    "sockeye": Client(
        "sockeye==2.3.24", ("numpy<2.4", "portalocker", "pyyaml", "sacrebleu==1.4.14")
    ),
    "insightface": Client(
        "insightface==0.1.5",
        (
            "easydict",
            "matplotlib",
            "opencv-python-headless",
            "requests",
            "scikit-image",
            "tqdm",
        ),
    ),
    "mxboard": Client("mxboard==0.1.0", ("numpy<2.4", "pillow", "protobuf<4", DISTUTILS, "six")),
    "tensorly": Client("tensorly==0.8.1", ("scipy",)),
    "autogluon": Client(
        "autogluon.tabular==0.3.1",
        (
            "autograd",
            "boto3",
            "dask",
            "dill",
            "distributed",
            "graphviz",
            "matplotlib",
            "networkx",
            "numpy<2.4",
            "opencv-python-headless",
            "pandas<3",
            "paramiko",
            "pillow",
            "portalocker",
            "psutil",
            "pyparsing",
            "pyyaml",
            "regex",
            "requests",
            "sacremoses",
            "scikit-learn<1.8",
            "setuptools<81",
            "tornado",
            "tqdm",
            "yacs",
        ),
        build=("cython==3.3.1", "wheel"),
        parts=(
            "autogluon.core==0.3.1",
            "autogluon.extra==0.3.1",
            "autogluon.features==0.3.1",
            "autogluon.mxnet==0.3.1",
            "autogluon.text==0.3.1",
            "autogluon_contrib_nlp==0.0.1b20210201",
            "ConfigSpace==0.4.21",
            "gluoncv==0.10.5.post0",
        ),
        old=True,
    ),
    "mxfusion": Client("mxfusion==0.3.1", ("networkx", "numpy")),
    "keras": Client(
        "keras-mxnet==2.2.4.3",
        ("h5py", "keras-applications", "keras-preprocessing", "pyyaml", "scipy", "six"),
    ),
}
