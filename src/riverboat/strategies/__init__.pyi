from .any_strategy import AnyStrategy as AnyStrategy
from .kinds import load as load
from .kinds import load_table as load_table
from .kinds import register_kind as register_kind
from .kinds import save as save
from .public_strategy import PublicStrategy as PublicStrategy
from .strategy import Lookup as Lookup
from .strategy import Strategy as Strategy
