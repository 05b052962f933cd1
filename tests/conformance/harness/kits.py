"""The two generations of the conformance kit: how each is divided into runs of pytest."""

import os
import pathlib
import subprocess
from collections.abc import Iterator
from typing import NamedTuple, TextIO

PLUGINS = pathlib.Path(__file__).resolve().parent.parent / "plugins"
TRANSPORTS = ("jsonrpc", "http_json", "grpc")

PART_LIMIT_S = 1200

# Folder and marker of each category of the 0.3 kit, as in its own run_tck.py.
CATEGORIES = {
    "mandatory": ("tests/mandatory/", "mandatory_jsonrpc or mandatory_protocol"),
    "capabilities": ("tests/optional/capabilities/", None),
    "quality": ("tests/optional/quality/", None),
    "features": ("tests/optional/features/", None),
    "transport-equivalence": ("tests/optional/multi_transport/", "transport_equivalence"),
}
# Its mandatory tests for all transports; the others post JSON-RPC whatever transport is asked for.
MANDATORY_FOR_ALL = ("tests/mandatory/protocol/", "mandatory_protocol")


class KitError(Exception):
    """The folder holds no kit that can be run."""


class Part(NamedTuple):
    """One run of pytest; its results carry the name."""

    name: str
    arguments: list[str]


class Kit(NamedTuple):
    """A checkout of the kit."""

    folder: pathlib.Path
    generation: str

    @property
    def python(self) -> pathlib.Path:
        return self.folder / ".venv" / "bin" / "python"

    def parts(self, base: str, transports: list[str]) -> Iterator[Part]:
        return parts_1_0(base, transports) if self.generation == "1.0" else parts_0_3(base, transports)

    def run(self, part: Part, base: str, folder: pathlib.Path, log: TextIO) -> None:
        """Runs one part. Failures are in its report, so the exit code says nothing more."""
        report = folder / f"{part.name}.xml"
        command = [self.python, "-m", "pytest", "--tb=short", "-p", "no:cacheprovider", f"--junitxml={report}"]
        command = [str(word) for word in [*command, *part.arguments]]
        environment = os.environ | {"CONFORMANCE_BASE": base, "PYTHONPATH": str(PLUGINS)}
        # The lab's agents measure by it how long a task that is to be subscribed to again must work.
        environment.setdefault("TCK_STREAMING_TIMEOUT", "2")
        log.write(f"{' '.join(command)}\n")
        log.flush()
        try:
            subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=PART_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            log.write(f"{part.name} did not end within {PART_LIMIT_S} s\n")


def find_kit(folder: pathlib.Path) -> Kit:
    """Tells the generation by where the tests are."""
    if (folder / "tests" / "compatibility").is_dir():
        kit = Kit(folder, "1.0")
    elif (folder / "tests" / "mandatory").is_dir():
        kit = Kit(folder, "0.3")
    else:
        raise KitError(f"{folder} is no checkout of a2a-tck: take its branch 1.0-dev or 0.3.x")
    if not kit.python.is_file():
        raise KitError(f"no Python at {kit.python}: install the kit and its dependencies into a venv there")
    return kit


def parts_1_0(base: str, transports: list[str]) -> Iterator[Part]:
    chosen = ",".join(transports)
    yield Part("all", ["tests/compatibility/", f"--sut-host={base}", f"--transport={chosen}", "-p", "kit_1_0"])


def parts_0_3(base: str, transports: list[str]) -> Iterator[Part]:
    """Each category once per transport, and the one that compares transports with all of them."""
    names = ["rest" if transport == "http_json" else transport for transport in transports]
    common = [f"--sut-url={base}", "--test-scope=all", "-p", "kit_0_3"]
    for category in CATEGORIES:
        for chosen in [",".join(names)] if category == "transport-equivalence" else names:
            for_all = category == "mandatory" and chosen != "jsonrpc"
            tests, marker = MANDATORY_FOR_ALL if for_all else CATEGORIES[category]
            selection = ["-m", marker] if marker else []
            yield Part(f"{category} {chosen}", [tests, f"--transports={chosen}", *selection, *common])
