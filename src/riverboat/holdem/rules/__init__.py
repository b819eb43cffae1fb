"""The rules of hold'em for two to ten players: betting, hands, states, seats."""

DOORS = ("betting", "hands", "state", "table")
