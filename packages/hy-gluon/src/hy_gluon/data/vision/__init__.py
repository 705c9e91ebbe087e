"""Image datasets and image transforms."""

from hy_gluon.data.vision import transforms as transforms
from hy_gluon.data.vision.datasets import (
    CIFAR10 as CIFAR10,
    CIFAR100 as CIFAR100,
    MNIST as MNIST,
    FashionMNIST as FashionMNIST,
    ImageFolderDataset as ImageFolderDataset,
    ImageRecordDataset as ImageRecordDataset,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
