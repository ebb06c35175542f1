/* Imports coroutines of other modules from attributes of declarations.
   Requires: ramp, told.
   Guarantees: a declaration of the exported f.noalloc. */
#include "pass/imported_coroutines.h"

#include "emit/declare.h"
#include "ir/edit.h"
#include "pass/diagnose.h"
#include "pass/handle_summary.h"
#include "pass/noalloc.h"

enum { VERSION = 1, FACTS = 3 };

bool is_imported_coroutine(LLVMValueRef function)
{
  return LLVMIsDeclaration(function) && LLVMGetLinkage(function) != LLVMExternalWeakLinkage &&
         edit_has_string_attribute(function, DECLARE_FRAME); /* a weak symbol may be undefined */
}

/* Parses numbers separated by commas. */
static bool read_numbers(const char *text, unsigned length, uint64_t *numbers, unsigned count)
{
  const char *at = text, *end = text + length;
  for (unsigned n = 0; n < count; n++)
    if (!handle_summary_number(&at, end, &numbers[n]) || (n + 1 < count && (at == end || *at++ != ',')))
      return false;
  return at == end;
}

/* False: malformed. Size 0: unknown version. */
static bool read_frame(LLVMValueRef function, struct parts *parts)
{
  uint64_t facts[FACTS];
  unsigned length;
  const char *text = edit_string_attribute(function, DECLARE_FRAME, &length);
  *parts = (struct parts){.coroutine = function, .apart = true};
  if (!read_numbers(text, length, facts, FACTS) || !facts[1] || !facts[2] || facts[2] & (facts[2] - 1) ||
      facts[2] > DECLARE_MOST_ALIGN)
    return false;
  if (facts[0] != VERSION || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
    return true;
  parts->frame_size = facts[1];
  parts->frame_align = facts[2];
  return true;
}

static const char *name_of(struct pass_run *run, const struct parts *parts)
{
  return declare_exported_name(run->arena, parts->coroutine, parts->frame_size, parts->frame_align);
}

static const char *told_name_of(struct pass_run *run, const struct parts *parts)
{
  unsigned length;
  const char *text = edit_string_attribute(parts->coroutine, DECLARE_HANDLE, &length);
  const char *told = coro_arena_strndup(run->arena, text, length);
  return told ? declare_summary_name(run->arena, name_of(run, parts), told) : NULL;
}

static LLVMValueRef declare(struct pass_run *run, const struct parts *parts, const char *name)
{
  LLVMValueRef function = parts->coroutine, known = LLVMGetNamedFunction(run->module, name);
  unsigned count = LLVMCountParams(function);
  LLVMTypeRef type = known ? NULL : declare_noalloc_type(run->arena, function);
  if (!type)
    return known;
  LLVMValueRef noalloc = LLVMAddFunction(run->module, name, type);
  LLVMSetVisibility(noalloc, LLVMGetVisibility(function));
  LLVMSetFunctionCallConv(noalloc, LLVMGetFunctionCallConv(function));
  for (unsigned i = 1; i <= count; i++)
    declare_copy_attributes(run->arena, function, noalloc, i, NULL);
  declare_memory(noalloc, count + 1, parts->frame_align, parts->frame_size);
  return noalloc;
}

static bool is_anothers(struct pass_run *run, const struct parts *parts, const char *name)
{
  LLVMValueRef known = LLVMGetNamedFunction(run->module, name);
  return known && !noalloc_fits(run, parts->coroutine, known);
}

static coro_status reject_name(struct pass_run *run, const char *name)
{
  return pass_reject(run, "published-name", LLVMGetNamedFunction(run->module, name), NULL,
                     "it has the name of a ramp that another module publishes", "give it another name");
}

/* Checks the attribute that coro-elide reads. */
static coro_status check_handle(struct pass_run *run, const struct parts *parts)
{
  struct ramp ramp = {.parts = *parts};
  if (!edit_has_string_attribute(parts->coroutine, DECLARE_HANDLE))
    return CORO_OK;
  enum told told = handle_summary_decode(run->arena, parts->coroutine, &ramp);
  const char *name = told == SUMMARY_VALID ? told_name_of(run, parts) : NULL;
  if (coro_arena_failed(run->arena))
    return CORO_ENOMEM;
  if (told == SUMMARY_MALFORMED)
    return pass_reject(run, "published-handle", parts->coroutine, NULL,
                       "the attribute \"coro-handle\" does not tell where the function leaves a handle",
                       "write \"coro-handle\"=\"1,r,ramp,resume\", as the summary of the module that defines it says");
  return name && is_anothers(run, parts, name) ? reject_name(run, name) : CORO_OK;
}

coro_status imported_noalloc(struct pass_run *run, LLVMValueRef function, struct parts *parts, LLVMValueRef *noalloc)
{
  *noalloc = NULL;
  if (!read_frame(function, parts))
    return pass_reject(run, "published-frame", function, NULL,
                       "the attribute \"coro-frame\" is not a version, the size and the alignment of a frame",
                       "write \"coro-frame\"=\"1,24,8\", as the summary of the module that defines it says");
  if (!parts->frame_size)
    return CORO_OK;
  coro_status status = check_handle(run, parts);
  if (status)
    return status;
  const char *name = name_of(run, parts);
  if (!name)
    return CORO_ENOMEM;
  if (is_anothers(run, parts, name))
    return reject_name(run, name);
  *noalloc = declare(run, parts, name);
  return *noalloc ? CORO_OK : CORO_ENOMEM;
}

/* The reason why nothing is known about the handle; NULL: something is. */
static const char *silence(struct pass_run *run, struct ramp *ramp)
{
  if (!edit_has_string_attribute(ramp->parts.coroutine, DECLARE_HANDLE))
    return "its module does not say what becomes of its handle";
  enum told told = handle_summary_decode(run->arena, ramp->parts.coroutine, ramp);
  if (told == SUMMARY_UNKNOWN_VERSION)
    return "what its module says of its handle is of a version that is not known";
  const char *name = told == SUMMARY_VALID ? told_name_of(run, &ramp->parts) : NULL;
  return !name || is_anothers(run, &ramp->parts, name) ? "what its module says of its handle makes no sense" : NULL;
}

bool imported_ramp(struct pass_run *run, LLVMValueRef function, struct ramp *ramp)
{
  *ramp = (struct ramp){.asks = true, .field = TRACE_NONE};
  if (!read_frame(function, &ramp->parts) || !ramp->parts.frame_size)
    return false;
  ramp->silence = silence(run, ramp);
  return true;
}

LLVMValueRef imported_noalloc_with_summary(struct pass_run *run, const struct ramp *ramp)
{
  const char *name = told_name_of(run, &ramp->parts);
  return name ? declare(run, &ramp->parts, name) : NULL;
}
