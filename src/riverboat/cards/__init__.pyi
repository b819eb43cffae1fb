from .card import Card as Card
from .card import card_text as card_text
from .card import parse_card as parse_card
from .card import parse_cards as parse_cards
from .ranges import Range as Range
from .ranges import format_range as format_range
from .ranges import parse_range as parse_range
from .strength import describe as describe
