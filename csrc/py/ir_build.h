/* Builders: one function per row of ir_builders.def.
   Requires: ir_building.h. */
#ifndef CORO_PY_IR_BUILD_H
#define CORO_PY_IR_BUILD_H

#include "ir_building.h"

typedef LLVMValueRef ir_build(struct build_site *site, PyObject *args);
#define IR_BUILDER(name, role, arguments) ir_build ir_build_##name;
#include "ir_builders.def"

void ir_set_fast(LLVMValueRef built, unsigned fast); /* sets fast-math flags if an instruction was built */

#endif
