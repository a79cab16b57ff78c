"""C and C++ from outside, as it stands: what ``heapstory prove --c`` says of it.

    python -m benchmarks.prove_outside FOLDER [--seconds S] [--only WORD]

FOLDER holds a clone of each repository, ``owner+name`` (a work tree, or a bare one in ``repo``);
what is missing is said. Files are taken at the commit in the list, which was drawn before the
machine that judges them was tried on any. Nothing of them is kept here. What is right was found by
reading each source, the strict way: an insertion that is refused before the structure is full is
wrong, and so is memory order that only x86 forgives. *fault* is ``unknown`` because of a race,
freed memory or the like, which is there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

GENMC = ("MPI-SWS/genmc", "b03f01ed0f34a873f7b8b960313a5279a6c9ab45")
CDS = ("computersforpeace/model-checker-benchmarks", "bd72205f6e95bd471c13dcf74476d44b40e9a56d")
SYSPROG = ("sysprog21/concurrent-programs", "e04b9c3654043276f523a50b9f29fd7d135d5809")
FREAKS = ("pramalhe/ConcurrencyFreaks", "ae40ca8412569bd19636baad223413e9c4c4c793")
LSTACK = ("skeeto/lstack", "3239f9b9d22aca7e69ae59796a57cd690a3eb2bc")
PACKETS = ("supermartian/lockfree-queue", "2cdf763421a4cf20b656260b55bf8813664b3fde")
STRUCTURES = "tests/correct/data-structures"
VERIFIER = ("-I", "include", "-D", "__CONFIG_GENMC_INODE_DATA_SIZE=64")
OK, WRONG, FAULT = "bounded-ok", "not-linearizable", "fault"


@dataclass(frozen=True)
class Source:
    """One file, what is told beside it, and what is right; '' where that is not settled."""

    repository: tuple[str, str]
    path: str
    right: str
    options: tuple[str, ...] = ()


def _genmc(path: str, right: str, *options: str) -> Source:
    return Source(GENMC, f"{STRUCTURES}/{path}", right, (*VERIFIER, *options))


DRAWN = (
    _genmc("dq/variants/main0.c", OK, "--one-thread", "deque_try_push,deque_try_pop"),
    _genmc("stc/variants/main0.c", OK),
    _genmc("qu/variants/qu0.c", WRONG),  # a relaxed read of a pointer: C11 knows no dependency
    _genmc("ms-queue/variants/main0.c", OK),
    _genmc("treiber-stack/variants/main0.c", OK),
    _genmc("hw-queue/variants/main0.c", OK),
    _genmc("chase-lev/variants/chase-lev0.c", WRONG, "--one-thread", "try_push,try_pop"),
    _genmc("mpmc-queue/variants/main0.c", ""),  # an insertion is two calls
    _genmc("buf_ring/variants/buf_ring0.c", WRONG),  # volatile is not enough
    _genmc("spinlock/variants/main0.c", OK),
    _genmc("ttaslock/variants/ttaslock0.c", OK),
    _genmc("ticketlock/variants/main0.c", OK),
    _genmc("twalock/variants/main0.c", OK),
    _genmc("mutex/variants/main0.c", OK),
    Source(CDS, "ms-queue/my_queue.c", ""),  # headers of another project
    Source(CDS, "chase-lev-deque/deque.c", FAULT, ("--one-thread", "push,take")),
    Source(CDS, "chase-lev-deque-bugfix/deque.c", FAULT, ("--one-thread", "push,take")),
    Source(CDS, "mpmc-queue/mpmc-queue.cc", ""),
    Source(CDS, "spsc-queue/spsc-queue.cc", WRONG),
    Source(LSTACK, "lstack.c", WRONG),
    Source(SYSPROG, "spmc/spmc.c", OK, ("--one-thread", "spmc_enqueue")),
    Source(
        SYSPROG,
        "ringbuffer/ringbuffer.c",
        FAULT,
        ("--one-thread", "ringbuf_sp_enqueue", "--one-thread", "ringbuf_sc_dequeue"),
    ),
    Source(SYSPROG, "lf-queue/lfq.c", ""),
    Source(SYSPROG, "hp_list/main.c", OK),
    Source(SYSPROG, "mcslock/mcslock.c", OK),
    Source(SYSPROG, "mpsc/mpsc.c", "", ("--one-thread", "queue_pop")),
    Source(PACKETS, "pkt_queue.c", WRONG),
    Source(FREAKS, "C11/locks/ticket_mutex.c", OK),
    Source(FREAKS, "C11/locks/clh_mutex.c", FAULT),
    Source(FREAKS, "C11/locks/tidex_mutex.c", ""),
)


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
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    right = wrong = 0
    drawn = [s for s in DRAWN if args.only in s.path]
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
