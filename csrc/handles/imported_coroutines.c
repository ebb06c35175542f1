/* Parses attributes, and declares f.noalloc by name. */
#include "handles/imported_coroutines.h"

#include "emit/declare.h"
#include "handles/handle_summary.h"
#include "handles/noalloc.h"
#include "ir/edit.h"
#include "run/diagnose.h"

enum { VERSION = 1, FACTS = 3 };

bool is_imported_coroutine(LLVMValueRef function)
{
  return LLVMIsDeclaration(function) && LLVMGetLinkage(function) != LLVMExternalWeakLinkage &&
         edit_has_string_attribute(function, DECLARE_FRAME); /* a weak symbol may be undefined */
}

/* Parses numbers separated by commas. */
static bool parse_comma_separated_numbers(const char *text, unsigned length, uint64_t *numbers, unsigned count)
{
  const char *at = text, *end = text + length;
  for (unsigned n = 0; n < count; n++)
    if (!handle_summary_parse_up_to_12_digits(&at, end, &numbers[n]) || (n + 1 < count && (at == end || *at++ != ',')))
      return false;
  return at == end;
}

/* False: malformed. Size 0: unknown version. */
static bool parse_coro_frame_size_0_if_other_version(LLVMValueRef function, struct clones *clones)
{
  uint64_t facts[FACTS];
  unsigned length;
  const char *text = edit_string_attribute_value(function, DECLARE_FRAME, &length);
  *clones = (struct clones){.coroutine = function, .imported = true};
  if (!parse_comma_separated_numbers(text, length, facts, FACTS) || !facts[1] || !facts[2] ||
      facts[2] & (facts[2] - 1) || facts[2] > DECLARE_MOST_ALIGN)
    return false;
  if (facts[0] != VERSION || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
    return true;
  clones->frame_size = facts[1];
  clones->frame_align = facts[2];
  return true;
}

static const char *exported_noalloc_name_of_clones(struct pass_run *run, const struct clones *clones)
{
  return exported_noalloc_name(run->arena, clones->coroutine, clones->frame_size, clones->frame_align);
}

static const char *exported_noalloc_name_with_summary(struct pass_run *run, const struct clones *clones)
{
  unsigned length;
  const char *text = edit_string_attribute_value(clones->coroutine, DECLARE_HANDLE, &length);
  const char *summary = coro_arena_strndup(run->arena, text, length);
  return summary ? exported_name_with_summary(run->arena, exported_noalloc_name_of_clones(run, clones), summary) : NULL;
}

static LLVMValueRef find_or_declare_noalloc(struct pass_run *run, const struct clones *clones, const char *name)
{
  LLVMValueRef function = clones->coroutine, known = LLVMGetNamedFunction(run->module, name);
  unsigned count = LLVMCountParams(function);
  LLVMTypeRef type = known ? NULL : declare_noalloc_type(run->arena, function);
  if (!type)
    return known;
  LLVMValueRef noalloc = LLVMAddFunction(run->module, name, type);
  LLVMSetVisibility(noalloc, LLVMGetVisibility(function));
  LLVMSetFunctionCallConv(noalloc, LLVMGetFunctionCallConv(function));
  for (unsigned i = 1; i <= count; i++)
    edit_copy_attributes(run->arena, function, noalloc, i, NULL);
  declare_mark_dereferenceable_pointer(noalloc, count + 1, clones->frame_align, clones->frame_size);
  return noalloc;
}

static bool is_name_of_incompatible_function(struct pass_run *run, const struct clones *clones, const char *name)
{
  LLVMValueRef known = LLVMGetNamedFunction(run->module, name);
  return known && !noalloc_has_parameters_of_ramp(run, clones->coroutine, known);
}

static coro_status reject_imported_name(struct pass_run *run, const char *name)
{
  return pass_reject_instruction(run, "published-name", LLVMGetNamedFunction(run->module, name), NULL,
                                 "its name is that of a ramp exported by another module", "give it another name");
}

/* Checks the attribute that coro-elide reads. */
static coro_status check_coro_handle_attribute(struct pass_run *run, const struct clones *clones)
{
  struct ramp ramp = {.clones = *clones};
  if (!edit_has_string_attribute(clones->coroutine, DECLARE_HANDLE))
    return CORO_OK;
  enum summary_status decoded = handle_summary_decode(run->arena, clones->coroutine, &ramp);
  const char *name = decoded == SUMMARY_VALID ? exported_noalloc_name_with_summary(run, clones) : NULL;
  if (coro_arena_failed(run->arena))
    return CORO_ENOMEM;
  if (decoded == SUMMARY_MALFORMED)
    return pass_reject_instruction(
        run, "published-handle", clones->coroutine, NULL, "the attribute \"coro-handle\" is not a valid handle summary",
        "write \"coro-handle\"=\"1,r,ramp,resume\", as in the summary of the module that defines it");
  return name && is_name_of_incompatible_function(run, clones, name) ? reject_imported_name(run, name) : CORO_OK;
}

coro_status imported_noalloc_declare(struct pass_run *run, LLVMValueRef function, struct clones *clones,
                                     LLVMValueRef *noalloc)
{
  *noalloc = NULL;
  if (!parse_coro_frame_size_0_if_other_version(function, clones))
    return pass_reject_instruction(
        run, "published-frame", function, NULL,
        "the attribute \"coro-frame\" is not a version, the size and the alignment of a frame",
        "write \"coro-frame\"=\"1,24,8\", as in the summary of the module that defines it");
  if (!clones->frame_size)
    return CORO_OK;
  coro_status status = check_coro_handle_attribute(run, clones);
  if (status)
    return status;
  const char *name = exported_noalloc_name_of_clones(run, clones);
  if (!name)
    return CORO_ENOMEM;
  if (is_name_of_incompatible_function(run, clones, name))
    return reject_imported_name(run, name);
  *noalloc = find_or_declare_noalloc(run, clones, name);
  return *noalloc ? CORO_OK : CORO_ENOMEM;
}

/* The reason why nothing is known about the handle; NULL: something is. */
static const char *decode_summary_or_return_obstacle(struct pass_run *run, struct ramp *ramp)
{
  if (!edit_has_string_attribute(ramp->clones.coroutine, DECLARE_HANDLE))
    return "its module exports no handle summary";
  enum summary_status decoded = handle_summary_decode(run->arena, ramp->clones.coroutine, ramp);
  if (decoded == SUMMARY_UNKNOWN_VERSION)
    return "its module exports a handle summary of an unknown version";
  const char *name = decoded == SUMMARY_VALID ? exported_noalloc_name_with_summary(run, &ramp->clones) : NULL;
  return !name || is_name_of_incompatible_function(run, &ramp->clones, name)
             ? "its module exports a malformed handle summary"
             : NULL;
}

bool imported_ramp_summarize_if_frame_known(struct pass_run *run, LLVMValueRef function, struct ramp *ramp)
{
  *ramp = (struct ramp){.uses_coro_alloc = true, .field = TRACE_WHOLE_VALUE};
  if (!parse_coro_frame_size_0_if_other_version(function, &ramp->clones) || !ramp->clones.frame_size)
    return false;
  ramp->unknown_reason = decode_summary_or_return_obstacle(run, ramp);
  return true;
}

LLVMValueRef imported_noalloc_declare_with_summary(struct pass_run *run, const struct ramp *ramp)
{
  const char *name = exported_noalloc_name_with_summary(run, &ramp->clones);
  return name ? find_or_declare_noalloc(run, &ramp->clones, name) : NULL;
}
