"""Clients that mean harm, for ``benchmarks/attack.py``.

They run in a process of their own, with the standard library alone, and nicely: what is measured is
the server, not what is left of the cores beside its attackers. So every message is made once, and
they send seldom.
"""

import asyncio
import os
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import closing
from itertools import count

HOST = "127.0.0.1"
NICENESS = 10
MILLION = 1_000_000
BODY_SECONDS = 0.2  # from one hostile body to the next
UNANSWERED = 8  # of them, at most
FLOOD_BYTES, PIECE = 200 << 20, 1 << 20
PAUSE = 0.2  # seconds until a connection that was closed is opened again
SLOW, BYTE_SECONDS = 40, 0.1  # connections; from byte to byte
READERS, PIPELINED = 24, 4  # connections; long answers that each asks for at once
READ_BYTES = 512  # that they take each time
IDLE = 150  # connections
STAGGER = 2.5  # seconds until all connections are open
PATIENCE = 60.0  # seconds for an answer
HEAD = b"POST /api/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Attack:
    """Some attackers, what they sent, and what came of it.

    Parameters
    ----------
    port : int
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._loop = asyncio.get_running_loop()
        self._connections = self._bytes = 0
        self._answers: Counter[str] = Counter()

    def line(self) -> str:
        """Return what was sent, and what came back."""
        answers = ", ".join(f"{n:,} × {what}" for what, n in sorted(self._answers.items()))
        sent = f"{self._connections:,} connections, {self._bytes / 2**20:,.1f} MB sent"
        return f"{sent}; {answers or 'nothing came back'}"

    async def bodies(self) -> None:
        """Send requests that are small to send and large to look at."""
        room = asyncio.Semaphore(UNANSWERED)
        requests = hostile_requests()

        async def one(request: bytes) -> None:
            await self._once(lambda opened: self._asked(opened, request))
            room.release()

        async with asyncio.TaskGroup() as tasks:
            for number in count():
                await room.acquire()
                tasks.create_task(one(requests[number % len(requests)]))
                await asyncio.sleep(BODY_SECONDS)

    async def headers(self) -> None:
        """Send headers without end: one long one, many short ones, long ones."""
        short = b"".join(b"X-%07d: a\r\n" % number for number in range(PIECE // 14))
        long = b"".join(b"X-%d: %s\r\n" % (n, b"a" * (PIECE // 20)) for n in range(20))
        for number in count():
            first, piece = ((b"X: ", b"a" * PIECE), (b"", short), (b"", long))[number % 3]
            await self._once(lambda opened: self._flood(opened, first, piece))  # noqa: B023 - awaited
            await asyncio.sleep(PAUSE)

    async def slow(self) -> None:
        """Send headers and bodies byte by byte."""
        heads = HEAD + b"".join(b"X-%d: a\r\n" % number for number in range(1000))
        body = HEAD + b"Content-Length: 100000\r\n\r\n" + b" " * 100_000
        await self._many(
            SLOW, lambda n: lambda opened: self._dribbled(opened, (heads, body)[n % 2], n % 2)
        )

    async def readers(self) -> None:
        """Ask for more than is taken: some long answers on each connection, a few bytes a time."""
        text = b'"' + b"the moon and the rocket " * 60 + b'"'
        body = b'{"target": "all", "documents": [' + text + b"]}"
        asked = (HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body) * PIPELINED
        await self._many(READERS, lambda _: lambda opened: self._nibbled(opened, asked))

    async def idle(self) -> None:
        """Say nothing, or stop after some words."""
        begun = (b"", b"GET / HTTP/1.1\r\n", HEAD + b"Content-Length: 9\r\n\r\n{")
        await self._many(IDLE, lambda n: lambda opened: self._asked(opened, begun[n % 3]))

    # ---- one connection -------------------------------------------------------------------------

    async def _many(
        self, number: int, act: Callable[[int], Callable[[socket.socket], Awaitable[None]]]
    ) -> None:
        """Keep so many connections; one that was closed is opened again."""

        async def keep(one: int) -> None:
            await asyncio.sleep(STAGGER * one / number)  # not all at the same moment
            while True:
                await self._once(act(one))
                await asyncio.sleep(PAUSE)

        await asyncio.gather(*map(keep, range(number)))

    async def _once(self, act: Callable[[socket.socket], Awaitable[None]]) -> None:
        """Do something with a new connection, until it is done or the server closes it."""
        with closing(socket.socket()) as opened:
            opened.setblocking(False)
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            try:
                await self._loop.sock_connect(opened, (HOST, self._port))
                self._connections += 1
                await act(opened)
            except TimeoutError:
                self._answers[f"none in {PATIENCE:g} s"] += 1
            except OSError:
                self._answers["closed"] += 1

    async def _send(self, opened: socket.socket, data: bytes) -> None:
        await self._loop.sock_sendall(opened, data)
        self._bytes += len(data)

    async def _answer(self, opened: socket.socket) -> None:
        """Count the answer by its status, and read it to its end."""
        async with asyncio.timeout(PATIENCE):
            first = await self._loop.sock_recv(opened, 4096)
        self._answers[first[9:12].decode("latin-1") if first else "closed"] += 1

    async def _asked(self, opened: socket.socket, request: bytes) -> None:
        await self._send(opened, request)
        await self._answer(opened)

    async def _flood(self, opened: socket.socket, first: bytes, piece: bytes) -> None:
        answer = asyncio.create_task(self._answer(opened))
        try:
            async with asyncio.timeout(PATIENCE):
                await self._send(opened, b"GET / HTTP/1.1\r\nHost: localhost\r\n" + first)
                for _ in range(FLOOD_BYTES // len(piece)):
                    if answer.done():
                        return
                    await self._send(opened, piece)
                await self._send(opened, b"\r\n\r\n")
                await answer
        finally:
            answer.cancel()

    async def _dribbled(self, opened: socket.socket, request: bytes, has_body: int) -> None:
        start = request.index(b"\r\n\r\n") + 4 if has_body else 0
        answer = asyncio.create_task(self._answer(opened))
        try:
            await self._send(opened, request[:start])
            for at in range(start, len(request)):
                await self._send(opened, request[at : at + 1])
                await asyncio.sleep(BYTE_SECONDS)
                if answer.done():
                    return
        finally:
            answer.cancel()

    async def _nibbled(self, opened: socket.socket, requests: bytes) -> None:
        await self._send(opened, requests)
        while await self._loop.sock_recv(opened, READ_BYTES):
            await asyncio.sleep(BYTE_SECONDS)
        self._answers["closed"] += 1


def hostile_requests() -> list[bytes]:
    """Return requests that are small to send and large to look at."""
    zeros = ",".join("0" * MILLION)
    strings = ",".join(['""'] * MILLION)
    keys = ",".join(f'"k{n}":0' for n in range(100_000))
    deep = "[" * (2 * MILLION)
    bodies = (
        ("predict", f'{{"documents":[{zeros}]}}'),
        ("predict", f'{{"documents":[{strings}]}}'),
        ("predict", f'{{"documents":["a"],{keys}}}'),
        ("predict", f'{{"documents":[{{"text":"a",{keys}}}]}}'),
        ("explain", f'{{"documents":[{",".join(["{}"] * MILLION)}]}}'),
        ("explain", f'{{"documents":[{{"text":"a","deleted":[{zeros}]}}]}}'),
        ("explain", f'{{"documents":[{{"text":"a","deleted":[{strings}]}}]}}'),
        ("explain", f'{{"documents":["a"],"target":[{zeros}]}}'),
        ("explain", f'{{"documents":["a"],"target":[{strings}]}}'),
        ("predict", deep),
        ("predict", f'{{"documents":[{deep}'),
        ("predict", f'{{"documents":[{"9" * MILLION}]}}'),
        ("predict", f"[{zeros}]"),
    )
    head = "POST /api/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return [
        f"{head % path}Content-Length: {len(body)}\r\n\r\n{body}".encode() for path, body in bodies
    ]


ATTACKS: dict[str, Callable[[Attack], Coroutine[None, None, None]]] = {
    "bodies": Attack.bodies,
    "headers": Attack.headers,
    "slow": Attack.slow,
    "readers": Attack.readers,
    "idle": Attack.idle,
}


async def attack(name: str, port: int, seconds: float) -> str:
    """Attack for so long; return what was sent."""
    attackers = Attack(port)
    try:
        async with asyncio.timeout(seconds):
            await ATTACKS[name](attackers)
    except TimeoutError:
        pass
    return attackers.line()


def main() -> None:
    """Run ``attackers.main()`` in a process: its arguments are a name, a port and seconds."""
    os.nice(NICENESS)
    name, port, seconds = sys.argv[1:]
    print(asyncio.run(attack(name, int(port), float(seconds))))
