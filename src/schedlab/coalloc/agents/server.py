"""An agent as a program: listens, and computes for whichever coordinator calls."""

from __future__ import annotations

import errno
import socket
from queue import SimpleQueue
from threading import Event, Thread

from schedlab.coalloc.agents.agent import Agent
from schedlab.coalloc.agents.channel import Channel
from schedlab.coalloc.agents.encoding import Beat, Hello, Meet, Wired
from schedlab.coalloc.agents.message import COORDINATOR, Message, Resend, Share, Util, Value
from schedlab.errors import PeerError

BUSY_S = 3.0
"""How long a coordinator waits for the session of another to end before it is turned away."""
UNWANTED_S = 60.0
"""The time without a coordinator after which an agent for a single session ends."""

BROKEN = (OSError, PeerError)
SHUT = (errno.EINVAL, errno.EBADF)
"""The errors of waiting at a listener that has been shut down."""


def serve(listener: socket.socket, secret: bytes, *, once: bool = False) -> None:
    """Serve as an agent for one coordinator after the other.

    Args:
        listener: where coordinators and other agents connect.
        secret: what all of them know.
        once: return when the first session ends, or if none begins.
    """
    server = _Server(listener, secret, once)
    listener.settimeout(UNWANTED_S if once else None)
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            if server.session is None:
                return
        except OSError as error:
            if error.errno not in SHUT:
                raise
            return
        else:
            Thread(target=server.welcome, args=(connection,), daemon=True).start()


class _Server:
    """Hands the messages on all connections to the session that they are meant for."""

    def __init__(self, listener: socket.socket, secret: bytes, once: bool) -> None:
        self._listener, self._secret, self._once = listener, secret, once
        self.session: _Session | None = None

    def welcome(self, connection: socket.socket) -> None:
        """Listen to one connection until it ends."""
        with connection:
            try:
                channel = Channel(connection, self._secret, calls=False)
                hello = channel.receive()
                if isinstance(hello, Hello) and hello.sender == COORDINATOR:
                    self._attend(hello, channel)
                elif isinstance(hello, Hello):
                    self._overhear(hello, channel)
            except BROKEN:
                pass  # messages that are missing are asked for again

    def _attend(self, hello: Hello, channel: Channel) -> None:
        """Serve this coordinator until it is gone, unless the session of another does not end."""
        before = self.session
        if before is not None and before.hello.session != hello.session:
            if not before.over.wait(BUSY_S):
                return
        elif before is not None:
            before.end()
        session = self.session = _Session(hello, channel, self._secret)
        session.begin()
        try:
            while True:
                session.inbox.put(channel.receive())
        finally:
            session.end()
            if self._once:
                self._listener.shutdown(socket.SHUT_RDWR)

    def _overhear(self, hello: Hello, channel: Channel) -> None:
        """Take the messages of another agent, as long as the session lasts that it names."""
        session = self.session
        if session is None or not session.concerns(hello):
            return
        channel.send(Beat(busy=False))
        while not session.over.is_set():
            message = channel.receive()
            if isinstance(message, Util | Value):
                session.inbox.put(message)


class _Session:
    """One agent of one coordinator: a thread computes and sends, another gives signs of life."""

    def __init__(self, hello: Hello, coordinator: Channel, secret: bytes) -> None:
        self.hello, self._coordinator, self._secret = hello, coordinator, secret
        self.inbox: SimpleQueue[Wired | None] = SimpleQueue()
        self._agent = Agent(hello.receiver)
        self._addresses: dict[int, str] = {}
        self._channels: dict[int, Channel] = {}
        self._computing = False
        self.over = Event()

    def concerns(self, hello: Hello) -> bool:
        """Return whether another agent's call is meant for this one, and in this session."""
        mine = self.hello.session, self.hello.receiver
        return (hello.session, hello.receiver) == mine

    def begin(self) -> None:
        """Report to the coordinator, and start to work."""
        self._coordinator.send(Beat(busy=False))
        Thread(target=self._work, daemon=True).start()
        Thread(target=self._beat, daemon=True).start()

    def end(self) -> None:
        """Stop working."""
        self.over.set()
        self.inbox.put(None)
        self._coordinator.close()

    def _beat(self) -> None:
        try:
            while not self.over.wait(self.hello.beat_s):
                self._coordinator.send(Beat(self._computing or not self.inbox.empty()))
        except BROKEN:
            self.end()

    def _work(self) -> None:
        try:
            while (message := self.inbox.get()) is not None:
                self._computing = True
                self._take(message)
                self._computing = False
        except BROKEN:
            pass  # the coordinator is gone
        finally:
            self.end()
            self._hang_up(list(self._channels))

    def _take(self, message: Wired) -> None:
        if isinstance(message, Meet):
            old, self._addresses = self._addresses, dict(message.addresses)
            self._hang_up([each for each in old if self._addresses.get(each) != old[each]])
        elif isinstance(message, Share | Resend | Util | Value):
            if isinstance(message, Resend):  # a broken connection may be the reason
                self._hang_up([each for each in self._channels if message.agent in (None, each)])
            for to, said in self._agent.receive(message):
                self._post(to, said)

    def _post(self, to: int, message: Message) -> None:
        if to == COORDINATOR:
            self._coordinator.send(message)
            return
        try:
            if to not in self._channels:
                hello = Hello(self.hello.session, self._agent.number, to, self.hello.beat_s)
                self._channels[to] = Channel.to(self._addresses[to], self._secret, hello)
            self._channels[to].send(message)
        except BROKEN:
            self._hang_up([to])

    def _hang_up(self, agents: list[int]) -> None:
        for agent in agents:
            channel = self._channels.pop(agent, None)
            if channel is not None:
                channel.close()
