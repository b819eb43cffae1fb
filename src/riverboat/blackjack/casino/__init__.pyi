from .bots import Casino as Casino
from .bots import make_bot as make_bot
from .count_drill import CountDrill as CountDrill
from .drills import Question as Question
from .drills import Trainer as Trainer
from .session import play_casino as play_casino
from .sitting import OneSeat as OneSeat
from .sitting import ShoeInPlay as ShoeInPlay
