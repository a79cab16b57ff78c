"""What ``check`` found in Valgrind's XML, protocol 4, which many programs read."""

from __future__ import annotations

import os
from pathlib import PurePath
from xml.etree import ElementTree

from heapstory.checking.checked import Checked
from heapstory.checking.errors import Error
from heapstory.checking.leaks import MISTAKES, Leak
from heapstory.checks.finding import Stack
from heapstory.reporters.check.words import headline
from heapstory.reporters.text import count
from heapstory.store.places import Place
from heapstory.version import version

# The names that Memcheck gives to the same things.
KINDS = {
    "unaddressable-read": "InvalidRead",
    "unaddressable-write": "InvalidWrite",
    "bad-free": "InvalidFree",
    "double-free": "InvalidFree",
    "bad-realloc": "InvalidFree",
    "mismatched-free": "MismatchedFree",
    "overlap": "Overlap",
    "bad-argument": "FishyValue",
    "uninitialized-condition": "UninitCondition",
    "uninitialized-address": "UninitValue",
    "uninitialized-argument": "SyscallParam",
    "uninitialized-request": "ClientCheck",
    "leak": "Leak_DefinitelyLost",
    "possible-leak": "Leak_PossiblyLost",
}
BY_SYSTEM_CALL = "SyscallParam"


def dumps(run: Checked) -> str:
    """The document. Suppressed findings are left out, as Valgrind does."""
    root = ElementTree.Element("valgrindoutput")
    _text(root, "protocolversion", "4")
    _text(root, "protocoltool", "memcheck")
    _text(ElementTree.SubElement(root, "preamble"), "line", f"heapstory check {version()}")
    _text(root, "pid", str(os.getpid()))
    _text(root, "ppid", str(os.getppid()))
    _text(root, "tool", "memcheck")
    arguments = ElementTree.SubElement(root, "args")
    for name, words in (("vargv", ["heapstory", "check"]), ("argv", run.command)):
        part = ElementTree.SubElement(arguments, name)
        _text(part, "exe", words[0])
        for word in words[1:]:
            _text(part, "arg", word)
    _state(root, "RUNNING")
    errors = [_error(root, number, finding) for number, finding in enumerate(run.open)]
    leaks = [leak for leak in run.open_leaks if leak.kind in MISTAKES]
    _state(root, "FINISHED")
    for number, leak in enumerate(leaks, len(errors)):
        _leak(root, number, leak)
    counts = ElementTree.SubElement(root, "errorcounts")
    for number, finding in enumerate(run.open):
        pair = ElementTree.SubElement(counts, "pair")
        _text(pair, "count", str(finding.count))
        _text(pair, "unique", hex(number))
    ElementTree.SubElement(root, "suppcounts")
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _state(root: ElementTree.Element, state: str) -> None:
    status = ElementTree.SubElement(root, "status")
    _text(status, "state", state)
    _text(status, "time", "00:00:00:00.000")


def _error(root: ElementTree.Element, number: int, finding: Error) -> ElementTree.Element:
    known = BY_SYSTEM_CALL if finding.by_system_call else KINDS[finding.kind]
    error = _begin(root, number, known)
    _text(error, "what", f"{headline(finding.kind)}: {finding.text}")
    _stack(error, finding.stack)
    block = finding.block
    if block:
        state = "a freed block" if block.freed is not None else "a block"
        _text(error, "auxwhat", f"{state} of size {block.size} at {block.address:#x}")
        _stack(error, block.freed if block.freed else block.allocated)
        if block.freed:
            _text(error, "auxwhat", "the block was allocated")
            _stack(error, block.allocated)
    return error


def _leak(root: ElementTree.Element, number: int, leak: Leak) -> None:
    error = _begin(root, number, KINDS[leak.kind])
    what = ElementTree.SubElement(error, "xwhat")
    lost = f"{count(leak.bytes, 'byte')} in {count(leak.blocks, 'block')}"
    _text(what, "text", f"{headline(leak.kind)}: {lost}")
    _text(what, "leakedbytes", str(leak.bytes))
    _text(what, "leakedblocks", str(leak.blocks))
    _stack(error, leak.stack)


def _begin(root: ElementTree.Element, number: int, kind: str) -> ElementTree.Element:
    error = ElementTree.SubElement(root, "error")
    _text(error, "unique", hex(number))
    _text(error, "tid", "1")
    _text(error, "kind", kind)
    return error


def _stack(parent: ElementTree.Element, stack: Stack) -> None:
    element = ElementTree.SubElement(parent, "stack")
    for place in stack or [Place()]:
        _frame(element, place)


def _frame(stack: ElementTree.Element, place: Place) -> None:
    frame = ElementTree.SubElement(stack, "frame")
    _text(frame, "ip", hex(place.offset or 0))
    path = PurePath(place.path) if place.path else None
    parts = {
        "obj": place.module,
        "fn": place.function,
        "dir": str(path.parent) if path else None,
        "file": path.name if path else None,
        "line": str(place.line) if path and place.line else None,
    }
    for name, text in parts.items():
        if text:
            _text(frame, name, text)


def _text(parent: ElementTree.Element, name: str, text: str) -> None:
    # XML has no place for most control characters, which names of files may hold.
    ElementTree.SubElement(parent, name).text = "".join(
        character if character >= " " or character in "\t\n" else "?" for character in text
    )
