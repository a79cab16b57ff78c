"""heapstory in other releases of Debian and Ubuntu, each in its own root file system (as root).

    python tools/distros.py suite [--tests 'PATH...'] SUITE...   set it up there, run tests
    python tools/distros.py wheel WHEEL|SUITE                    install a wheel and use it

A wheel is for one version of Python, so for another release it is made there first (SUITE).

Root file systems are made by mmdebstrap and kept in build/distros, from the mirror that this
machine's apt is set up with or, for Ubuntu, from --mirror ADDRESS, whose signature --keyring FILE
(of the package ubuntu-keyring) confirms. pip finds packages there as it does here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOTS = ROOT / "build" / "distros"
WORK = "heapstory"  # the folder inside
# By the tag of a wheel: the release whose python3 it is for.
RELEASES = {"cp311": "bookworm", "cp312": "noble", "cp313": "trixie", "cp314": "forky"}
UBUNTU = ("noble",)
VERSIONS = """
for tool in valgrind gcc clang python3 ldd; do
    $tool --version 2> /dev/null | head -n 1
done
"""
BARE = ["python3", "python3-venv", "ca-certificates", "mount"]

# Its words are: the root, the folders to be seen inside as well, --, the command. It becomes the
# root of the mounts, not only of the process: to one that changes its root again, the kernel names
# files from there.
ENTER = """
root=$1; shift
mount --bind "$root" "$root"
mount --bind /proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do mkdir -p "$root$1"; mount --bind "$1" "$root$1"; shift; done
shift
cd "$root"
pivot_root . .
umount -l .
exec chroot . "$@"
"""


@dataclass(frozen=True)
class Archive:
    """Where packages come from; without a mirror: from where this machine gets its own."""

    mirror: str | None = None
    keyring: str | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirror", metavar="ADDRESS")
    parser.add_argument("--keyring", metavar="FILE")
    verbs = parser.add_subparsers(dest="verb", required=True)
    suite = verbs.add_parser("suite")
    suite.add_argument("--tests", default="tests", help="what pytest runs")
    suite.add_argument("suites", nargs="+", metavar="SUITE")
    wheel = verbs.add_parser("wheel")
    wheel.add_argument("wheel", metavar="WHEEL|SUITE")
    args = parser.parse_args()
    archive = Archive(args.mirror, args.keyring)
    if args.verb == "wheel":
        made = args.wheel in RELEASES.values()
        wheel = make_wheel(args.wheel, archive) if made else Path(args.wheel)
        return try_wheel(wheel, archive)
    return max(try_suite(name, args.tests.split(), archive) for name in args.suites)


def try_suite(suite: str, tests: list[str], archive: Archive) -> int:
    """Builds the checked-out sources in a release as a user would, and runs tests."""
    root = make_full_root(suite, archive)
    inside(root, ["sh", "-c", VERSIONS])
    status = in_sources(root, f"make setup {settings(suite)}")
    if status:
        return report(suite, "build", status)
    words = " ".join(tests)
    command = f"make test-python {settings(suite)} TESTS='{words}'"
    return report(suite, f"pytest {words}", in_sources(root, command))


def make_wheel(suite: str, archive: Archive) -> Path:
    """A wheel for the python3 of a release."""
    root = make_full_root(suite, archive)
    if status := in_sources(root, f"make wheel {settings(suite)}"):
        sys.exit(report(suite, "wheel", status))
    (made,) = (root / WORK / "dist").glob("*.whl")
    return made


def make_full_root(suite: str, archive: Archive) -> Path:
    """A root file system with what the Makefile installs, and the sources."""
    root = make_root(suite, [*BARE, *packages(suite)], suite, archive)
    copy_sources(root / WORK)
    return root


def settings(suite: str) -> str:
    """For make: Ubuntu has its browsers in another form, which a root file system cannot run."""
    return "BROWSERS=" if suite in UBUNTU else ""


def in_sources(root: Path, command: str) -> int:
    return inside(root, ["sh", "-c", f"cd /{WORK} && {command}"])


def try_wheel(wheel: Path, archive: Archive) -> int:
    """Installs a wheel where there is neither Valgrind nor a compiler, and uses it."""
    tag = next(tag for tag in RELEASES if f"-{tag}-" in wheel.name)
    root = make_root(RELEASES[tag], BARE, f"{RELEASES[tag]}-bare", archive)
    work = root / WORK
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    shutil.copy(wheel, work)
    for name in ("catalogue.c", "catalogue.spec", "linear/treiber_stack.lin"):
        shutil.copy(ROOT / "examples" / name, work)
    subprocess.run(["gcc", "-g", "-o", "catalogue", "catalogue.c"], cwd=work, check=True)
    shutil.copy(ROOT / "tools" / "try_wheel.sh", work)
    status = inside(root, ["sh", f"/{WORK}/try_wheel.sh"])
    return report(RELEASES[tag], wheel.name, status)


def report(suite: str, what: str, status: int) -> int:
    print(f"{suite}: {what}: {'ok' if status == 0 else f'failed ({status})'}", flush=True)
    return status


def packages(suite: str) -> list[str]:
    """What the Makefile installs."""
    asked = ["make", "-s", "print-packages", "NODE=nodejs npm", *settings(suite).split()]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def copy_sources(target: Path) -> None:
    """The files that git knows, as they are now."""
    target.mkdir(exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = [name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file()]
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


def make_root(suite: str, wanted: list[str], name: str, archive: Archive) -> Path:
    """A root file system, made once."""
    root = ROOTS / name
    if root.is_dir():
        return root
    ROOTS.mkdir(parents=True, exist_ok=True)
    draft = ROOTS / f".{name}"
    shutil.rmtree(draft, ignore_errors=True)
    command = ["mmdebstrap", "--mode=root", "--variant=apt", f"--include={','.join(wanted)}"]
    # A mirror may lag behind: what it has is as good.
    command += ['--aptopt=Acquire::Check-Valid-Until "false"', "--dpkgopt=force-unsafe-io"]
    if suite in UBUNTU:
        command += ["--components=main,universe"]
    if archive.keyring:
        command += [f"--keyring={archive.keyring}"]
    subprocess.run([*command, suite, str(draft), archive.mirror or mirror()], check=True)
    return draft.rename(root)


def mirror() -> str:
    """Where apt of this machine gets Debian's packages from."""
    asked = ["apt-get", "indextargets", "--format", "$(LABEL)\t$(REPO_URI)"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    targets = [line.split("\t") for line in done.stdout.splitlines()]
    return next(address for label, address in targets if label == "Debian")


def inside(root: Path, command: list[str]) -> int:
    """Runs a command with a root of its own; what is mounted for it goes with it."""
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    pip = pip_settings()
    folders = [path for path in seen_by_pip(pip) if path.is_dir()]
    certificates = Path("/etc/ssl/certs/ca-certificates.crt")
    if certificates.exists():
        shutil.copy(certificates, root / "etc/ssl/certs/ca-certificates.crt")
    environment = {
        "HOME": "/root",
        "LC_ALL": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")},
        **pip,
    }
    words = ["unshare", "--mount", "sh", "-e", "-c", ENTER, "sh", str(root)]
    return subprocess.run([*words, *map(str, folders), "--", *command], env=environment).returncode


def pip_settings() -> dict[str, str]:
    """How pip is set up here, as variables."""
    asked = [sys.executable, "-m", "pip", "config", "list"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        name, _, value = line.partition("=")
        option = name.rpartition(".")[2].upper().replace("-", "_")
        found[f"PIP_{option}"] = value.strip("'")
    return found


def seen_by_pip(pip: dict[str, str]) -> set[Path]:
    """The top folders of what pip's settings name on this machine's disk, but for certificates."""
    words = [word for name, value in pip.items() if name != "PIP_CERT" for word in value.split()]
    paths = [Path(word.removeprefix("file://")) for word in words]
    return {Path(*path.parts[:2]) for path in paths if path.is_absolute()}


if __name__ == "__main__":
    sys.exit(main())
