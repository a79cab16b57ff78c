"""Programs are recorded as the tests of the recorder do it."""

from tests.recorder.conftest import run

__all__ = ["run"]
