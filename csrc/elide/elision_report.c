/* Reports each elision decision as a remark and in the report. */
#include "elide/elision_report.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "ir/edit.h"
#include "ir/operand.h"
#include "ir/text.h"
#include "run/diagnose.h"

enum { MAX_PRINTED = 256 }; /* limit of printed instructions: each print numbers the whole module */

struct source { /* source location; all zero: unknown */
  const char *file;
  uint32_t line, column;
};

static struct source source_of_location(struct pass_run *run, LLVMMetadataRef location)
{
  unsigned line = location ? LLVMDILocationGetLine(location) : 0, name_length = 0, folder_length = 0;
  LLVMMetadataRef in = line ? LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) : NULL;
  if (!in)
    return (struct source){0};
  const char *name = LLVMDIFileGetFilename(in, &name_length);
  const char *folder = LLVMDIFileGetDirectory(in, &folder_length);
  const char *file = pass_join_source_path(run->arena, folder, folder_length, name, name_length);
  return (struct source){file, line, LLVMDILocationGetColumn(location)};
}

static struct source source_of_instruction(struct pass_run *run, LLVMValueRef at)
{
  return source_of_location(run, LLVMInstructionGetDebugLoc(at));
}

/* The source location in the caller itself, from which code was inlined. */
static struct source source_in_caller(struct pass_run *run, LLVMValueRef at)
{
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(at);
  for (LLVMMetadataRef outer = location; outer; outer = LLVMDILocationGetInlinedAt(outer))
    location = outer;
  return source_of_location(run, location);
}

static bool add_elision_remark(struct pass_run *run, const struct elision_decision *d, struct source source)
{
  const char *callee = edit_value_name(d->clones->coroutine), *caller = edit_value_name(d->caller);
  const char *message =
      d->done ? coro_arena_printf(run->arena, "'%s' elided in '%s' (frame_size=%llu, align=%llu)", callee, caller,
                                  (unsigned long long)d->clones->frame_size, (unsigned long long)d->clones->frame_align)
              : coro_arena_printf(run->arena, "'%s' not elided in '%s': %s", callee, caller, d->reason);
  return message && coro_report_add_remark(run->report, &(coro_remark){.pass = d->pass,
                                                                       .name = d->name,
                                                                       .function = caller,
                                                                       .message = message,
                                                                       .done = d->done,
                                                                       .file = source.file,
                                                                       .line = source.line,
                                                                       .column = source.column});
}

bool elision_report_remark_only(struct pass_run *run, const struct elision_decision *d)
{
  return !run->report || add_elision_remark(run, d, source_of_instruction(run, d->at));
}

/* Whether the inlined destroy code frees the frame. */
static bool is_inlined_frame_deallocation(const struct elision_decision *d)
{
  if (d->done || !edit_is_call(d->at) || !LLVMGetNumArgOperands(d->at))
    return false;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(d->at, FREED_MEMORY));
  return edit_is_pointer(type) && edit_is_nocapture(d->at, FREED_MEMORY);
}

bool elision_report(struct pass_run *run, const struct elision_decision *d)
{
  if (!run->report)
    return true;
  bool vague = is_inlined_frame_deallocation(d);
  struct source source = source_of_instruction(run, d->at), creation = source_in_caller(run, d->creation);
  LLVMBasicBlockRef block = LLVMGetInstructionParent(d->at);
  bool prints = run->report->elisions.count < MAX_PRINTED;
  char *printed = prints ? LLVMPrintValueToString(d->at) : LLVMCreateMessage("");
  const char *named = coro_arena_printf(run->arena, "%%%s", LLVMGetBasicBlockName(block));
  coro_elision elision = {.caller = edit_value_name(d->caller),
                          .callee = edit_value_name(d->clones->coroutine),
                          .pass = d->pass,
                          .done = d->done,
                          .bytes = d->clones->frame_size,
                          .align = d->clones->frame_align,
                          .reason = d->reason,
                          .block = prints              ? ir_text_label_of_block(run->arena, block)
                                   : named && named[1] ? named
                                                       : "",
                          .instruction = printed + strspn(printed, " \n"),
                          .file = source.file,
                          .line = source.line,
                          .column = source.column,
                          .creation_file = creation.file,
                          .creation_line = creation.line,
                          .creation_column = creation.column};
  if ((!elision.file && elision.line) || (!creation.file && creation.line))
    elision.block = NULL; /* out of memory */
  bool confirmed = elision.block && !d->done && coro_report_confirm_if_already_missed(run->report, &elision, vague);
  bool fine = confirmed || (elision.block && add_elision_remark(run, d, source) &&
                            coro_report_add_elision(run->report, &elision, vague));
  LLVMDisposeMessage(printed);
  return fine;
}
