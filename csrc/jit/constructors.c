/* Lowers llvm.global_ctors and llvm.global_dtors to functions, because LLJIT's C API does not run them.
   Requires: a module that may be changed. Guarantees: one function per list, which calls the entries by priority. */
#include <stdlib.h>

#include "jit/jit_internal.h"

struct list_entry {
  unsigned long long priority;
  unsigned position;
  LLVMValueRef function;
};

static int compare_entries_by_priority(const void *left, const void *right)
{
  const struct list_entry *a = left, *b = right;
  if (a->priority != b->priority)
    return a->priority < b->priority ? -1 : 1;
  return a->position < b->position ? -1 : 1;
}

/* Entries with a function, in ascending order. NULL: out of memory. */
static struct list_entry *read_and_sort_constructor_list(LLVMValueRef list, unsigned *count)
{
  LLVMValueRef array = LLVMGetInitializer(list);
  unsigned length = array ? LLVMGetArrayLength(LLVMTypeOf(array)) : 0;
  struct list_entry *entries = calloc(length + 1, sizeof *entries);
  if (!entries)
    return NULL;
  *count = 0;
  for (unsigned i = 0; i < length; i++) {
    LLVMValueRef item = LLVMGetAggregateElement(array, i);
    LLVMValueRef function = LLVMGetAggregateElement(item, 1);
    if (LLVMIsNull(function))
      continue;
    unsigned long long priority = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(item, 0));
    entries[*count] = (struct list_entry){priority, i, function};
    ++*count;
  }
  qsort(entries, *count, sizeof *entries, compare_entries_by_priority);
  return entries;
}

static void make_function_calling_constructors(LLVMModuleRef module, const char *name, const struct list_entry *entries,
                                               unsigned count, bool descending)
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

static bool replace_constructor_list(LLVMModuleRef module, const char *list_name, const char *hook, bool descending)
{
  LLVMValueRef list = LLVMGetNamedGlobal(module, list_name);
  unsigned count = 0;
  struct list_entry *entries = NULL;
  if (list && !(entries = read_and_sort_constructor_list(list, &count)))
    return false;
  make_function_calling_constructors(module, hook, entries, count, descending);
  free(entries);
  if (list)
    LLVMDeleteGlobal(list);
  return true;
}

coro_status jit_replace_constructor_lists(LLVMModuleRef module, const struct jit_plan *plan, coro_diags *diags)
{
  bool made = replace_constructor_list(module, "llvm.global_ctors", plan->init, false) &&
              (!plan->has_fini || replace_constructor_list(module, "llvm.global_dtors", plan->fini, true));
  return made ? CORO_OK : jit_report_no_memory(diags);
}

/* ---- The queue of constructors, which run before the engine's code is first called ---- */

void jit_queue_constructors(struct jit *jit, struct jit_unit *unit)
{
  pthread_mutex_lock(&jit->lock);
  *(jit->waiting ? &jit->latest->next : &jit->waiting) = unit;
  jit->latest = unit;
  pthread_mutex_unlock(&jit->lock);
}

/* Removes the first unit from the queue and returns its constructor function; NULL: empty. */
static jit_hook *pop_first_constructor_hook(struct jit *jit)
{
  pthread_mutex_lock(&jit->lock);
  struct jit_unit *unit = jit->waiting;
  jit_hook *init = unit ? unit->init : NULL;
  if (unit) {
    jit->waiting = unit->next;
    unit->started = true;
  }
  pthread_mutex_unlock(&jit->lock);
  return init;
}

void jit_run_constructors(struct jit *jit)
{
  for (jit_hook *init; (init = pop_first_constructor_hook(jit));) /* a constructor may reenter this function */
    init();
}
