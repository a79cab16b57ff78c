"""Registers by name, as bytes of the sets in native/core/stream/registers.h."""

from __future__ import annotations

from heapstory.errors import UsageError

_GENERAL = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi")
_FLAGS = ("CF", "PF", "AF", "ZF", "SF", "OF", "DF")
_FIRST_FLAG, _FIRST_VECTOR, _FIRST_X87, _FIRST_MXCSR = 128, 192, 704, 768
_VECTOR = 32


def _names() -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for number, name in enumerate(_GENERAL):
        short = name[1:]
        found |= {name: (8 * number, 8), f"e{short}": (8 * number, 4), short: (8 * number, 2)}
        if number < 4:
            found |= {f"{name[1]}l": (8 * number, 1), f"{name[1]}h": (8 * number + 1, 1)}
        else:
            found[f"{short}l"] = (8 * number, 1)
    for number in range(8, 16):
        for ending, size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
            found[f"r{number}{ending}"] = (8 * number, size)
    for number in range(16):
        first = _FIRST_VECTOR + _VECTOR * number
        found |= {f"xmm{number}": (first, 16), f"ymm{number}": (first, 32)}
    return found


NAMES = _names()


def register_bytes(name: str) -> tuple[int, int]:
    """First byte and count of ``$rax``, ``$eax``, ``$xmm0``."""
    word = name.removeprefix("$").lower()
    if word in ("rsp", "esp", "sp", "spl"):
        raise UsageError(
            f"{name}: the stack pointer is no criterion, it follows from calls and returns"
        )
    if word not in NAMES:
        raise UsageError(f"{name}: no such register (as in $rax, $edi, $r8d, $xmm0)")
    return NAMES[word]


def register_name(byte: int) -> str:
    """The register that holds a byte."""
    if byte < _FIRST_FLAG:
        number = byte // 8
        return _GENERAL[number] if number < 8 else f"r{number}"
    if byte < _FIRST_FLAG + len(_FLAGS):
        return "flags"
    if byte < _FIRST_X87:
        return f"xmm{(byte - _FIRST_VECTOR) // _VECTOR}"
    return "x87" if byte < _FIRST_MXCSR else "mxcsr" if byte < _FIRST_MXCSR + 4 else "segment"
