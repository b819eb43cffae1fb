"""Commands for hold'em."""

DOORS = ("play_blueprint", "spot_view")
