"""Made-up words, names and sentences, the same on every machine."""

from random import Random

_ONSETS = [*"bcdfghklmnprstv", "br", "cl", "dr", "fl", "gr", "pl", "pr", "sl", "st", "tr"]
_VOWELS = [*"aeiou", "ai", "ea", "io", "ou"]
_CODAS = ["", *"lmnrst", "ck", "nd", "rt", "st"]


class Writer:
    """Draws from one seeded sequence; only ``random()`` is used, which Python keeps stable."""

    def __init__(self, seed: int, vocabulary: int = 4000) -> None:
        self._random = Random(seed).random
        self.vocabulary = [self._make_word() for _ in range(vocabulary)]

    def fraction(self) -> float:
        return self._random()

    def number(self, below: int) -> int:
        return int(self._random() * below)

    def pick(self, choices: list[str]) -> str:
        return choices[self.number(len(choices))]

    def word(self) -> str:
        """Common words come often: the rank is squared, which is near enough to real text."""
        return self.vocabulary[int(self._random() ** 2 * len(self.vocabulary))]

    def sentence(self, least: int = 4, most: int = 18) -> str:
        words = [self.word() for _ in range(least + self.number(most - least))]
        return " ".join(words).capitalize() + "."

    def _make_word(self) -> str:
        syllables = 1 + self.number(3)
        return "".join(
            self.pick(_ONSETS) + self.pick(_VOWELS) + self.pick(_CODAS) for _ in range(syllables)
        )
