import random

CARDS = "A23456789TTTT" * 4


def points(cards):
    """What a hand counts; one ace counts 11 where that does not bust."""
    total = sum("A23456789T".index(card) + 1 for card in cards)
    return total + 10 if "A" in cards and total + 10 <= 21 else total


def play(decide, rng):
    """One game: the states with what was done there, and the reward (+1, 0 or -1)."""
    deck = list(CARDS)
    rng.shuffle(deck)
    mine, dealers = [deck.pop(), deck.pop()], [deck.pop(), deck.pop()]
    story = []
    while points(mine) < 21:
        state = f"{points(mine)}|{dealers[0]}"
        action = decide(state)
        story.append((state, action))
        if action == "s":
            break
        mine.append(deck.pop())
    if points(mine) > 21:
        return story, -1
    while points(dealers) < 17:
        dealers.append(deck.pop())
    other = points(dealers)
    if other > 21 or points(mine) > other:
        return story, 1
    return story, 0 if points(mine) == other else -1


def learn(seed):
    """Q-learning with a step of 1/√visits: each action is credited with the best that follows."""
    rng = random.Random(seed)
    values = {
        (f"{total}|{up}", action): 0.0
        for total in range(4, 21)
        for up in "A23456789T"
        for action in "hs"
    }
    visits = dict.fromkeys(values, 0)

    def best(state):
        return max("hs", key=lambda action: values[state, action])

    def decide(state):
        seen = visits[state, "h"] + visits[state, "s"]
        return rng.choice("hs") if rng.random() < 20 / (20 + seen**0.5) else best(state)

    for _ in range(120_000):
        story, reward = play(decide, rng)
        for i, (state, action) in enumerate(story):
            last = i + 1 == len(story)
            target = reward if last else values[story[i + 1][0], best(story[i + 1][0])]
            visits[state, action] += 1
            step = 1 / visits[state, action] ** 0.7
            values[state, action] += step * (target - values[state, action])
    return {f"{total}|{up}": best(f"{total}|{up}") for total in range(4, 21) for up in "A23456789T"}
