"""Why a loss is less than certain, and how much less."""

from __future__ import annotations

from enum import Enum


class Doubt(Enum):
    """A reason for doubt: the word that machines read, the confidence it leaves, and what a person
    is told."""

    def __init__(self, word: str, confidence: str, text: str) -> None:
        self.word = word
        self.confidence = confidence
        self.text = text

    POINTER_TARGET = (
        "pointer-target", "low",
        "which function a pointer meant, and what releases its memory, is a guess",
    )  # fmt: skip
    MERGED_STATES = (
        "merged-states", "low",
        "more states than are kept apart: some were merged beyond what is certain",
    )  # fmt: skip
    NULL_UNASKED = (
        "null-unasked", "low",
        "it supposes that a pointer is null, and nothing in this function asks for that",
    )  # fmt: skip
    CALLEE_FAILED = (
        "callee-failed", "low",
        "the callee returned what it also returns where it made no memory",
    )  # fmt: skip
    SOMETIMES_MADE = (
        "sometimes-made", "low",
        "a callee makes this memory on some ways only, by something its caller cannot tell",
    )  # fmt: skip
    LOOKED_AT = (
        "looked-at", "low",
        "the callee looked at the old value before it put new memory in its place",
    )  # fmt: skip
    COUNT_ZERO = (
        "count-zero", "low",
        "it supposes that a number that came with the memory (a length, a count) is 0",
    )  # fmt: skip
    KEPT_BY_LOOP = (
        "kept-by-loop", "low",
        "a loop keeps the memory in another block; how often it runs is not known",
    )  # fmt: skip
    ELEMENT = (
        "element", "low",
        "what becomes of an element depends on those before it, which were not followed",
    )  # fmt: skip
    FAILURE_SUPPOSED = (
        "failure-supposed", "low",
        "it supposes that an allocation failed where nobody asks whether it did",
    )  # fmt: skip
    CALLEE_CHOSE = (
        "callee-chose", "low",
        "a callee lets go of it by something that nobody knows, and its caller does not ask",
    )  # fmt: skip
    NOT_ON_ANY_WAY = (
        "not-on-any-way", "low",
        "every way from main was followed to its end, and none of them loses it",
    )  # fmt: skip
    MANY_AT_RETURN = (
        "many-at-return", "low",
        "the block stands for any number of blocks, some of which may be released",
    )  # fmt: skip
    OVERWRITTEN_IN_LOOP = (
        "overwritten-in-loop", "low",
        "a helper overwrites the reference in a loop whose rounds are not told apart",
    )  # fmt: skip
    UNSEEN_FUNCTION = (
        "unseen-function", "low",
        "a function that was not analysed is given the structure, and may release the member",
    )  # fmt: skip
    RUN_CONTRADICTS = (
        "run-contradicts", "low",
        "a run passed through all of it and nothing leaked",
    )  # fmt: skip
    OVERWRITTEN_BY_HELPER = (
        "overwritten-by-helper", "medium",
        "a helper overwrites the reference; its caller may have made sure of the old value",
    )  # fmt: skip
    HELD_BY_MAIN = (
        "held-by-main", "medium",
        "main holds it when the program ends",
    )  # fmt: skip
    NOBODY_RELEASES = (
        "nobody-releases", "medium",
        "no function releases what this member is given, nor any other member of the structure",
    )  # fmt: skip
    REALLOC_FAILED = (
        "realloc-failed", "medium",
        "it happens where realloc fails and the old block stays",
    )  # fmt: skip
    LOOSE_ELEMENT = (
        "loose-element", "medium",
        "a loop puts what it makes somewhere, but not this one yet; others were not followed",
    )  # fmt: skip
    MANY_BLOCKS = (
        "many-blocks", "medium",
        "the block stands for any number of blocks",
    )  # fmt: skip
    LONG_PATH = (
        "long-path", "medium",
        "the path has more than 30 steps",
    )  # fmt: skip
