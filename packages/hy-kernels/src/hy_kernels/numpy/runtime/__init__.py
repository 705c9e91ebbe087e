"""Runtime of the numpy table: thread pool, BLAS threads, memory, and limits of the CPU."""
