"""Presses that a page must not lose."""

STOP_WITH_NEWS = """(part) => {
  const element = document.querySelector(part);
  element.dispatchEvent(new CustomEvent('news'));
  [...element.querySelectorAll('button')].find((each) => each.innerText === 'Stop').click();
}"""
"""Press Stop in a part of the page that has just begun to fetch itself anew, because of news."""
