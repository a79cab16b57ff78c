"""The server: the same answers as the file's, for whoever has the token and nobody else."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from threading import Thread

import pytest

import heapstory as api
from heapstory.viewing.answers import Answers, WindowQuery
from heapstory.viewing.head import Opening
from heapstory.viewing.page_file import Bundle
from heapstory.viewing.server import ViewServer
from tests.viewing.reading import Columns


@pytest.fixture
def server(story: api.Trace) -> Iterator[ViewServer]:
    made = ViewServer(story, Opening(), bundle=Bundle("1", ""))
    thread = Thread(target=made.serve)
    thread.start()
    yield made
    made.close()
    thread.join()


def ask(server: ViewServer, path: str, host: str | None = None) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection(server.host, timeout=20)) as connection:
        connection.request("GET", path, headers={"Host": host or server.host})
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_answers(server: ViewServer, story: api.Trace) -> None:
    home = f"/{server.token}/"
    status, page = ask(server, home)
    assert status == 200
    assert b'"serve": true' in page and b"connect-src &#x27;self&#x27;" in page
    answers = Answers(story)
    node = story.graph().nodes[-1].id
    wanted = {
        f"window?nodes={node}": answers.window(WindowQuery(nodes=[node]))[0],
        "bands?buckets=5": answers.bands(buckets=5),
        f"pointing?node={node}": answers.pointing(node),
    }
    for path, body in wanted.items():
        assert ask(server, home + path) == (200, body), path
    found = Columns(ask(server, home + f"find?text={node}")[1]).table("nodes")
    assert node in found["id"]
    of_type = Columns(ask(server, home + "find?text=node")[1]).table("nodes")
    made = story.query("SELECT node, created, freed FROM nodes WHERE type = 'struct node'")
    columns = (of_type["id"], of_type["born"], of_type["freed"])
    assert list(zip(*columns, strict=True)) == sorted(made)
    around = Columns(ask(server, home + "window?name=head&depth=1")[1]).table("nodes")
    names = dict(zip(around["name"], around["distance"], strict=True))
    assert names["head"] == 0
    assert max(around["distance"]) == 1


def test_who_points_at_one_moment_needs_no_index(server: ViewServer, story: api.Trace) -> None:
    home = f"/{server.token}/"
    head = story.query("SELECT node FROM nodes WHERE name = 'head'")[0][0]
    (held,) = [edge for edge in story.graph().edges if edge.source == head]
    asked = f"{home}pointing?node={held.target}&first={story.last}"
    answers = []
    for most in (1_000_000, 10):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("heapstory.viewing.server._MOST_INDEXED", most)
            table = Columns(ask(server, f"{asked}&last={story.last}")[1]).table("pointing")
            answers.append(list(zip(table["source"], table["offset"], strict=True)))
            status, said = ask(server, f"{home}pointing?node={held.target}")
            assert status == (200 if most > 10 else 400)
    assert answers[0] == answers[1] == [(head, 0)]
    assert "--pointing-to" in json.loads(said)["error"]


def test_a_limit_says_how_many_are_missing(server: ViewServer) -> None:
    nodes = Columns(ask(server, f"/{server.token}/window?name=head&limit=3")[1]).table("nodes")
    assert len(nodes["id"]) == 3
    assert sum(nodes["more"]) > 0


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("window?first=x", 400),
        ("window?first=99999999", 400),
        ("window?nodes=999999", 404),
        ("window?start=0", 404),
        ("bands?buckets=0", 400),
        ("changes", 400),
        ("source?path=/etc/passwd", 404),
        ("nothing", 404),
    ],
)
def test_bad_requests_get_one_line(server: ViewServer, path: str, status: int) -> None:
    got, body = ask(server, f"/{server.token}/{path}")
    assert got == status
    assert "\n" not in json.loads(body)["error"]


def test_strangers_get_nothing(server: ViewServer) -> None:
    assert ask(server, "/")[0] == 403
    assert ask(server, "/wrong/head")[0] == 403
    assert ask(server, f"/{server.token}/head", host="evil.example")[0] == 403
