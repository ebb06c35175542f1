/* Follows an address through a presplit function: visits its uses, and those of the values that are derived from it.
   Requires: number, shape, cfg.
   Guarantees: each derived value is followed once. The cost is proportional to the uses. */
#pragma once

#include "analysis/cfg.h"
#include "graph/worklist.h"
#include "ir/pointer_use.h"

enum pointer_effect {
  POINTER_ESCAPES,  /* captures the address */
  POINTER_READ,     /* reads the content, or compares the address */
  POINTER_WRITTEN,  /* may write the content */
  POINTER_ALIAS,    /* the result is, or contains, the address */
  POINTER_LIFETIME_START,
  POINTER_LIFETIME_END,
  POINTER_IGNORED   /* a coroutine intrinsic without access */
};

struct pointer_walk {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  struct worklist aliases; /* instructions with the address as, or in, their results */
  uint32_t address; /* its uses are visited */
  LLVMUseRef use; /* its next use; NULL: none */
  uint32_t returned; /* a call that was visited as an access, and is an alias as well; IR_NONE: none */
};

struct pointer_visit {
  uint32_t inst;    /* the user */
  uint32_t address; /* the value that it uses */
  enum pointer_effect effect;
};

bool pointer_walk_init(struct pointer_walk *walk, struct coro_arena *arena, const struct ir_fn *fn,
                       const struct coro_shape *shape, const struct coro_cfg *cfg);
void pointer_walk_start(struct pointer_walk *walk, uint32_t address);
/* The next use, in reachable code. An alias is visited once, however many operands it has. A call that captures the
   address only by returning it (`captures(ret: address, provenance)`) is an access, and then an alias; before
   coro.begin, where no address can be rematerialized from it, it captures the address. False: none is left. */
bool pointer_walk_next(struct pointer_walk *walk, struct pointer_visit *visit);
