"""Programs that run in the background on loopback for as long as a test needs them."""

import pathlib
import random
import socket
import subprocess
import time
import urllib.error
import urllib.request

HOST = "127.0.0.1"
START_LIMIT_S = 30
STOP_LIMIT_S = 5

# Below the range from which the system takes ports for outgoing connections, so that none is lost before it is used.
PORTS = range(20000, 30000)


class StartError(Exception):
    """A program that ended or stayed silent instead of becoming ready."""


def free_ports(count: int) -> list[int]:
    """Picks ports that nobody listens on."""
    ports: list[int] = []
    while len(ports) < count:
        port = random.choice(PORTS)
        if port not in ports and _is_free(port):
            ports.append(port)
    return ports


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


class Background:
    """One program, started on entry and ended on exit; its output goes to a log file."""

    def __init__(self, name: str, command: list, log: pathlib.Path, folder: pathlib.Path) -> None:
        self.name = name
        self.command = [str(word) for word in command]
        self.log = log
        self.folder = folder

    def __enter__(self) -> "Background":
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder
            )
        return self

    def __exit__(self, *_error) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait_for(self, url: str) -> None:
        """Waits until the program answers 200 at the URL."""
        end = time.monotonic() + START_LIMIT_S
        last = "nothing"
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise StartError(f"{self.name} ended with {self.process.returncode}:\n{self._tail()}")
            try:
                with urllib.request.urlopen(url, timeout=2):
                    return
            except urllib.error.HTTPError as error:
                last = f"{error.code} {error.read(300).decode(errors='replace')}"
            except OSError as error:
                last = str(error)
            time.sleep(0.1)
        raise StartError(f"{self.name} is not ready after {START_LIMIT_S} s, {url} answers {last}:\n{self._tail()}")

    def _tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])
