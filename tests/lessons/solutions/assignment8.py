RANKS = ["Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]


class Session:
    def __init__(self, name):
        self.name, self.buffer, self.cards = name, b"", []

    def opening(self):
        return f"JOIN {self.name}\0".encode()

    def receive(self, data):
        *messages, self.buffer = (self.buffer + data).split(b"\0")
        return b"".join(self.hear(message.decode("ascii", "replace")) for message in messages)

    def hear(self, message):
        word, *rest = message.split() or [""]
        if word == "BEGIN":
            self.cards = []
        elif word == "CARD":
            self.cards.append(RANKS.index(rest[0]) + 1 if rest[0] in RANKS else 10)
        elif word == "DECISION":
            total = sum(self.cards)
            points = total + 10 if 1 in self.cards and total + 10 <= 21 else total
            return b"HIT\0" if points < 17 else b"STAND\0"
        return b""
