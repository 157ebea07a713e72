"""Who may talk to a page: by host, origin and token, without a network."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from websockets.datastructures import Headers

from gambol.drawing.access import Access

LOCAL = Access.at("127.0.0.1")
OPEN = Access.at("0.0.0.0")
TOKEN = f"/?token={OPEN.token}"


def headers(host: str, *more: tuple[str, str]) -> Headers:
    return Headers([("Host", host), *more])


def websocket(host: str, *origins: str, cookie: str | None = None) -> Headers:
    more = [("Upgrade", "websocket"), *(("Origin", origin) for origin in origins)]
    return headers(host, *more, *([] if cookie is None else [("Cookie", cookie)]))


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "localhost:9000", "127.0.0.2"])
def test_this_machine_is_answered_under_its_own_names(host: str) -> None:
    """Another port is a tunnel to this one."""
    assert LOCAL.token is None
    assert LOCAL.find_problem("/", headers(host)) is None
    assert LOCAL.find_problem("/", websocket(host, f"http://{host}")) is None


@pytest.mark.parametrize(
    "host",
    ["example.com:8080", "127.0.0.1.example.com", "localhost.example.com", "example.com@localhost", "192.168.0.7:8080",
     "localhost/x", "", " ", "::1", "localhost:", "0.0.0.0:8080", "127.0.0.1:80:80"],
)  # fmt: skip
def test_other_names_are_refused(host: str) -> None:
    """A page of example.com whose name now points here (DNS rebinding) still says example.com."""
    assert "another host" in (LOCAL.find_problem("/", headers(host)) or "")
    assert "another host" in (LOCAL.find_problem("/", websocket(host, f"http://{host}")) or "")


def test_no_host_and_two_hosts_are_refused() -> None:
    assert LOCAL.find_problem("/", Headers([])) is not None
    assert LOCAL.find_problem("/", headers("localhost", ("Host", "localhost"))) is not None


@pytest.mark.parametrize(
    "origins",
    [(), ("http://example.com",), ("null",), ("http://localhost:3000",), ("http://localhost",), ("ws://localhost:8080",),
     ("http://localhost:8080/",), ("http://localhost:8080", "http://localhost:8080"), ("http://127.0.0.1:8080",)],
)  # fmt: skip
def test_websockets_of_other_pages_are_refused(origins: tuple[str, ...]) -> None:
    assert "another page" in (LOCAL.find_problem("/", websocket("localhost:8080", *origins)) or "")


def test_requests_of_other_pages_are_refused_but_addresses_can_be_opened() -> None:
    assert LOCAL.find_problem("/", headers("localhost:8080", ("Origin", "http://example.com"))) is not None
    assert LOCAL.find_problem("/", headers("localhost:8080", ("Origin", "https://localhost:8080"))) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "", "192.168.0.7", "some-machine"])
def test_other_machines_need_the_token(host: str) -> None:
    access = Access.at(host)
    assert access.token is not None
    assert len(access.token) >= 20
    assert access.token != Access.at(host).token
    asked, name = headers("192.168.0.7:8080"), "192.168.0.7:8080"
    for path in ("/", "/?token=", "/?token=abc", f"/?token={access.token}x", f"/?key={access.token}", "/?token=%ff"):
        assert "without the token" in (access.find_problem(path, asked) or ""), path
    assert access.find_problem(f"/?token={access.token}", asked) is None
    for cookie in ("", "a=b", "gambol-8080=abc", "gambol-8080="):
        assert access.find_problem("/", websocket(name, f"http://{name}", cookie=cookie)) is not None
    kept = access.list_headers(8080)["Set-Cookie"].partition(";")[0]
    assert access.find_problem("/", websocket(name, f"http://{name}", cookie=f"a=b; {kept}; c=d")) is None
    assert access.find_problem("/", websocket(name, "http://example.com", cookie=kept)) is not None


def test_names_of_this_machine_are_its_addresses_and_its_own_name() -> None:
    for host in (socket.gethostname(), "10.1.2.3:8080", "localhost", "127.0.0.1"):
        assert OPEN.find_problem(TOKEN, headers(host)) is None
    assert OPEN.find_problem(TOKEN, headers("example.com")) is not None
    named = Access.at("Lab.example.com")
    assert named.find_problem(f"/?token={named.token}", headers("lab.example.com:8080")) is None


def test_an_address_opens_the_page() -> None:
    assert LOCAL.make_url(8080) == "http://127.0.0.1:8080"
    url = urlsplit(OPEN.make_url(8080))
    assert OPEN.find_problem(f"{url.path}?{url.query}", headers(url.netloc)) is None


def test_pages_are_not_framed_and_the_token_is_for_this_site_alone() -> None:
    assert LOCAL.list_headers(8080) == {"Content-Security-Policy": "frame-ancestors 'none'"}
    assert OPEN.list_headers(8080)["Set-Cookie"].endswith("; Path=/; HttpOnly; SameSite=Strict")
