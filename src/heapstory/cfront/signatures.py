"""Signatures as LLVM writes them: the parameters of definitions, the types around a call."""

from __future__ import annotations

from heapstory.cfront.layout import Layout, is_pointer, split_top, type_length


def read_parameters(rest: str) -> tuple[list[tuple[str, bool]], bool]:
    """The parameters of a definition: registers and whether they are pointers; variadic or not."""
    text = argument_text(rest)
    parameters: list[tuple[str, bool]] = []
    variadic = False
    for number, piece in enumerate(split_top(text) if text else []):
        if piece == "...":
            variadic = True
            continue
        name = piece.rsplit(" ", 1)[-1]
        register = name if name.startswith("%") and name != piece else f"%{number}"
        parameters.append((register, is_pointer(piece[: type_length(piece)])))
    return parameters, variadic


def copied_parameters(rest: str, layout: Layout) -> dict[int, int]:
    """The parameters of a definition that are structures passed by value in memory: their sizes."""
    text = argument_text(rest)
    return {
        number: layout.size(argument_text(piece[piece.index("byval(") + 6 :]))
        for number, piece in enumerate(split_top(text) if "byval(" in text else [])
        if "byval(" in piece
    }


def argument_text(rest: str) -> str:
    """What stands before the parenthesis that closes an argument list."""
    depth = 1
    for index, char in enumerate(rest):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return rest[:index]
    return rest


def declared_signature(prefix: str, rest: str) -> str:
    """A signature in which all pointers are alike: ``ptr(i32,ptr)``."""
    text = argument_text(rest)
    kinds = [loose(p[: type_length(p)]) for p in split_top(text)] if text else []
    return f"{loose(prefix.split()[-1])}({','.join(k for k in kinds if k != '...')})"


def loose(kind: str) -> str:
    """A type in which all pointers are alike."""
    return "ptr" if is_pointer(kind) else kind


def returned_type(prefix: str) -> str:
    """The return type in what stands before a callee."""
    text = prefix.strip()
    if text.endswith(")"):  # a full function type: i32 (i8*, ...)
        depth = 0
        for index in range(len(text) - 1, -1, -1):
            if text[index] == ")":
                depth += 1
            elif text[index] == "(":
                depth -= 1
                if depth == 0:
                    text = text[:index].strip()
                    break
    return text.split()[-1] if text else "void"
