"""How a spot is solved on the CPU: betting tree, boards, plan, geometry, solver and its kernels."""
