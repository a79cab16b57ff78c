"""LLVM IR of a C file, read from clang's text: functions, blocks, instructions, field names."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from heapstory.errors import HeapstoryError, UsageError

PASSES = "sroa,simplifycfg"


@dataclass
class Instruction:
    """One instruction: what it defines (or ""), its text, and the line of C it comes from."""

    target: str
    text: str
    line: int


@dataclass
class Function:
    """A function: its parameters (type, name) and its blocks in order."""

    name: str
    result: str
    parameters: list[tuple[str, str]]
    blocks: dict[str, list[Instruction]] = field(default_factory=dict)
    entry: str = ""


@dataclass
class Module:
    """What the extraction needs of a translation unit."""

    functions: dict[str, Function]
    structs: dict[str, list[tuple[str, str]]]  # name -> (field name, type)
    globals: dict[str, str]  # name -> type


def compile_c(path: str) -> Module:
    """Compile a C file to simplified IR and read it."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    for tool in ("clang", "opt"):
        if shutil.which(tool) is None:
            raise HeapstoryError(f"{tool} is not installed; run: apt install clang llvm")
    flags = ["-O0", "-g", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-S", "-o", "-"]
    first = subprocess.run(["clang", *flags, path], capture_output=True, text=True, check=False)
    if first.returncode != 0:
        raise UsageError(
            first.stderr.strip().splitlines()[0] if first.stderr else f"{path}: failed"
        )
    second = subprocess.run(
        ["opt", "-S", f"-passes={PASSES}", "-"],
        input=first.stdout,
        capture_output=True,
        text=True,
        check=False,
    )
    if second.returncode != 0:
        raise HeapstoryError(f"opt failed: {second.stderr.strip().splitlines()[0]}")
    return _Reader(second.stdout).module()


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.metadata = dict(re.findall(r"(?m)^!(\d+) = (.*)$", text))

    def module(self) -> Module:
        functions: dict[str, Function] = {}
        current: Function | None = None
        block = ""
        for line in self.lines:
            if line.startswith("define"):
                current = self._header(line)
                functions[current.name] = current
                # the entry block is numbered after the parameters
                block = current.entry = str(len(current.parameters))
                current.blocks[block] = []
            elif line.startswith("}"):
                current = None
            elif current is not None and (label := re.match(r"([\w.$-]+):", line)):
                block = label[1]
                current.blocks[block] = []
            elif current is not None and line.strip():
                found = self._instruction(line)
                if found is not None:
                    current.blocks[block].append(found)
        return Module(functions, self._structs(), self._globals())

    def _header(self, line: str) -> Function:
        match = re.match(r"define (.*?)@([\w.$]+)\((.*?)\)(?: |$)", line)
        assert match is not None, line
        result = match[1].split()[-1]
        parameters = []
        for part in filter(None, match[3].split(", ")):
            words = part.split()
            parameters.append((words[0], words[-1]))
        return Function(match[2], result, parameters)

    def _instruction(self, line: str) -> Instruction | None:
        text = line.strip()
        if "@llvm.dbg" in text:
            return None
        number = 0
        if where := re.search(r", !dbg !(\d+)", text):
            place = re.search(r"line: (\d+)", self.metadata.get(where[1], ""))
            number = int(place[1]) if place else 0
        text = re.sub(r",? ![\w.]+ !\d+", "", text)
        text = re.sub(r",? align \d+", "", text)
        text = re.sub(r" #\d+$", "", text)
        target = ""
        if defined := re.match(r"(%[\w.]+) = (.*)", text):
            target, text = defined[1], defined[2]
        return Instruction(target, text, number)

    def _structs(self) -> dict[str, list[tuple[str, str]]]:
        found = {}
        for line in self.lines:
            match = re.match(r"%(?:struct|union)\.([\w.]+) = type \{ (.*) \}", line)
            if match:
                kinds = _split(match[2])
                names = self._members(match[1])
                if len(names) != len(kinds):
                    names = [f"f{i}" for i in range(len(kinds))]
                found[match[1]] = list(zip(names, kinds, strict=True))
        return found

    def _members(self, struct: str) -> list[str]:
        for text in self.metadata.values():
            if f'DW_TAG_structure_type, name: "{struct}"' in text:
                elements = re.search(r"elements: !(\d+)", text)
                if not elements:
                    continue
                members = re.findall(r"!(\d+)", self.metadata[elements[1]])
                names = [re.search(r'name: "(\w+)"', self.metadata[m]) for m in members]
                return [n[1] for n in names if n]
        return []

    def _globals(self) -> dict[str, str]:
        found = {}
        for line in self.lines:
            match = re.match(r"@([\w.]+) = .*?global (\S+) (?:null|zeroinitializer|\S+)", line)
            if match:
                found[match[1]] = match[2].rstrip(",")
        return found


def _split(text: str) -> list[str]:
    """Split a list of types at commas outside brackets."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += char in "[{(<"
        depth -= char in "]})>"
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [*parts, current.strip()]
