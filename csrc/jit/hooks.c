/* Constructors and destructors of a module: LLJIT runs neither when it is driven from C.
   Needs: a module that is ours to change. Leaves: llvm.global_ctors and llvm.global_dtors as functions that call
   what they listed, in order of priority. */
#include <stdlib.h>

#include "jit/inside.h"

struct entry {
  unsigned long long priority;
  unsigned position;
  LLVMValueRef function;
};

static int by_priority(const void *left, const void *right)
{
  const struct entry *a = left, *b = right;
  if (a->priority != b->priority)
    return a->priority < b->priority ? -1 : 1;
  return a->position < b->position ? -1 : 1;
}

/* The entries of the list that name a function, in ascending order. NULL: memory ran out. */
static struct entry *read_list(LLVMValueRef list, unsigned *count)
{
  LLVMValueRef array = LLVMGetInitializer(list);
  unsigned length = array ? LLVMGetArrayLength(LLVMTypeOf(array)) : 0;
  struct entry *entries = calloc(length + 1, sizeof *entries);
  if (!entries)
    return NULL;
  *count = 0;
  for (unsigned i = 0; i < length; i++) {
    LLVMValueRef item = LLVMGetAggregateElement(array, i);
    LLVMValueRef function = LLVMGetAggregateElement(item, 1);
    if (LLVMIsNull(function))
      continue;
    unsigned long long priority = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(item, 0));
    entries[*count] = (struct entry){priority, i, function};
    ++*count;
  }
  qsort(entries, *count, sizeof *entries, by_priority);
  return entries;
}

static void make_hook(LLVMModuleRef module, const char *name, const struct entry *entries, unsigned count,
                      bool descending)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMValueRef hook = LLVMAddFunction(module, name, type);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, hook, "entry"));
  for (unsigned i = 0; i < count; i++)
    LLVMBuildCall2(builder, type, entries[descending ? count - 1 - i : i].function, NULL, 0, "");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
}

static bool replace_list(LLVMModuleRef module, const char *list_name, const char *hook, bool descending)
{
  LLVMValueRef list = LLVMGetNamedGlobal(module, list_name);
  unsigned count = 0;
  struct entry *entries = NULL;
  if (list && !(entries = read_list(list, &count)))
    return false;
  make_hook(module, hook, entries, count, descending);
  free(entries);
  if (list)
    LLVMDeleteGlobal(list);
  return true;
}

coro_status jit_make_hooks(LLVMModuleRef module, const struct jit_plan *plan, coro_diags *diags)
{
  bool made = replace_list(module, "llvm.global_ctors", plan->init, false) &&
              (!plan->has_fini || replace_list(module, "llvm.global_dtors", plan->fini, true));
  return made ? CORO_OK : jit_no_memory(diags);
}
