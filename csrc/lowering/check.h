/* Checks of legality: whether a coroutine can be lowered. A rejection has a reason and a fix. The checks alternate with
   the stages (stages.def). When all have passed, lowering can only fail for lack of memory. (csrc/check is the
   validator of finished lowerings.)
   Requires: for each check, the stages before it. */
#ifndef CORO_LOWERING_CHECK_H
#define CORO_LOWERING_CHECK_H

#include "lowering/lowering.h"

coro_status coro_check_shape(struct coro_lowering *low);
coro_status coro_check_flow(struct coro_lowering *low);
coro_status coro_check_values(struct coro_lowering *low);
coro_status coro_check_fields(struct coro_lowering *low);
coro_status coro_check_layout(struct coro_lowering *low);
/* Runs checks until one rejects the coroutine. The array ends with NULL. */
typedef coro_status coro_check(const struct coro_lowering *low);
coro_status coro_check_all(const struct coro_lowering *low, coro_check *const *checks);
bool coro_fits_integer(uint64_t value, LLVMTypeRef type); /* Whether the type holds the value as an unsigned number. */
/* Rejects the coroutine with this message if it calls an intrinsic of the list, because they belong to other ABIs. */
coro_status coro_check_absent(const struct coro_lowering *low, const enum intrin *intrins, size_t count,
                              const char *rule, const char *message, const char *hint);

#endif
