from hy_symbol.sym.random import *
from hy_symbol.sym.random import exponential_like as exponential_like
from hy_symbol.sym.random import gamma_like as gamma_like
from hy_symbol.sym.random import generalized_negative_binomial_like as generalized_negative_binomial_like
from hy_symbol.sym.random import multinomial_backward as multinomial_backward
from hy_symbol.sym.random import negative_binomial_like as negative_binomial_like
from hy_symbol.sym.random import normal_like as normal_like
from hy_symbol.sym.random import pdf_dirichlet as pdf_dirichlet
from hy_symbol.sym.random import pdf_exponential as pdf_exponential
from hy_symbol.sym.random import pdf_gamma as pdf_gamma
from hy_symbol.sym.random import pdf_generalized_negative_binomial as pdf_generalized_negative_binomial
from hy_symbol.sym.random import pdf_negative_binomial as pdf_negative_binomial
from hy_symbol.sym.random import pdf_normal as pdf_normal
from hy_symbol.sym.random import pdf_poisson as pdf_poisson
from hy_symbol.sym.random import pdf_uniform as pdf_uniform
from hy_symbol.sym.random import poisson_like as poisson_like
from hy_symbol.sym.random import uniform_like as uniform_like
from hy_symbol.sym.random import unique_zipfian as unique_zipfian
