def _ends(total, ace):
    points = total + 10 if ace and total + 10 <= 21 else total
    if points >= 17:
        return {points if points <= 21 else "bust": 1.0}
    ends = {}
    for card in range(1, 11):
        chance = 4 / 13 if card == 10 else 1 / 13
        for end, p in _ends(total + card, ace or card == 1).items():
            ends[end] = ends.get(end, 0.0) + chance * p
    return ends


def dealer(up):
    return _ends(up, up == 1)


def stand(points, up):
    worth = 0.0
    for end, p in dealer(up).items():
        if end == "bust" or points > end:
            worth += p
        elif points < end:
            worth -= p
    return worth
