"""The names of `import riverboat as rb`, for editors and type checkers; __init__.py reads them."""

from ._runs import compare as compare
from ._runs import match as match
from ._runs import play as play
from ._runs import quiz as quiz
from ._runs import simulate as simulate
from ._runs import tournament as tournament
from .api import abstraction as abstraction
from .api import best_response as best_response
from .api import blackjack as blackjack
from .api import compare_nodes as compare_nodes
from .api import equity as equity
from .api import evaluate as evaluate
from .api import exploit as exploit
from .api import game as game
from .api import games as games
from .api import load as load
from .api import player as player
from .api import players as players
from .api import preflop as preflop
from .api import profiles as profiles
from .api import rank as rank
from .api import register as register
from .api import report_flops as report_flops
from .api import report_node as report_node
from .api import solve as solve
from .api import spot as spot
from .api import spot_from_hand as spot_from_hand
from .api import strength as strength
from .api import train as train
from .api import training as training
from .cards.card import Card as Card
from .cards.ranges import Range as Range
from .errors import RiverboatError as RiverboatError
from .games.base import CHANCE as CHANCE
from .games.base import TERMINAL as TERMINAL
from .games.base import Game as Game
from .games.base import State as State
from .players.player import Player as Player
from .players.player import View as View
from .strategies.any_strategy import AnyStrategy as AnyStrategy
from .strategies.kinds import save as save

__version__: str
__all__: list[str]
