"""The answers of ``info``, ``history`` and ``query``. Knows what a trace answers."""
