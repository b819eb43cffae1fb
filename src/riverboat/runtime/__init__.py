"""What every room uses: arrays, compiled random numbers, devices, storage, plugins, tables."""

DOORS = ("array_types", "compiled", "cuda", "devices", "plugins", "stopping", "storage", "tables")
