"""Buffers of contacts and constraints that are too small unless make_data is told."""

from mjorbit_warp.advice.record import Advice
from mjorbit_warp.report import BufferReport


def buffer_advice(buffers: BufferReport) -> list[Advice]:
    """A warning if a pose of the model overflows them, information if its geoms could."""
    seen = buffers.seen_contacts > buffers.nconmax or buffers.seen_rows > buffers.njmax
    if not seen and buffers.contacts <= buffers.nconmax and buffers.rows <= buffers.njmax:
        return []
    sizes = []
    if buffers.contacts > buffers.nconmax:
        sizes.append(f"nconmax={buffers.contacts}")
    if buffers.rows > buffers.njmax:
        sizes.append(f"njmax={buffers.rows}")
    what = (
        f"at {buffers.seen_at} there are {buffers.seen_contacts} contacts and {buffers.seen_rows} rows"
        if seen
        else f"at worst there are {buffers.reason}"
    )
    return [
        Advice(
            "warning" if seen else "info",
            "buffers",
            "make_data",
            f"{what}; its defaults are nconmax={buffers.nconmax} and njmax={buffers.njmax}, and what is beyond them is "
            "dropped",
            f"make_data(…, {', '.join(sizes) or f'njmax={buffers.seen_rows}'}) fits the worst case; "
            "data.bad_worlds() names worlds that overflow",
        )
    ]
