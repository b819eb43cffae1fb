"""What editors and type checkers see of `import riverboat as rb`; __init__.py loads it lazily."""

from riverboat.cards.card import Card as Card
from riverboat.cards.ranges import Range as Range
from riverboat.errors import RiverboatError as RiverboatError
from riverboat.front_door import abstraction as abstraction
from riverboat.front_door import best_response as best_response
from riverboat.front_door import blackjack as blackjack
from riverboat.front_door import equity as equity
from riverboat.front_door import evaluate as evaluate
from riverboat.front_door import game as game
from riverboat.front_door import games as games
from riverboat.front_door import load as load
from riverboat.front_door import player as player
from riverboat.front_door import players as players
from riverboat.front_door import preflop as preflop
from riverboat.front_door import rank as rank
from riverboat.front_door import register as register
from riverboat.front_door import solve as solve
from riverboat.front_door import spot as spot
from riverboat.front_door import strength as strength
from riverboat.front_door import train as train
from riverboat.front_runs import compare as compare
from riverboat.front_runs import match as match
from riverboat.front_runs import play as play
from riverboat.front_runs import simulate as simulate
from riverboat.front_runs import tournament as tournament
from riverboat.games.base import CHANCE as CHANCE
from riverboat.games.base import TERMINAL as TERMINAL
from riverboat.games.base import Game as Game
from riverboat.games.base import State as State
from riverboat.players.player import Player as Player
from riverboat.players.player import View as View
from riverboat.strategies.any_strategy import AnyStrategy as AnyStrategy
from riverboat.strategies.kinds import save as save

__version__: str
__all__ = [
    "CHANCE",
    "TERMINAL",
    "AnyStrategy",
    "Card",
    "Game",
    "Player",
    "Range",
    "RiverboatError",
    "State",
    "View",
    "abstraction",
    "best_response",
    "blackjack",
    "compare",
    "equity",
    "evaluate",
    "game",
    "games",
    "load",
    "match",
    "play",
    "player",
    "players",
    "preflop",
    "rank",
    "register",
    "save",
    "simulate",
    "solve",
    "spot",
    "strength",
    "tournament",
    "train",
]
