"""How good a strategy is: best response, exploitability, head-to-head, intervals."""
