"""Reading the command line; what is wrong with it in one sentence, where tyro would draw a panel."""

import contextlib
import functools
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

KINDS = {"INT": "an integer", "FLOAT": "a number"}


class UsageError(ValueError):
    """A command line that does not parse."""


def _sentence(panel: str, prog: str) -> str:
    """The panel's complaint in one sentence; text that a new tyro words in another way is joined as it is."""
    lines = [line.strip("│╭╮╰╯ \n") for line in panel.splitlines()[1:]]
    sections = re.split(r"─{3,}", " ".join(line for line in lines if line))
    text, rest = " ".join(sections[0].split()), " ".join(sections[1:])
    if found := re.match(r"Error parsing (\S+): no type matching (\S+) could be instantiated from (.*?)\. Got", text):
        kind = next((words for name, words in KINDS.items() if name in found[2]), found[2])
        return f"{found[1]} is {found[3].strip('[]')}: {kind} is expected"
    if found := re.match(r"Error parsing (\S+): invalid literal for \S+ .*: (.*?)\.?$", text):
        return f"{found[1]} is {found[2]}: an integer is expected"
    if found := re.match(r"Error parsing (\S+): could not convert string to float: (.*?)\.?$", text):
        return f"{found[1]} is {found[2]}: a number is expected"
    if found := re.match(r"invalid choice (\S+) for argument '(\S+)'. Expected one of \((.*)\)", text):
        allowed = sorted(set(re.findall(r"'([^']*)'", found[3])) - {"None"})
        return f"{found[2]} is {found[1]}: allowed are {', '.join(allowed)}"
    if found := re.match(r"Missing from (.*?): (\S+)", text):
        return f"{found[1]} needs {found[2]}: {found[1]} --help says more"
    if found := re.match(r"Missing value for argument '(\S+?)'", text):
        return f"{found[1]} has no value after it"
    if found := re.match(r"Unrecognized (?:options|or misplaced options): ?(.*)", text):
        word = found[1].split()[0].rstrip(",")
        like = re.search(r"Perhaps you meant: *(--\S+)", rest)
        hint = f"perhaps you meant {like[1]}" if like and like[1] != word else f"{prog} --help lists what is"
        return f"{word} is not known to {prog}: {hint}"
    return text or "the command line does not parse"


@contextlib.contextmanager
def _wide() -> Iterator[None]:
    """A terminal in which no line is broken."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "10000"
    try:
        yield
    finally:
        del os.environ["COLUMNS"]
        if before is not None:
            os.environ["COLUMNS"] = before


def parse(
    commands: Mapping[str, Callable[..., int]], prog: str, description: str, args: list[str]
) -> Callable[[], int]:
    """The chosen command with its arguments bound, not run yet.

    Raises:
      UsageError: an option or value that is not known.
      SystemExit: help was asked for, and printed.
    """
    import tyro

    def later(function: Callable[..., int]) -> Callable[..., Any]:
        @functools.wraps(function)
        def bind(*words: Any, **options: Any) -> Any:
            return functools.partial(function, *words, **options)

        return bind

    def read() -> Any:
        return tyro.extras.subcommand_cli_from_dict(
            {name: later(function) for name, function in commands.items()},
            prog=prog,
            description=description,
            args=args,
            config=(tyro.conf.FlagCreatePairsOff,),
        )

    if {"-h", "--help"} & set(args):
        return read()
    with contextlib.redirect_stderr(io.StringIO()) as said, _wide():
        try:
            return read()
        except SystemExit:
            which = f"{prog} {args[0]}" if args and args[0] in commands else prog
            raise UsageError(_sentence(said.getvalue(), which)) from None
