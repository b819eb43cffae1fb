"""The riverboat command: parse, call, show."""
