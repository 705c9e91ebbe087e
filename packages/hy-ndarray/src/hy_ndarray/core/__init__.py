"""Core: arrays, the autograd tape, dispatch of operators, casting policies, gradients."""
