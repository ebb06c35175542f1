/* Diagnostics of passes, with the location of an instruction.
   Requires: ir.
   Guarantees: the function is unchanged. */
#pragma once

#include "run/pass.h"

/* Rejects a function (NULL: the module), because of `instruction` if not NULL. Returns EREJECTED. */
coro_status pass_reject_instruction(struct pass_run *run, const char *rule, LLVMValueRef function,
                                    LLVMValueRef instruction, const char *message, const char *hint);
/* Rejects the first unsplit switched-resume coroutine without presplitcoroutine: the function, or any in the module
   (NULL). */
coro_status pass_check_marked(struct pass_run *run, LLVMValueRef function);
/* Finds the functions with a coro.id, so that pass_check_marked scans no others. False: out of memory. */
bool pass_find_functions_with_coro_id(struct pass_run *run);
/* The path of a source file, joined with its directory if relative. NULL: out of memory. */
const char *pass_join_source_path(struct coro_arena *arena, const char *folder, size_t folder_length, const char *file,
                                  size_t file_length);
/* Adds a remark of `pass` about `function`; false: out of memory. For passes added as CONTRIBUTING.md explains. */
bool pass_remark(struct pass_run *run, const char *pass, const char *name, LLVMValueRef function, bool done,
                 const char *message);
