"""The table of all commands: where each is, and the first sentence of its help.

Help shows this table without importing a command.
"""

from __future__ import annotations

from riverboat.cli.groups import Command, Commands, Group

COMMANDS: dict[str, Commands] = {
    "Start here": {
        "demo": Command(
            "demo",
            "Watch CFR learn Kuhn poker, solve Leduc next to OpenSpiel's time, and play: twenty "
            "seconds.",
        ),
        "learn": Command(
            "learn",
            'Twelve lessons, from no knowledge to "I see why it bluffs": read, run, answer.',
        ),
        "games": Command("games", "List the games with their parameters and defaults."),
        "play": Command("play", "Play in the terminal: keys for moves, ? for a hint, q to leave."),
        "web": Command("web", "Play, study and learn in a browser; Ctrl-C stops the server."),
        "example": Command(
            "example",
            "Files to begin with: a spot, hands, a training config, a bot, a game. Lists or "
            "copies them.",
        ),
        "check": Command(
            "check", "Check the solution of an assignment, and say in plain words what is missing."
        ),
    },
    "Games": {
        "solve": Command("solve", "Solve a game: find a strategy that nobody can exploit."),
        "match": Command(
            "match",
            "Let players meet over many hands, seats rotating, and give mean and 95 % interval.",
        ),
        "quiz": Command(
            "quiz",
            "Ask players fixed decisions of solved games, and say how much EV their answers lose.",
        ),
        "drill": Command(
            "drill",
            "Practise the decisions of a small game: each is priced by its equilibrium, misses "
            "come again.",
        ),
        "training": Command(
            "training",
            "Show what a person's drills came to: answers by day and group, EV lost, what is due "
            "today.",
        ),
        "train": Group(
            {
                "twentyone": Command(
                    "twentyone.train",
                    "Learn twenty-one by playing it and measure the result exactly.",
                ),
                "holdem": Command(
                    "holdem.train_blueprint", "Train a hold'em strategy by external-sampling MCCFR."
                ),
            },
            "Learn a game by playing it.",
        ),
        "duel": Command(
            "duel",
            "Solve the Blackjack duel: two players and a dealer, each with one card up and one "
            "down.",
        ),
    },
    "Blackjack": {
        "blackjack": Group(
            {
                "ev": Command(
                    "blackjack.exact",
                    "What a round is worth with perfect play, over all and by the dealer's up "
                    "card.",
                ),
                "hand": Command(
                    "blackjack.exact", "What each action is worth with a hand, best first, and why."
                ),
                "dealer": Command(
                    "blackjack.exact",
                    "How the dealer ends, for each up card, before the hole card is checked.",
                ),
                "chart": Command(
                    "blackjack.exact",
                    "The basic strategy for a table: hard totals, soft totals and pairs.",
                ),
                "simulate": Command(
                    "blackjack.simulate",
                    "Play rounds by the million and report what they bring. Ctrl-C reports what "
                    "was played.",
                ),
                "sweep": Command(
                    "blackjack.simulate",
                    "What a round is worth with perfect play under every combination of rules, "
                    "exactly.",
                ),
                "drill": Command(
                    "blackjack.trainer",
                    "Practise: it deals, you answer, it says what a mistake costs. What you "
                    "miss comes again.",
                ),
            },
            "Casino blackjack: exact values, charts, simulation, drill.",
            {"trainer": "blackjack drill"},
        ),
        "mcts": Group(
            {
                "explain": Command(
                    "blackjack.mcts",
                    "What the search finds for a hand, next to the exact values, and the tree's "
                    "top.",
                ),
                "train": Command(
                    "blackjack.mcts",
                    "Play rounds, search every decision, and merge what was found into a memory.",
                ),
                "memory": Command(
                    "blackjack.mcts", "Check, merge, age and convert memories, text and binary."
                ),
                "coverage": Command(
                    "blackjack.mcts",
                    "Which hands a memory knows, and how well: visits and best action, by total "
                    "and up card.",
                ),
            },
            "The searching bot: its thoughts and its memory.",
            {"learn": "mcts train"},
        ),
        "casino": Command(
            "blackjack.casino",
            "Bots with 10,000 points each at one table, bids 10 to 100, ranked at the end.",
        ),
    },
    "Twenty-one": {
        "twentyone": Group(
            {
                "table": Command(
                    "twentyone.table",
                    "Play twenty-one in the terminal, next to bots, at a dealer over TCP, or "
                    "just watch.",
                ),
                "dealer": Command("twentyone.dealer", "Deal twenty-one to players over TCP."),
                "dealer-log": Command(
                    "twentyone.dealer",
                    "Play a dealer's log again from its seed and check every card and result.",
                ),
                "player": Command(
                    "twentyone.player", "Play twenty-one at a dealer's table over TCP."
                ),
                "tournament": Command("twentyone.tournament", "Tournaments of twenty-one."),
                "train": Command(
                    "twentyone.train",
                    "Learn twenty-one by playing it and measure the result exactly.",
                ),
            },
            "Twenty-one: tables in the terminal and over TCP, tournaments, training.",
        )
    },
    "Hold'em": {
        "holdem": Group(
            {
                "solve": Command(
                    "holdem.spots",
                    "Solve a spot: a board, two or three ranges, pot, stacks, bet sizes: every "
                    "hand and runout.",
                ),
                "from-hand": Command(
                    "holdem.from_hand", "Make a spot of a decision in a hand that was played."
                ),
                "view": Command(
                    "holdem.spot_view",
                    "Show a node of a solved spot: the strategy of each hand and its EV.",
                ),
                "explore": Command(
                    "holdem.spot_view",
                    "Walk a solved spot on the screen: arrows move in the grid, keys play actions.",
                ),
                "drill": Command(
                    "holdem.drill",
                    "Play against a solution: each decision is priced, mistakes come again.",
                ),
                "report": Command(
                    "holdem.report",
                    "Solve a spot on many flops: report SPOT.toml. Then ask, or make a page. Or:"
                    " all cards to come of a solved spot.",
                ),
                "preflop": Command(
                    "holdem.preflop",
                    "Solve a game before the flop: all-in or fold, or two players with flops "
                    "after every call.",
                ),
                "book": Command(
                    "holdem.book",
                    "Look up a book: every decision before the flop, 169 hands, how often each "
                    "action and its EV.",
                ),
                "icm": Command(
                    "holdem.preflop",
                    "What chips are worth in prizes: the independent chip model of Malmuth and "
                    "Harville, exactly.",
                ),
                "show": Command(
                    "holdem.blueprints",
                    "Walk through a blueprint: what the player to act does with each hand, at "
                    "any decision.",
                ),
                "strength": Command(
                    "holdem.blueprints",
                    "Measure a blueprint: matches with duplicate deals, local best response, a "
                    "learned response.",
                ),
            },
            "Spots, games before the flop, blueprints: solve, look, drill, measure.",
        ),
        "review": Command(
            "holdem.review",
            "Review a player's hands: where expected value (EV) was lost, worst first.",
        ),
        "phh": Command(
            "holdem.histories",
            "Read hold'em hands, PHH or PokerStars' text, play them again and say who won what.",
        ),
        "convert": Command(
            "holdem.histories",
            "Turn hold'em hands of PokerStars into PHH, or PHH into PokerStars' text.",
        ),
    },
    "Cards": {
        "equity": Command("cards", "Each player's equity, exact where affordable."),
        "range": Command(
            "cards",
            "A range as a grid, with its combos and share of all hands, or as other programs "
            "write it.",
        ),
        "rank": Command(
            "cards", "The strength of a hand: in words, and as a number from 0 to 7461."
        ),
    },
    "Files and pictures": {
        "show": Command("show", "Show a file of any kind, or one of its nodes."),
        "evaluate": Command(
            "solve",
            "Measure a saved strategy of any kind exactly: value, best responses, exploitability.",
        ),
        "exploit": Command(
            "exploit",
            "Find what beats a player: the response, what it wins more and where, and what it "
            "risks.",
        ),
        "export": Command(
            "export",
            "Write a strategy as JSON, CSV, Parquet or Arrow; one on a public tree as a dump too.",
        ),
        "plot": Command(
            "plot", "Draw a picture as SVG, PNG or PDF, from a file or a run; alone it lists them."
        ),
    },
    "This machine": {
        "devices": Command(
            "machine",
            "List the CPU and the GPUs that `--device` can name, or say why there is no GPU.",
        )
    },
    "For other programs": {
        "mcp": Command(
            "mcp", "Give assistants exact answers: a server of the Model Context Protocol."
        ),
        "upi": Command(
            "holdem.upi", "Speak UPI, PioSOLVER's text protocol, on standard input and output."
        ),
        "acpc": Command(
            "holdem.acpc", "Hold'em over the protocol of the Annual Computer Poker Competition."
        ),
    },
    "For research": {
        "bots": Command(
            "bots", "Train by sampling, keep the bot at several stages, and let each meet each."
        ),
        "abstraction": Command(
            "holdem.abstraction", "Card abstractions: which hands a strategy does not tell apart."
        ),
    },
}
"""Panels of `riverboat --help` and their commands."""

ALIASES = {
    "table": "twentyone table",
    "dealer": "twentyone dealer",
    "dealer-log": "twentyone dealer-log",
    "player": "twentyone player",
    "tournament": "twentyone tournament",
}
"""Names that commands had before; help does not show them."""

PANELS = {panel: tuple(commands) for panel, commands in COMMANDS.items()}
