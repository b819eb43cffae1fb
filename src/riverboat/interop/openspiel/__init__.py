"""Games, players and policies between Riverboat and OpenSpiel."""

DOORS = ("game", "players", "registration", "tree")
