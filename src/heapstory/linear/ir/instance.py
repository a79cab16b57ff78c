"""C++ that makes an object of a class and calls its operations, as functions with plain types.

The compiler then chooses overloads, passes structures, and runs the constructor. What operations
answer becomes a number: an ``optional`` or a smart pointer is a status and what it holds; an
exception that leaves an operation is a status of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapstory.linear.ir import roles
from heapstory.linear.ir.classes import Class, Method, Outline, Parameter

PREFIX = "heapstory_call_"
MAKER = "heapstory_make"
_SMALL = re.compile(r"cap|size|^n$|^N$|slots|count|len|max|depth|elem|entries|bound", re.IGNORECASE)
_SPACING = re.compile(r"cache|line|align|pad|interference", re.IGNORECASE)
_NUMBER = {"int", "size_t", "unsigned", "long", "short", "uint32_t", "uint64_t", "int32_t",
           "int64_t", "uint16_t", "char", "uint8_t", "auto", "ptrdiff_t", "size_type",
           "difference_type", "index_t", "uint", "ssize_t"}  # fmt: skip
_TYPE = {"typename", "class"}
_LOCKS = re.compile(r"lock|mutex|mtx", re.IGNORECASE)
_FRONTS = ("front", "peek", "top", "frontPtr")
_COPIES = re.compile(r"alloc", re.IGNORECASE)

_HEAD = """\
#include "{path}"
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
namespace heapstory_ {{
typedef {type} structure;
template <int N> struct rank : rank<N - 1> {{}};
template <> struct rank<0> {{}};
template <class Q, class R, class A> A taken(R (Q::*)(A));
template <class Q, class R, class A> A taken(R (Q::*)(A) const);
struct anything {{
    template <class T> operator T &() const {{
        thread_local T made{{}};
        return made;
    }}
}};
template <class R> auto number(const R &r) {{
    if constexpr (std::is_pointer_v<R>) return (long)r;
    else if constexpr (std::is_enum_v<R> || std::is_convertible_v<const R &, long>) return (long)r;
    else return number(*r);
}}
template <class R> long truth(R &&r) {{
    typedef std::decay_t<R> P;
    if constexpr (std::is_pointer_v<P>) return r != nullptr;
    else if constexpr (std::is_arithmetic_v<P> || std::is_enum_v<P>) return (long)r;
    else if constexpr (std::is_constructible_v<bool, P>) return (bool)r;
    else return (bool)r.second;
}}
template <class E, class R> long answer(R &&r, long *out) {{
    typedef std::decay_t<R> P;
    if constexpr (std::is_arithmetic_v<P> || std::is_enum_v<P> || std::is_same_v<P, E>)
        return (long)r;
    else if constexpr (std::is_pointer_v<P> && !std::is_arithmetic_v<std::remove_pointer_t<P>>)
        return (long)r;
    else if constexpr (std::is_constructible_v<bool, P>) {{
        if (!r) return 0;
        *out = number(*r);
        return 1;
    }} else {{
        auto &&[one, other] = r;
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, bool>) {{
            if (one) *out = number(other);
            return one;
        }} else {{
            if (other) *out = number(one);
            return (bool)other;
        }}
    }}
}}
"""
_ELEMENT = """\
template <class Q, class = void> struct element {{ typedef {first} type; }};
template <class Q> struct element<Q, std::void_t<decltype(taken(&Q::{name}))>> {{
    typedef std::decay_t<decltype(taken(&Q::{name}))> type;
}};
typedef element<structure>::type E;
static_assert(std::is_arithmetic_v<E> || std::is_pointer_v<E>);
"""
_GIVEN = """\
template <class Q> auto {name}_(Q &q, E &e, rank<3>) -> decltype(q.{name}(e)) {{
    return q.{name}(e);
}}
template <class Q> auto {name}_(Q &q, E &e, rank<2>) -> decltype(q.{name}(std::move(e))) {{
    return q.{name}(std::move(e));
}}
template <class Q>
auto {name}_(Q &q, E &e, rank<1>) -> decltype(q.{name}(std::make_unique<E>(e))) {{
    return q.{name}(std::make_unique<E>(e));
}}
"""
_KEYED = """\
template <class Q> auto {name}_(Q &q, E &e, rank<0>) -> decltype(q.{name}(e, e)) {{
    return q.{name}(e, e);
}}
"""


@dataclass(frozen=True)
class Instance:
    """One way to make an object: the text, and its functions."""

    text: str
    shown: str  # the type
    kind: str
    names: dict[str, Method]  # by method of the abstract type
    apart: bool = False  # a value is looked at, and taken by another call


@dataclass(frozen=True)
class Subject:
    """A class and which of its member functions are operations of what."""

    made: Class
    kind: str
    names: dict[str, Method]


def subjects(
    found: Outline, path: str, functions: str | None, implements: str | None
) -> list[Subject]:
    """The classes that have all operations of an abstract type, the likeliest first."""
    stem = _plain(path.rsplit("/", 1)[-1].rpartition(".")[0])
    every = []
    for each in found.classes:
        hints = [path.rsplit("/", 1)[-1], each.name]
        usable = [m for m in each.methods if not _says_nothing(m)]
        takes = any(set(roles.words_of(m.name)) & roles.TAKING for m in usable)
        if not takes and _front(each) is not None:
            usable = each.methods
        plain = [m.name for m in usable if _needed(m) <= 1]  # rather than those that take many
        named = roles.by_names(plain, hints, functions, implements) or roles.by_names(
            [m.name for m in usable], hints, functions, implements
        )
        if named is not None and not each.abstract:
            kind, chosen = named
            methods = {m: _overload(each, name) for m, name in chosen.items()}
            every.append(Subject(each, kind, methods))
    return sorted(every, key=lambda s: not _alike(_plain(s.made.name), stem))


def _says_nothing(method: Method) -> bool:
    """Whether what it takes cannot be seen."""
    takes = set(roles.words_of(method.name)) & roles.TAKING
    said = not (method.silent or method.truth) or any(p.is_out for p in method.parameters)
    return bool(takes) and not said


def _needed(method: Method) -> int:
    """How many parameters it must be given."""
    return sum(not p.default for p in method.parameters)


def _front(of: Class) -> Method | None:
    """What shows the value that is taken next, where taking is done apart. One consumer alone may
    do one after the other."""
    named = [m for m in of.methods if m.name in _FRONTS and not m.parameters]
    return min(named, key=lambda m: _FRONTS.index(m.name), default=None)


def _overload(of: Class, name: str) -> Method:
    """Of several with a name, the simplest that writes its answer to a place, or the first."""
    same = [m for m in of.methods if m.name == name]
    writing = [m for m in same if any(p.is_out for p in m.parameters)]
    return min(writing, key=_needed, default=same[0])


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _alike(one: str, other: str) -> bool:
    return one in other or other in one


def instances(of: Subject, found: Outline, path: str) -> list[Instance]:
    """Ways to make an object, the simplest first: small ones, of numbers, of pointers."""
    if of.made.template is None:
        types = [of.made.full_name]
    elif of.made.instance:
        types = [of.made.full_name + of.made.instance]
    else:
        types = []
        for element, small in (("int", 2), ("int", 4), ("int *", 2), ("long", 16)):
            types.append(f"{of.made.full_name}<{_arguments(of.made.template, element, small)}>")
    made = []
    for shown in dict.fromkeys(types):
        first = "int *" if "int *" in shown else "long" if "long" in shown else "int"
        text = _text(of, found.throws, path, shown, first)
        apart = "dequeue" in of.names and _says_nothing(of.names["dequeue"])
        made.append(Instance(text, shown.replace(" ", ""), of.kind, of.names, apart))
    return made


def _arguments(template: tuple[Parameter, ...], element: str, small: int) -> str:
    given: list[str] = []
    types = {each.name for each in template if set(each.words) & _TYPE}
    for number, each in enumerate(template):
        kind = set(each.words)
        if "..." in kind:
            break
        if kind & _TYPE:
            if each.default and number > 0:
                break
            given.append(_type(each, element, number))
        elif _is_number(each) and (not each.default or _is_size(each)):
            given.append("64" if _SPACING.search(each.name) else str(small))
        elif each.default:
            break
        elif kind & types:  # a value of the elements' type
            given.append("nullptr" if "*" in element else "0")
        elif number == 0 and _is_constrained(each):
            given.append(element)
        else:
            given.append("false" if "bool" in kind else "{}")
    return ", ".join(given)


def _is_size(each: Parameter) -> bool:
    """Whether it says how much there is room for."""
    return bool(_SMALL.search(each.name)) and not _SPACING.search(each.name)


def _is_constrained(each: Parameter) -> bool:
    """Whether it is a type that a concept allows, in all likelihood."""
    return "bool" not in each.words and each.words[-1][:1].isalpha()


def _type(each: Parameter, element: str, number: int) -> str:
    if number and _LOCKS.search(each.name):
        return "std::mutex"
    return f"std::allocator<{element}>" if number and _COPIES.search(each.name) else element


def _is_number(each: Parameter) -> bool:
    return bool(set(each.words) & _NUMBER) and not {"*", "&"} & set(each.words)


def _construct(of: Class) -> str:
    """What stands behind the type where an object is made."""
    usable = [c for c in of.constructors if c.name and not _copies(of, c)]
    small = [c for c in usable if c.parameters and _is_number(c.parameters[0])]
    sized = [c for c in small if _SMALL.search(c.parameters[0].name)]
    bare = not of.constructors or any(all(p.default for p in c.parameters) for c in usable)
    if bare and not sized:
        return ""
    chosen = next(iter([*sized, *usable]), None)
    if chosen is None:
        return ""
    given = [_given(p) for p in chosen.parameters if not p.default or p is chosen.parameters[0]]
    return f"({', '.join(given)})"


def _copies(of: Class, each: Method) -> bool:
    return bool(each.parameters) and of.name in each.parameters[0].words


def _given(each: Parameter) -> str:
    if "bool" in each.words:
        return "false"
    if _is_number(each):
        return "2"
    return "nullptr" if "*" in each.words else "{}"


def _text(of: Subject, throws: bool, path: str, shown: str, first: str) -> str:
    insert = next((of.names[m] for m in ("enqueue", "push", "add", "write") if m in of.names), None)
    parts = [_HEAD.format(path=path, type=shown)]
    if insert is not None:
        parts.append(_ELEMENT.format(first=first, name=insert.name))
    calls = []
    for method, function in of.names.items():
        if method == "dequeue" and _says_nothing(function):
            helpers, body = _looking(of.made, function)
        else:
            helpers, body = _call(method, function, of.kind, throws)
        parts.append(helpers)
        calls.append(body)
    parts.append("}\nusing namespace heapstory_;\n")
    parts.append(
        f'extern "C" void {MAKER}(structure *s) {{ ::new ((void *)s) structure'
        f"{_construct(of.made)}; }}\n"
    )
    return "".join([*parts, *calls])


def _call(method: str, function: Method, kind: str, throws: bool) -> tuple[str, str]:
    """The overloads that a call chooses from, and the function that is called."""
    name = function.name
    if kind == roles.LOCK:
        return "", f'extern "C" void {PREFIX}{method}(structure *s) {{ s->{name}(); }}\n'
    if method in ("pop", "dequeue", "steal", "read"):
        return _taking(method, function, kind, throws)
    if method in ("increment", "decrement"):
        return "", f'extern "C" auto {PREFIX}{method}(structure *s) {{ return s->{name}(); }}\n'
    helpers = _GIVEN.format(name=name) + (_KEYED.format(name=name) if kind == roles.SET else "")
    made = f"{name}_(*s, value, rank<3>())"
    done = " return 1L;" if throws else ""
    body = f"if constexpr (std::is_void_v<decltype({made})>) {{ {made};{done} }} "
    body += f"else return truth({made});"
    if throws:
        body = f"try {{ {body} }} catch (...) {{ return -77L; }}"
    helpers += f"template <class Q> auto {method}_call(Q *s, E value) {{ {body} }}\n"
    called = f"return {method}_call(s, value);"
    return helpers, f'extern "C" auto {PREFIX}{method}(structure *s, E value) {{ {called} }}\n'


def _taking(method: str, function: Method, kind: str, throws: bool) -> tuple[str, str]:
    name = function.name
    if kind in (roles.COUNTER, roles.REGISTER):
        return "", f'extern "C" auto {PREFIX}{method}(structure *s) {{ return s->{name}(); }}\n'
    out = next((p for p in function.parameters if p.is_out), None)
    if out is None:
        body = f"return answer<E>(s->{name}(), out);"
    else:
        place = "e" if "&" in out.words else "&e"
        needed = [p for p in function.parameters if p is out or not p.default]
        given = ", ".join(place if p is out else "anything()" for p in needed)
        made = f"s->{name}({given})"
        body = (
            f"E e{{}}; if constexpr (std::is_void_v<decltype({made})>) "
            f"{{ {made}; *out = number(e); {'return 1L;' if throws else ''} }} "
            f"else {{ auto r = {made}; *out = number(e); return truth(r); }}"
        )
    if throws:
        body = f"try {{ {body} }} catch (...) {{ return -77L; }}"
    helper = f"template <class Q> auto {method}_call(Q *s, long *out) {{ {body} }}\n"
    called = f"return {method}_call(s, out);"
    return helper, f'extern "C" auto {PREFIX}{method}(structure *s, long *out) {{ {called} }}\n'


def _looking(of: Class, function: Method) -> tuple[str, str]:
    """Looks at the first value and takes it then; what is empty has no first value, or says so."""
    front = _front(of)
    assert front is not None
    empty = next((m.name for m in of.methods if m.name in ("empty", "isEmpty", "is_empty")), "")
    unless = f"if (s->{empty}()) return 0;" if empty else "static_assert(sizeof(Q) == 0);"
    helper = (
        "template <class Q> long look(Q *s, long *out) { "
        f"typedef std::decay_t<decltype(s->{front.name}())> F; if constexpr "
        "(!std::is_arithmetic_v<F> && std::is_constructible_v<bool, F>) { "
        f"auto first = s->{front.name}(); "
        f"if (!first) return 0; *out = number(*first); }} else {{ {unless} "
        f"*out = number(s->{front.name}()); }} s->{function.name}(); return 1; }}\n"
    )
    return helper, (
        f'extern "C" long {PREFIX}dequeue(structure *s, long *out) {{ return look(s, out); }}\n'
    )
