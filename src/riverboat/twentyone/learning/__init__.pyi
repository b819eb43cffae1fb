from .learner import Trainer as Trainer
from .learner import open_trainer as open_trainer
from .optimum import evaluate as evaluate
from .optimum import hint_for as hint_for
from .players import SeatedPlayer as SeatedPlayer
from .players import seat_named as seat_named
from .q_table import QTable as QTable
from .regret import train as train
