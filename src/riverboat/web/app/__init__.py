"""The server and what every page shares: frame, markup, charts, guard, library."""

DOORS = ("card_pictures", "charts", "frame", "guard", "home", "library", "markup", "server")
