"""An authorization server for the tests: a real one, and tokens that it would never issue."""

import base64
import json
import os
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

from . import PATIENCE

PROGRAM = Path(__file__).with_name("authorization_server.mjs")


class AuthorizationServer:
    """oidc-provider in a process of its own."""

    def __init__(self, node, port=0):
        self.process = subprocess.Popen([node, str(PROGRAM), str(port)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.issuer = self.process.stdout.readline().decode().strip()
        assert self.issuer, f"it ended with {self.process.wait(PATIENCE)}"

    def _post(self, path, body, headers):
        request = urllib.request.Request(self.issuer + path, body, headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.read().decode()

    def token(self, resource, scope, client="agent"):
        """An access token as it issues them."""
        secret = base64.b64encode(f"{client}:secret-of-{client}".encode()).decode()
        form = urllib.parse.urlencode({"grant_type": "client_credentials", "scope": scope, "resource": resource})
        answer = self._post("/token", form.encode(), {"authorization": f"Basic {secret}",
                                                      "content-type": "application/x-www-form-urlencoded"})
        return json.loads(answer)["access_token"]

    def sign(self, claims, key="RS256", **header):
        """A token of these claims."""
        return self._post("/test/sign", json.dumps({"claims": claims, "header": header, "key": key}).encode(),
                          {"content-type": "application/json"})

    def rotate(self):
        """Has it sign by other keys from now on."""
        assert self._post("/test/rotate", b"", {}) == "rotated"

    def claims(self, resource, **changed):
        """Claims of a token that is valid, but for what is changed; `None` leaves a claim out."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": resource, "sub": "alice", "client_id": "agent", "iat": now, "exp": now + 300,
                  "jti": os.urandom(8).hex(), "scope": "read act files clipboard script", **changed}
        return {name: value for name, value in claims.items() if value is not None}

    def stop(self):
        """Ends it."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
