"""The answer of ``prove`` for people."""

from __future__ import annotations

from heapstory.linear.history.judge import Judgement
from heapstory.linear.program.steps import Program
from heapstory.linear.proof.unbounded import Tables
from heapstory.linear.states.relations import Relations
from heapstory.linear.verdict.counterexample import Counterexample, Lane, Shown, show_value
from heapstory.linear.verdict.report import BOUNDED, REFUTED, UNKNOWN, Report
from heapstory.reporters.prove.json import rejected_sequence, relation_rows
from heapstory.reporters.prove.words import answer_of, changes_of, conflict_of, name_of, order_of

SHOWN = 8  # operations of a longer order
BY = {
    "algorithm6": "Algorithm 6 with derived relations, completability and the sequential model",
    "exhaustive": "all interleavings",
    "smt": "relations proved for any number of operations, Algorithm 6",
    "points": "linearization points, inductive invariants",
    "aspects": "the aspects of a queue, inductive invariants",
}


def specification(report: Report, found: Counterexample | None, relations: bool) -> str:
    """A specification, with the counterexample if there is one."""
    bound = f" (up to {report.bound} operations)" if report.verdict == BOUNDED else ""
    lines = [f"{report.name}: {report.verdict}{bound} in {report.seconds:.2f} s"]
    if report.verdict == BOUNDED and report.coverage is not None:
        lines.append(f"  covers: {report.coverage.text()}; nothing beyond")
    if report.never:
        lines.append(f"  never ran: {', '.join(report.never)}")
    if report.reason:
        lines.append(f"  {report.reason}")
    if report.method and report.verdict != UNKNOWN:
        lines.append(f"  by: {BY.get(report.method, report.method)}")
    six = report.algorithm6
    if six is not None:
        says = "passes" if six.passes else "does not pass"
        lines.append(f"  Algorithm 6: {says} ({six.milliseconds:.1f} ms)")
        rejected = rejected_sequence(report)
        if rejected:
            shown = " · ".join(" ".join(p) for p in rejected)
            lines.append(f"  it cannot make this sequential: {shown}")
    if report.sequential and report.verdict == REFUTED:
        lines.append("  operations that run one after the other already break the model")
    lines += [f"  note: {note}" for note in report.notes]
    for claim in report.claims:
        far = "any number of" if claim.bound is None else f"up to {claim.bound}"
        lines.append(f"  {claim.text}: holds for {far} operations")
    if relations and report.relations is not None:
        lines.append(f"  relations, up to {report.derived} operations:")
        lines += _relation_lines(report.normal, report.relations)
    if report.tables is not None:
        lines += _table_lines(report.tables)
    if found is not None:
        lines.append(_steps(found))
    return "\n".join(lines)


def _table_lines(found: Tables) -> list[str]:
    says = "passes" if found.algorithm6.passes else "does not pass"
    lines = [f"  relations, any number of operations (Algorithm 6 {says} with them):"]
    lines += _relation_lines(found.program, found.relations)
    return lines


def _relation_lines(normal: Program | None, relations: Relations) -> list[str]:
    lines = []
    for row in relation_rows(normal, relations):
        order = "≀" if row["ordered"] else "¬≀"
        back = " ⊖" if row["reversible"] else ""
        lines.append(f"  {row['first']} {order} {row['second']}{back}")
    return lines


def unmodelled(path: str, reason: str) -> str:
    """C that no specification could be extracted from."""
    return f"{path}: unknown\n  {reason}"


def history(judged: Judgement) -> str:
    """A recorded history."""
    lines = [
        f"{judged.path}: {judged.verdict}, {judged.operations} operations, {judged.seconds:.2f} s"
    ]
    if judged.reason:
        lines.append(f"  {judged.reason}")
    for call in (judged.counterexample or {}).get("operations", []):
        where = f"line {call['line']}: " if call["line"] else ""
        lines.append(f"  {where}{call['text']}")
    return "\n".join([*lines, *_order(judged)])


def _order(judged: Judgement) -> list[str]:
    """An order with its abstract states; of a history that is wrong, only its end."""
    if not judged.order:
        return []
    wrong = judged.verdict == REFUTED
    kept = judged.order[-SHOWN:] if wrong else judged.order
    left = len(judged.order) - len(kept)
    before = f", after {left} others" if left else ""
    what = f"the most that can be put in order{before}" if wrong else "an order"
    called = [o.call_text() for o, _ in kept]
    width = max(map(len, called))
    rows = [f"    {c:{width}}  {state}" for c, (_, state) in zip(called, kept, strict=True)]
    return [f"  {what}, and the abstract state:", *rows]


def _steps(found: Counterexample) -> str:
    """The counterexample as columns, one per instance."""
    lines = []
    for lane in found.lanes:
        mark = " *" if lane.instance in found.conflict else ""
        lines.append(f"  {name_of(lane)} -> {answer_of(lane)}{mark}")
    lines.append("")
    head = " ".join(f"#{lane.instance}".ljust(3) for lane in found.lanes)
    lines.append(f"  {'':4} {head}")
    for number, step in enumerate(found.steps):
        cells = [_glyph(lane, number, step, found) for lane in found.lanes]
        changed = changes_of(step)
        told = f"   [{changed}]" if changed else ""
        answer = f"   = {show_value(step.answer) or 'done'}" if step.answers else ""
        lines.append(f"  {number:>4} {' '.join(cells)} {step.label}: {step.text}{told}{answer}")
    lines.append(f"  * {conflict_of(found)}")
    if found.order:
        lines.append(f"  the most in order, and the abstract state: {order_of(found)}")
    return "\n".join(lines)


def _glyph(lane: Lane, number: int, step: Shown, found: Counterexample) -> str:
    end = len(found.steps) if lane.response is None else lane.response
    if step.instance == lane.instance:
        return "●".ljust(3) if number < end or lane.response is None else "◆".ljust(3)
    if not lane.first < number < end:
        return "   "
    return ("┃" if lane.instance in found.conflict else "│").ljust(3)
