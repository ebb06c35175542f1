"""Metadata nodes: fields, classes and names that older readers do not parse. Debug information is a hint, so they are dropped."""

from __future__ import annotations

import re

from pycoro.downgrade.line import Line, ignore_remark

__all__ = ["KEYWORDS", "declaration_nodes_with_other_linkage_name", "downgrade_metadata", "drop_linkage_name"]

_FIRST_FIELD = {
    ("DIBasicType", "dataSize"): 22,
    ("DIBasicType", "num_extra_inhabitants"): 20,
    ("DICompileUnit", "sourceLanguageVersion"): 22,
    ("DICompositeType", "bitStride"): 21,
    ("DICompositeType", "enumKind"): 21,
    ("DICompositeType", "num_extra_inhabitants"): 20,
    ("DICompositeType", "specification"): 21,
    ("DILabel", "column"): 21,
    ("DILabel", "coroSuspendIdx"): 21,
    ("DILabel", "isArtificial"): 21,
    ("DILocation", "atomGroup"): 21,
    ("DILocation", "atomRank"): 21,
    ("DISubprogram", "keyInstructions"): 21,
}
_FIRST_CLASS = {"DIFixedPointType": 21, "DISubrangeType": 21}
_NUMBERS = {
    "DW_LANG_Metal": (20, 0x3D),
    "DW_CC_LLVM_DeviceKernel": (21, 0xC7),
    "DW_CC_LLVM_RISCVVLSCall": (21, 0xD0),
}
"""First LLVM version with each name, and its value, which all versions read."""
_LANGUAGES = {
    "Ada": [(2012, "Ada2012"), (2005, "Ada2005"), (1995, "Ada95"), (0, "Ada83")],
    "C": [(201710, "C17"), (201112, "C11"), (199901, "C99"), (0, "C89")],
    "C_plus_plus": [
        (202002, "C_plus_plus_20"),
        (201703, "C_plus_plus_17"),
        (201402, "C_plus_plus_14"),
        (201103, "C_plus_plus_11"),
        (0, "C_plus_plus"),
    ],
    "Cobol": [(1985, "Cobol85"), (0, "Cobol74")],
    "Fortran": [(2018, "Fortran18"), (2008, "Fortran08"), (2003, "Fortran03"), (1995, "Fortran95"), (0, "Fortran90")],
    "OpenCL_C": [(0, "OpenCL")],
    "Pascal": [(0, "Pascal83")],
}
"""Language code of DWARF 5 for a language of DWARF 6 from each version on."""

KEYWORDS = (*(name for _, name in _FIRST_FIELD), *_FIRST_CLASS, *_NUMBERS, "sourceLanguageName", "size", "offset")


def downgrade_metadata(line: Line) -> None:
    """Convert each node of a line that has a class."""
    at = 0
    while at < len(line.words):
        word = line.words[at].text
        if word.startswith("!DI") and line.next_token_is(at, "("):
            _convert_debug_info_node(line, at, word[1:])
        if _NUMBERS.get(word, (0, 0))[0] > line.target:
            line.words[at].text = str(_NUMBERS[word][1])
            line.report_conversion("debug-info", f"{word} becomes its number")
        at += 1


def _convert_debug_info_node(line: Line, token_index: int, kind: str) -> None:
    if _FIRST_CLASS.get(kind, 0) > line.target:
        named = line.find_token("name", token_index)
        name = line.words[named + 2].text if named >= 0 else '""'
        line.remove(token_index + 2, line.closing_bracket_or_last(token_index + 1))
        line.words[token_index].text = "!DIBasicType"
        line.insert(token_index + 2, f"tag: DW_TAG_unspecified_type, name: {name}")
        line.report_conversion("debug-info", f"{kind} becomes an unspecified type")
        return
    version = _field_value_or_empty(line, token_index, "sourceLanguageVersion")
    for start, end in reversed(line.ranges_between_commas(token_index + 1)):
        field = line.words[start].text
        computed = field in ("size", "offset") and line.words[start + 2].text.startswith("!")
        if field == "sourceLanguageName" and line.target < 22:
            line.words[start].text = "language"
            line.words[start + 2].text = _dwarf_5_language_name(line.words[start + 2].text, int(version or 0))
            line.report_conversion("debug-info", "the source language gets its name of DWARF 5")
        elif _FIRST_FIELD.get((kind, field), 0) > line.target or (computed and line.target < 21):
            line.remove_list_element(start, end)
            line.report_conversion("debug-info", f"{field} of {kind} is dropped")


def declaration_nodes_with_other_linkage_name(text: str) -> frozenset[str]:
    """Return the declarations of subprograms with another linkage name than their definition, as that of a constructor
    (``C4Ev``) from that of its variant (``C2Ev``). LLVM before 22 asserts that they are equal."""
    names: dict[str, str] = {}
    definitions: list[tuple[str, str]] = []
    for row in re.findall(r"^!\d+ = [^\n]*!DISubprogram\([^\n]*\blinkageName: [^\n]*", text, re.MULTILINE):
        line = Line.parse(row, 22, "", ignore_remark)
        at = line.find_token("!DISubprogram")
        names[line.words[0].text] = name = _field_value_or_empty(line, at, "linkageName")
        definitions.append((_field_value_or_empty(line, at, "declaration"), name))
    return frozenset(node for node, name in definitions if names.get(node, name) != name)


def drop_linkage_name(line: Line) -> None:
    """Drop the linkage name of a subprogram; its definition has the one that the object file has."""
    for start, end in line.ranges_between_commas(line.find_token("!DISubprogram") + 1):
        if line.words[start].text == "linkageName":
            line.remove_list_element(start, end)
            line.report_conversion("debug-info", "a linkage name that differs from that of the definition is dropped")
            return


def _field_value_or_empty(line: Line, token_index: int, field: str) -> str:
    return next(
        (line.words[start + 2].text for start, _ in line.ranges_between_commas(token_index + 1) if line.words[start].text == field),
        "",
    )


def _dwarf_5_language_name(name: str, version: int) -> str:
    bare = name.removeprefix("DW_LNAME_")
    return "DW_LANG_" + next((code for least, code in _LANGUAGES.get(bare, []) if version >= least), bare)
