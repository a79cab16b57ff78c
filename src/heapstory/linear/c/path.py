"""One path through a C function while it is followed: where it is, its values, its steps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from heapstory.cfront.program import Block, Function
from heapstory.linear.c.values import Slot, Value
from heapstory.linear.language.syntax import (
    Condition,
    Field,
    Local,
    Place,
    Position,
    Statement,
    SubOperation,
)

Head = tuple[int, str]  # a block that begins a loop: the call it is in, its label


@dataclass(frozen=True)
class Turn:
    """How a path was when it came to the head of a loop."""

    steps: int
    variables: dict[str, Value]
    slots: dict[tuple[Slot, int], Value]
    fields: dict[Field, Value]
    handed: frozenset[object] | None = None  # by the turn before; None: this is the first


@dataclass
class Frame:
    """A call that is being followed; ``result``: the caller's register for what it returns."""

    function: Function
    serial: int
    values: dict[str, Value]
    block: str
    index: int = 0
    came: str = ""
    result: str | None = None

    @property
    def code(self) -> Block:
        """The block that runs."""
        return self.function.blocks[self.block]

    def copy(self) -> Frame:
        """An independent copy."""
        return replace(self, values=dict(self.values))


@dataclass
class Path:
    """A path. ``inline``: the loop that is read as one step; there, loads stay expressions."""

    frames: list[Frame]
    calls: int = 1
    steps: list[SubOperation] = field(default_factory=list)
    guards: list[Condition] = field(default_factory=list)
    facts: set[Condition] = field(default_factory=set)  # assumed of values that stay
    locals: dict[str, str] = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)  # local -> what the source calls it
    slots: dict[tuple[Slot, int], Value] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)  # hold nodes that no other thread has seen
    allocated: set[str] = field(default_factory=set)  # hold nodes, never NULL
    fields: dict[Field, Value] = field(default_factory=dict)  # last stored into private nodes
    stale: set[Field] = field(default_factory=set)  # of another turn of a loop: not to be read
    effects: list[int] = field(default_factory=list)  # indices of steps that change shared state
    visited: list[Head] = field(default_factory=list)
    entered: dict[Head, Turn] = field(default_factory=dict)
    walked: set[Head] = field(default_factory=set)  # loops that a loop step stands for
    held: list[Place] = field(default_factory=list)  # locks
    loads: list[Place] = field(default_factory=list)  # of shared memory, in a loop read as a step
    out: Value | None = None
    inline: Head | None = None

    @property
    def frame(self) -> Frame:
        """The innermost call."""
        return self.frames[-1]

    @property
    def head(self) -> Head:
        """The block that runs, as a place where a loop may begin."""
        return self.frame.serial, self.frame.block

    def copy(self) -> Path:
        """An independent copy."""
        return replace(
            self,
            frames=[frame.copy() for frame in self.frames],
            steps=list(self.steps),
            guards=list(self.guards),
            facts=set(self.facts),
            locals=dict(self.locals),
            called=dict(self.called),
            slots=dict(self.slots),
            private=set(self.private),
            allocated=set(self.allocated),
            fields=dict(self.fields),
            stale=set(self.stale),
            effects=list(self.effects),
            visited=list(self.visited),
            entered=dict(self.entered),
            walked=set(self.walked),
            held=list(self.held),
            loads=list(self.loads),
        )

    def goto(self, label: str) -> Path:
        """Go on at the beginning of a block."""
        self.frame.came, self.frame.block, self.frame.index = self.frame.block, label, 0
        return self

    def turn(self, handed: frozenset[object] | None = None) -> Turn:
        """How the path is now."""
        return Turn(
            len(self.steps),
            dict(self.frame.values),
            dict(self.slots),
            dict(self.fields),
            handed,
        )

    def new_local(self, kind: str, called: str = "") -> str:
        """A local of the notation; what it is called may be known only later (see `call`)."""
        name = f"v{len(self.locals)}"
        self.locals[name] = kind
        if called:
            self.called[name] = called
        return name

    def call(self, value: Value, name: str) -> None:
        """Note the variable of the source that holds a value; the first one names it."""
        if isinstance(value, Local) and value.name not in self.called and name:
            self.called[value.name] = name

    def emit(
        self, line: int, *body: Statement, guard: Condition | None = None, effect: bool = False
    ) -> None:
        """Add a sub-operation; conditions seen since the last one are checked here."""
        checks = (*self.guards, *([guard] if guard else []))
        self.guards = []
        if effect:
            self.effects.append(len(self.steps))
        self.steps.append(SubOperation("", "1", checks, body, position=Position(line, 1)))
