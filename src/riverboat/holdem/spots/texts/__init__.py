"""A spot as text: TOML files, PioSOLVER scripts, and the fields of a form."""
