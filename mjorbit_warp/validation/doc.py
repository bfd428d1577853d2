"""The document of a validation: ``python -m mjorbit_warp.validation.doc RESULT.json DOC.md``."""

import json
import pathlib
import sys
from typing import Any

from mjorbit_warp.run_file import replacing
from mjorbit_warp.validation.report import bound, growth, number
from mjorbit_warp.validation.run import verdicts

INTRO = """# Accuracy

Made by `python -m mjorbit_warp.validation.doc` from `benchmarks/results/validate.json`, the result of
`mjorbit-warp validate --backend both --json FILE`. Do not edit it by hand.

Variants: `reference` is the NumPy backend in float64; `warp` and `shadow` are the Warp backend in float32 and with
`precision="shadow"`; `host` needs neither. "Growth" is the error at about a quarter, half and all of the run.
"""


def _case(name: str, case: dict[str, Any]) -> list[str]:
    out = [f"## {name}", "", case["title"][0].upper() + case["title"][1:] + ".", ""]
    out += [f"- {key}: {case[key]}" for key in ("frame", "epoch", "forces", "integrator", "step", "truth")]
    out += ["", "| variant | quantity | worst | allowed | growth | |", "|---|---|---|---|---|---|"]
    reasons: dict[str, list[str]] = {}
    for variant, result in case["variants"].items():
        if result["verdict"] == "SKIPPED":
            out.append(f"| {variant} | | | | {result['why']} | SKIPPED |")
            continue
        for quantity, q in result["quantities"].items():
            row = (variant, quantity, f"{number(q['worst'])} {q['unit']}".rstrip(), bound(q), growth(q), q["verdict"])
            out.append("| " + " | ".join(row) + " |")
            if quantity not in reasons.setdefault(q["reason"], []):
                reasons[q["reason"]].append(quantity)
    out.append("")
    out += [f"Allowed in {', '.join(names)}: {reason}.\n" for reason, names in reasons.items()]
    return out


def document(result: dict[str, Any]) -> str:
    """Markdown of a result."""
    found = verdicts(result)
    counts = ", ".join(f"{len(names)} {verdict}" for verdict, names in found.items() if names)
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    out = [
        INTRO,
        f"{len(result['cases'])} cases, by variant {counts}. Processor: {result['processor']}. {versions}.",
        "",
    ]
    if found["SKIPPED"]:
        out += [f"Skipped: {', '.join(found['SKIPPED'])}.", ""]
    for name, case in result["cases"].items():
        out += _case(name, case)
    return "\n".join(out).rstrip() + "\n"


def main(argv: list[str]) -> int:
    """Write the document of a result."""
    if len(argv) != 2:
        print("use: python -m mjorbit_warp.validation.doc RESULT.json DOC.md", file=sys.stderr)
        return 2
    result = json.loads(pathlib.Path(argv[0]).read_text(encoding="utf-8"))
    with replacing(argv[1]) as part:
        part.write_text(document(result), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
