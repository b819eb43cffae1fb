"""The wheel holds every file that the program reads beside its modules."""

import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
BUILT = {".pyc", ".nbi", ".nbc"}


@pytest.mark.slow
def test_texts_pages_cards_and_blueprints_are_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hatchling.build import build_wheel

    monkeypatch.chdir(ROOT)
    with zipfile.ZipFile(tmp_path / build_wheel(str(tmp_path))) as wheel:
        packed = set(wheel.namelist())
    source = ROOT / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in (source / "riverboat").rglob("*")
        if path.is_file() and path.suffix not in BUILT
    }
    assert wanted - packed == set()
    assert not any(Path(name).suffix in BUILT for name in packed)
    for name in (
        "py.typed",
        "lessons/texts/02_kuhn.md",
        "web/static/page.js",
        "web/templates/base.html",
        "web/static/riverboat.css",
        "holdem/shipped/headsup.rb",
        "holdem/configs/headsup-small.toml",
    ):
        assert f"riverboat/{name}" in packed


@pytest.mark.slow
def test_compiled_kernels_are_packed_and_name_the_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hatchling.build import build_wheel

    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "kernels.json").write_text("{}")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("RIVERBOAT_WHEEL_KERNELS", str(kernels))
    name = build_wheel(str(tmp_path))
    python, abi, platform = name.removesuffix(".whl").split("-")[2:]
    assert python.startswith("cp3")
    assert (abi, platform != "any") == ("none", True)
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert "riverboat/runtime/kernels/kernels.json" in wheel.namelist()
