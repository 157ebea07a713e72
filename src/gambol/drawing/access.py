"""Who may talk to a server of pages: the host, the origin and the token of a request.

A browser says in `Host` under which name it reached the server, and in `Origin` which page asks. A page of another site
has another origin, and a name that is pointed at this machine after its page was loaded (DNS rebinding) is another
host. A server that other machines can reach also asks for the token of its address; the page keeps it as a cookie.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers

_HOST = re.compile(r"([0-9a-z._-]+)(:\d+)?")
_EVERYWHERE = ("", "0.0.0.0")


@dataclass(frozen=True)
class Access:
    """The requests that a server at a host answers."""

    host: str
    token: str | None
    """None on a loopback address, which only this machine can reach."""

    @classmethod
    def at(cls, host: str) -> Access:
        """Return the access of a server at a host, with a new token if other machines can reach it."""
        return cls(host, None if _is_loopback(host) else secrets.token_urlsafe(16))

    def find_problem(self, path: str, headers: Headers) -> str | None:
        """Return why a request is refused; None if it is answered."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or not self._is_own_host(hosts[0]):
            return "a request to another host was refused"
        asks = "Upgrade" in headers or origins
        if asks and origins not in ([f"http://{hosts[0]}"], [f"https://{hosts[0]}"]):
            return "a request of another page was refused"
        if self.token is not None and not self._has_token(path, headers):
            return "a request without the token of the address was refused"
        return None

    def list_headers(self, port: int) -> dict[str, str]:
        """Return headers of answers: no page may frame this one, and the browser keeps the token."""
        headers = {"Content-Security-Policy": "frame-ancestors 'none'"}
        if self.token is not None:
            headers["Set-Cookie"] = f"gambol-{port}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        return headers

    def make_url(self, port: int) -> str:
        """Return the address to open."""
        name = socket.gethostname() if self.host in _EVERYWHERE else self.host
        query = "" if self.token is None else f"/?token={self.token}"
        return f"http://{name}:{port}{query}"

    def _is_own_host(self, host: str) -> bool:
        match = _HOST.fullmatch(host.lower())
        if match is None:
            return False
        name = match[1]
        if self.token is None:
            return _is_loopback(name)
        return _is_loopback(name) or _is_address(name) or name in (self.host.lower(), socket.gethostname().lower())

    def _has_token(self, path: str, headers: Headers) -> bool:
        assert self.token is not None
        cookies = [pair.partition("=")[2] for line in headers.get_all("Cookie") for pair in line.split("; ")]
        given = [*parse_qs(urlsplit(path).query).get("token", []), *cookies]
        return any(hmac.compare_digest(one.encode(), self.token.encode()) for one in given)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)
