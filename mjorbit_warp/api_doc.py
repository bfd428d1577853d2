"""The list of public names: ``python -m mjorbit_warp.api_doc docs/api.md`` writes it from the docstrings."""

import importlib
import inspect
import pathlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from mjorbit_warp.run_file import replacing

MODULES = (
    "mjorbit_warp",
    "mjorbit_warp.hardware",
    "mjorbit_warp.frames",
    "mjorbit_warp.reference",
    "mjorbit_warp.planning",
    "mjorbit_warp.datasets",
    "mjorbit_warp.envs",
    "mjorbit_warp.models",
)
IN_FULL = "mjorbit_warp.hardware"  # its attributes are what the add_… methods and <custom> take
_SIMPLE = (type(None), bool, int, float, str)
INTRO = """# Public names

Made by `python -m mjorbit_warp.api_doc docs/api.md` from the docstrings, which say more: shapes, units, frames, errors,
sources of equations. Do not edit it by hand. What is not listed here may change without notice.

`import mjorbit_warp as mjo` and `from mjorbit_warp import reference as mjo_ref`; functions of both take (model, data).
`MjoModel` and `MjoData` also forward the attributes of the MJWarp objects that they hold as `.mjw`, and `MjoSpec` those
of `mujoco.MjSpec`. Adapters with dependencies of their own: `mjorbit_warp.envs.gymnasium_env.GymnasiumEnv` (extra
`gym`), `mjorbit_warp.envs.rsl_rl_env.RslRlEnv`, `mjorbit_warp.envs.sb3_env.Sb3Env` (extra `rl`) and
`mjorbit_warp.envs.torch_env.TorchEnv` (extra `torch`). The command line is in `mjorbit-warp --help`.
"""


def public_names(module: types.ModuleType) -> list[str]:
    """Names that a module offers: its own, and those that it takes over from this package under their own name."""
    own = module.__name__ == "mjorbit_warp.frames" or not hasattr(module, "__path__")
    out = []
    for name, value in vars(module).items():
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        home = getattr(value, "__module__", None)
        if home is None or not home.startswith("mjorbit_warp"):
            if name.isupper() and not isinstance(value, type | types.GenericAlias):
                out.append(name)
        elif not own or home == module.__name__:
            out.append(name)
    return sorted(out, key=str.lower)


def summary(value: Any) -> str:
    """First sentence of a docstring; empty if there is none. What dataclass makes up does not count."""
    doc = inspect.getdoc(value) or ""
    if isinstance(value, type) and ("__doc__" not in vars(value) or doc.startswith(f"{value.__name__}(")):
        return ""
    return " ".join(doc.split("\n\n")[0].split())


def signature(value: Any) -> str:
    """Parameters with their defaults, where those are plain values."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    words, starred = [], False
    for p in found.parameters.values():
        if p.name in ("self", "cls"):
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            words.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = 1 if p.kind is p.VAR_POSITIONAL else 2 if p.kind is p.VAR_KEYWORD else 0
        text = stars * "*" + p.name
        if p.default is not p.empty:
            text += f"={p.default!r}" if isinstance(p.default, _SIMPLE) else "=…"
        words.append(text)
    return f"({', '.join(words)})"


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class, or a base of this package, defines, as written there."""
    seen = set()
    for owner in cls.__mro__:
        if not owner.__module__.startswith("mjorbit_warp"):
            continue
        for name, value in vars(owner).items():
            kind = isinstance(value, types.FunctionType | property | classmethod | staticmethod)
            if kind and not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, value


def _line(name: str, value: Any, bullet: str) -> str:
    plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    shown = signature(plain) if callable(plain) and not isinstance(plain, property) else ""
    return f"{bullet} `{name}{shown}` — {summary(plain)}"


def entry(name: str, value: Any) -> list[str]:
    """A name with its line; a class with its members."""
    if not callable(value):
        shown = ", ".join(map(str, value)) if isinstance(value, dict | tuple | list) else repr(value)
        return [f"- `{name}` — {type(value).__name__}: {shown}"]
    if not isinstance(value, type):
        return [_line(name, value, "-")]
    return [f"- `{name}` — {summary(value)}", *(_line(key, part, "  -") for key, part in members(value))]


def in_full(name: str, cls: type) -> list[str]:
    """A class with its whole docstring, sections as they are."""
    out = ["", f"### {name}", ""]
    for part in (inspect.getdoc(cls) or "").split("\n\n"):
        out += ["```", part, "```", ""] if part.partition("\n")[0].endswith(":") else [part, ""]
    return out[:-1]


def document() -> str:
    """Markdown of every public name."""
    out = [INTRO]
    for path in MODULES:
        module = importlib.import_module(path)
        out += [f"## {path}", "", summary(module), ""]
        found = {name: getattr(module, name) for name in public_names(module)}
        full = {name: value for name, value in found.items() if path == IN_FULL and isinstance(value, type)}
        for name, value in found.items():
            out += [] if name in full else entry(name, value)
        for name, value in full.items():
            out += in_full(name, value)
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def main(argv: list[str]) -> int:
    """Write the list."""
    if len(argv) != 1:
        print("use: python -m mjorbit_warp.api_doc DOC.md", file=sys.stderr)
        return 2
    with replacing(pathlib.Path(argv[0])) as part:
        part.write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
