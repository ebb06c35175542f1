/* Checks of legality: whether a coroutine can be lowered. A rejection has a reason and a fix. The checks alternate with
   the stages, see stages.def for what each ensures; policies of a custom ABI can reject until check_layout. After that,
   lowering can only fail for lack of memory. (csrc/check is the validator of finished lowerings.)
   Requires: for each check, the stages before it.
   Guarantees: the function is unchanged. */
#pragma once

#include "lowering/lowering.h"

coro_status coro_run_check_shape_stage(struct coro_lowering *low);
coro_status coro_run_check_flow_stage(struct coro_lowering *low);
coro_status coro_run_check_values_stage(struct coro_lowering *low);
coro_status coro_run_check_fields_stage(struct coro_lowering *low);
coro_status coro_run_check_layout_stage(struct coro_lowering *low);
typedef coro_status coro_legality_check(const struct coro_lowering *low);
/* Runs checks until one rejects the coroutine. The array ends with NULL. */
coro_status coro_run_checks_until_rejection(const struct coro_lowering *low,
                                            coro_legality_check *const *null_terminated_checks);
bool coro_fits_unsigned_integer(uint64_t value, LLVMTypeRef type); /* whether the type holds it as an unsigned number */
/* Rejects the coroutine with this message if it calls an intrinsic of the list, because they belong to other ABIs. */
coro_status coro_check_intrinsics_absent(const struct coro_lowering *low, const enum intrin *intrins, size_t count,
                                         const char *rule, const char *message, const char *hint);
