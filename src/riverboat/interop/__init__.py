"""The languages of the field: other packages' games and agents, other programs' files."""
