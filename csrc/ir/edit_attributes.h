/* Queries and changes of the attributes of functions and calls, by name.
   Requires: LLVM-C. Guarantees: IR that verified before still verifies. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

struct edit_attributes {
  LLVMAttributeRef *items;
  unsigned count;
};
/* Enum attributes of a function or call site. */
bool edit_has_attribute(LLVMValueRef of, unsigned index, const char *name);
/* At LLVMAttributeFunctionIndex. Of a call site: only its own, not the callee's. */
bool edit_has_function_attribute(LLVMValueRef of, const char *name);
void edit_add_function_attribute(LLVMValueRef of, const char *name);
void edit_remove_function_attribute(LLVMValueRef of, const char *name);
/* The attribute (byval, inalloca, preallocated) that passes a parameter in memory on the caller's stack; NULL if
   none. */
LLVMAttributeRef edit_stack_argument_attribute(LLVMValueRef function, unsigned index);
unsigned edit_parameter_index(LLVMValueRef parameter); /* from 0; its attributes have this index plus 1 */
bool edit_has_parameter_with_attribute(LLVMValueRef function, const char *const *names,
                                       size_t count); /* any of the attributes */
bool edit_is_presplit_definition(LLVMValueRef function); /* a coroutine definition that is not yet split */
void edit_add_attribute(LLVMValueRef of, unsigned index, const char *name);
void edit_remove_attribute(LLVMValueRef of, unsigned index, const char *name);
uint64_t edit_enum_attribute_value_or_0(LLVMValueRef function, unsigned index, const char *name); /* 0 if absent */
bool edit_has_string_attribute(LLVMValueRef function, const char *name);
/* The value and length of a string attribute of a function; "" if absent. */
const char *edit_string_attribute_value(LLVMValueRef function, const char *name, unsigned *length);
bool edit_is_nocapture(LLVMValueRef call, unsigned argument); /* captures(none), on the call or the callee */
/* Whether the callee captures the argument at most by returning it, by the same attribute. */
bool edit_is_captured_only_by_result(LLVMValueRef call, unsigned argument);
/* Adds captures(ret: address, provenance), or captures(none), to the call. */
void edit_add_captures_attribute(LLVMValueRef call, unsigned argument, bool by_result);
/* On the call site, or on the function that it calls directly. `index`: an argument from 1, or the
   result, LLVMAttributeReturnIndex. */
bool edit_call_or_callee_has_attribute(LLVMValueRef call, unsigned index, const char *name);
bool edit_call_or_callee_has_function_attribute(LLVMValueRef call, const char *name);
/* All attributes of a function or call site. Empty if out of memory, which the arena records. */
struct edit_attributes edit_list_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMAttributeIndex at);
/* Copies the callee's calling convention and parameter attributes to a call, which must repeat them. */
void edit_copy_convention_and_param_attributes(struct coro_arena *arena, LLVMValueRef callee, LLVMValueRef call);
/* Copies the attributes of the call site, its result and its arguments, except the enum attribute `except` (may be
   NULL). */
void edit_call_copy_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to, const char *except);
/* Copies the attributes of a function at an index for which `holds` is true; all of them if `holds` is NULL. */
void edit_copy_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex at,
                          bool (*holds)(LLVMAttributeRef));
