/* Functions whose body is hardly more than a call of it.
   Needs: marks. Leaves: the attribute `noinline` of others. */
#ifndef CORO_PIPELINE_SMALL_H
#define CORO_PIPELINE_SMALL_H

#include "pipeline/marks.h"

bool small_any(LLVMModuleRef module); /* whether one is used */
/* As long as the marks are there no other function can be inlined, but for those that always are. False: memory ran
   out. */
bool small_mark_others(struct marks *noinline, LLVMModuleRef module);

#endif
