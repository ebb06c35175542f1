/* Diagnostics of passes, with the location of an instruction. */
#include "run/diagnose.h"

#include <string.h>

#include "analysis/shape.h"
#include "ir/edit.h"
#include "ir/text.h"

const char *pass_join_source_path(struct coro_arena *arena, const char *folder, size_t folder_length, const char *file,
                                  size_t file_length)
{
  bool whole = !folder_length || (file_length && *file == '/');
  return whole ? coro_arena_strndup(arena, file, file_length)
               : coro_arena_printf(arena, "%.*s/%.*s", (int)folder_length, folder, (int)file_length, file);
}

coro_status pass_reject_instruction(struct pass_run *run, const char *rule, LLVMValueRef function,
                                    LLVMValueRef instruction, const char *message, const char *hint)
{
  coro_diag diag = {.status = CORO_EREJECTED, .rule = rule, .message = message, .hint = hint};
  diag.function = function ? edit_value_name(function) : "";
  char *printed = NULL;
  if (instruction) {
    printed = LLVMPrintValueToString(instruction);
    diag.instruction = printed + strspn(printed, " \n");
    diag.block = ir_text_label_of_block(run->arena, LLVMGetInstructionParent(instruction));
  }
  coro_diags_add(run->diags, &diag);
  LLVMDisposeMessage(printed);
  return diag.status;
}

/* `id` is its coro.id. */
static coro_status reject_unmarked_coroutine(struct pass_run *run, LLVMValueRef function, LLVMValueRef id)
{
  return pass_reject_instruction(run, "presplitcoroutine", function, id,
                                 "the function is a coroutine but lacks the attribute presplitcoroutine",
                                 "run coro-early, or add presplitcoroutine to the function's attributes");
}

static bool id_has_coro_begin(const struct pass_run *run, LLVMValueRef id)
{
  for (LLVMUseRef use = LLVMGetFirstUse(id); use; use = LLVMGetNextUse(use)) {
    enum intrin intrin = intrin_of_call(run->intrin, LLVMGetUser(use));
    if (intrin == INTRIN_BEGIN || intrin == INTRIN_BEGIN_CUSTOM_ABI)
      return true;
  }
  return false;
}

bool pass_find_functions_with_coro_id(struct pass_run *run)
{
  LLVMValueRef callee = LLVMGetNamedFunction(run->module, intrin_name(INTRIN_ID));
  coro_map_init(&run->has_id, run->arena);
  for (LLVMUseRef use = callee ? LLVMGetFirstUse(callee) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    LLVMValueRef function = edit_is_instruction(user) ? edit_function_of(user) : NULL;
    if (function && !coro_map_put(&run->has_id, coro_map_key(function), 1))
      return false;
  }
  return true;
}

static bool may_hold_id(const struct pass_run *run, LLVMValueRef function)
{
  return !run->has_id.arena || coro_map_has(&run->has_id, coro_map_key(function));
}

/* Scans the function's instructions, because llvm.coro.id may have many uses in other functions. */
static LLVMValueRef find_unsplit_id_in_function(const struct pass_run *run, LLVMValueRef callee, LLVMValueRef function)
{
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
      if (edit_is_call_of(at, callee) && !coro_shape_is_split_id(at) && id_has_coro_begin(run, at))
        return at;
  return NULL;
}

coro_status pass_check_marked(struct pass_run *run, LLVMValueRef function)
{
  if (function && !may_hold_id(run, function))
    return CORO_OK;
  LLVMValueRef callee = LLVMGetNamedFunction(run->module, intrin_name(INTRIN_ID));
  LLVMValueRef first = function ? function : LLVMGetFirstFunction(run->module);
  if (!callee || !LLVMGetFirstUse(callee))
    return CORO_OK;
  for (LLVMValueRef f = first; f; f = function ? NULL : LLVMGetNextFunction(f)) {
    LLVMValueRef id =
        !may_hold_id(run, f) || edit_is_presplit_definition(f) ? NULL : find_unsplit_id_in_function(run, callee, f);
    if (id)
      return reject_unmarked_coroutine(run, f, id);
  }
  return CORO_OK;
}

bool pass_remark(struct pass_run *run, const char *pass, const char *name, LLVMValueRef function, bool done,
                 const char *message)
{
  coro_remark remark = {
      .pass = pass, .name = name, .function = edit_value_name(function), .message = message, .done = done};
  return message && coro_report_add_remark(run->report, &remark);
}
