from .coach import Advice as Advice
from .coach import coach_for as coach_for
from .player import HumanPlayer as HumanPlayer
from .player import Player as Player
from .player import View as View
from .roster import make_player as make_player
from .roster import register_player as register_player
from .simple import StrategyPlayer as StrategyPlayer
