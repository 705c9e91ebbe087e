"""Core: arrays as buffers with a place on the tape, policies, dispatch, gradients."""
