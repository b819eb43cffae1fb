from .counting import SYSTEMS as SYSTEMS
from .counting import Counter as Counter
from .counting import counter_from as counter_from
from .crew_simulation import split_simulation as split_simulation
from .result import Simulation as Simulation
from .result import SimulationResult as SimulationResult
from .simulate import bankroll_fan as bankroll_fan
