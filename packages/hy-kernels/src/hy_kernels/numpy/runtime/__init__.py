"""Runtime: the pool of threads, BLAS, memory, and the sizes that fit CPUs."""
