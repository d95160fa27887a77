"""The same play with the official Python client: what a client gets that keeps everything."""

from support.session import Session

from .scene import Scene
from .standin.turn import Received


class Plain:
    """The answers by the names of their steps."""

    def __init__(self):
        self.received = {}
        scene = Scene()
        try:
            self.names = scene.names()
            session = Session({**scene.desktop.env, **scene.environment()}, arguments=["--image-responses", "inline"])
            try:
                for step in scene.steps()[:-1]:
                    self._play(session, step)
            finally:
                session.close()
        finally:
            scene.stop()

    def _play(self, session, step):
        if step.before:
            step.before()
        answer = session.call(step.tool, **(step.arguments(self.received) if callable(step.arguments) else step.arguments))
        got = self.received[step.name] = Received(texts=answer.texts, is_error=answer.is_error)
        for picture in answer.pictures:
            got.add_picture(picture.mime_type, picture.data)
