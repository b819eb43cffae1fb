"""Tables in the browser: against bots and with other people."""

DOORS = ("game_page", "names", "people_page", "people_table", "scenes", "seat", "session", "table")
