"""The same algorithm on a GPU: its solver, passes, tables and generated river kernels."""

DOORS = ("device_tables", "gpu_passes", "gpu_solver")
