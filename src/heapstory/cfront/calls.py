"""Calls as LLVM writes them."""

from __future__ import annotations

import re
from typing import NamedTuple

from heapstory.cfront.constants import global_name
from heapstory.cfront.layout import split_top
from heapstory.cfront.signatures import argument_text, returned_type

_ATTRIBUTES = re.compile(r"\) #\d+\Z")
_ASSEMBLY = re.compile(r"[^@%(]*\basm ")
_CAST = re.compile(r"bitcast \(.*?(@\"[^\"]+\"|@[\w.$-]+) to .*?\)\(")
_CALLEE = re.compile(r'(@"[^"]+"|@[\w.$-]+|%[\w.]+)\(')
_REGISTER = re.compile(r"%[\w.]+(?=[,)])")
_WITHOUT_EFFECT = (
    "@llvm.dbg.",
    "@llvm.lifetime.",
    "@llvm.assume",
    "@llvm.objectsize",
    "@llvm.expect",
    "@llvm.donothing",
    "@llvm.va_end",
)


class Call(NamedTuple):
    """``RESULT NAME(ARGUMENT, …)``; the name is a register where the callee is a pointer."""

    name: str
    result: str
    arguments: list[str]


def read_call(text: str) -> Call | None:
    """What follows the word ``call``; None if it is assembly."""
    text = _ATTRIBUTES.sub(")", text)
    if "asm " in text and _ASSEMBLY.match(text):
        return None
    match = _CALLEE.search(text)
    cast = _CAST.search(text)
    if cast is not None and (match is None or cast.start() < match.start()):
        match = cast
    if match is None:
        return None
    name = match.group(1)
    if name[0] == "@":
        name = global_name(name)
    if name.startswith("@llvm.va_"):  # from LLVM 19 on with the address space of the list
        name = name.split(".p", 1)[0]
    arguments = argument_text(text[match.end() :])
    pieces = [p for p in split_top(arguments) if p] if arguments else []
    found = [piece for piece in pieces if not piece.startswith("metadata")]
    return Call(name, returned_type(text[: match.start()]), found)


def without_effect(name: str) -> bool:
    """Whether a callee is only there for the compiler."""
    return name.startswith("@llvm.") and name.startswith(_WITHOUT_EFFECT)


def assembly_registers(text: str) -> list[str]:
    """The registers that assembly is given."""
    return _REGISTER.findall(_ATTRIBUTES.sub(")", text))
