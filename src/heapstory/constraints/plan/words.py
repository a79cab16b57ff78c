"""What a constraint means, in plain English; made from the plan, so it says what is checked."""

from __future__ import annotations

from heapstory.constraints.plan import (
    EdgeRef,
    Expr,
    Op,
    Plan,
    PlanAttribute,
    PlanConstraint,
    Quantifier,
    ShapeKind,
)

SIGNS = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/", Op.MOD: "%", Op.BITAND: "&",
}  # fmt: skip
COMPARISONS = {
    Op.EQ: ("is", "is not"),
    Op.NE: ("is not", "is"),
    Op.LT: ("is less than", "is not less than"),
    Op.LE: ("is at most", "is more than"),
    Op.GT: ("is more than", "is at most"),
    Op.GE: ("is at least", "is less than"),
}
GATHERED = {"count": "the number", "sum": "the sum", "min": "the least", "max": "the greatest"}
DEGREE_WORDS = {
    Op.ISROOT: ("no {edge} leads to {0}", "some {edge} leads to {0}"),
    Op.ISLEAF: ("no {edge} leaves {0}", "some {edge} leaves {0}"),
    Op.EXTERNAL: ("{0} is at an end (no {edge} in, or none out)", "{0} has {edges} in and out"),
    Op.INTERNAL: ("{0} has {edges} in and out", "{0} lacks {edges} in or out"),
}


