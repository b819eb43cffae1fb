from .hand import Hand as Hand
from .hand import HandRecord as HandRecord
from .hand import play_hand as play_hand
from .match import MatchLog as MatchLog
from .match import run_match as run_match
from .round_robin import RoundRobin as RoundRobin
from .sitting import Sitting as Sitting
