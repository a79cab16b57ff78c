"""Programs that store otherwise than those of the paper: coders, interpreters, a compiler.

None of them is needed: what is not installed is left out with a word.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.programs.catalog import HERE, Program, Workshop

# The command and Debian's package of each.
NEEDS = {
    "xz": ("xz", "xz-utils"),
    "lua": ("lua5.4", "lua5.4"),
    "git": ("git", "git"),
    "ffmpeg": ("ffmpeg", "ffmpeg"),
    "magick": ("convert-im6.q16", "imagemagick"),
    "cc1": ("gcc", "gcc"),
}
_PERSON = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "nobody",
    "GIT_AUTHOR_EMAIL": "nobody@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "nobody",
    "GIT_COMMITTER_EMAIL": "nobody@example.org",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def lacking(name: str) -> str | None:
    """The package that a program needs and that is not installed."""
    command, package = NEEDS.get(name, ("sh", ""))
    return None if shutil.which(command) else package


def _xz(shop: Workshop) -> Program:
    return Program(
        "xz",
        "hash chains in a window",
        "xz -1 of a page of 6 MB",
        ["/usr/bin/xz", "-1", "-T1", "-k", "-c", str(shop.input("page.html"))],
    )


def _lua(shop: Workshop) -> Program:
    rounds = str(shop.times(12))
    return Program(
        "lua",
        "tables",
        "trees and strings, 12 rounds",
        ["/usr/bin/lua5.4", str(HERE / "tables.lua"), rounds],
    )


def _git(shop: Workshop) -> Program:
    repository = _repository(shop)
    command = ["/usr/bin/git", "-C", str(repository), "--no-pager", "log", "-p"]
    return Program("git", "objects, diffs", "log -p of 40 commits", command, dict(_PERSON))


def _repository(shop: Workshop) -> Path:
    """One text that grows, and is changed in the middle, with every commit."""
    commits = shop.times(40, 2)
    repository = shop.folder / "inputs" / f"repository-{commits}"
    if repository.exists():
        return repository
    draft = repository.with_name(f"{repository.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    git = ["git", "-C", str(draft)]
    environment = {**os.environ, **_PERSON}
    subprocess.run([*git, "init", "-q"], check=True, env=environment)
    lines = shop.input("page.html").read_text().splitlines()[:40_000]
    for number in range(commits):
        kept = lines[: 500 * (number + 1)]
        kept[number * 200 : number * 200 + 50] = [f"changed {number}"] * 50
        (draft / "page.html").write_text("\n".join(kept))
        subprocess.run([*git, "add", "-A"], check=True, env=environment)
        message = ["commit", "-q", "-m", f"commit {number}"]
        subprocess.run([*git, *message], check=True, env=environment)
    draft.rename(repository)
    return repository


def _ffmpeg(shop: Workshop) -> Program:
    pictures = f"testsrc=size=320x240:rate=10:duration={shop.times(6)}"
    command = ["/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", pictures]
    coder = ["-threads", "1", "-c:v", "mpeg4", "-fflags", "+bitexact", "-f", "rawvideo", "-"]
    return Program("ffmpeg", "frames", "60 pictures as MPEG-4", [*command, *coder])


def _magick(shop: Workshop) -> Program:
    size = f"{shop.times(400, 40)}x400"
    command = ["/usr/bin/convert-im6.q16", "-limit", "thread", "1", "-size", size]
    work = ["gradient:red-blue", "-swirl", "90", "-blur", "0x3", "-resize", "150%", "ppm:-"]
    return Program("magick", "pixels", "a picture swirled, blurred, enlarged", [*command, *work])


def _cc1(shop: Workshop) -> Program:
    compiler = subprocess.run(
        ["gcc", "-print-prog-name=cc1"], check=True, capture_output=True, text=True
    ).stdout.strip()
    source = HERE / "kernels" / ("options.c" if shop.quick else "dedup.c")
    expanded = shop.folder / "inputs" / f"{source.stem}.i"
    if not expanded.exists():
        expanded.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["gcc", "-E", "-o", str(expanded), str(source)], check=True)
    command = [compiler, "-O2", "-quiet", "-o", "/dev/null", str(expanded)]
    return Program("cc1", "trees and graphs", f"{source.name}, -O2", command)


OTHERS: dict[str, Callable[[Workshop], Program]] = {
    "xz": _xz,
    "lua": _lua,
    "git": _git,
    "ffmpeg": _ffmpeg,
    "magick": _magick,
    "cc1": _cc1,
}
