"""Damaged files: what editors, disks, networks and other programs make of a good one."""

import re
from collections.abc import Iterator

import numpy as np

NUMBERS = (
    b"nan",
    b"-nan",
    b"inf",
    b"-inf",
    b"1e999",
    b"1e308",
    b"-1",
    b"0",
    b"1e-320",
    b"99999999999999999999",
    b"0x10",
    b"",
)
WORDS = (
    b"\x00",
    b"\xff\xfe",
    b'"',
    b"<",
    b">",
    b"</",
    b"&",
    b"&lt;",
    b"\n",
    b"=",
    b"[[",
    b"]]",
    b"\xe2\x82\xac",
    b"  ",
)
_NUMBER = re.compile(rb"-?\d+\.?\d*(?:e-?\d+)?")


def _once(data: bytes, rng: np.random.Generator) -> bytes:
    at, end = sorted(int(x) for x in rng.integers(0, len(data) + 1, 2))
    match int(rng.integers(0, 9)):
        case 0:  # cut short
            return data[:at]
        case 1:  # a part is missing
            return data[:at] + data[min(end, at + 40) :]
        case 2:  # a part comes twice
            return data[:end] + data[at:end][:400] + data[end:]
        case 3:  # bytes changed
            out = bytearray(data)
            for i in rng.integers(0, max(1, len(out)), int(rng.integers(1, 8))):
                if out:
                    out[int(i) % len(out)] = int(rng.integers(0, 256))
            return bytes(out)
        case 4:  # something in between
            return data[:at] + WORDS[int(rng.integers(len(WORDS)))] + data[at:]
        case 5:  # noise
            return data[:at] + rng.bytes(int(rng.integers(1, 60))) + data[at:]
        case 6:  # two lines changed places
            lines = data.split(b"\n")
            i, j = (int(x) for x in rng.integers(0, len(lines), 2))
            lines[i], lines[j] = lines[j], lines[i]
            return b"\n".join(lines)
    found = list(_NUMBER.finditer(data))  # a number that no one meant
    if not found:
        return data + b"\x00"
    spot = found[int(rng.integers(len(found)))]
    return data[: spot.start()] + NUMBERS[int(rng.integers(len(NUMBERS)))] + data[spot.end() :]


def mutations(data: bytes, count: int, seed: int = 0) -> Iterator[bytes]:
    """``count`` damaged copies, the same ones for the same seed; each tenth is nothing but noise."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        if k % 10 == 9:
            yield rng.bytes(int(rng.integers(0, 300)))
            continue
        out = data
        for _ in range(int(rng.integers(1, 4))):
            out = _once(out, rng)
        yield out
