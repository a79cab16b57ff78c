"""The grammar of constraint specifications: Fig 2.3 of the thesis, repaired, and the extensions.

The thesis' own symbols (⇒ → ↛ ↠ ≠ ≤ ≥) and their ASCII forms are the same tokens. A margin label
as in Fig 4.2, ``..(c1)``, names the constraint before it.
"""

from __future__ import annotations

import re
from functools import cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from heapstory.errors import SpecificationError
from heapstory.parsing import syntax_error

GRAMMAR = r"""
start: statement*
?statement: type | declaration | attribute_or_constraint | root | owner | pause | const

type: NAME [alias] [holders] "FIELD" INT "EDGE" INT ";"   -> counted_type
    | NAME [alias] [holders] "{" field* "}" ";"?          -> named_type
    | "ARRAY" NAME [alias] [holders] ["OF" INT] ";"       -> array_type
alias: "is" STRING
holders: "in" (ANYWHERE | dotted ("," dotted)*)
field: dotted decorations [":" NAME] [values] ";"
decorations: (MARK | UNCHECKED | WRITTEN | count)*
count: "[" [INT] "]"
values: "{" value ("," value)* "}"
value: NAME ["=" number]
dotted: NAME ("." NAME)*
declaration: NAME NAME ("," NAME)* ";"

root: ROOT NAME "from" source ("," source)* ";"
?source: dotted
       | FRAME dotted                                      -> frame
owner: OWNER NAME "." dotted ";"
     | ALIAS NAME "." dotted ";"                          -> no_alias
pause: PAUSE NAME ("," NAME)* ";"
const: "const" NAME "=" number ";"
number: INT | MINUS INT | FLOAT | MINUS FLOAT | CHARACTER

attribute_or_constraint: [label] [loop] term ";" [margin]              -> plain
                       | [label] [loop] term IMPLIES term ";" [margin] -> guarded
                       | term IMPLIES assignment OTHERWISE assignment ";" -> rule
                       | assignment ";"                           -> plain_rule
label: NAME ":"
margin: MARGIN
loop: "for" NAME "in" sum "to" sum ","
assignment: postfix ASSIGN term

?term: either
     | either "?" term ":" term                            -> conditional
?either: both | either OR both                             -> either
?both: negation | both AND negation                        -> both
?negation: comparison | NOT negation                       -> negated
         | "exists" NAME [NAME] ":" term                   -> exists
?comparison: bits
           | bits COMPARISON bits                          -> comparison
           | bits ARROW bits                               -> arrow
           | bits RESTRICTED bits                          -> arrow
           | bits REACHABLE bits                           -> reachable
?bits: sum | bits "&" sum                                  -> bits
?sum: product | sum PLUS product -> operation | sum MINUS product -> operation
?product: unary | product STAR unary -> operation | product SLASH unary -> operation
        | product PERCENT unary -> operation
?unary: postfix | MINUS unary                              -> negative
?postfix: atom
        | postfix "." NAME                                 -> member
        | postfix "." "(" INT ")"                          -> numbered
        | postfix "[" arguments "]"                        -> index
?atom: NAME -> name
     | INT -> literal | FLOAT -> literal | CHARACTER -> literal | STRING -> string
     | "NULL" -> null | TRUE -> word | FALSE -> word
     | "(" term ")" -> group
     | "|" sum "|" -> absolute
     | NAME "(" [arguments] ")" -> call
arguments: argument ("," argument)*
?argument: term | STAR -> star | "[" edge ("," edge)* "]" -> fields
edge: dotted ["[" INT "]"]

ANYWHERE: "*"
MARK: "*" | "^"
UNCHECKED: "?"
WRITTEN: "!"
ROOT.2: /root\s*:/
FRAME.2: /frame\s+(?=[A-Za-z_])/
OWNER.2: /owner\s*:/
ALIAS.2: /no\s+alias\s*:?/
PAUSE.2: /pause\s+in\b/
MARGIN: /\.\.\s*\(\s*\w+\s*\)/
IMPLIES: "=>" | "⇒"
OTHERWISE: "||"
ASSIGN: /=(?![!=>])/
TRUE.2: /(true|TRUE)\b/
FALSE.2: /(false|FALSE)\b/
OR.2: /or\b|∨/
AND.2: /and\b|&&|∧/
NOT.2: /not\b|!(?!=)|¬/
COMPARISON: "==" | "!=" | "≠" | "<=" | "≤" | ">=" | "≥" | "<" | ">"
ARROW: "->" | "→" | "-/>" | "↛" | "->>" | "↠" | "-/>>" | "↠̸" | "⤀" | "⤁"
REACHABLE.2: /reachable\s+from\b/
RESTRICTED: /-\[\s*\w[\w\s.,\[\]]*\]\s*(->>|->|-\/>>|-\/>|\/>>|\/>|↠̸|→|↛|↠|⤀|⤁)/
PLUS: "+"
MINUS: "-" | "−"
STAR: "*"
SLASH: "/"
PERCENT: "%"
NAME: /[A-Za-z_]\w*/
FLOAT: /\d+\.\d+([eE][-+]?\d+)?/
INT: /0[xX][0-9a-fA-F]+|\d+/
STRING: /"([^"\\\n]|\\.)*"/
CHARACTER: /'([^'\\\n]|\\.)'/
%ignore /[ \t\r\n]+/
%ignore /\/\/[^\n]*/
%ignore /#[^\n]*/
%ignore /\/\*(.|\n)*?\*\//
"""

