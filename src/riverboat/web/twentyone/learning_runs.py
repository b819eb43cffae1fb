"""Learning as a background job: Q tables learn by playing; their curves approach the optimum."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from riverboat.errors import UsageError
from riverboat.web.app.problems import about
from riverboat.web.background import Job, Jobs, Workplace

METHODS = {
    "literal": "literal (as the course says)",
    "on-policy": "on-policy Monte Carlo",
    "off-policy": "off-policy Monte Carlo",
    "q-learning": "Q-learning",
    "sarsa": "Sarsa",
}
LENGTHS = {100_000: "100,000 games", 1_000_000: "a million games", 10_000_000: "10 million games"}
STATES = {"points": "points and the open card", "soft": "soft hands too"}
AT_ONCE = 5
CHECKPOINT_SECONDS = 3.0


@dataclass(frozen=True)
class LearningOrder:
    """Methods that learn side by side, and for how long."""

    methods: tuple[str, ...]
    state: str
    games: int
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return self.methods

    @property
    def title(self) -> str:
        """What learns."""
        return f"Twenty-one learned by {', '.join(self.methods)}"

    def check(self) -> None:
        """Refuse what cannot be learned."""
        for field, asked, known in (
            ("method", self.methods, METHODS),
            ("state", (self.state,), STATES),
            ("games", (self.games,), LENGTHS),
        ):
            with about(field):
                for each in asked:
                    if each not in known:
                        names = ", ".join(map(str, known))
                        raise UsageError(f"Choose among {names}, not {each!r}.")
        with about("method"):
            if not self.methods:
                raise UsageError("Choose at least one method.")

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LearningOrder:
        return cls(tuple(map(str, data["methods"])), str(data["state"]), int(data["games"]))

    @classmethod
    def warm_up(cls) -> None:
        """Nothing is worth preparing: learning takes longer."""

    def work(self, place: Workplace) -> dict[str, Any]:
        """Learn, from the checkpoint where there is one.

        Points are (games, mean reward of greedy play). All that the checkpoint knows are reported
        again: the server may have been killed before it kept the last of them.
        """
        from riverboat.solvers.run import Autosave, Limit
        from riverboat.twentyone.learning.learner import Trainer
        from riverboat.twentyone.learning.optimum import optimum
        from riverboat.twentyone.learning.q_table import QTable
        from riverboat.twentyone.learning.regret import train

        best = optimum(self.state, "reward")[0].reward
        path = place.folder / f"{place.part}.rb"
        if path.is_file():
            trainer = Trainer.resume(QTable.load(path))
        else:
            trainer = Trainer(QTable.empty(self.state, "reward"), method=place.part, seed=1)
        autosave = Autosave(lambda where: trainer.table.save(where), path, every=CHECKPOINT_SECONDS)
        sent = 0

        def report(now: Any) -> None:
            nonlocal sent
            for played, regret in trainer.curve[sent:]:
                place.report("point", [played, best - regret])
            sent = len(trainer.curve)

        last = train(trainer, Limit(iterations=self.games), report, autosave)
        place.report("point", [last.games, last.outcome.reward])
        return {}


class LearningRun(Job[LearningOrder]):
    """Curves of one or more methods."""

    @property
    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """(games, mean reward) by method; a point that was reported twice stands once."""
        return {part.name: sorted({p[0]: p[1] for p in part.points}.items()) for part in self.parts}


def learning_runs(folder: Path) -> Jobs[LearningRun]:
    """The learning runs in a folder."""
    address = "/twentyone/learning/{}"
    return Jobs(folder, LearningOrder, LearningRun, address=address, at_once=AT_ONCE)
