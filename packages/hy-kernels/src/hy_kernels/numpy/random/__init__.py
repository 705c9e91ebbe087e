"""Kernels of random sampling, and of gradients of densities and likelihoods."""
