from .charts import BlackjackChart as BlackjackChart
from .charts import published_chart as published_chart
from .round import Blackjack as Blackjack
from .round import Round as Round
from .round import play_round as play_round
from .rules import PRESETS as PRESETS
from .rules import BlackjackRules as BlackjackRules
from .rules import rules_from as rules_from
