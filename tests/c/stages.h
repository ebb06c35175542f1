/* Parses a coroutine and runs the stages of its lowering up to one of them.
   Requires: the whole library.
   Guarantees: the results of that stage in `low`; nothing after stages_end. */
#ifndef TESTS_C_STAGES_H
#define TESTS_C_STAGES_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/IRReader.h"
#include "lowering/layout.h"
#include "split/lower.h"

struct stages {
  struct intrin_table table;
  coro_options options;
  struct pass_run run;
  struct coro_lowering low;
};

/* Declarations for the bodies below: @get, @use and @keep are external functions. */
static const char stages_declarations[] = "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\n"
                                          "declare i32 @llvm.coro.size.i32()\n"
                                          "declare ptr @llvm.coro.begin(token, ptr)\n"
                                          "declare i8 @llvm.coro.suspend(token, i1)\n"
                                          "declare ptr @llvm.coro.free(token, ptr)\n"
                                          "declare void @llvm.coro.end(ptr, i1, token)\n"
                                          "declare i1 @llvm.coro.is_in_ramp()\n"
                                          "declare void @llvm.lifetime.start.p0(ptr)\n"
                                          "declare void @llvm.lifetime.end.p0(ptr)\n"
                                          "declare i32 @personality(...)\n"
                                          "declare ptr @malloc(i32)\n"
                                          "declare void @free(ptr)\n"
                                          "declare i32 @get()\n"
                                          "declare void @use(i32)\n"
                                          "declare void @keep(ptr)\n";
/* The start of a coroutine, and the code after its suspends. */
#define STAGES_BEGIN                                                                                                   \
  "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"                                            \
  "  %size = call i32 @llvm.coro.size.i32()\n"                                                                         \
  "  %memory = call ptr @malloc(i32 %size)\n"                                                                          \
  "  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)\n"
#define STAGES_SUSPEND(number, resumed)                                                                                \
  "  %result" #number " = call i8 @llvm.coro.suspend(token none, i1 false)\n"                                          \
  "  switch i8 %result" #number ", label %end [\n"                                                                     \
  "    i8 0, label %" resumed "\n"                                                                                     \
  "    i8 1, label %cleanup\n"                                                                                         \
  "  ]\n"
#define STAGES_END                                                                                                     \
  "cleanup:\n"                                                                                                         \
  "  %block = call ptr @llvm.coro.free(token %id, ptr %frame)\n"                                                       \
  "  call void @free(ptr %block)\n"                                                                                    \
  "  br label %end\n"                                                                                                  \
  "end:\n"                                                                                                             \
  "  call void @llvm.coro.end(ptr null, i1 false, token none)\n"                                                       \
  "  ret ptr %frame\n"                                                                                                 \
  "}\n"

/* Runs the stages of @f through `last`. `share`: fields with disjoint live ranges may share bytes. */
static inline void stages_begin(struct stages *s, enum lower_stage last, bool share, const char *text)
{
  char *whole = malloc(strlen(text) + sizeof stages_declarations), *message = NULL;
  memset(s, 0, sizeof *s);
  s->options = (coro_options)CORO_OPTIONS_INIT;
  s->run = (struct pass_run){.context = LLVMContextCreate(),
                             .arena = coro_arena_create(),
                             .intrin = &s->table,
                             .options = &s->options,
                             .parameter = share ? LAYOUT_overlapping : LAYOUT_separate};
  intrin_table_init(&s->table);
  strcat(strcpy(whole, text), stages_declarations);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(whole, strlen(whole), "");
  if (LLVMParseIRInContext(s->run.context, buffer, &s->run.module, &message)) {
    fprintf(stderr, "%s\n", message);
    abort();
  }
  free(whole);
  s->run.layout = LLVMGetModuleDataLayout(s->run.module);
  coro_status status = run_stages_through(last, &s->low, &s->run, LLVMGetNamedFunction(s->run.module, "f"));
  CHECK(status == CORO_OK, "the stages ended in %d", (int)status);
}

static inline void stages_end(struct stages *s)
{
  coro_arena_free(s->run.arena);
  LLVMDisposeModule(s->run.module);
  LLVMContextDispose(s->run.context);
}

/* Returns the value of this name. */
static inline uint32_t stages_value(const struct stages *s, const char *name)
{
  for (uint32_t v = 0; v < ir_value_count(&s->low.fn); v++)
    if (!strcmp(LLVMGetValueName2(ir_value(&s->low.fn, v), &(size_t){0}), name))
      return v;
  fprintf(stderr, "no value %%%s\n", name);
  abort();
}

static inline uint32_t stages_inst(const struct stages *s, const char *name)
{
  return ir_inst_of_value(&s->low.fn, stages_value(s, name));
}

/* Returns the first instruction of the block of this name. */
static inline uint32_t stages_first(const struct stages *s, const char *block)
{
  for (uint32_t b = 0; b < s->low.fn.block_count; b++)
    if (!strcmp(LLVMGetBasicBlockName(s->low.fn.blocks[b]), block))
      return s->low.fn.block_start[b];
  fprintf(stderr, "no block %%%s\n", block);
  abort();
}

/* Returns the node of the start of the block of this name. */
static inline uint32_t stages_node(const struct stages *s, const char *block)
{
  return s->low.cfg.node_of_inst[stages_first(s, block)];
}

/* Returns the names of a set of values, each after a space. */
static inline const char *stages_names(const struct stages *s, const struct coro_bits *values)
{
  char *names = coro_arena_printf(s->run.arena, "%s", "");
  for (uint32_t v = 0; v < ir_value_count(&s->low.fn); v++)
    if (coro_bits_get(values, v))
      names = coro_arena_printf(s->run.arena, "%s %s", names, LLVMGetValueName2(ir_value(&s->low.fn, v), &(size_t){0}));
  return names;
}

/* Checks for exactly these values, in program order, each after a space. */
#define CHECK_NAMES(s, values, expected)                                                                               \
  CHECK(!strcmp(stages_names(s, values), expected), "%s instead of%s", stages_names(s, values), expected)

#endif
