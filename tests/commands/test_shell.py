"""Completion, man pages and settings of a project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from heapstory.commands import VERBS
from tests.conftest import Compile, Heapstory
from tests.support.programs import ROOT

PROGRAM = "#include <stdlib.h>\nint main(void) { return malloc(8) == 0; }\n"


def completed(script: Path, line: str) -> set[str]:
    """What bash offers for a line that ends with the cursor."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    asked = (
        f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
        f'COMP_LINE="{line}"; COMP_POINT=${{#COMP_LINE}}; '
        "$(complete -p heapstory | sed 's/.*-F \\([^ ]*\\) .*/\\1/') heapstory "
        f"'{words[-1]}' '{words[-2]}'; "
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    return {line.strip() for line in done.stdout.splitlines()}


def test_bash_completes_verbs_and_options(heapstory: Heapstory, tmp_path: Path) -> None:
    script = tmp_path / "heapstory.bash"
    script.write_text(heapstory("completion", "bash").stdout)
    assert set(VERBS) <= completed(script, "heapstory ")
    assert "--evolution" in completed(script, "heapstory graph --ev")
    assert "--evolution" not in completed(script, "heapstory record --ev")


def test_fish_completes_verbs_and_options(heapstory: Heapstory, tmp_path: Path) -> None:
    (tmp_path / "heapstory.fish").write_text(heapstory("completion", "fish").stdout)
    (tmp_path / "good.story").mkdir()
    (tmp_path / "other.txt").touch()

    def offered(line: str) -> set[str]:
        asked = f"source heapstory.fish; complete -C '{line}'"
        done = subprocess.run(
            ["fish", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return {line.split("\t")[0] for line in done.stdout.splitlines()}

    assert offered("heapstory ") >= set(VERBS)
    assert offered("heapstory graph --ev") == {"--evolution"}
    assert offered("heapstory graph --format p") == {"png", "pdf"}
    assert offered("heapstory diff ") == {"good.story/"}


# Types into an interactive zsh, and waits for what it shows.
ZSH = """
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell 'PS1="> "; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; echo re"ady"'
zpty -r shell shown '*ready*'
zpty -w -n shell $'heapstory graph --ev\t'
zpty -r shell shown '*--evolution*'
zpty -w -n shell $'\025heapstory \t'
zpty -r shell shown '*doctor*'
print -r -- $shown
"""


def test_zsh_completes_verbs_and_options(heapstory: Heapstory, tmp_path: Path) -> None:
    (tmp_path / "_heapstory").write_text(heapstory("completion", "zsh").stdout)
    done = subprocess.run(
        ["zsh", "-f", "-c", ZSH],
        cwd=tmp_path,
        env={**os.environ, "TERM": "dumb", "COLUMNS": "200", "LINES": "60"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert all(f"{verb} " in done.stdout for verb in VERBS if verb < "doctor")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_knows_every_verb(heapstory: Heapstory, tmp_path: Path, shell: str) -> None:
    done = heapstory("completion", shell)
    assert done.returncode == 0
    assert all(verb in done.stdout for verb in VERBS)
    script = tmp_path / "script"
    script.write_text(done.stdout)
    subprocess.run([shell, "-n", script], check=True)  # it can at least be read


def test_a_man_page_for_every_verb(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "man.py", tmp_path], check=True)
    pages = {page.name for page in tmp_path.iterdir()}
    assert pages == {"heapstory.1", *(f"heapstory-{verb}.1" for verb in VERBS)}
    shown = subprocess.run(
        ["man", "--warnings", "-l", tmp_path / "heapstory-graph.1"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MANWIDTH": "100", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"},
    )
    assert "--evolution" in shown.stdout
    assert shown.stderr == ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "deep" / "below").mkdir(parents=True)
    return tmp_path


def recorded_options(heapstory: Heapstory, program: Path, folder: Path, *more: str) -> str:
    done = heapstory("record", "--force", *more, "-o", "x.story", "--", program, cwd=folder)
    assert done.returncode == 0, done.stderr
    info = heapstory("info", "x.story", cwd=folder).stdout
    return next(line for line in info.splitlines() if line.startswith("mode "))


def test_settings_are_found_upward(
    project: Path, heapstory: Heapstory, compile_program: Compile
) -> None:
    (project / "heapstory.toml").write_text(
        '[record]\nown = ["libs"]\nalloc-fn = ["take:1", "get:2"]\nno-source = true\n'
        'mode = "full"\n'
    )
    program = compile_program(PROGRAM)
    mode = recorded_options(heapstory, program, project / "deep" / "below")
    assert f"--own={project}/libs" in mode
    assert "--alloc-fn=take:1" in mode
    assert "--alloc-fn=get:2" in mode
    assert "--stream" in mode


def test_settings_of_short_options(project: Path, heapstory: Heapstory) -> None:
    (project / "heapstory.toml").write_text('[leaks]\nD = ["SIZE=8"]\nI = ["headers"]\n')
    (project / "headers").mkdir()
    (project / "headers" / "one.h").write_text("#include <stdlib.h>\n")
    (project / "it.c").write_text('#include "one.h"\nvoid f(void) { malloc(SIZE); }\n')
    done = heapstory("leaks", "it.c", cwd=project)
    assert done.returncode == 1, done.stderr


def test_the_command_line_wins(
    project: Path, heapstory: Heapstory, compile_program: Compile
) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.heapstory.record]\nmode = "portable"\nown = ["libs"]\n'
    )
    program = compile_program(PROGRAM)
    assert "portable" in recorded_options(heapstory, program, project)
    mode = recorded_options(heapstory, program, project, "--mode", "alloc", "--own", "/elsewhere")
    assert "portable" not in mode
    assert "--own=/elsewhere" in mode


def test_settings_can_be_left_out(
    project: Path, heapstory: Heapstory, compile_program: Compile
) -> None:
    (project / "heapstory.toml").write_text('[record]\nmode = "portable"\n')
    done = heapstory(
        "record", "-o", "y.story", "--", compile_program(PROGRAM), cwd=project,
        env={"HEAPSTORY_CONFIG": ""},
    )  # fmt: skip
    assert done.returncode == 0
    assert "portable" not in heapstory("info", "y.story", cwd=project).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[graph]\nfroyo = 3\n", ":2: [graph] froyo: graph has no option --froyo"),
        ("[graph]\nfreed = 3\n", ":2: [graph] freed: wants true or false"),
        ("[graph]\n\ndepth = [3]\n", ":3: [graph] depth: wants one value, not a list"),
        ("[graph]\ndepth = true\n", ":2: [graph] depth: wants text or numbers"),
        ("[graph]\nall = true\ndepth = 'x'\n", ":3: [graph] depth: invalid number value: 'x'"),
        ("[graph]\nformat = 'gif'\n", ":2: [graph] format: invalid choice: 'gif'"),
        ("graph.depth = true\n", "heapstory.toml: [graph] depth: wants text or numbers"),
        ("graph = {depth = true}\n", ":1: [graph] depth: wants text or numbers"),
        ("graph = 3\n", ":1: [graph]: must be a table"),
        ("[info]\n[grahp]\ndepth = 3\n", ":2: [grahp]: no command has this name"),
        ("own = ['libs']\n", ":1: [own]: no command has this name"),
        ("[graph\n", "heapstory.toml: Expected ']' at the end of a table declaration (at line 1"),
    ],
)
def test_bad_settings(project: Path, heapstory: Heapstory, text: str, said: str) -> None:
    (project / "heapstory.toml").write_text(text)
    done = heapstory("graph", "no.story", cwd=project)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
