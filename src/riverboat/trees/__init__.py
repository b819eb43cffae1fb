"""Rules become arrays: game trees, the sequence form, public trees, and their best responses."""

DOORS = ("best_response", "game_tree", "jitted", "public_games", "public_tree", "sequence_form")
