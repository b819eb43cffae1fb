"""The blackjack page in a real browser, its figures against the reference files' values."""

from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import PRESETS


def test_a_switch_changes_the_exact_value_and_the_address(visit):
    page = visit("/blackjack")
    # Six decks, S17, DAS, 3:2, peek: 0.4029 % house edge (docs/blackjack.md, overall_ev.json).
    page.get_by_text("0.4029 %").wait_for()
    page.locator('[data-pick="h17=true"]').click()
    hits = f"{-100 * analyse(PRESETS['vegas-6d-s17'].__class__(h17=True)).ev:.4f} %"
    page.get_by_text(hits).wait_for()
    page.wait_for_url("**h17=true**")
    page.reload()
    page.get_by_text(hits).wait_for()


def test_a_cell_tells_what_every_action_is_worth(visit):
    page = visit("/blackjack")
    page.locator('[data-pick="hard:16:T"]').click()
    strip = page.locator(".cell-strip")
    values = analyse(PRESETS["vegas-6d-s17"]).action_values("T6", "T")
    for action, value in values.items():
        strip.get_by_text(f"{value:+.4f}".replace("-", "−")).first.wait_for()
        assert action in strip.inner_text()
    strip.get_by_text("Standing on 16 wins only when the dealer busts").wait_for()
    page.wait_for_url("**cell=hard**")


def test_a_hand_with_seen_cards(visit):
    page = visit("/blackjack/hand")
    answer = page.locator(".mix")
    answer.wait_for()
    before = answer.inner_text()
    for _ in range(3):
        page.get_by_label("Seen before: 5").click()
    page.wait_for_function("text => document.querySelector('.mix').innerText !== text", arg=before)
    shoe = [24] * 9 + [96]
    shoe[4] -= 3
    value = analyse(PRESETS["vegas-6d-s17"], shoe).action_values("T6", "T")["stand"]
    page.get_by_text(f"{value:+.4f}".replace("-", "−")).first.wait_for()


def test_hands_and_shoes_that_cannot_be_are_refused_in_a_sentence(visit):
    page = visit("/blackjack/hand?rules=single-deck")
    for _ in range(5):
        page.get_by_label("Seen before: A").click()
    page.get_by_role("alert").get_by_text("More cards of a rank were seen").wait_for()


def test_the_dealer_table(visit):
    page = visit("/blackjack/dealer")
    bust = analyse(PRESETS["vegas-6d-s17"]).dealer("6")["bust"]
    page.get_by_text(f"{100 * bust:.2f}").first.wait_for()


def test_a_simulation_runs_and_stops(visit):
    page = visit("/blackjack/simulate")
    page.locator(".q-select").filter(has_text="rounds").click()
    page.get_by_role("option", name="a billion").click()  # more than is done before the stop
    page.get_by_role("button", name="Start").click()
    page.get_by_text("won a round").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Start").and_(page.locator(":enabled")).wait_for()


def test_the_trainer_judges_and_remembers(visit, server):
    page = visit("/blackjack/train")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector(".felt .card")
    for _ in range(2):
        page.keyboard.press("s")
        page.locator('[data-pick="next"]').wait_for()
        page.keyboard.press("Enter")
        page.locator('[data-pick="stand"]').wait_for()
    page.get_by_text("of 2 right").wait_for()
    assert (server.folder / "blackjack-practice.json").is_file()
