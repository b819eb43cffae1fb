"""Our environments in Gymnasium's registry: riverboat/Blackjack-v0 and riverboat/TwentyOne-v0.

    import gymnasium, riverboat.interop.gymnasium_envs
    env = gymnasium.make("riverboat/Blackjack-v0")

or in one go, gymnasium.make("riverboat.interop.gymnasium_envs:riverboat/Blackjack-v0").
"""

from __future__ import annotations

from riverboat.interop.libraries import library

__all__ = ["ENVIRONMENTS"]

library("gymnasium", "Gymnasium")
import gymnasium  # noqa: E402

ENVIRONMENTS = {
    "riverboat/Blackjack-v0": "riverboat.interop.gymnasium.blackjack:Blackjack",
    "riverboat/TwentyOne-v0": "riverboat.interop.gymnasium.twentyone:TwentyOne",
}
"""Name → where its classes are: …Env for one table, …VectorEnv for many."""

for _name, _place in ENVIRONMENTS.items():
    if _name not in gymnasium.registry:
        gymnasium.register(
            _name, entry_point=f"{_place}Env", vector_entry_point=f"{_place}VectorEnv"
        )
