"""What is shown of a solved spot: grids and curves of a node, drills, reports over flops."""
