/* Check: accepts a coroutine, or rejects it with a reason. After it nothing can fail but memory.
   Needs: the stages up to the ones that it asks about. Leaves: the function as it was. */
#ifndef CORO_CORO_CHECK_H
#define CORO_CORO_CHECK_H

#include "coro/lowering.h"

coro_status coro_check_shape(struct coro_lowering *low);
coro_status coro_check_flow(struct coro_lowering *low);
coro_status coro_check_values(struct coro_lowering *low);
coro_status coro_check_fields(struct coro_lowering *low);
coro_status coro_check_layout(struct coro_lowering *low);
bool coro_fits_integer(uint64_t value, LLVMTypeRef type); /* as an unsigned number */
/* No intrinsic of the list is called: it belongs to other ABIs. What is to be said where one is. */
coro_status coro_check_absent(const struct coro_lowering *low, const enum intrin *intrins, size_t count,
                              const char *rule, const char *message, const char *hint);

#endif
