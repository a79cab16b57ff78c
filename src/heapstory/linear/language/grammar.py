"""The grammar of specifications: Fig 6.6 of the thesis, with what its figures use beyond it.

Line labels (``E6.``) and column labels (``...d``) as the figures print them are accepted; the
latter name a sub-operation. ``→`` and ``->`` are ``.``; ``≠ ≤ ≥`` have ASCII forms.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, VisitError

from heapstory.errors import SpecificationError
from heapstory.parsing import syntax_error

GRAMMAR = r"""
start: item*
?item: header | model | struct | decl | init | operation | table | hint | fragment
header: "name" NAME ";"?            -> named
      | "implements" NAME ";"?      -> implements
model: "model" "{" item* "}"
struct: "struct" NAME "{" field (("," | ";") field)* ";"? "}" ";"?
field: ghost? NAME NAME
ghost: "ghost"
decl: plain | "ghost" plain -> ghost_decl
plain: NAME NAME ";"                -> scalar
     | NAME NAME "=" sum ";"        -> scalar
     | NAME NAME "[" [INT] "]" ";"  -> array
init: "init" "{" (decl | stmt)* "}"
operation: OPERATION "(" params ")" [isof] body
         | OPERATION isof body
         | OPERATION body
isof: "is" NAME
params: [param ((","|";") param)* ";"?]
param: NAME NAME
body: decls subops | subops
decls: decl+
subops: subop+
subop: mark loop? guard? stmt* last? label?
fragment: subops
loop: "loop"
mark: MARK -> one
    | "*"  -> star
guard: "<" conds? ">"
conds: (item_ (";" | "&&"))* item_ ";"?
?item_: cond | nonode
nonode: "none" NAME NAME ":" cond ("," cond)*
cond: sum rop sum
rop: EQ | NE | LE | GE | LT | GT | ASSIGN
stmt: bare ";" | back ";"
last: bare
?back: "return" [sum ("," sum)*]     -> ret
bare: path (ASSIGN | WALRUS) sum           -> assign
    | path (ASSIGN | WALRUS) "malloc" NAME -> malloc
    | path (ASSIGN | WALRUS) "malloc" "(" NAME ")" -> malloc
    | "free" path                    -> free
    | "free" "(" path ")"            -> free
    | "READ" path         -> read
label: LABEL
table: ("order" | "≀") NAME "," NAME when? ";"       -> ordered
     | ("notorder") NAME "," NAME when? ";"          -> unordered
     | ("reverse" | "⊖") NAME "," NAME when? ";"     -> reversible
     | ("notreverse") NAME "," NAME when? ";"        -> irreversible
when: "if" cond ("," cond)*
hint: "hint" "point" NAME ";"                        -> hint_point
    | "hint" ":" facts when? ";"                     -> hint_shared
    | "hint" "all" NAME NAME ":" facts when? ";"     -> hint_all
    | "hint" "before" NAME ":" facts when? ";"       -> hint_before
facts: cond ("," cond)*
sum: term ((PLUS | MINUS) term)*
?term: INT -> number
     | MINUS INT -> negative
     | path
     | "(" sum ")"
path: NAME suffix*
suffix: "." NAME -> dot
      | "[" sum "]" -> index
MARK: "1"
LABEL: /\.\.\.[ \t]*[A-Za-z]\w*/
EQ: "=="
NE: "!=" | "≠"
LE: "<=" | "≤"
GE: ">=" | "≥"
LT: "<"
GT: ">"
ASSIGN: "="
WALRUS: ":="
PLUS: "+"
MINUS: "-"
NAME: /(?!(?:KEYWORDS)\b)[A-Za-z_]\w*/
// An operation's name is known by what follows it: "(", or "is", a sub-operation, two more names.
OPERATION.2: /(?!(?:KEYWORDS)\b)[A-Za-z_]\w*(?=\s*\(|\s+(is|1|\*)\s|\s+\w+\s+[A-Za-z_])/
INT: /\d+/
%ignore /[ \t\r\n]+/
%ignore /\/\/[^\n]*/
%ignore /#[^\n]*/
%ignore /\/\*(.|\n)*?\*\//
"""
KEYWORDS = (
    "name|implements|model|struct|ghost|init|is|malloc|free|READ|return|order|notorder|reverse"
    "|notreverse|loop|none|if|hint"
)
LINE_LABEL = re.compile(r"(?m)^([ \t]*)([A-Z]{1,3}\d+\.)(?=\s)")
EXPECTED = {
    "SEMICOLON": "';'",
    "MARK": "a sub-operation (1 or *)",
    "STAR": "*",
    "NAME": "a name",
    "OPERATION": "an operation",
    "INT": "a number",
    "LPAR": "'('",
    "RPAR": "')'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LESSTHAN": "'<'",
    "MORETHAN": "'>'",
    "ASSIGN": "'='",
    "EQ": "'=='",
    "LABEL": "a label",
    "$END": "the end",
}


class _Tree(Transformer[Token, Any]):
    # Every node becomes (kind, line, column, children): the next stage gives it meaning.
    def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
        line, column = getattr(meta, "line", 0), getattr(meta, "column", 0)
        return (str(data), line, column, children)


@cache
def _parser() -> Lark:
    return Lark(
        GRAMMAR.replace("KEYWORDS", KEYWORDS),
        parser="lalr",
        propagate_positions=True,
        maybe_placeholders=True,
    )


def parse_tree(source: str, path: str) -> Any:
    """The raw tree of a specification's text, or a `SpecificationError` with place and caret."""
    text = LINE_LABEL.sub(lambda m: m[1] + " " * len(m[2]), source).replace("→", ".")
    text = re.sub(r"->", " .", text)
    try:
        return _Tree().transform(_parser().parse(text))
    except UnexpectedInput as error:
        raise syntax_error(error, source, path, EXPECTED) from None
    except VisitError as error:  # pragma: no cover - the transformer only builds tuples
        raise SpecificationError(str(error), path, source, 1, 1) from None