class Wording:
    """Words for the parts of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names: list[str] = []

    def constraint(self, constraint: PlanConstraint) -> str:
        """One sentence."""
        variables = constraint.variables
        self.names = [v.name for v in variables] + [loop.name for loop in constraint.loops]
        shaped = self._shaped(constraint)
        if shaped:
            return f"{shaped}."
        forall = [v for v in variables if v.quantifier is Quantifier.FORALL]
        some = [v for v in variables if v.quantifier is Quantifier.EXISTS]
        over = " and ".join(f"{self._type(v.type)} {v.name}" for v in forall)
        text = f"for every {over}"
        for loop in constraint.loops:
            text += f" and {loop.name} from {self.value(loop.first)} to {self.value(loop.last)}"
        if constraint.guard is not None:
            text += f" where {self.truth(constraint.guard)}"
        if some:
            kinds = ((self._type(v.type), v.name) for v in some)
            there = " and ".join(f"{_article(kind)} {kind} {name}" for kind, name in kinds)
            text += f", there is {there} such that {self.truth(constraint.body)}"
        else:
            text += f", {self.truth(constraint.body)}"
        return f"{text[0].upper()}{text[1:]}."

    def attribute(self, attribute: PlanAttribute) -> str:
        """One sentence on what an attribute is."""
        self.names = ["X"]
        kind = self._type(attribute.type)
        text = f"{attribute.name} of {_article(kind)} {kind} X is "
        value = attribute.value
        text += self.value(value)
        if attribute.null is not None:
            text += f"; of NULL it is {attribute.null}"
        return f"{text}."

    def _shaped(self, constraint: PlanConstraint) -> str | None:
        shape, variables = constraint.shape, constraint.variables
        kind = self._type(variables[0].type)
        instance = " of one instance" if self.plan.types[variables[0].type].roots else ""
        if shape.kind is ShapeKind.ACYCLIC:
            return (
                f"No path of {self._edges(shape.edges, plural=True)} leads back to where it began"
            )
        if shape.kind is ShapeKind.CONNECTED:
            via = self._edges(shape.edges, plural=True)
            return f"Every {kind} can be reached from every {kind}{instance} over {via}"
        if shape.kind is ShapeKind.ROOTED:
            return f"Every {kind} can be reached from {self._roots(variables[0].type)}"
        if shape.kind is ShapeKind.UNIQUE:
            where = f" for which {self.truth(shape.filter)}" if shape.filter else ""
            if not shape.keys:
                return f"There is at most one {kind} {variables[0].name}{instance}{where}"
            keys = " and ".join(self._own(key) for key in shape.keys)
            return f"No two {kind} nodes{instance} have the same {keys}{where}"
        return None

    def _own(self, key: Expr) -> str:
        """A key of variable 0 without its name."""
        text = self.value(key)
        return text.removeprefix(f"{self.names[0]}.")

    def _type(self, index: int) -> str:
        return self.plan.types[index].name

    def _roots(self, index: int) -> str:
        names = []
        for root in self.plan.types[index].roots:
            names.append(self._ref(root, qualified=True))
        return " or ".join(dict.fromkeys(names))

    def _ref(self, ref: EdgeRef, qualified: bool = False) -> str:
        kind = self.plan.types[ref.type]
        if ref.field is not None:
            name = kind.fields[ref.field].name
        else:
            assert ref.run is not None
            index = "" if ref.element is None else f"[{ref.element}]"
            name = kind.runs[ref.run].field.name.replace("[]", "") + index
        return f"{kind.name}.{name}".rstrip(".") if qualified else name

    def _edges(self, edges: int, plural: bool = False) -> str:
        """``edge``, or ``left/right edge`` for a restricted set."""
        word = "edges" if plural else "edge"
        refs = self.plan.edge_sets[edges]
        names = list(dict.fromkeys(self._ref(ref) for ref in refs))
        if edges == 0 or not names:
            return word
        return f"{'/'.join(names)} {word}"

    # Values.

    def value(self, expr: Expr) -> str:
        """A value as text."""
        op, args = expr.op, expr.args
        if op is Op.VARIABLE:
            return self.names[expr.index] if expr.index < len(self.names) else "it"
        if op is Op.NUMBER:
            return expr.text or str(expr.number)
        if op is Op.TEXT:
            return f'"{expr.text}"'
        if op is Op.NULL:
            return "NULL"
        if op in (Op.FIELD, Op.INDEX):
            return self._field(expr)
        if op is Op.ATTRIBUTE:
            return self._attribute(expr)
        if op in (Op.INDEGREE, Op.OUTDEGREE):
            way = "into" if op is Op.INDEGREE else "out of"
            edges = self._edges(expr.edges, plural=True)
            return f"the number of {edges} {way} {self.value(args[0])}"
        if op in SIGNS:
            return f" {SIGNS[op]} ".join(self._operand(arg, op) for arg in args)
        return self._other_value(expr)

    def _other_value(self, expr: Expr) -> str:
        op, args = expr.op, expr.args
        if op is Op.NEG:
            return f"-{self._operand(args[0], op)}"
        if op is Op.ABS:
            return f"|{self.value(args[0])}|"
        if op in (Op.MIN, Op.MAX, Op.LEAST, Op.GREATEST):
            word = "lesser" if op in (Op.MIN, Op.LEAST) else "greater"
            return f"the {word} of {' and '.join(self.value(arg) for arg in args)}"
        if op is Op.STRING:
            return self.value(args[0])
        if op is Op.ELEMENT:
            return f"{self.value(args[0])}[{self.value(args[1])}]"
        if op is Op.EXTENT:
            return f"the length of {self._run(expr)}"
        if op is Op.LENGTH:
            return f"the length of {self.value(args[0])}"
        if op is Op.HASH:
            return f"the {expr.text} hash of {self.value(args[0])}"
        if op is Op.REFERENCES:
            return f"the number of pointers to what {self.value(args[0])} points to"
        if op is Op.IF:
            condition, first, second = args
            return (
                f"({self.value(first)} if {self.truth(condition)}, otherwise {self.value(second)})"
            )
        if op is Op.AGGREGATE:
            return self._aggregate(expr)
        return self.truth(expr)

    def _operand(self, expr: Expr, outer: Op) -> str:
        text = self.value(expr)
        weak = (Op.ADD, Op.SUB)
        inside = expr.op in weak and outer not in weak
        wordy = expr.op in (Op.INDEGREE, Op.OUTDEGREE, Op.MIN, Op.MAX)
        return f"({text})" if inside or wordy else text

    def _run(self, expr: Expr) -> str:
        assert expr.type is not None
        name = self.plan.types[expr.type].runs[expr.index].field.name
        return f"{self.value(expr.args[0])}.{name}".replace("[]", "").rstrip(".")

    def _field(self, expr: Expr) -> str:
        assert expr.type is not None
        base, kind = self.value(expr.args[0]), self.plan.types[expr.type]
        if expr.op is Op.FIELD:
            name = kind.fields[expr.index].name
            return f"{base}{name}" if name.startswith("[") else f"{base}.{name}"
        name = kind.runs[expr.index].field.name
        position = expr.args[1]
        if name.startswith("[]"):
            # A variable of a declared array is counted from 1, as it is written.
            if not kind.implied and expr.args[0].op is Op.VARIABLE:
                position = _plus_one(position)
            return f"{base}[{self.value(position)}]{name[2:]}"
        index = f"[{self.value(position)}]"
        return f"{base}.{name.replace('[]', index, 1)}"

    def _attribute(self, expr: Expr) -> str:
        attribute = self.plan.attributes[expr.index]
        base = self.value(expr.args[0])
        if "(" in attribute.name:
            word, _, what = attribute.name.partition("(")
            return f"the {'least' if word == 'MIN' else 'greatest'} {what[:-1]} at or below {base}"
        return f"{attribute.name} of {base}"

    def _aggregate(self, expr: Expr) -> str:
        start, what = expr.args
        kind = f"{self._type(expr.type)} nodes" if expr.type is not None else "nodes"
        each = "" if expr.text == "count" else f" of {self.value(what).removeprefix('it.')} of the"
        where = ""
        if expr.text == "count":
            each = " of"
            where = f" for which {self.truth(what)}" if what.op is not Op.TRUE else ""
        return f"{GATHERED[expr.text]}{each} {kind}{where} at or below {self.value(start)}"

    # Truth.

    def truth(self, expr: Expr, negated: bool = False) -> str:
        """A condition as text."""
        op, args = expr.op, expr.args
        if op is Op.NOT:
            return self.truth(args[0], not negated)
        if op in (Op.AND, Op.OR):
            word = " and " if (op is Op.AND) != negated else " or "
            return word.join(self._inner(arg, op, negated) for arg in args)
        if op in (Op.TRUE, Op.FALSE):
            return "something true" if (op is Op.TRUE) != negated else "nothing at all"
        if op in COMPARISONS:
            return self._comparison(expr, negated)
        if op in DEGREE_WORDS:
            edge, edges = self._edges(expr.edges), self._edges(expr.edges, plural=True)
            text = DEGREE_WORDS[op][negated]
            return text.format(self.value(args[0]), edge=edge, edges=edges)
        if op in (Op.EDGE, Op.PATH):
            what = self._edges(expr.edges)
            if op is Op.PATH:
                what = "path" if expr.edges == 0 else f"path of {what}s"
            ends = f"from {self.value(args[0])} to {self.value(args[1])}"
            return f"there is {'no' if negated else _article(what)} {what} {ends}"
        return self._other_truth(expr, negated)

    def _other_truth(self, expr: Expr, negated: bool) -> str:
        op, args = expr.op, expr.args
        if op is Op.ROOTED:
            can = "cannot" if negated else "can"
            return f"{self.value(args[0])} {can} be reached from a root"
        if op is Op.SAFE and expr.text:
            is_not = "was never" if negated else "is NULL or was once"
            return f"{self.value(args[0])} {is_not} the address of a node"
        if op is Op.SAFE:
            what = "a live node"
            if expr.type is not None:
                what = f"{_article(self._type(expr.type))} {self._type(expr.type)}"
            is_not = "is neither NULL nor" if negated else "is NULL or"
            return f"{self.value(args[0])} {is_not} the address of {what}"
        if op is Op.CIRCULAR:
            name = self.plan.attributes[expr.index].name
            depends = "does not depend" if negated else "depends"
            return f"{name} of {self.value(args[0])} {depends} on itself"
        if op is Op.WRITTEN:
            return f"{self.value(args[0])} has {'never ' if negated else ''}been written"
        if op is Op.EXISTS:
            kind = self._type(expr.type or 0)
            self.names += ["it"] * (expr.index + 1 - len(self.names))
            self.names[expr.index] = "Z"
            return f"there is {'no' if negated else _article(kind)} {kind} Z with " + self.truth(
                args[0]
            )
        if op is Op.IF:
            condition, first, second = args
            return (
                f"({self.truth(first, negated)} if {self.truth(condition)}, otherwise "
                f"{self.truth(second, negated)})"
            )
        return f"{self.value(expr)} is {'zero' if negated else 'not zero'}"

    def _comparison(self, expr: Expr, negated: bool) -> str:
        left, right = (self.value(arg) for arg in expr.args)
        words = COMPARISONS[expr.op][negated]
        return f"{left} {words} {right}"

    def _inner(self, expr: Expr, outer: Op, negated: bool) -> str:
        text = self.truth(expr, negated)
        return f"({text})" if expr.op in (Op.AND, Op.OR) and expr.op is not outer else text


def _plus_one(index: Expr) -> Expr:
    one = Expr(Op.NUMBER, number=1)
    if index.op is Op.NUMBER:
        return Expr(Op.NUMBER, number=index.number + 1)
    return (
        index.args[0] if index.op is Op.SUB and index.args[1] == one else Expr(Op.ADD, (index, one))
    )


def explain_plan(plan: Plan) -> str:
    """Every attribute and constraint of a plan, one to a line."""
    wording = Wording(plan)
    lines = [f"{wording.attribute(a)}" for a in plan.attributes if "(" not in a.name]
    lines += [f"{c.name}: {c.words}" for c in plan.constraints if c.line]
    implied = [f"{c.name}: {c.words}" for c in plan.constraints if not c.line]
    if implied:
        lines += ["", "Implied:", *implied]
    return "\n".join(lines)


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
