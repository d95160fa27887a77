"""Files with pictures, and disks on which they cannot be written."""

import os
import subprocess


def identified(path):
    """What a file is, by ImageMagick: (format, width, height). Fails where it is not a whole picture."""
    result = subprocess.run(["/usr/bin/identify", "-regard-warnings", "-verbose", "-format", "%m %w %h", str(path)],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0 and not result.stderr, f"{path}: {result.stdout[-300:]} {result.stderr}"
    kind, width, height = result.stdout.split()
    return kind, int(width), int(height)


def pixels(source):
    """The pixels of a file, or of an encoded picture, by ImageMagick: PPM."""
    words = {"input": source} if isinstance(source, bytes) else {}
    name = "-" if isinstance(source, bytes) else str(source)
    return subprocess.run(["/usr/bin/convert", name, "-depth", "8", "ppm:-"], capture_output=True, check=True, **words).stdout


def in_own_mounts(script):
    """Words that run a shell script where what it mounts is seen by no other process. `"$@"` are the words that follow."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    return [*unshare, "/bin/sh", "-c", script, "sh"]


def on_small_disk(folder, size="64k"):
    """Words that run a program for which `folder` is a disk of that size. The script sees its exit code."""
    return in_own_mounts(f'mount -t tmpfs -o size={size} none "{folder}" && exec "$@"')
