"""What every room uses: arrays, compiled random numbers, devices, storage, plugins, tables."""
