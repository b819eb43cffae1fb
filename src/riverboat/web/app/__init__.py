"""The server and what every page shares: frame, markup, charts, guard, library."""
