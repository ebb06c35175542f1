/* Hook modules: IR modules with the hooks of a custom ABI, its frame header and its clone signature.
   Requires: ir.
   Guarantees: the definitions are linked into a lowered module when its first coroutine needs them. */
#pragma once

#include "base/arena.h"
#include "lowering/hook.h"
#include "lowering/lowering.h"

struct hook_module {
  LLVMModuleRef source; /* as parsed, with unique names; not modified */
  unsigned number; /* part of these names */
  LLVMValueRef hooks[HOOK_COUNT]; /* in `source`; NULL: not defined */
  LLVMTypeRef header; /* type of the ABI's header; NULL: none */
  uint64_t header_align; /* requested alignment in bytes; 0: that of the type */
  /* prototype of resuming clones, in `source`; NULL: that of the base ABI. Its types belong to the lowered module
     only after linking */
  LLVMValueRef clone_prototype;
  const char *suffix; /* name suffix of such clones */
};

#define HOOK_PREFIX "pycoro.abi." /* prefix of renamed hooks */

struct hook_module_text {
  const char *data;
  size_t size;
  unsigned number; /* unused in the module's names, see hook_module_unused_number */
  bool each; /* one resuming clone per suspend */
  coro_abi_kind base; /* RETCON also for RETCON_ONCE */
};

/* Parses text or bitcode and checks its definitions. The result is in the arena; free its module by hook_module_free.
   EPARSE, EVERIFY or EUSAGE with a diagnostic of rule "hook-module"; ENOMEM. */
coro_status hook_module_parse(struct hook_module **out, struct coro_arena *arena, LLVMContextRef context,
                              const struct hook_module_text *text, coro_diags *diags);
void hook_module_free(struct hook_module *hook_module); /* NULL is allowed */
/* Checks that the coroutine has what the hooks need; EREJECTED with a diagnostic. */
coro_status hook_module_check_coroutine(const struct coro_lowering *low);
/* Links the definitions into the coroutine's module, once; EREJECTED with a diagnostic if that fails. */
coro_status hook_module_link(const struct coro_lowering *low);
/* Appends the ABI's own fields to the frame header. */
void hook_module_append_header_field(const struct coro_lowering *low, struct coro_frame_header *header);
/* Checks that the header's alignment is at most the known alignment of the frame; EREJECTED with a diagnostic. */
coro_status hook_module_check_header_alignment(const struct coro_lowering *low, uint64_t frame_align);
/* Checks low->header_values against the types of the header's elements; EREJECTED with a diagnostic. */
coro_status hook_module_check_header_values(const struct coro_lowering *low);
/* After linking: the hook, the prototype of clones (NULL: the base's), the initial header contents (NULL: none). */
LLVMValueRef hook_module_linked_function_or_null(const struct coro_lowering *low, enum hook hook);
LLVMValueRef hook_module_linked_clone_prototype_or_null(const struct coro_lowering *low);
LLVMValueRef hook_module_linked_header_value_or_null(const struct coro_lowering *low);
/* Whether an instruction calls abi.passed.N, which stands for the N-th parameter of the resumed clone (0: the
   frame). */
bool hook_module_is_parameter_query(LLVMValueRef inst, unsigned *clone_parameter_or_0);
/* Names of linked definitions; NULL: out of memory. */
const char *hook_module_linked_name(struct coro_arena *arena, const struct hook_module *hook_module, const char *role);
const char *hook_linked_name(struct coro_arena *arena, const struct hook_module *hook_module, enum hook hook);
/* The smallest number larger than those in the names of linked hooks in the module. */
unsigned hook_module_unused_number(LLVMModuleRef module);
/* Removes unused hook definitions from the module; those that are still used become internal, under other names. */
void hook_module_unlink(const struct hook_module *hook_module, LLVMModuleRef module);

static inline bool hook_module_defines_hook(const struct hook_module *hook_module, enum hook hook)
{
  return hook_module && hook_module->hooks[hook];
}
