"""Firefox, spoken to in its own protocol (Marionette): a length, a colon, JSON."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.waiting import wait_until
from tests.viewer.opened import PATIENCE_MILLISECONDS, SETTLED

# Nothing but the page under test opens, and nothing is asked of the network.
PREFERENCES: dict[str, object] = {
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage": "about:blank",
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}


class Firefox:
    """A session with a running firefox-esr."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=240)
        self._number = 0
        self._receive()  # the greeting
        self._ask("WebDriver:NewSession", {})
        self._ask("WebDriver:SetTimeouts", {"script": PATIENCE_MILLISECONDS})

    def open(self, url: str) -> None:
        """Goes to an address."""
        self._ask("WebDriver:Navigate", {"url": url})

    def evaluate(self, script: str) -> Any:
        """What a script returns."""
        answer = self._ask("WebDriver:ExecuteScript", {"script": script, "args": []})
        return answer["value"]

    def settle(self) -> None:
        """Waits until all that was asked for is shown."""
        script = f"({SETTLED})().then(arguments[arguments.length - 1])"
        self._ask("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})

    def close(self) -> None:
        """Ends the browser."""
        self._ask("Marionette:Quit", {"flags": ["eForceQuit"]})
        self._socket.close()

    def _ask(self, command: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        text = json.dumps([0, self._number, command, parameters])
        self._socket.sendall(f"{len(text.encode())}:{text}".encode())
        _, _, error, result = self._receive()
        assert error is None, error
        return result

    def _receive(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self._read(1)
        return json.loads(self._read(int(length[:-1])))

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self._socket.recv(size - len(data))
            assert part, "firefox has gone"
            data += part
        return data


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """Debian's firefox-esr with a profile of its own."""
    lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
    lines.append('user_pref("marionette.port", 0);')  # it chooses, and writes down which
    (profile / "user.js").write_text("\n".join(lines))
    command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            written = profile / "MarionetteActivePort"
            wait_until(lambda: written.exists() and written.read_text() != "")
            session = Firefox(int(written.read_text()))
            yield session
            session.close()
        finally:
            process.kill()
