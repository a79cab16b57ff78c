"""The programs that ``benchmarks.guard`` runs: small ones of our own, tools, and servers."""

import contextlib
import csv
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.support.measure import RunError, run

REPOSITORY = Path(__file__).resolve().parent.parent
REDIS_PORT, NGINX_PORT = 17379, 17380
ASAN = "BENCHMARK_ASAN"  # in an environment: take the build with AddressSanitizer
# The Debian package of each program that may be missing.
PACKAGES = {"perl": "perl", "python": "python3", "sqlite3": "sqlite3", "git": "git", "gzip": "gzip",
            "redis": "redis-server", "nginx": "nginx-light and wrk"}  # fmt: skip

PERL = """my %h; for my $i (1 .. $ARGV[0]) { $h{"key $i"} = [$i, "value $i"];
delete $h{"key " . ($i - 1000)} if $i % 3 == 0 } my $s = 0; $s += $h{$_}[0] for sort keys %h;
print "$s\\n";"""
PYTHON = """import json, sys
rows = [{"id": i, "name": str(i * 7), "tags": [i, str(i)]} for i in range(int(sys.argv[1]))]
text = json.dumps(rows)
print(sum(len(row["tags"]) for row in json.loads(text)), len(text))"""
SQL = """CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, value INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ROWS)
INSERT INTO t SELECT i, 'name ' || (i * 7919 % 300007), i % 1000 FROM n;
CREATE INDEX by_name ON t (name);
SELECT count(*), sum(value) FROM t WHERE name > 'name 2';
SELECT value, group_concat(substr(name, 6, 2)) FROM t GROUP BY value ORDER BY value LIMIT 1;"""
# Nothing but allocating, filling and freeing, by one thread or eight.
CHURN = """#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { N = 4096 };
static long rounds;
static void *work(void *argument) {
    char **slots = calloc(N, sizeof *slots);
    unsigned state = 1 + (unsigned)(uintptr_t)argument;
    for (long i = 0; i < rounds / THREADS; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned k = (state >> 8) % N;
        free(slots[k]);
        size_t size = 16 + (state >> 20) % 112;
        slots[k] = malloc(size);
        memset(slots[k], 1, size);
    }
    for (int i = 0; i < N; i++)
        free(slots[i]);
    free(slots);
    return NULL;
}
int main(int count, char **words) {
    pthread_t made[THREADS];
    rounds = count > 1 ? atol(words[1]) : 0;
    for (int i = 1; i < THREADS; i++)
        pthread_create(&made[i], NULL, work, (void *)(uintptr_t)i);
    work(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(made[i], NULL);
    return 0;
}
"""
ALLOCATION_BOUND = ("churn", "threads")
NGINX = """daemon off; master_process off; worker_processes 1; pid {folder}/nginx.pid;
error_log /dev/null; events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {folder}; proxy_temp_path {folder};
fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder}; gzip on;
gzip_min_length 100; gzip_types *; server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}"""

Environment = dict[str, str]
Cost = Callable[[Environment, float], tuple[float, int]]  # environment, limit: CPU seconds, KiB


def _compiled(folder: Path, share: float) -> dict[str, list[str]]:
    (folder / "churn.c").write_text(CHURN)
    made = {}
    for name, threads in (("churn", 1), ("threads", 8)):
        words = ["gcc", "-O2", "-pthread", f"-DTHREADS={threads}", str(folder / "churn.c"), "-o"]
        subprocess.run([*words, folder / name], check=True)
        subprocess.run([*words, folder / f"{name}.asan", "-fsanitize=address"], check=True)
        made[name] = [str(folder / name), str(int(10_000_000 * share))]
    return made


def programs(folder: Path, share: float = 1.0) -> dict[str, tuple[list[str], Path | None]]:
    """Words and standard input of each; ``share``: how much of the usual work it does."""
    (folder / "work.sql").write_text(SQL.replace("ROWS", str(int(300_000 * share))))
    text = folder / "text"
    with text.open("w") as file:  # piece by piece: a child's peak is at least its parent's memory
        file.writelines(f"{i * 7919 % 100003} line {i}\n" for i in range(int(1_500_000 * share)))
    return {
        "perl": (["/usr/bin/perl", "-e", PERL, str(int(600_000 * share))], None),
        "python": (["/usr/bin/python3", "-c", PYTHON, str(int(60_000 * share))], None),
        "sqlite3": (["/usr/bin/sqlite3", ":memory:"], folder / "work.sql"),
        "git": (
            ["/usr/bin/git", "-C", str(REPOSITORY), "log", "--stat", "-n", str(int(400 * share))],
            None,
        ),
        "gzip": (["/usr/bin/gzip", "-c", str(text)], None),
        **{name: (words, None) for name, words in _compiled(folder, share).items()},
    }


