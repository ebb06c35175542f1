/* Prints the results of each lowering stage as text. Values, instructions and blocks are named as LLVM prints them;
   output is deterministic.
   Requires: the stage and those before it. Guarantees: the analyses do not change. */
#pragma once

#include "base/vec.h"
#include "lowering/lowering.h"

struct print {
  const struct coro_lowering *low;
  struct coro_arena *arena;
  struct ir_text text;
  CORO_VEC(char) made;
};

bool print_buffer_open(struct print *p,
                       const struct coro_lowering *low); /* requires a numbered function. False: out of memory */
/* The text printed since print_buffer_open; NULL: out of memory. */
const char *print_buffer_text(struct print *p);

void print_buffer_append(struct print *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *text_of_value(struct print *p, uint32_t value); /* "%x", "%1" */
const char *text_of_instruction(struct print *p, uint32_t inst);   /* the whole instruction */
const char *text_of_block(struct print *p, uint32_t block); /* "%entry" */
const char *text_of_cfg_node(struct print *p,
                             uint32_t node); /* "%entry"; "%entry.1" is its second fragment; "landing 0" */
const char *text_of_frame_field(struct print *p, uint32_t field); /* "resume", "%x" */

#define CORO_STAGE(name, needs, leaves) void coro_##name##_print(struct print *p);
#define CORO_CHECK(name, needs, asks)
#define CORO_WORK(name, needs, leaves)
#include "lowering/stages.def"
