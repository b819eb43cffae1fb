def best_response(payoff, column):
    worth = [sum(a * p for a, p in zip(row, column, strict=True)) for row in payoff]
    return worth.index(max(worth))


def nash_conv(payoff, row, column):
    rows = [sum(a * p for a, p in zip(line, column, strict=True)) for line in payoff]
    columns = [sum(payoff[i][j] * row[i] for i in range(len(row))) for j in range(len(column))]
    return max(rows) - min(columns)
