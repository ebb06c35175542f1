/* Prints the results of each lowering stage as text. Values, instructions and blocks are named as LLVM prints them;
   output is deterministic.
   Requires: the stage and those before it. Guarantees: the analyses do not change. */
#ifndef CORO_PRINT_PRINT_H
#define CORO_PRINT_PRINT_H

#include "base/vec.h"
#include "lowering/lowering.h"

struct print {
  const struct coro_lowering *low;
  struct coro_arena *arena;
  struct ir_text text;
  CORO_VEC(char) made;
};

bool print_start(struct print *p,
                 const struct coro_lowering *low); /* requires a numbered function. False: out of memory */
/* The text printed since print_start; NULL: out of memory. */
const char *print_end(struct print *p);

void print(struct print *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *value_text(struct print *p, uint32_t value); /* "%x", "%1" */
const char *instruction_text(struct print *p, uint32_t inst);   /* the whole instruction */
const char *block_text(struct print *p, uint32_t block); /* "%entry" */
const char *node_text(struct print *p, uint32_t node); /* "%entry"; "%entry.1" is its second fragment; "landing 0" */
const char *field_text(struct print *p, uint32_t field); /* "resume", "%x" */

#define CORO_STAGE(name, needs, leaves) void coro_##name##_print(struct print *p);
#define CORO_CHECK(name, needs, asks)
#define CORO_WORK(name, needs, leaves)
#include "lowering/stages.def"

#endif
