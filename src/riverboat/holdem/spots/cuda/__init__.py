"""The same algorithm on a GPU: its solver, passes, tables and generated river kernels."""
