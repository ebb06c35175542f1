/* An enum attribute that tells LLVM's passes something of functions, for as long as they run.
   Needs: ir, LLVM-C. Leaves: the attribute, between marks_put and marks_take. */
#ifndef CORO_PIPELINE_MARKS_H
#define CORO_PIPELINE_MARKS_H

#include "base/map.h"
#include "llvm-c/Core.h"

/* Between the first mark and marks_take functions may be removed from the module, and none may be made. */
struct marks {
  LLVMModuleRef module;
  const char *attribute;
  struct coro_map functions; /* that are marked */
};

void marks_init(struct marks *marks, struct coro_arena *arena, LLVMModuleRef module, const char *attribute);
bool marks_put(struct marks *marks, LLVMValueRef function); /* on one that lacks it; false: memory ran out */
/* On all that do not say by themselves what size means to them, and are optimised: on no others would it verify. */
bool marks_put_for_size(struct marks *size);
void marks_take(const struct marks *marks);

#endif
