"""Types of exceptions: which is a kind of which."""

from __future__ import annotations

import re

_ERROR, _LOGIC = "_ZTISt13runtime_error", "_ZTISt11logic_error"
_EXCEPTION = "_ZTISt9exception"
_STANDARD = {
    _ERROR: _EXCEPTION,
    _LOGIC: _EXCEPTION,
    "_ZTISt9bad_alloc": _EXCEPTION,
    "_ZTISt8bad_cast": _EXCEPTION,
    "_ZTISt20bad_array_new_length": "_ZTISt9bad_alloc",
    "_ZTISt17bad_function_call": _EXCEPTION,
    "_ZTISt12out_of_range": _LOGIC,
    "_ZTISt12length_error": _LOGIC,
    "_ZTISt12domain_error": _LOGIC,
    "_ZTISt16invalid_argument": _LOGIC,
    "_ZTISt11range_error": _ERROR,
    "_ZTISt14overflow_error": _ERROR,
    "_ZTISt15underflow_error": _ERROR,
    "_ZTISt12system_error": _ERROR,
}
# Functions of the library that do nothing but throw.
THROWING = {
    "_ZSt17__throw_bad_allocv": "_ZTISt9bad_alloc",
    "_ZSt28__throw_bad_array_new_lengthv": "_ZTISt20bad_array_new_length",
    "_ZSt20__throw_length_errorPKc": "_ZTISt12length_error",
    "_ZSt20__throw_out_of_rangePKc": "_ZTISt12out_of_range",
    "_ZSt24__throw_out_of_range_fmtPKcz": "_ZTISt12out_of_range",
    "_ZSt24__throw_invalid_argumentPKc": "_ZTISt16invalid_argument",
    "_ZSt19__throw_logic_errorPKc": _LOGIC,
    "_ZSt20__throw_system_errori": "_ZTISt12system_error",
    "_ZSt25__throw_bad_function_callv": "_ZTISt17bad_function_call",
}
_THROWN = re.compile(r"@__cxa_throw\(.*?@(_ZTI[\w.$]+)")
_NAMED = re.compile(r"@(_ZTI[\w.$]+)")


class TypeInfo:
    """Numbers for the types, and what each is derived from."""

    EVERY = 1  # the number of a clause that all fit

    def __init__(self, definitions: dict[str, str], lines: list[str]) -> None:
        self._bases: dict[str, list[str]] = {k: [v] for k, v in _STANDARD.items()}
        for name, text in definitions.items():
            if name.startswith("_ZTI"):
                self._bases[name] = [n for n in _NAMED.findall(text) if n != name]
        self._thrown = set(THROWING.values())
        for line in lines:
            if "@__cxa_throw(" in line:
                self._thrown.update(_THROWN.findall(line))
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The number of a type."""
        return self._numbers.setdefault(name, self.EVERY + 1 + len(self._numbers))

    def thrown_as(self, wanted: str) -> list[str]:
        """The types of what is thrown anywhere and fits a type."""
        return sorted(name for name in self._thrown if self._is(name, wanted))

    def _is(self, name: str, wanted: str) -> bool:
        return name == wanted or any(self._is(base, wanted) for base in self._bases.get(name, ()))
