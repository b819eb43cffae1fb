from .game import TwentyOne as TwentyOne
from .game import points as points
from .log import LogWriter as LogWriter
from .log import read_log as read_log
from .log import verify_log as verify_log
from .table import Table as Table
from .table import shuffled_decks as shuffled_decks
