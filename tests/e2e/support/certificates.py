"""Certificates of an authority of the tests' own, made by openssl."""

import os
import ssl
import subprocess

from . import PATIENCE


def openssl(*words):
    """Runs openssl, which has to succeed."""
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)


class Authority:
    """An authority in a folder."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.certificate, self.key = folder / "authority.pem", folder / "authority.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
                "-subj", "/CN=authority of the tests", "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, hosts=("DNS:desk.example", "DNS:localhost", "IP:127.0.0.1"), kind=("ec", "ec_paramgen_curve:P-256")):
        """A certificate and its key: their paths."""
        algorithm, option = kind
        certificate, key, request = (self.folder / f"{name}.{ending}" for ending in ("pem", "key", "csr"))
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={','.join(hosts)}\n", encoding="ascii")
        openssl("genpkey", "-algorithm", algorithm, *(("-pkeyopt", option) if option else ()), "-out", key)
        openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial", "-days", 2,
                "-extfile", extensions, "-out", certificate)
        os.chmod(key, 0o600)
        return certificate, key

    def trust(self):
        """What a client needs to trust its certificates."""
        return ssl.create_default_context(cafile=str(self.certificate))
