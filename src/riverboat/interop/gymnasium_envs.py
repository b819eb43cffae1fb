"""Our environments in Gymnasium's registry: riverboat/Blackjack-v0 and riverboat/TwentyOne-v0.

    gymnasium.make("riverboat.interop.gymnasium_envs:riverboat/Blackjack-v0")

After `import riverboat.interop.gymnasium_envs` the name alone is enough. (Gymnasium 1 reads no
entry points of other packages.)
"""

from __future__ import annotations

from riverboat.interop._libraries import library

ENVIRONMENTS = {
    "riverboat/Blackjack-v0": "riverboat.interop._gymnasium_blackjack:Blackjack",
    "riverboat/TwentyOne-v0": "riverboat.interop._gymnasium_twentyone:TwentyOne",
}
"""Name → where its classes are: …Env for one table, …VectorEnv for many."""

_registration = library("gymnasium.envs.registration", "Gymnasium")
for _name, _place in ENVIRONMENTS.items():
    if _name not in _registration.registry:
        _registration.register(
            _name, entry_point=f"{_place}Env", vector_entry_point=f"{_place}VectorEnv"
        )
