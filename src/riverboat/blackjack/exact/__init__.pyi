from .analysis import Analysis as Analysis
from .analysis import HandAnswer as HandAnswer
from .analysis import analyse as analyse
from .analysis import fresh_shoe as fresh_shoe
from .best_chart import chart_value as chart_value
from .best_chart import named_chart as named_chart
from .rule_sweep import parse_grid as parse_grid
from .rule_sweep import sweep_rules as sweep_rules
