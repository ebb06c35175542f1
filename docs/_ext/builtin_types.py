"""`bytes` in a signature is Python's type, and no reference to an attribute of the package that has its name."""

from __future__ import annotations

import builtins

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import ReferencesResolver, SphinxPostTransform


class BuiltinTypes(SphinxPostTransform):
    """Leaves the text of such references."""

    default_priority = ReferencesResolver.default_priority - 1

    def run(self, **_options: object) -> None:
        for reference in list(self.document.findall(pending_xref)):
            if reference.get("reftype") == "class" and hasattr(builtins, reference["reftarget"]):
                reference.replace_self(reference.children or [nodes.Text(reference["reftarget"])])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(BuiltinTypes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
