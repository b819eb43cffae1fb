"""Plays twenty-one over TCP in plain Python: the course's wire, no Riverboat.

Try: riverboat twentyone dealer --players 1 --port 9000, then elsewhere python course_player.py 9000

Messages end in a NUL byte. The dealer sends BEGIN, CARD, DEALER, DECISION, RESULT and QUIT; the
player answers each DECISION with HIT or STAND. This one hits up to 16 points.
"""

import socket
import sys

RANKS = ("Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def points(cards):
    """What a hand counts; one ace counts 11 where that does not bust."""
    total = sum(RANKS.index(card) + 1 if card in RANKS else 10 for card in cards)
    return total + 10 if "Ace" in cards and total + 10 <= 21 else total


def messages(line):
    """Everything that the dealer sends, message by message, whatever the packets are."""
    rest = b""
    while packet := line.recv(4096):
        *whole, rest = (rest + packet).split(b"\0")
        yield from (message.decode("ascii") for message in whole)


def play(host, port, name):
    """Play until the dealer ends it, and return the results."""
    cards, results = [], []
    with socket.create_connection((host, port)) as line:
        line.sendall(f"JOIN {name}\0".encode("ascii"))
        for message in messages(line):
            word, _, rest = message.partition(" ")
            if word == "BEGIN":
                cards = []
            elif word == "CARD":
                cards.append(rest.partition(" of ")[0])
            elif word == "DECISION":
                line.sendall(b"HIT\0" if points(cards) <= 16 else b"STAND\0")
            elif word == "RESULT":
                results.append(rest)
            elif word == "QUIT":
                break
    return results


if __name__ == "__main__":
    results = play("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000, "ada")
    print({word: results.count(word) for word in sorted(set(results))})
