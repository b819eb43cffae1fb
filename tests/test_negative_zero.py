"""No screen shows −0: signed numbers are formatted with the option that turns −0 into 0."""

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "riverboat"
SIGNED = re.compile(r":[<>^]?\+(?!z)[0-9]*,?\.\d+[fg%]\}")


def test_every_signed_format_drops_the_sign_of_zero() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {match}"
        for path in SOURCE.rglob("*.py")
        for match in SIGNED.findall(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(("value", "text"), [(-1e-9, "EV 0.000"), (-0.5, "EV -0.500")])
def test_an_ev_next_to_zero_has_no_sign(value: float, text: str) -> None:
    assert f"EV {value:z.3f}" == text
