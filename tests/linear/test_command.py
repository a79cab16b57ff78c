"""``heapstory prove``: exit status, JSON, pictures, C sources, and proofs of the quick ones."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

from heapstory.commands import main
from heapstory.linear.budget import Budget
from heapstory.linear.formulas.symbolic import Unsupported
from heapstory.linear.program.load import load
from heapstory.linear.proof.aspects import prove_aspects
from tests.linear import LONG
from tests.linear.mutants import EXAMPLES, mutated
from tests.support.schemas import check_answer


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    limit = () if "--timeout" in words else ("--timeout", str(LONG))
    if "--bound" not in words and "--exhaustive" not in words:
        limit = (*limit, "--bound", "3")
    status = main(["prove", *limit, *words])
    captured = capsys.readouterr()
    if captured.out.startswith('{"schema": '):
        check_answer(captured.out)
    return status, captured.out, captured.err


@pytest.fixture
def broken(tmp_path: Path) -> str:
    file = tmp_path / "broken.lin"
    file.write_text(mutated("pair_snapshot", "1 < xv == av; > return a, b;", "1 return a, b;"))
    return str(file)


def test_json_and_status(capsys: pytest.CaptureFixture[str], broken: str) -> None:
    good = str(EXAMPLES / "pair_snapshot.lin")
    status, out, _ = run(capsys, "--bounded", "--json", good, broken)
    data = json.loads(out)
    assert status == 1
    first, second = data["results"]
    assert (first["verdict"], first["bound"], first["algorithm6"]["passes"]) == (
        "bounded-ok",
        3,
        True,
    )
    assert second["verdict"] == "not-linearizable"
    found = second["counterexample"]
    assert found["confirmed"] and found["replays"]
    assert len(found["operations"]) == 3 and found["conflict"]
    assert all({"instance", "label", "changes"} <= set(s) for s in found["steps"])


def test_a_bound_is_said_and_a_proof_can_be_required(capsys: pytest.CaptureFixture[str]) -> None:
    good = str(EXAMPLES / "treiber_stack.lin")
    assert run(capsys, "--bounded", "--require-proof", good)[0] == 4
    status, out, _ = run(capsys, "--bounded", good)
    assert status == 0
    covers = "up to 3 operations, distinct values, no memory reused, sequential consistency"
    assert f"covers: {covers}; nothing beyond" in out
    status, out, _ = run(capsys, "--bounded", "--json", good)
    covered = json.loads(out)["results"][0]["coverage"]
    assert status == 0 and (covered["operations"], covered["keys"]) == (3, None)
    _, out, _ = run(capsys, "--bounded", "--keys", "1", str(EXAMPLES / "orvyy_set.lin"))
    assert "keys 1…1" in out


def test_more_and_more_operations_until_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "pair_snapshot.lin")
    assert main(["prove", "--bounded", "--timeout", "3", "--json", spec]) == 0
    covered = json.loads(capsys.readouterr().out)["results"][0]["coverage"]
    assert covered["operations"] > 3
    # Treiber's stack needs six operations to go wrong where memory is reused
    spec = str(EXAMPLES / "treiber_stack.lin")
    assert main(["prove", "--reuse", "--timeout", str(LONG), spec]) == 1


@pytest.mark.parametrize("name", ["pair_snapshot", "treiber_stack", "ms_queue", "orvyy_set"])
def test_proofs(capsys: pytest.CaptureFixture[str], name: str) -> None:
    pytest.importorskip("z3")
    status, out, _ = run(capsys, "--json", str(EXAMPLES / f"{name}.lin"))
    result = json.loads(out)["results"][0]
    assert (status, result["verdict"], result["bound"]) == (0, "proved", None)
    assert result["invariants"]


def test_no_proof_of_what_is_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # Without the version a snapshot is still right with two operations; no proof may be found.
    pytest.importorskip("z3")
    file = tmp_path / "s.lin"
    file.write_text(mutated("pair_snapshot", "1 x = v; xv = xv + 1;", "1 x = v;"))
    status, out, _ = run(capsys, "--bound", "2", "--timeout", "60", "--json", str(file))
    result = json.loads(out)["results"][0]
    assert (status, result["verdict"], result["bound"]) == (0, "bounded-ok", 2)
    assert any("no proof" in note for note in result["notes"])


def test_herlihy_wing_is_proved_by_its_aspects() -> None:
    pytest.importorskip("z3")
    spec = load(EXAMPLES / "herlihy_wing_queue.lin")
    found = prove_aspects(spec, Budget(LONG))
    assert found.proved, found.failed
    assert "1 is out → AR[A.k] == 0" in found.invariants


def test_aspects_apply_only_where_they_are_right() -> None:
    pytest.importorskip("z3")
    for name in ("ms_queue", "treiber_stack"):
        with pytest.raises(Unsupported):
            prove_aspects(load(EXAMPLES / f"{name}.lin"), Budget(10))


def test_without_z3(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    status, _, err = run(capsys, str(EXAMPLES / "pair_snapshot.lin"))
    assert status == 3 and "pip install 'heapstory[prove]'" in err and err.count("\n") == 1


def test_pictures(capsys: pytest.CaptureFixture[str], broken: str, tmp_path: Path) -> None:
    svg, html, sarif = tmp_path / "c.svg", tmp_path / "c.html", tmp_path / "c.sarif"
    words = ("--svg", str(svg), "--html", str(html), "--sarif", str(sarif))
    status, out, _ = run(capsys, "--bounded", broken, *words)
    assert status == 1 and "no order of" in out and "→" in out
    root = xml.etree.ElementTree.parse(svg).getroot()
    rects = [e for e in root.iter() if e.tag.endswith("rect")]
    assert len(rects) == 3
    assert "http" not in html.read_text().replace("http://www.w3.org/2000/svg", "")
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert results[0]["ruleId"] == "not-linearizable"


def test_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "bad.lin"
    file.write_text("int x;\nfoo()\n  1 x = ;\n")
    status, out, err = run(capsys, str(file))
    assert (status, out) == (2, "")
    assert f"{file}:3:9: syntax error" in err and err.rstrip().endswith("^")
    assert run(capsys, str(tmp_path / "none.lin"))[0] == 2
    assert run(capsys)[0] == 2
    file.write_bytes(b"\xff\xfe\x00")
    assert run(capsys, str(file))[0] == 2


def test_sequential_mistake_is_bad_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "seq.lin"
    file.write_text("implements counter; int x; increment() int l; 1 l = x; return l;")
    status, out, _ = run(capsys, "--bounded", str(file))
    assert status == 2 and "one after the other" in out


def test_unknown_is_4(capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "full" / "hhlmss_lazy_set.lin")
    status, out, _ = run(capsys, "--bounded", "--bound", "5", "--timeout", "0.5", spec)
    assert status == 4 and "time limit" in out


def test_exhaustive_and_operations(capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "treiber_stack.lin")
    status, out, _ = run(capsys, "--exhaustive", "3", "--operations", "Push,Pop_empty", spec)
    assert status == 0 and "all interleavings" in out
    assert run(capsys, "--operations", "Nope", spec)[0] == 2


def test_relations_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--bounded", "--relations", str(EXAMPLES / "treiber_stack.lin"))
    assert "p5 ≀ p5" in out and "q4 ≀ p5 ⊖" in out


def test_tables_given_by_the_user_are_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = (EXAMPLES / "treiber_stack.lin").read_text()
    file = tmp_path / "t.lin"
    # as written: the CAS of a pop fails after a push, for it read the top before
    file.write_text(text + "\nnotorder p5, q3;\nreverse q4, p5;\nnotorder p5, r1;\n")
    status, out, _ = run(capsys, "--bounded", "--bound", "4", str(file))
    assert status == 0 and "reverse q4, p5: holds for up to 4 operations" in out
    file.write_text(text + "\norder p5, q3;\n")
    status, _, err = run(capsys, "--bounded", "--bound", "4", str(file))
    assert status == 2 and "p5 ≀ q3 does not hold (up to 4 operations)" in err
