from .client import PlayerSession as PlayerSession
from .client import connect as connect
from .client import play as play
from .line import HostOptions as HostOptions
from .server import Dealer as Dealer
from .server import DealerOptions as DealerOptions
from .tournament_hosting import TournamentHost as TournamentHost
from .tournament_hosting import TournamentOptions as TournamentOptions
