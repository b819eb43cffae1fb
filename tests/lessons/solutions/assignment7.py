class Bot:
    name = "cautious"

    def choose(self, view, rng):
        cards, _ = view.infoset.split("|")
        own, _, board = cards.partition("+")
        good = own[0] in ("K", board[:1])
        if good and "r" in view.actions:
            return "r"
        return "f" if own[0] == "J" and not good and "f" in view.actions else "c"
