"""Training: a whole training step as one executable."""

from hy_gluon.train.train_step import TrainStep as TrainStep
