from mxnet.contrib import amp as amp
from mxnet.contrib import autograd as autograd
from mxnet.contrib import nd as nd
from mxnet.contrib import ndarray as ndarray
from mxnet.contrib import svrg_optimization as svrg_optimization
from mxnet.contrib import sym as sym
from mxnet.contrib import symbol as symbol
from mxnet.contrib import tensorboard as tensorboard
