/* The program's memory objects. Freed objects stay registered for a while, so that use after free is reported with the
   object's name.
   Requires: shadow, page_probe. Guarantees: each access is inside one live object, or ends the execution with a
   diagnostic. */
#pragma once

#include "interp/page_probe.h"
#include "interp/shadow.h"
#include "llvm-c/Types.h"

struct interp;
struct op;

enum object_kind { OBJECT_OTHER, OBJECT_VARIABLE, OBJECT_GLOBAL, OBJECT_HEAP, OBJECT_SHARED };

struct origin { /* source of an object, for diagnostics */
  unsigned char kind;
  unsigned char family; /* which functions may free it: heap.c */
  LLVMValueRef value; /* the alloca, call or global; may be NULL */
  const char *allocator; /* the function that allocated it; NULL: it must not be freed */
};

struct block {
  struct block *next, **link; /* owner's list; next is also used by the list of freed objects */
  struct block *left, *right; /* treap */
  uint64_t start, size;
  struct origin origin;
  bool dead;
};

struct memory {
  struct block *objects, *recent[64];
  uint64_t total; /* bytes of live objects */
  struct shadow shadow;
  struct block *dead, *dead_last; /* recently freed objects, kept to detect late uses */
  size_t dead_size;
  struct probe probe;
};

/* Create an object with undefined contents; object_allocate_in_list also puts it on a list. NULL, 0: limit exceeded,
   the execution has ended. */
struct block *object_create(struct interp *in, uint64_t size, uint64_t align, struct origin origin);
uint64_t object_allocate_in_list(struct interp *in, struct block **list, uint64_t size, uint64_t align,
                                 struct origin origin);
void object_end_lifetime_and_check_redzones(struct interp *in, const struct op *op, struct block *block);
/* Ends the lifetime of the listed object that starts at the address. False: there is none. */
bool object_free_listed_at_address(struct interp *in, const struct op *op, uint64_t address);
void object_end_lifetimes_of_list(struct interp *in, const struct op *op, struct block **list);
void object_free_all_of_interpreter(struct interp *in);
bool object_size_is_supported(uint64_t size, uint64_t align); /* an object of this size and alignment is permitted */

/* Registers host memory as accessible; true without effect if the size is 0 or one live object contains the range.
   False: out of memory, an invalid range, or one that overlaps an object of the program. */
bool object_register_host_memory(struct interp *in, uint64_t start, uint64_t size, struct origin origin);
void object_unregister_host_memory(struct interp *in, uint64_t start);

/* The object, live or freed, that contains or ends at the address; NULL: none. */
struct block *object_containing_or_ending_at(struct memory *memory, uint64_t address);
void object_describe(const struct block *block, char *text, size_t size); /* for diagnostics */
/* True inside one live object, and in mapped memory of a trusting host. */
bool object_is_accessible(struct interp *in, uint64_t address, uint64_t size, bool write);
/* Checks an access; if it is invalid, ends the execution. */
bool object_check_access(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write);
