/* Live Value objects of a module, by LLVM value: each value has one object, so `is` compares values.
   Requires: the GIL held.
   Guarantees: the table holds borrowed references; an object removes itself when it is deallocated. */
#pragma once

#include "state.h"

#include "llvm-c/Types.h"

enum ir_kind {
#define IR_KIND(name, class) IR_##name,
#include "ir_kinds.def"
  IR_KINDS
};

struct value_object { /* of pycoro._core.Value, or of a class of pycoro.ir with the same layout */
  struct core_object base;
  PyObject *module;   /* the _core.Module, a strong reference */
  LLVMValueRef value; /* blocks as LLVMBasicBlockAsValue; NULL: stale */
  enum ir_kind kind;  /* kind of the value; Python code may change __class__ but not this */
  bool erased;        /* only this value was erased; the rest of the module is unchanged */
};

struct value_table { /* all zero: empty */
  struct value_object **slots;
  size_t count, capacity; /* capacity is a power of two, or 0 */
  size_t metadata;        /* number of entries of kind IR_METADATA */
};

struct value_object *value_table_find(const struct value_table *table, LLVMValueRef value); /* NULL: none */
/* Inserts an object, replacing one of the same value. False with MemoryError set: unchanged. */
bool value_table_put(struct value_table *table, struct value_object *object);
void value_table_remove(struct value_table *table, const struct value_object *object); /* no effect if absent */
void value_table_free(struct value_table *table);                                        /* leaves an empty table */
/* Makes all objects stale and empties the table, after a run has replaced the IR. */
void value_table_mark_stale_and_empty(struct value_table *table);
