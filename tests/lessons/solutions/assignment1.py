def strategy(regrets):
    positive = [max(regret, 0.0) for regret in regrets]
    total = sum(positive)
    if total == 0:
        return [1 / len(regrets)] * len(regrets)
    return [regret / total for regret in positive]
