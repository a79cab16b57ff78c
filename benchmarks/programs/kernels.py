"""Seven programs of the PARSEC kind, in three lengths: five kernels of our own, two from Debian.

Arguments are chosen so that the whole run, loader and library included, has about as many
instructions as the runs of the thesis' Tables 5.1 and 5.2 (4 and 40 million, 170 for dedup's).
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.programs.catalog import C_FLAGS, HERE, Program

SIZES = ("4", "40", "170")  # million instructions


@dataclass(frozen=True)
class Kernel:
    """A program, which of PARSEC's it stands for, and its argument for each size."""

    name: str
    after: str
    threads: int
    arguments: tuple[str, str, str]


KERNELS = {
    one.name: one
    for one in (
        Kernel("options", "blackscholes", 2, ("9750", "101000", "430000")),
        Kernel("swaptions", "swaptions", 1, ("162", "1680", "7150")),
        Kernel("fluid", "fluidanimate", 1, ("14", "146", "624")),
        Kernel("cluster", "streamcluster", 1, ("3450", "35600", "152000")),
        Kernel("dedup", "dedup", 2, ("100", "1035", "4410")),
        Kernel("xz", "vips", 2, ("10", "112", "480")),
        Kernel("gzip", "bodytrack", 1, ("16", "164", "700")),
    )
}


class KernelShop:
    """Builds kernels and their inputs below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def program(self, kernel: Kernel, size: str) -> Program:
        argument = kernel.arguments[SIZES.index(size)]
        name = f"{kernel.name}-{size}"
        work = f"after {kernel.after}"
        if kernel.name == "xz":
            data = str(self._data(int(argument)))
            command = ["/usr/bin/xz", "-T2", "-0", "-k", "-c", "--block-size=65536", data]
            return Program(name, "", work, command)
        if kernel.name == "gzip":
            return Program(name, "", work, ["/usr/bin/gzip", "-c", str(self._data(int(argument)))])
        return Program(name, "", work, [self._compiled(kernel.name), argument])

    def _compiled(self, name: str) -> str:
        source = HERE / "kernels" / f"{name}.c"
        binary = self.folder / "bin" / f"kernel-{name}"
        if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
            binary.parent.mkdir(parents=True, exist_ok=True)
            flags = [*C_FLAGS, "-pthread", "-o", str(binary), str(source), "-lm"]
            subprocess.run(["gcc", *flags], check=True)
        return str(binary)

    def _data(self, kilobytes: int) -> Path:
        """Text with repetitions, the same every time."""
        path = self.folder / "inputs" / f"text-{kilobytes}.txt"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            state, words = 1, []
            while len(words) * 8 < kilobytes * 1024:
                state = (state * 1103515245 + 12345) % 2**31
                words.append(f"{(state >> 16) % 4000:07d}")
            path.write_text(" ".join(words)[: kilobytes * 1024])
        return path
