/* Coroutines of other modules: what the attribute "coro-frame" of a declaration says that its module publishes.
   Needs: parts. Leaves: a declaration of the published ramp. */
#include "pass/published.h"

#include <string.h>

#include "emit/declare.h"
#include "ir/edit.h"
#include "pass/diagnose.h"
#include "pass/noalloc.h"

enum { VERSION = 1, FACTS = 3, MOST_DIGITS = 12 };

bool published_is(LLVMValueRef function)
{
  return LLVMIsDeclaration(function) && edit_has_text_attribute(function, DECLARE_FRAME);
}

/* Numbers with commas between them, and nothing else. */
static bool read_numbers(const char *text, unsigned length, uint64_t *numbers, unsigned count)
{
  unsigned at = 0;
  for (unsigned n = 0; n < count; n++) {
    unsigned start = at;
    numbers[n] = 0;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
      numbers[n] = at - start < MOST_DIGITS ? numbers[n] * 10 + (uint64_t)(text[at] - '0') : UINT64_MAX;
    if (at == start || at - start > MOST_DIGITS || (n + 1 < count && (at == length || text[at++] != ',')))
      return false;
  }
  return at == length;
}

static LLVMValueRef declare(struct pass_run *run, LLVMValueRef function, const struct parts *parts, const char *name)
{
  unsigned count = LLVMCountParams(function);
  LLVMTypeRef type = declare_noalloc_type(run->arena, function);
  if (!type)
    return NULL;
  LLVMValueRef noalloc = LLVMAddFunction(run->module, name, type);
  LLVMSetVisibility(noalloc, LLVMGetVisibility(function));
  LLVMSetFunctionCallConv(noalloc, LLVMGetFunctionCallConv(function));
  for (unsigned i = 1; i <= count; i++)
    declare_copy_attributes(run->arena, function, noalloc, i, NULL);
  declare_memory(noalloc, count + 1, parts->frame_align, parts->frame_size);
  return noalloc;
}

coro_status published_noalloc(struct pass_run *run, LLVMValueRef function, struct parts *parts, LLVMValueRef *noalloc)
{
  uint64_t facts[FACTS];
  unsigned length;
  const char *text = edit_text_attribute(function, DECLARE_FRAME, &length);
  *noalloc = NULL;
  bool fine = read_numbers(text, length, facts, FACTS) && facts[1] && facts[2] && !(facts[2] & (facts[2] - 1)) &&
              facts[2] <= DECLARE_MOST_ALIGN;
  if (!fine)
    return pass_reject(run, "published-frame", function, NULL,
                       "the attribute \"coro-frame\" is not a version, the size and the alignment of a frame",
                       "write \"coro-frame\"=\"1,24,8\", as the summary of the module that defines it says");
  if (facts[0] != VERSION || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
    return CORO_OK;
  *parts = (struct parts){.coroutine = function, .frame_size = facts[1], .frame_align = facts[2]};
  const char *name = declare_published_name(run->arena, function, facts[1], facts[2]);
  if (!name)
    return CORO_ENOMEM;
  LLVMValueRef known = LLVMGetNamedFunction(run->module, name);
  if (known && !noalloc_fits(run, function, known))
    return pass_reject(run, "published-name", known, NULL, "it has the name of a ramp that another module publishes",
                       "give it another name");
  *noalloc = known ? known : declare(run, function, parts, name);
  return *noalloc ? CORO_OK : CORO_ENOMEM;
}
