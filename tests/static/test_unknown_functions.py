"""Functions without source end what is known of a block: they are named."""

from __future__ import annotations

import json
from pathlib import Path

from tests.static.test_command import run

SOURCE = """
#include <stdlib.h>
void keep(char *p);
void look(const char *p);
int length(const char *p) { return p[0]; }
void one(void) { char *p = malloc(1); if (p) keep(p); }
void two(void) { char *p = malloc(2); if (p) keep(p); }
void three(void) { char *p = malloc(3); if (p) { look(p); free(p); } }
void four(void) { char *p = malloc(4); if (p) { length(p); free(p); keep(NULL); } }
"""


def test_they_are_named_with_what_they_were_given(tmp_path: Path) -> None:
    (tmp_path / "given.c").write_text(SOURCE)
    answer = run(tmp_path, "--json", "given.c")
    assert json.loads(answer.stdout)["unknown"] == [
        {"function": "keep", "blocks": 2},
        {"function": "look", "blocks": 1},
    ]
    assert "blocks given to keep (2), look (1)" in answer.stderr
    # Once described, they end nothing.
    (tmp_path / "own.toml").write_text('reads = ["look"]\n[releases]\nkeep = 0\n')
    answer = run(tmp_path, "--json", "--models", "own.toml", "given.c")
    assert json.loads(answer.stdout)["unknown"] == []
    assert "without source" not in answer.stderr
