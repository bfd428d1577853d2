"""What MuJoCo reads over in a model's text: NaN, taken for "not given", and bytes that are no UTF-8."""

import re

_COMMENT = re.compile(r"<!--.*?-->", re.S)
_ELEMENT = re.compile(r"<([\w:]+)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))+)")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_NAN = re.compile(r"[+-]?nan(\(\w*\))?", re.I)


def _numbers_with_nan(value: str) -> bool:
    found = False
    for word in value.split():
        if _NAN.fullmatch(word):
            found = True
            continue
        try:
            float(word)
        except ValueError:
            return False
    return found


def written_nan(text: str) -> str | None:
    """The first attribute of an XML text with NaN among its numbers, as ``<mass value="nan">``; None without one."""
    if not re.search("nan", text, re.I):
        return None
    elements = [
        (tag, [(name, one or two) for name, one, two in _ATTRIBUTE.findall(rest)])
        for tag, rest in _ELEMENT.findall(_COMMENT.sub("", text))
    ]
    # something may be called nan
    names = {value for _, pairs in elements for name, value in pairs if name in ("name", "class")}
    for tag, pairs in elements:
        if tag in ("text", "numeric"):  # the user's own, or options of ours, which are looked at where they are read
            continue
        for name, value in pairs:
            if value not in names and _numbers_with_nan(value):
                return f'<{tag} {name}="{value}">'
    return None


def refuse_nan(text: str, where: str) -> None:
    """ValueError if a model text has NaN among its numbers."""
    if what := written_nan(text):
        raise ValueError(f"{where} has {what}: MuJoCo would take NaN as not given, finite numbers are expected")


def refuse_bytes(text: str, where: str) -> None:
    """ValueError if a model text, read with errors="replace", was not UTF-8; in a comment it does no harm."""
    bare = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    if (at := bare.find("\ufffd")) >= 0:
        line = bare.count("\n", 0, at) + 1
        raise ValueError(f"{where}, line {line}: a character that is not UTF-8: save the file as UTF-8")
