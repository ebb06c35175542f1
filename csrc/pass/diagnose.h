/* Diagnostics of the passes: names the place that an instruction stands at.
   Needs: ir. Leaves: the function as it was. */
#ifndef CORO_PASS_DIAGNOSE_H
#define CORO_PASS_DIAGNOSE_H

#include "pass/pass.h"

/* Refuses a function (NULL: the module), because of `instruction` if that is not NULL. Returns EREJECTED. */
coro_status pass_reject(struct pass_run *run, const char *rule, LLVMValueRef function, LLVMValueRef instruction,
                        const char *message, const char *hint);
/* Refuses a coroutine of the switch ABI that lacks presplitcoroutine; `id` is its coro.id. Returns EREJECTED. */
coro_status pass_reject_unmarked(struct pass_run *run, LLVMValueRef function, LLVMValueRef id);
/* Refuses the first such coroutine that no split has seen: the function, or any of the module where it is NULL. */
coro_status pass_check_marked(struct pass_run *run, LLVMValueRef function);
/* Looks for the functions with a coro.id, so that pass_check_marked walks through no others. False: memory ran out. */
bool pass_identify(struct pass_run *run);
/* A remark of `pass` about `function`; false: memory ran out. */
bool pass_remark(struct pass_run *run, const char *pass, const char *name, LLVMValueRef function, bool done,
                 const char *message);
/* Of a file of the source, as it is named from its folder. NULL: memory ran out. */
const char *pass_path_of(struct coro_arena *arena, const char *folder, size_t folder_length, const char *file,
                         size_t file_length);
const char *pass_name_of(LLVMValueRef global); /* without the @ */
/* "%then"; of a block without a name the number that LLVM prints, which costs as much as printing the block. */
const char *pass_label_of(struct pass_run *run, LLVMBasicBlockRef block);

#endif
