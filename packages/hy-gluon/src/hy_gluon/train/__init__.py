"""Training: a whole step of it as one executable."""

from hy_gluon.train.train_step import TrainStep as TrainStep
