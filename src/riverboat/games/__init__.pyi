from .base import CHANCE as CHANCE
from .base import TERMINAL as TERMINAL
from .base import Game as Game
from .base import PlainGame as PlainGame
from .base import State as State
from .contract import check_game as check_game
from .registry import make_game as make_game
from .registry import parse_assignments as parse_assignments
