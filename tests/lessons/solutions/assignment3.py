import riverboat as rb


def matching(regrets):
    total = sum(max(r, 0.0) for r in regrets.values())
    if total == 0:
        return {action: 1 / len(regrets) for action in regrets}
    return {action: max(r, 0.0) / total for action, r in regrets.items()}


def solve(iterations):
    regrets, sums = {}, {}

    def walk(state, reach, cards, plan):
        if state.actor == rb.TERMINAL:
            return state.returns()
        if state.actor == rb.CHANCE:
            found = [
                [p * value for value in walk(state.after(card), reach, cards * p, plan)]
                for card, p in state.chance()
            ]
            return [sum(column) for column in zip(*found, strict=True)]
        me = state.actor
        key = state.infoset(me)
        regret = regrets.setdefault(key, dict.fromkeys(state.actions(), 0.0))
        total = sums.setdefault(key, dict.fromkeys(state.actions(), 0.0))
        mix = plan.setdefault(key, matching(regret))
        values = {}
        for action, p in mix.items():
            after = [reach[0], reach[1]]
            after[me] *= p
            values[action] = walk(state.after(action), after, cards, plan)
        value = [sum(mix[a] * values[a][player] for a in mix) for player in (0, 1)]
        for action in mix:
            regret[action] += cards * reach[1 - me] * (values[action][me] - value[me])
            total[action] += reach[me] * mix[action]
        return value

    for _ in range(iterations):
        walk(rb.game("kuhn").start(), [1.0, 1.0], 1.0, {})
    return {key: matching(total) for key, total in sums.items()}
