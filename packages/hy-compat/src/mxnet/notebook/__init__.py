"""Tables and charts of training in notebooks."""

from mxnet.notebook import callback as callback
from mxnet.notebook._packages import (
    Bokeh_Failed_To_Import as Bokeh_Failed_To_Import,
    bokeh as bokeh,
)
