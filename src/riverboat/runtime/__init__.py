"""What every room stands on: array types, compiled random numbers, devices, own folders, plugins, tables."""

DOORS = (
    "array_types",
    "compiled",
    "cuda",
    "devices",
    "own_folders",
    "plugins",
    "stopping",
    "tables",
)
