/* The live objects of a module's values, by value: each value has one, so that `is` says whether two are the same.
   Needs: the GIL held. Leaves: borrowed references alone: an object takes itself out when it goes. */
#ifndef CORO_PY_IR_TABLE_H
#define CORO_PY_IR_TABLE_H

#include "state.h"

#include "llvm-c/Types.h"

enum ir_kind {
#define IR_KIND(name, class) IR_##name,
#include "ir_kinds.def"
  IR_KINDS
};

struct value_object { /* of pycoro._core.Value, or of a class of pycoro.ir, which has nothing besides */
  struct core_object base;
  PyObject *module;   /* the _core.Module, kept alive */
  LLVMValueRef value; /* a block as LLVMBasicBlockAsValue; NULL: gone */
  enum ir_kind kind;  /* of what it is or was: the class can be changed by Python, this can not */
  bool erased;        /* it is gone, the rest of the module is as it was */
};

struct value_table { /* all zero is an empty one */
  struct value_object **slots;
  size_t count, capacity; /* a power of two, or 0 */
  size_t metadata;        /* how many of them are IR_METADATA */
};

struct value_object *value_table_find(const struct value_table *table, LLVMValueRef value); /* NULL: none */
/* In the place of another object of the same value, if there is one. False, with MemoryError set: nothing is put. */
bool value_table_put(struct value_table *table, struct value_object *object);
void value_table_remove(struct value_table *table, const struct value_object *object); /* where it is in it */
void value_table_free(struct value_table *table);                                        /* leaves an empty one */
/* After the IR was replaced, as a run does: all objects are stale from now on, and the table is empty. */
void value_table_forget(struct value_table *table);

#endif
