/* An enum attribute that tells LLVM's passes something of functions, for as long as they run.
   Needs: ir. Leaves: the attribute, between marks_put and marks_take. */
#include "pipeline/marks.h"

#include "ir/edit.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

void marks_init(struct marks *marks, struct coro_arena *arena, LLVMModuleRef module, const char *attribute)
{
  *marks = (struct marks){.module = module, .attribute = attribute};
  coro_map_init(&marks->functions, arena);
}

bool marks_put(struct marks *marks, LLVMValueRef function)
{
  bool fine = coro_map_put(&marks->functions, coro_map_key(function), true);
  if (fine)
    edit_add_attribute(function, on_function, marks->attribute);
  return fine;
}

bool marks_put_for_size(struct marks *size)
{
  static const char *const excluding[] = {"optsize", "minsize", "optnone"};
  bool fine = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(size->module); f && fine; f = LLVMGetNextFunction(f)) {
    bool may = !LLVMIsDeclaration(f);
    for (size_t i = 0; i < sizeof excluding / sizeof *excluding && may; i++)
      may = !edit_has_attribute(f, on_function, excluding[i]);
    fine = !may || marks_put(size, f);
  }
  return fine;
}

void marks_take(const struct marks *marks)
{
  uint64_t marked;
  LLVMValueRef f = marks->functions.count ? LLVMGetFirstFunction(marks->module) : NULL;
  for (; f; f = LLVMGetNextFunction(f))
    if (coro_map_get(&marks->functions, coro_map_key(f), &marked))
      edit_remove_attribute(f, on_function, marks->attribute);
}
