"""Resolves `bytes` in a signature as Python's type, not as the package's attribute with the same name."""

from __future__ import annotations

import builtins

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import ReferencesResolver, SphinxPostTransform


class BuiltinTypes(SphinxPostTransform):
    """Replaces references to builtin types with their text."""

    default_priority = ReferencesResolver.default_priority - 1

    def run(self, **_options: object) -> None:
        for reference in list(self.document.findall(pending_xref)):
            if reference.get("reftype") == "class" and hasattr(builtins, reference["reftarget"]):
                reference.replace_self(reference.children or [nodes.Text(reference["reftarget"])])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(BuiltinTypes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
