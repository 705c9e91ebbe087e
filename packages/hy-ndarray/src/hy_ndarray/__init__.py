"""Arrays, contexts, the operator catalogue and autograd."""
