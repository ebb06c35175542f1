"""Convert the IR of design documents: two designs that LLVM never released, and listings that omit parts.

`complete` adds what a listing omits, and reports each assumption. `convert` reads the two designs, and the IR that
`pycoro.upgrade.upgrade` reads. Only tests use this package, to run the documents' listings.
"""

from documents.complete import complete
from documents.designs import convert

__all__ = ["complete", "convert"]
