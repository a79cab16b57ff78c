"""Rules: what the attributes of a specification are."""

from __future__ import annotations

from heapstory.constraints.compile.access import Scope
from heapstory.constraints.compile.attributes import Attribute, Attributes
from heapstory.constraints.compile.schema import Entry, Schema
from heapstory.constraints.compile.terms import Terms
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import Expr, Op
from heapstory.parsing import did_you_mean


class Rules:
    """Gives the attributes of a specification their values."""

    def __init__(self, schema: Schema, attributes: Attributes) -> None:
        self.schema, self.attributes = schema, attributes

    def define(self, rule: syntax.Rule, variables: dict[str, Entry]) -> None:
        """``guard => X.h = a || X.h = b;`` or ``NULL.h = n;``."""
        if rule.variable == "NULL":
            self._define_null(rule)
            return
        attribute = self._assigned(rule, variables)
        scope = Scope(variables, {rule.variable: 0}, next_bound=0)
        terms = Terms(self.schema, self.attributes, scope)
        value = terms.expr(rule.value)
        if rule.guard is not None and rule.terminal is not None:
            terminal = terms.expr(rule.terminal)
            value = Expr(Op.IF, (terms.truth(rule.guard), terminal, value))
            if terminal.op is Op.NUMBER and attribute.null is None:
                attribute.null = terminal.number - 1
        attribute.value = value

    def _assigned(self, rule: syntax.Rule, variables: dict[str, Entry]) -> Attribute:
        """The attribute that a rule is about; it must have none yet."""
        entry = variables.get(rule.variable)
        if entry is None:
            raise self.schema.fail(
                f"{rule.variable} is not declared{did_you_mean(rule.variable, variables)}", rule.at
            )
        index = self.attributes.find(entry, rule.attribute)
        named = entry.line.fields if entry.line else ()
        if index is None and any(field.name == rule.attribute for field in named):
            raise self.schema.fail(
                f"{rule.variable}.{rule.attribute} is a field, which the program assigns (to "
                "compare, write ==)",
                rule.at,
            )
        if index is None:
            hint = did_you_mean(rule.attribute, self.attributes.names(entry))
            raise self.schema.fail(
                f"{entry.name} has no attribute '{rule.attribute}'{hint}; declare it first: "
                f"{entry.name}.{rule.attribute};",
                rule.at,
            )
        attribute = self.attributes.all[index]
        if attribute.value is not None:
            raise self.schema.fail(f"{entry.name}.{rule.attribute} has two rules", rule.at)
        return attribute

    def _define_null(self, rule: syntax.Rule) -> None:
        everything = self.attributes.all
        found = [a for a in everything if a.written and a.name == rule.attribute]
        if not found:
            hint = did_you_mean(rule.attribute, [a.name for a in everything])
            raise self.schema.fail(f"no type has an attribute '{rule.attribute}'{hint}", rule.at)
        if not isinstance(rule.value, syntax.Number):
            raise self.schema.fail("the attribute of NULL must be a number", rule.at)
        for attribute in found:
            attribute.null = rule.value.value
