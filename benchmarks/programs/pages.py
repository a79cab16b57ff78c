"""A large page of HTML as people write it: old tags, missing ends, entities, tables and lists."""

from pathlib import Path

from benchmarks.programs.words import Writer


def write(path: Path, seed: int, sections: int) -> None:
    writer = Writer(seed)
    parts = [
        '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
        f"<html><head><title>{writer.sentence()}</title>",
        "<style>p.note { color: red }</style></head><body bgcolor=white>",
    ]
    kinds = [_paragraphs, _table, _list, _definitions, _form]
    for number in range(sections):
        parts.append(
            f'<h{2 + number % 3} id="s{number}">{writer.sentence(2, 6)}</h{2 + number % 3}>'
        )
        parts += kinds[writer.number(len(kinds))](writer)
    parts.append("</body></html>")
    path.write_text("\n".join(parts) + "\n")


def _marked(writer: Writer) -> str:
    text = writer.sentence()
    mark = writer.pick(["b", "i", "tt", "font color=blue", "a href=#x", "em", ""])
    return f"<{mark}>{text}</{mark.split()[0]}>" if mark else text


def _paragraphs(writer: Writer) -> list[str]:
    # The end tag of a paragraph is left out every other time, and some markup overlaps.
    lines = [f"<p class=note>{_marked(writer)} &amp; {_marked(writer)}</p>" for _ in range(3)]
    lines += [f"<p>{_marked(writer)}<br>{writer.sentence()} &copy; &eacute;" for _ in range(3)]
    return [*lines, f"<b><i>{writer.sentence()}</b></i>"]


def _table(writer: Writer) -> list[str]:
    rows = [
        "<tr>" + "".join(f"<td align=left>{_marked(writer)}" for _ in range(5))
        for _ in range(3 + writer.number(6))
    ]
    return ["<table border=1 width=90%>", *rows, "</table>"]


def _list(writer: Writer) -> list[str]:
    items = [f"<li>{_marked(writer)}" for _ in range(4)]
    inner = [f"<li>{writer.sentence()}</li>" for _ in range(3)]
    return ["<ul>", *items, "<li><ol type=a>", *inner, "</ol>", "</ul>"]


def _definitions(writer: Writer) -> list[str]:
    pairs = [f"<dt>{writer.word()}<dd>{_marked(writer)}" for _ in range(5)]
    return ["<dl>", *pairs, "</dl>"]


def _form(writer: Writer) -> list[str]:
    options = [f"<option value={writer.number(99)}>{writer.word()}" for _ in range(6)]
    return [
        f"<form action=/{writer.word()} method=post>",
        f"<label>{writer.word()} <input name={writer.word()} size=20></label>",
        f"<select name={writer.word()}>",
        *options,
        "</select><input type=submit></form>",
    ]
