"""One path through a C function while it is being walked, and the values on it."""

from __future__ import annotations

from dataclasses import dataclass, field


class CannotModel(Exception):
    """Something outside the model, with its line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Term:
    """A value: text in the notation; ``place``: the address of that text; or a condition."""

    text: str
    place: bool = False
    condition: tuple[str, str, str] | None = None
    truth: bool | None = None
    struct: str = ""


NULL = Term("NULL")


@dataclass
class Walk:
    """One path being walked."""

    env: dict[str, Term]
    steps: list[tuple[str, int]] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)  # what has been assumed of values that stay
    locals: dict[str, str] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    effects: list[int] = field(default_factory=list)  # indices of steps that change shared state
    blocks: list[str] = field(default_factory=list)
    entered: dict[str, int] = field(default_factory=dict)  # loop header -> steps before it
    held: int = 0
    out: str = ""
    inline: str = ""  # the loop being read as one step: loads stay expressions

    def copy(self) -> Walk:
        """An independent copy."""
        return Walk(
            dict(self.env),
            list(self.steps),
            list(self.guards),
            set(self.facts),
            dict(self.locals),
            set(self.private),
            list(self.effects),
            list(self.blocks),
            dict(self.entered),
            self.held,
            self.out,
            self.inline,
        )

    def plain(self) -> list[str]:
        """The steps without their lines."""
        return [step for step, _ in self.steps]

    def emit(self, body: str, line: int, guard: str = "", effect: bool = False) -> None:
        """Add a sub-operation; conditions seen since the last one are checked here."""
        checks = [*self.guards, *([guard] if guard else [])]
        self.guards = []
        text = f"< {' '.join(c + ';' for c in checks)} > " if checks else ""
        if effect:
            self.effects.append(len(self.steps))
        self.steps.append((f"1 {text}{body}", line))
