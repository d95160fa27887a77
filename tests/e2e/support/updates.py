"""A client that subscribes to resources in either era of the protocol, the notifications that it got, and an application that changes."""

import threading
import time

import mcp.client.subscriptions as subscriptions

from . import PATIENCE, wait_for
from .applications import APPS, Application
from .session import Session

ERAS = {"listen": "auto", "subscribe": "legacy"}
LISTS = "the list of resources"
PROMPTS = "the list of prompts"
# Longer than the longest pause between two updates of something that still changes, by half.
REST = 1.5


class Subscriber:
    """A server of its own, and a client that records when it was notified of what."""

    def __init__(self, env, era, **options):
        self.era = era
        self._told, self._lock, self._streams = [], threading.Lock(), {}
        self.session = Session(env, mode=ERAS[era], message_handler=self._hear, **options)

    def subscribe(self, *uris, lists=False):
        """Subscribes; returns once the server has confirmed it."""
        if self.era == "subscribe":
            for uri in uris:
                self.session.ask("subscribe_resource", uri)
            if lists:
                self.session.ask("list_resources")
            return
        portal = self.session._portal
        stream = portal.wrap_async_context_manager(
            self.session.client.listen(resource_subscriptions=uris, resources_list_changed=lists))
        subscription = stream.__enter__()
        assert set(subscription.honored.resource_subscriptions or ()) == set(uris), subscription.honored
        portal.start_task_soon(self._listen, subscription)
        self._streams[uris] = stream

    def unsubscribe(self, *uris):
        """Ends what one call of `subscribe` has begun."""
        if self.era == "subscribe":
            for uri in uris:
                self.session.ask("unsubscribe_resource", uri)
        else:
            self._streams.pop(uris).__exit__(None, None, None)

    def read(self, uri):
        """The content of a resource, as its client gets it."""
        return self.session.ask("read_resource", uri).contents[0]

    def told(self, uri):
        """When it was notified that this has changed."""
        with self._lock:
            return [when for what, when in self._told if what == uri]

    def wait(self, uri, more_than=0, timeout=PATIENCE):
        """Waits until it was notified that this has changed, more often than that; returns when it was last."""
        return wait_for(f"an update of {uri} beyond {more_than}",
                        lambda: self.told(uri)[more_than:], timeout, every=0.002)[-1]

    def quiet(self, uris, seconds):
        """Fails if it is notified within this time that any of these has changed."""
        before = {uri: len(self.told(uri)) for uri in uris}
        time.sleep(seconds)
        more = {uri: len(self.told(uri)) - known for uri, known in before.items()}
        assert not any(more.values()), f"told so many times: {more}"

    def settle(self, *uris):
        """Waits until it got no notification of any of these for a while; returns how often it was notified of each until then."""
        begun = time.monotonic()

        def at_rest():
            return time.monotonic() - max([begun, *(when for uri in uris for when in self.told(uri)[-1:])]) > REST

        wait_for(f"{uris} to rest", at_rest)
        return {uri: len(self.told(uri)) for uri in uris}

    def close(self):
        """Leaves."""
        for stream in self._streams.values():
            stream.__exit__(None, None, None)
        self.session.close()

    def _note(self, what):
        with self._lock:
            self._told.append((what, time.monotonic()))

    async def _hear(self, message):
        method = getattr(message, "method", None)
        if self.era == "subscribe" and method == "notifications/resources/updated":
            self._note(str(message.params.uri))
        elif self.era == "subscribe" and method == "notifications/resources/list_changed":
            self._note(LISTS)
        elif self.era == "subscribe" and method == "notifications/prompts/list_changed":
            self._note(PROMPTS)

    async def _listen(self, subscription):
        try:
            async for event in subscription:
                self._note(str(event.uri) if hasattr(event, "uri") else LISTS)
        except subscriptions.SubscriptionLost:
            self._note("lost")


class Flood(Application):
    """An application that changes as fast as it can."""

    def __init__(self, desktop, number):
        self._log = desktop.path(f"flood-{number}.count")
        super().__init__(desktop, ["/usr/bin/python3", str(APPS / "flood.py"), f"Flood {number}"], f"Flood {number}",
                         {"APP_LOG": self._log})

    def count(self):
        """How often it has changed."""
        try:
            with open(self._log, encoding="utf-8") as file:
                return int(file.read() or 0)
        except FileNotFoundError:
            return 0
