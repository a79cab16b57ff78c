"""One process, several, and a Dask cluster give the same findings."""

from __future__ import annotations

from pathlib import Path

from heapstory.cfront.capture import Job
from heapstory.static import Options, Sources, analyse, collect_findings, load_models

UNITS = 6


def _program(folder: Path) -> list[Job]:
    jobs = []
    for unit in range(UNITS):
        body = "#include <stdlib.h>\n#include <string.h>\n"
        body += f"char *get{(unit + 1) % UNITS}(int);\n" if unit else ""
        inner = f"get{(unit + 1) % UNITS}(k)" if 0 < unit < UNITS - 1 else "malloc((size_t)k)"
        body += f"char *get{unit}(int k) {{ return {inner}; }}\n"
        for number in range(30):
            release = "free(p);" if number % 7 else ""
            body += (
                f"int f{unit}_{number}(int k) {{ char *p = get{unit}(k); if (!p) return 1;"
                f" p[0] = 1; {release} return 0; }}\n"
            )
        (folder / f"u{unit}.c").write_text(body)
        jobs.append(Job(str(folder), f"u{unit}.c"))
    return jobs


def _found(jobs: list[Job], **options: object) -> list[tuple[str, int, str, str]]:
    result = analyse(jobs, Options(load_models([]), **options))  # type: ignore[arg-type]
    found = collect_findings(result.results, False, Sources())
    return [(f.function, f.place.line, f.kind, f.fingerprint) for f in found]


def test_processes_agree(tmp_path: Path) -> None:
    jobs = _program(tmp_path)
    alone = _found(jobs, processes=1)
    assert len(alone) == UNITS * 5
    assert _found(jobs, processes=2) == alone


def test_calls_through_tables_agree(tmp_path: Path) -> None:
    """What a pointer means is known only while the caller is analysed; its summary is there."""
    body = "#include <stdlib.h>\n"
    for number in range(200):
        body += f"char *make{number}(int k) {{ return k ? malloc(9) : NULL; }}\n"
        body += f"void keep{number}(char *p);\n"
    for number in range(200):
        body += (
            f"static char *(*const table{number}[])(int) = {{make{number}, 0}};\n"
            f"int f{number}(int i) {{ char *(*const *t)(int) = table{number};"
            f" char *p = t[0](i); return p != 0; }}\n"
        )
    (tmp_path / "tables.c").write_text(body)
    jobs = [Job(str(tmp_path), "tables.c")]
    alone = _found(jobs, processes=1)
    assert len(alone) == 200
    assert _found(jobs, processes=2) == alone


def test_dask_agrees(tmp_path: Path) -> None:
    jobs = _program(tmp_path)
    assert _found(jobs, engine="dask", processes=2) == _found(jobs, processes=1)


def test_a_long_computation_travels(tmp_path: Path) -> None:
    """A number computed in thousands of steps goes from process to process."""
    body = "#include <stdlib.h>\n"
    steps = "".join(f"h = h * 31 + b[{number}]; " for number in range(1500))
    for number in range(200):
        body += f"unsigned hash{number}(const unsigned char *b, unsigned h)"
        body += f" {{ {steps if number == 7 else ''} return h; }}\n"
    body += "int f(const unsigned char *b) { char *p = malloc(hash7(b, 1)); return p != 0; }\n"
    (tmp_path / "hash.c").write_text(body)
    jobs = [Job(str(tmp_path), "hash.c")]
    assert len(_found(jobs, processes=2)) == 1
