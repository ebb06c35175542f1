/* Looks up LLVM's number of an enum attribute by its name. LLVM compares the name with those of all attributes; queries
   repeat a few names for each function and call, so each thread caches them.
   Requires: LLVM-C. Guarantees: no module is accessed. */
#pragma once

unsigned attribute_kind(const char *name); /* 0: LLVM has no such attribute */
