"""Rules become arrays: game trees, the sequence form, public trees, and their best responses."""
