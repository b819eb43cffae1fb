"""Rules become arrays: game trees, the sequence form, public trees, and their best responses."""

DOORS = ("best_response", "compiled", "game_tree", "public_games", "public_tree", "sequence_form")
