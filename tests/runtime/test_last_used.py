"""The cache that forgets what was used longest ago."""

from riverboat.runtime.last_used import LastUsed


def test_what_was_used_longest_ago_is_made_again() -> None:
    made: list[int] = []

    def square(number: int) -> int:
        made.append(number)
        return number**2

    cache: LastUsed[int, int] = LastUsed(2)
    for number in (1, 2, 1, 3, 1, 2):
        assert cache.get(number, lambda number=number: square(number)) == number**2  # type: ignore[misc]
    assert made == [1, 2, 3, 2]
    assert 3 not in cache
    cache.clear()
    assert 1 not in cache
