"""What the tests of one module share, because it takes long to start."""

import contextlib


@contextlib.contextmanager
def made_once(make):
    """Returns a function that makes an object for each set of arguments when it is first asked for; all are stopped at the end."""
    made = {}

    def get(*kind):
        if kind not in made:
            made[kind] = make(*kind)
        return made[kind]
    try:
        yield get
    finally:
        for each in made.values():
            each.stop()