def costs(folder: Path, only: list[str] | None) -> Iterator[tuple[str, Cost]]:
    """What each program costs; one that is not installed is named."""
    for name, (words, source) in programs(folder).items():
        if not only or name in only:
            require(name, words[0])
            yield name, _cost(words, source, folder)
    if not only or "redis" in only:
        require("redis", "redis-server")
        yield "redis", lambda environment, limit: redis(environment, folder, limit)[:2]
    if not only or "nginx" in only:
        require("nginx", "nginx", "wrk")
        yield "nginx", lambda environment, limit: nginx(environment, folder)


def require(name: str, *programs: str) -> None:
    for program in programs:
        if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin"):
            package = PACKAGES[name]
            raise SystemExit(
                f"{program} is missing (apt-get install {package}); --only NAME measures others"
            )


def _cost(words: list[str], source: Path | None, folder: Path) -> Cost:
    def cost(environment: Environment, limit: float) -> tuple[float, int]:
        chosen = words
        if ASAN in environment:
            chosen = [f"{words[0]}.asan", *words[1:]]
            if not Path(chosen[0]).exists():
                raise RunError("there is no build of it with AddressSanitizer")
        done = run(chosen, folder / "run", environment, source, limit=limit)
        return done.cpu, done.peak_kib

    return cost


def redis(
    environment: Environment, folder: Path, limit: float, pipeline: int = 8, requests: int = 100_000
) -> tuple[float, int, dict[str, dict[str, str]]]:
    """CPU and memory of a server, and what redis-benchmark says of each command."""
    refuse_asan(environment)
    words = ["redis-server", "--port", str(REDIS_PORT), "--save", "", "--dir", str(folder)]
    with (folder / "redis").open("wb") as log:
        server = subprocess.Popen(words, env={**os.environ, **environment}, stdout=log, stderr=log)
    try:
        await_redis(limit)
        said = subprocess.run(client(pipeline, requests), capture_output=True, check=True,
                              timeout=limit, text=True).stdout  # fmt: skip
    finally:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["redis-cli", "-p", str(REDIS_PORT), "shutdown", "nosave"],
                           capture_output=True, timeout=limit)  # fmt: skip
        _, _, usage = os.wait4(server.pid, 0)
        server.returncode = 0
    rows = {row["test"]: row for row in csv.DictReader(said.splitlines())}
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, rows


def client(pipeline: int, requests: int) -> list[str]:
    words = ["redis-benchmark", "-p", str(REDIS_PORT), "--csv", "-n", str(requests), "-r", "50000"]
    return [*words, "-P", str(pipeline), "-d", "100", "-t", "set,get,lpush,lpop,sadd,hset"]


def await_redis(limit: float) -> None:
    end = time.monotonic() + limit
    words = ["redis-cli", "-p", str(REDIS_PORT), "ping"]
    while subprocess.run(words, capture_output=True).returncode:
        if time.monotonic() > end:
            raise TimeoutError("redis-server does not answer")
        time.sleep(0.1)


def nginx(environment: Environment, folder: Path) -> tuple[float, int]:
    """CPU for 100,000 requests of a small page that is compressed, and memory."""
    refuse_asan(environment)
    (folder / "www").mkdir(exist_ok=True)
    (folder / "www" / "index.html").write_text("<p>some words\n" * 400)
    settings = folder / "nginx.conf"
    settings.write_text(NGINX.format(folder=folder, port=NGINX_PORT))
    words = ["/usr/sbin/nginx", "-p", str(folder), "-c", str(settings)]
    server = subprocess.Popen(words, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        load = ["wrk", "-t1", "-c16", "-d4", "-H", "Accept-Encoding: gzip",
                f"http://127.0.0.1:{NGINX_PORT}/index.html"]  # fmt: skip
        said = subprocess.run(load, capture_output=True, text=True, timeout=60).stdout
    finally:
        os.kill(server.pid, signal.SIGQUIT)
        _, _, usage = os.wait4(server.pid, 0)
        server.returncode = 0
    requests = next(
        (int(line.split()[0]) for line in said.splitlines() if "requests in" in line), 0
    )
    if not requests:
        raise RunError("nginx answered no request")
    return (usage.ru_utime + usage.ru_stime) / requests * 100_000, usage.ru_maxrss


def refuse_asan(environment: Environment) -> None:
    if ASAN in environment:
        raise RunError("there is no build of it with AddressSanitizer")
