"""All-in or fold for two to six players: ask (push_fold), solve (allin_solver)."""

DOORS = ("allin_solver", "matchups", "push_fold")
