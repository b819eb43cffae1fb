from .exploitability import best_response as best_response
from .exploitability import evaluate as evaluate
from .head_to_head import exact_value as exact_value
from .head_to_head import value_by_outcome as value_by_outcome
