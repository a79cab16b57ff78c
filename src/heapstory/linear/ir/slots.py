"""Stack slots that are only loaded and stored whole: these become registers."""

from __future__ import annotations

import re

from heapstory.cfront.layout import Layout, split_top, type_length

_REGISTER = re.compile(r'%(?:[\w.$-]+|"[^"]+")')
_DECLARED = ("call void @llvm.dbg.", "#dbg_", "call void @llvm.lifetime.")


def promoted(lines: list[str], layout: Layout) -> tuple[dict[str, str], dict[str, str]]:
    """The slots (or casts of them) that stand for a variable, and of those that stay memory, the
    types."""
    kinds, slots = _slots(lines)
    names = {**{n: n for n in kinds}, **slots}
    taken = {s for s, kind in kinds.items() if _is_aggregate(kind, layout)}
    for line in lines:
        text = line.strip()
        if text.startswith(_DECLARED) or " = alloca " in text:
            continue
        found = [m for m in _REGISTER.findall(text) if m in names]
        if not found or text.split(" = ", 1)[0] in slots:
            continue
        whole = _whole_access(text, names, kinds, layout)
        taken.update(names[m] for m in found if m != whole)
    variables = {name: slot for name, slot in names.items() if slot not in taken}
    return variables, {s: k for s, k in kinds.items() if s in taken}


def _slots(lines: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    kinds: dict[str, str] = {}
    casts: dict[str, str] = {}
    for line in lines:
        target, found, rest = line.strip().partition(" = ")
        if found and rest.startswith("alloca "):
            rest = rest[7:]
            kind = rest[: type_length(rest)]
            if not re.match(r", i\d+ ", rest[len(kind) :]):
                kinds[target] = kind
        elif found and rest.startswith("bitcast "):
            source = rest.rsplit(" to ", 1)[0].rsplit(" ", 1)[-1]
            slot = casts.get(source, source)
            if slot in kinds:
                casts[target] = slot
    return kinds, casts


def _is_aggregate(kind: str, layout: Layout) -> bool:
    kind = layout.named.get(kind, kind)
    return kind[0] in "[{<" and not kind.endswith("*")


def _whole_access(
    text: str, names: dict[str, str], kinds: dict[str, str], layout: Layout
) -> str | None:
    """The slot that a line loads or stores as a whole, if it does nothing else with it."""
    text = re.sub(r"\b(volatile|atomic) ", "", text)
    if " = load " in text:
        pieces = split_top(text.split(" = load ", 1)[1])
        kind, address = pieces[0], pieces[1]
    elif text.startswith("store "):
        pieces = split_top(text[6:])
        kind, address = pieces[0][: type_length(pieces[0])], pieces[1]
        if any(m in names for m in _REGISTER.findall(pieces[0][len(kind) :])):
            return None
    else:
        return None
    found = _REGISTER.findall(address[type_length(address) :])
    if len(found) != 1 or found[0] not in names or _is_aggregate(kind, layout):
        return None
    same = layout.size(kind) == layout.size(kinds[names[found[0]]])
    return found[0] if same else None
