"""The `riverboat` command: one module per command, loaded when it is called."""

DOORS = ("bars", "console", "groups", "main", "options", "out_files")
