"""The text commands that steer a reference agent, as the README lists them."""

from typing import NamedTuple

NUMERIC = {"stream", "slow", "big"}

SAMPLE_DATA = {"key": "value", "count": 42, "nested": {"a": [1, 2.5, None, True, "\u00e9"]}}
SAMPLE_BYTES = bytes(range(256))


class Command(NamedTuple):
    """The first word of a message in lower case, and what follows it."""

    name: str
    argument: str

    def numbers(self, *defaults: float) -> list[float]:
        """The numbers after the word, completed by the defaults."""
        given = [float(word) for word in self.argument.split()]
        return given + list(defaults[len(given) :])


def parse(text: str) -> Command:
    """Splits a message; prose that merely begins with a numeric command's word is no command."""
    word, _, argument = text.strip().partition(" ")
    name = word.lower()
    if name in NUMERIC and not all(_is_number(word) for word in argument.split()):
        name = ""
    return Command(name, argument)


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()
