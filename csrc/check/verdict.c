/* Records the answer of a check, with the function, block and source location. */
#include "check/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 600, MAX_NAME = 160 };

static const char *format_verdict_text(struct check *c, const char *format, va_list arguments)
{
  char text[MAX_TEXT];
  vsnprintf(text, sizeof text, format, arguments);
  const char *copy = coro_arena_strndup(c->arena, text, strlen(text));
  return copy ? copy : "";
}

static void record_verdict(struct check *c, enum check_verdict verdict, LLVMValueRef function, const char *message)
{
  if (c->verdict >= verdict)
    return;
  c->verdict = verdict;
  c->message = message;
  c->function = LLVMGetValueName2(function, &(size_t){0});
}

static const char *printed_block_name(const struct check *c, LLVMValueRef inst)
{
  const char *name = LLVMGetBasicBlockName(LLVMGetInstructionParent(inst));
  return coro_arena_printf(c->arena, "%%%s", *name ? name : "<unnamed>");
}

/* The first instruction from this one on, else before it, that debug information locates; NULL: none in its block. */
static LLVMValueRef nearest_located_instruction_or_null(LLVMValueRef at)
{
  LLVMValueRef after = at, before = at;
  while (after && !LLVMGetDebugLocLine(after))
    after = LLVMGetNextInstruction(after);
  while (!after && before && !LLVMGetDebugLocLine(before))
    before = LLVMGetPreviousInstruction(before);
  return after ? after : before;
}

/* The source location of an instruction, or of the coroutine; "": there is no debug information. */
static const char *comma_and_source_location(const struct check *c, LLVMValueRef at)
{
  LLVMValueRef located = at ? nearest_located_instruction_or_null(at) : NULL;
  LLVMValueRef source = located ? located : c->low->fn.function;
  unsigned line = LLVMGetDebugLocLine(source), length;
  const char *file = LLVMGetDebugLocFilename(source, &length);
  const char *text = line ? coro_arena_printf(c->arena, ", at %.*s:%u", (int)length, file, line) : "";
  return text ? text : "";
}

bool check_refute(struct check *c, const struct check_clone *k, LLVMValueRef at, const char *format, ...)
{
  va_list arguments;
  if (c->verdict == CHECK_REFUTED)
    return false;
  va_start(arguments, format);
  const char *problem = format_verdict_text(c, format, arguments);
  va_end(arguments);
  const char *place =
      at ? coro_arena_printf(c->arena, ", block %s, %s", printed_block_name(c, at), value_text_for_message(c, at)) : "";
  const char *clone = LLVMGetValueName2(k->from->function, &(size_t){0});
  const char *message =
      coro_arena_printf(c->arena, "@%s%s%s: %s", clone, place ? place : "", comma_and_source_location(c, at), problem);
  record_verdict(c, CHECK_REFUTED, k->from->function, message ? message : "");
  return false;
}

bool check_unsupported(struct check *c, const char *format, ...)
{
  va_list arguments;
  if (c->verdict >= CHECK_UNSUPPORTED)
    return false;
  va_start(arguments, format);
  record_verdict(c, CHECK_UNSUPPORTED, c->low->function, format_verdict_text(c, format, arguments));
  va_end(arguments);
  return false;
}

const char *value_text_for_message(const struct check *c, LLVMValueRef value)
{
  char *text = LLVMPrintValueToString(value), *start = text;
  while (*start == ' ')
    start++;
  size_t length = strlen(start);
  const char *copy = coro_arena_strndup(c->arena, start, length < MAX_NAME ? length : MAX_NAME);
  LLVMDisposeMessage(text);
  return copy ? copy : "";
}

const char *presplit_value_text_for_message(const struct check *c, uint32_t value)
{
  return value_text_for_message(c, ir_value(&c->low->fn, value));
}
