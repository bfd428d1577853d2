"""``mjorbit-warp bench``: throughput, and what the orbit costs."""

import sys
from typing import Annotated, Literal

from mjorbit_warp.cli.common import arg, warp_device, writable_output
from mjorbit_warp.run_file import replacing


def bench(
    *,
    scene: Annotated[tuple[str, ...], arg("NAME …", "default: all")] = (),
    nworld: Annotated[tuple[int, ...], arg("N …", "default: the scenes' own")] = (),
    integrator: Annotated[tuple[str, ...], arg("NAME …", "default: RK4 implicitfast")] = (),
    device: Annotated[str | None, arg("NAME", "default: a GPU if there is one")] = None,
    repeat: Annotated[int, arg("N", "default: 9")] = 9,
    sample: Annotated[float, arg("SECONDS", "default: 0.2")] = 0.2,
    format: Annotated[Literal["human", "short", "json"], arg("{human,short,json}", "default: human")] = "human",
    out: Annotated[str | None, arg("FILE.json")] = None,
    study: Annotated[tuple[str, ...], arg("NAME …")] = (),
    nthread: Annotated[int, arg("N", "default: all CPUs")] = 0,
    warp_only: Annotated[bool, arg(None, "default: off")] = False,
    smoke: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Measure bare MuJoCo Warp, MuJoCo C and this library on the same scenes, in the same rounds.

    Every time on a Warp device is that of a replayed graph. A cell in which a run was not captured, dropped contacts or
    was not finite is refused, and then the exit code is 1. Basilisk's MJScene takes part where it is installed, or
    where MJORBIT_BASILISK_PYTHON names a Python that has it.

    Args:
      scene: scenes, those of bench/scenes.toml.
      nworld: numbers of worlds.
      integrator: RK4, implicitfast.
      device: Warp device, as cpu or cuda:0.
      repeat: rounds; every contender runs in each.
      sample: least duration of a sample [s].
      format: tables, a line per figure, or everything with the raw samples.
      out: write everything there as JSON too.
      study: instead of scenes: reference, basilisk, bodies, surfaces, plates, first_step, first_step_cold,
        deterministic.
      nthread: threads of MuJoCo C and of the reference.
      warp_only: without MuJoCo C, the reference and Basilisk.
      smoke: one small scene with 2 worlds, to see that everything runs.
    """
    import dataclasses

    from mjorbit_warp.bench import SMOKE, Settings, load_scenes, run
    from mjorbit_warp.bench.report import report
    from mjorbit_warp.bench.scenes import MEASURED
    from mjorbit_warp.bench.studies import check_studies, run_studies

    path = None if out is None else writable_output("--out", out, ".json")
    load_scenes(scene)
    check_studies(study)
    chosen = warp_device(device)
    settings = Settings(
        scenes=scene,
        nworld=nworld,
        device=chosen.alias,
        repeat=repeat,
        sample_s=sample,
        integrators=integrator or MEASURED,
        nthread=nthread,
        host=not warp_only,
    )
    if smoke:
        settings = dataclasses.replace(SMOKE, device=chosen.alias, host=not warp_only)

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    result = run_studies(study, settings, say) if study else run(settings, say)
    if path is not None:
        with replacing(path) as part:
            part.write_text(report(result, "json") + "\n", encoding="utf-8")
    print(report(result, format))
    return 1 if result.get("refused") else 0
