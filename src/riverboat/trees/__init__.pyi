from .best_response import Evaluation as Evaluation
from .game_tree import GameTree as GameTree
from .game_tree import build_tree as build_tree
from .public_games import PublicGame as PublicGame
from .public_games import public_game as public_game
from .sequence_form import SequenceForm as SequenceForm