WORDS = {
    "SEMICOLON": "';'",
    "COLON": "':'",
    "COMMA": "','",
    "DOT": "'.'",
    "NAME": "a name",
    "INT": "a number",
    "LPAR": "'('",
    "RPAR": "')'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "RSQB": "']'",
    "IMPLIES": "'=>'",
    "OTHERWISE": "'||'",
    "ASSIGN": "'='",
    "COMPARISON": "a comparison",
    "ARROW": "'->' or '->>'",
    "REACHABLE": "'reachable from'",
    "FIELD": "FIELD",
    "EDGE": "EDGE",
    "FROM": "'from'",
    "TO": "'to'",
    "IN": "'in'",
    "STRING": "a quoted name",
    "$END": "the end",
}

# A type as C declares it.
_DECLARED = re.compile(r"\b((?:typedef\s+)?(?:struct|class|union)|typedef)\b(?:\s+(\w+))?\s*$")
# An assignment where a comparison is meant.
_ASSIGNED = re.compile(r"(=>|⇒).*[^=!<>]=[^=>]", re.DOTALL)
# A loop behind the guard, up to its name, at which the parser stops.
_LATE_LOOP = re.compile(r"(=>|⇒|&&|∧|∨|\b(and|or))\s*for(\s+\w*)?$")


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def parse_tree(source: str, path: str) -> Tree[Token]:
    """The raw tree of a specification's text; `SpecificationError` with position and caret."""
    try:
        return _parser().parse(source)
    except UnexpectedInput as error:
        if declared := _declared_as_in_c(error, source, path):
            raise declared from None
        raise syntax_error(error, source, path, WORDS, _remedy(error, source)) from None


def _declared_as_in_c(error: UnexpectedInput, source: str, path: str) -> SpecificationError | None:
    """``struct node {`` and ``typedef struct node {``: the error is at the first word."""
    place = error.pos_in_stream if isinstance(error.pos_in_stream, int) else len(source)
    begun = re.split(r"[;{}]", source[:place])[-1]
    kind = _DECLARED.search(begun + re.split(r"[;{}]", source[place:])[0])
    if not kind or len(begun) < kind.start():
        return None
    at = place - len(begun) + kind.start()
    line = source.count("\n", 0, at) + 1
    said = f"a type is named without '{kind[1]}': {kind[2] or 'NAME'} {{ … }}"
    return SpecificationError(said, path, source, line, at - source.rfind("\n", 0, at))


def _remedy(error: UnexpectedInput, source: str) -> str:
    """What to write instead, for habits from C."""
    token = getattr(error, "token", None)
    place = error.pos_in_stream if isinstance(error.pos_in_stream, int) else len(source)
    if source[place:].startswith("=!"):
        return " (to tell that two things differ, write !=)"
    statement = re.split(r"[;{}]", source[:place])[-1]
    if token == "=" or (token == ";" and _ASSIGNED.search(statement)):
        return " (to compare, write ==)"
    if _LATE_LOOP.search(f"{statement}{token or ''}"):
        return (
            " (for stands first, before what is supposed: for i in 0 to n, "
            "X.n > 0 => X.entries[i] != NULL;)"
        )
    if token == "->":
        return " (between what is supposed and what must hold, write =>)"
    if field := re.search(r"(\w+)->([A-Za-z_][\w.]*)\W*$", statement):
        return f" (a field is written {field[1]}.{field[2]}; X -> Y says that there is an edge)"
    return ""
