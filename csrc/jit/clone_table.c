/* Adds a table of coroutine clones to a module: frame headers contain addresses of functions with internal linkage, and
   this table maps them back to their coroutines.
   Requires: a module that may be changed.
   Guarantees: an exported table of the clones in the module. */
#include <stdlib.h>
#include <string.h>

#include "jit/jit_internal.h"

/* The length of a name f.resume.N if a function f exists; else 0. */
static size_t length_if_name_of_continuation(LLVMModuleRef module, const char *name, size_t length)
{
  static const char suffix[] = ".resume.";
  size_t digits = 0, tail = sizeof suffix - 1;
  while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
    digits++;
  size_t owner = length > digits + tail ? length - digits - tail : 0;
  bool is_continuation = owner && digits && !memcmp(name + owner, suffix, tail);
  return is_continuation && LLVMGetNamedFunctionWithLength(module, name, owner) ? length : 0;
}

/* The length of f for a function f.resume, f.destroy or f.cleanup if a function f exists; the full length for
   f.resume.N; else 0. */
static size_t length_of_clone_owner_name_or_0(LLVMModuleRef module, LLVMValueRef function)
{
  static const char *const suffixes[] = {".resume", ".destroy", ".cleanup"};
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !LLVMIsDeclaration(function); i++) {
    size_t tail = strlen(suffixes[i]);
    if (length > tail && !memcmp(name + length - tail, suffixes[i], tail) &&
        LLVMGetNamedFunctionWithLength(module, name, length - tail))
      return length - tail;
  }
  return LLVMIsDeclaration(function) ? 0 : length_if_name_of_continuation(module, name, length);
}

bool jit_list_clones(LLVMModuleRef module, struct jit_unit *unit)
{
  unsigned capacity = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    capacity += length_of_clone_owner_name_or_0(module, f) != 0;
  unit->clone_list = calloc(capacity + 1, sizeof *unit->clone_list);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && unit->clone_list; f = LLVMGetNextFunction(f)) {
    size_t length, owner = length_of_clone_owner_name_or_0(module, f);
    char *name = owner ? malloc(owner + 1) : NULL;
    if (owner && !name)
      return false;
    if (!name)
      continue;
    memcpy(name, LLVMGetValueName2(f, &length), owner);
    name[owner] = 0;
    unit->clone_list[unit->clone_count++].owner = name;
  }
  return unit->clone_list != NULL;
}

bool jit_make_clone_table(LLVMModuleRef own, const struct jit_plan *plan, const struct jit_unit *unit)
{
  unsigned count = 0;
  LLVMValueRef *clone_list = unit->clone_count ? calloc(unit->clone_count, sizeof *clone_list) : NULL;
  if (!clone_list)
    return !unit->clone_count;
  for (LLVMValueRef f = LLVMGetFirstFunction(own); f; f = LLVMGetNextFunction(f))
    if (length_of_clone_owner_name_or_0(own, f))
      clone_list[count++] = f;
  LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(own), 0);
  LLVMValueRef table = LLVMAddGlobal(own, LLVMArrayType2(pointer, count), plan->table);
  LLVMSetInitializer(table, LLVMConstArray2(pointer, clone_list, count));
  LLVMSetGlobalConstant(table, true);
  free(clone_list);
  return true;
}

LLVMErrorRef jit_look_up_clone_addresses(struct jit *jit, const struct jit_plan *plan, struct jit_unit *unit)
{
  LLVMOrcExecutorAddress table = 0;
  LLVMErrorRef error = unit->clone_count ? LLVMOrcLLJITLookup(jit->lljit, &table, plan->table) : NULL;
  for (unsigned i = 0; i < unit->clone_count && !error; i++)
    unit->clone_list[i].address = ((void *const *)(uintptr_t)table)[i];
  return error;
}

void jit_free_clones(struct jit_unit *unit)
{
  for (unsigned i = 0; i < unit->clone_count; i++)
    free(unit->clone_list[i].owner);
  free(unit->clone_list);
}

void jit_each_clone_of_last_module(const struct jit *jit,
                                   void (*each)(void *user, const char *owner, const void *address), void *user)
{
  for (unsigned i = 0; jit->last && i < jit->last->clone_count; i++)
    each(user, jit->last->clone_list[i].owner, jit->last->clone_list[i].address);
}
