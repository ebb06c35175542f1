/* Objects: what memory the program has. What is gone stays for a while, so that a late use is told by its name.
   Needs: shadow, probe. Leaves: every access inside one object that lives, or an end that names place and object. */
#ifndef CORO_INTERP_OBJECT_H
#define CORO_INTERP_OBJECT_H

#include "interp/probe.h"
#include "interp/shadow.h"
#include "llvm-c/Types.h"

struct interp;
struct op;

enum object_kind { OBJECT_OTHER, OBJECT_VARIABLE, OBJECT_GLOBAL, OBJECT_HEAP, OBJECT_SHARED };

struct origin { /* of an object, to name it by */
  unsigned char kind;
  unsigned char family; /* who may give it back: heap.c */
  LLVMValueRef value;   /* the alloca, the call, the variable; NULL */
  const char *giver;    /* the function that gave it, NULL where it is not to be given back */
};

struct block {
  struct block *next, **link; /* in the list of whom it belongs to; next also in that of what is gone */
  struct block *left, *right; /* in the tree */
  uint64_t start, size;
  struct origin origin;
  bool dead;
};

struct memory {
  struct block *objects, *recent[64];
  uint64_t total; /* bytes of objects that live */
  struct shadow shadow;
  struct block *dead, *dead_last; /* kept for a while so that late uses are seen */
  size_t dead_size;
  struct probe probe;
};

/* Undefined bytes, on no list, or at the head of one. NULL, 0: there is no room, and the execution has ended. */
struct block *object_new(struct interp *in, uint64_t size, uint64_t align, struct origin origin);
uint64_t object_add(struct interp *in, struct block **list, uint64_t size, uint64_t align, struct origin origin);
void object_end(struct interp *in, const struct op *op, struct block *block); /* it may not be used any more */
bool object_drop(struct interp *in, const struct op *op, uint64_t address);   /* one that is on a list */
void object_release(struct interp *in, const struct op *op, struct block **list);
void object_free_all(struct interp *in);
bool object_fits(uint64_t size, uint64_t align); /* there may be an object of that size */

/* The host's memory that the program may use. False: memory ran out, or the address is none. */
bool object_share(struct interp *in, uint64_t start, uint64_t size, struct origin origin);
void object_unshare(struct interp *in, uint64_t start);

/* The object that has the byte at the address or ends there, gone or not; NULL. */
struct block *object_at(struct memory *memory, uint64_t address);
void object_name(const struct block *block, char *text, size_t size);                 /* for people */
bool object_owns(struct interp *in, uint64_t address, uint64_t size); /* the program does, inside of one object */
/* Whether the program may touch it; if not, the execution has ended. */
bool object_check(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write);

#endif
