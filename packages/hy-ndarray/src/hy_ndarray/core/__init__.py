"""Core: arrays with entries on the tape, policies, dispatch, gradients."""
