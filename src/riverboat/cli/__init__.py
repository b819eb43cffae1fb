"""The `riverboat` command: one module per command, loaded when it is called."""
