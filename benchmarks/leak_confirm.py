"""Findings on the independent twins, confirmed or contradicted by running them.

What is found in a leaking twin should be confirmed, a false alarm in its correct twin should not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.static.twin import FOLDER, Twin, twins


def run_confirm() -> None:
    """One row for each label."""
    labels: Counter[tuple[str, str]] = Counter()
    exact = 0
    with tempfile.TemporaryDirectory() as folder:
        for twin in twins():
            for way, option in (("leaking", "-DLEAK"), ("correct", "-DCORRECT")):
                for finding in _findings(twin, option, Path(folder)):
                    found = finding["confirmation"]
                    labels[way, found["label"]] += 1
                    exact += bool(found["moment"] and found["moment"]["exact"])
    print("| twins | confirmed | not leaked | not exercised |\n|---|---|---|---|")
    for way in ("leaking", "correct"):
        counts = [labels[way, name] for name in ("confirmed", "not-leaked", "not-exercised")]
        print(f"| {way} | {' | '.join(map(str, counts))} |")
    print(f"\nexact moments: {exact}")


def _findings(twin: Twin, option: str, folder: Path) -> list[dict[str, dict[str, object]]]:
    program = folder / "program"
    sources = [str(file) for file in twin.files]
    subprocess.run(["gcc", "-w", "-g", "-O0", option, "-o", program, *sources], check=True)
    entries = [
        {"directory": str(FOLDER), "file": source, "arguments": ["cc", option, source]}
        for source in sources
    ]
    database = folder / "compile_commands.json"
    database.write_text(json.dumps(entries))
    code = "import sys; from heapstory.commands import main; sys.exit(main())"
    words = ["leaks", "-p", str(database), "--no-cache", "--json", "--confirm"]
    command = [sys.executable, "-c", code, *words, "--fail-allocations", "--", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    leaks: list[dict[str, dict[str, object]]] = json.loads(done.stdout)["leaks"]
    return leaks
