"""C and C++ from outside, as it stands: what ``heapstory prove --c`` says of it.

    python -m benchmarks.prove_outside LIST FOLDER [--seconds S] [--only WORD]

FOLDER holds a clone of each repository, ``owner+name`` (a work tree, or a bare one in ``repo``);
what is missing is said. LIST names files in them, in TOML: for each ``[[source]]`` the
``repository``, the ``commit``, the ``path``, further ``options`` of prove, and what is ``right``:
``bounded-ok``, ``not-linearizable``, ``fault`` (``unknown`` because of a race, freed memory or the
like, which is there) or an empty text where that is not settled.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

OK, WRONG, FAULT = "bounded-ok", "not-linearizable", "fault"


@dataclass(frozen=True)
class Source:
    """One file, what is told beside it, and what is right; '' where that is not settled."""

    repository: tuple[str, str]
    path: str
    right: str
    options: tuple[str, ...] = ()


def listed(path: Path) -> list[Source]:
    """The sources of a list."""
    return [
        Source(
            (each["repository"], each["commit"]),
            each["path"],
            each["right"],
            tuple(each.get("options", ())),
        )
        for each in tomllib.loads(path.read_text())["source"]
    ]


def taken_out(repository: tuple[str, str], clones: Path, into: Path) -> Path | None:
    """A repository's files at its commit; None where there is no clone of it."""
    name, commit = repository
    target = into / name.replace("/", "+")
    if target.exists():
        return target
    clone = clones / name.replace("/", "+")
    candidates = [clone / "repo" / ".git", clone / "repo", clone / ".git", clone]
    found = next((c for c in candidates if (c / "HEAD").exists()), None)
    if found is None:
        return None
    target.mkdir()
    archive = subprocess.run(
        ["git", f"--git-dir={found}", "archive", commit], check=True, stdout=subprocess.PIPE
    )
    subprocess.run(["tar", "x", "-C", target], input=archive.stdout, check=True)
    return target


def said(source: Source, folder: Path, seconds: float) -> tuple[str, str, float]:
    """The verdict, the reason, and the time."""
    command = [str(Path(sys.executable).parent / "heapstory"), "prove", "--json"]
    command += ["--timeout", str(seconds), "--c", source.path, *source.options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout:
        return "not read", done.stderr.strip().splitlines()[-1][:100], 0.0
    found = json.loads(done.stdout)["results"][0]
    reason = found.get("reason") or ""
    verdict = found["verdict"]
    fault = found.get("history") or "do not behave like" in reason
    return FAULT if verdict == "unknown" and fault else verdict, reason, found["seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    right = wrong = 0
    drawn = [s for s in listed(args.list) if args.only in s.path]
    print("| source | right | said | s |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as into:
        for source in drawn:
            folder = taken_out(source.repository, args.folder, Path(into))
            if folder is None:
                print(f"| {source.path} | {source.right} | no clone of {source.repository[0]} | |")
                continue
            verdict, reason, seconds = said(source, folder, args.seconds)
            right += verdict == source.right
            decided = verdict in (OK, WRONG, "proved")
            wrong += decided and bool(source.right) and verdict != source.right
            told = f"{verdict}: {reason}" if reason else verdict
            print(f"| {source.path} | {source.right} | {told[:120]} | {seconds:.1f} |", flush=True)
    print(f"\n{right} of {len(drawn)} right, {wrong} wrong")


if __name__ == "__main__":
    main()
