from mxnet.random import *
from hy_ndarray.nd.random import exponential as _exponential
exponential = _exponential
from mxnet.random import exponential_like as exponential_like
from hy_ndarray.nd.random import gamma as _gamma
gamma = _gamma
from mxnet.random import gamma_like as gamma_like
from hy_ndarray.nd.random import generalized_negative_binomial as _generalized_negative_binomial
generalized_negative_binomial = _generalized_negative_binomial
from mxnet.random import generalized_negative_binomial_like as generalized_negative_binomial_like
from hy_ndarray.nd.random import multinomial as _multinomial
multinomial = _multinomial
from mxnet.random import multinomial_backward as multinomial_backward
from hy_ndarray.nd.random import negative_binomial as _negative_binomial
negative_binomial = _negative_binomial
from mxnet.random import negative_binomial_like as negative_binomial_like
from hy_ndarray.nd.random import normal as _normal
normal = _normal
from mxnet.random import normal_like as normal_like
from mxnet.random import pdf_dirichlet as pdf_dirichlet
from mxnet.random import pdf_exponential as pdf_exponential
from mxnet.random import pdf_gamma as pdf_gamma
from mxnet.random import pdf_generalized_negative_binomial as pdf_generalized_negative_binomial
from mxnet.random import pdf_negative_binomial as pdf_negative_binomial
from mxnet.random import pdf_normal as pdf_normal
from mxnet.random import pdf_poisson as pdf_poisson
from mxnet.random import pdf_uniform as pdf_uniform
from hy_ndarray.nd.random import poisson as _poisson
poisson = _poisson
from mxnet.random import poisson_like as poisson_like
from hy_ndarray.nd.random import randint as _randint
randint = _randint
from hy_ndarray.nd.random import randn as _randn
randn = _randn
from hy_ndarray.nd.random import shuffle as _shuffle
shuffle = _shuffle
from hy_ndarray.nd.random import uniform as _uniform
uniform = _uniform
from mxnet.random import uniform_like as uniform_like
from mxnet.random import unique_zipfian as unique_zipfian
