/* Small changes to a function that LLVM-C has no single call for.
   Needs: LLVM-C. Leaves: IR that verifies, given IR that did. */
#ifndef CORO_IR_EDIT_H
#define CORO_IR_EDIT_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Steps from an address to what it is made of: where no control comes there may be no end of them. */
enum { EDIT_DEEPEST = 64 };
LLVMValueRef edit_strip_casts(LLVMValueRef value);                     /* the value behind casts and all-zero geps */
LLVMValueRef edit_base_of(LLVMValueRef address);                       /* what is behind geps */
void edit_replace(LLVMValueRef instruction, LLVMValueRef value);       /* its uses read `value`; it is erased */
/* `to` gets the name, if there is one; memory that runs out is left to the arena to remember. */
void edit_take_name(struct coro_arena *arena, LLVMValueRef to, LLVMValueRef from);
void edit_replace_by_nothing(LLVMValueRef instruction);                /* likewise; it is erased */
/* A call of a function by its own type, in its own calling convention. */
LLVMValueRef edit_build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments, unsigned count,
                             const char *name);
/* How parameters are passed is part of a function's type as far as a call of it is concerned. */
void edit_as_declared(struct coro_arena *arena, LLVMValueRef callee, LLVMValueRef call);
/* Gives a call of a function that is no intrinsic line 0 of its caller if it has no debug location and the caller has a
   subprogram, as LLVM's Instruction::dropLocation does: the verifier requires a location of each call that can be
   inlined. */
void edit_locate_call(LLVMValueRef call);
/* Changes the callee only; the call is then located by edit_locate_call. */
void edit_set_callee(LLVMValueRef call, LLVMValueRef callee);
/* Replaces a computed function address by `function`, as edit_replace does; calls through it are located. */
void edit_replace_callee(LLVMValueRef address, LLVMValueRef function);
/* Cuts a block that cannot be reached off from all others, so that it can be deleted whatever the order. */
void edit_sever(LLVMBasicBlockRef block);
void edit_before(LLVMBuilderRef builder, LLVMValueRef instruction); /* insert there, with its debug location */
void edit_after(LLVMBuilderRef builder, LLVMValueRef instruction); /* before the next one's debug records */
LLVMValueRef edit_bool(LLVMContextRef context, bool value); /* an i1 */
bool edit_is_plain_load(LLVMValueRef value); /* neither volatile nor atomic */
LLVMValueRef edit_compare(LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b); /* of constants, a constant */
bool edit_is_true(LLVMValueRef value); /* a constant integer, and not zero */
bool edit_constant(LLVMValueRef value, uint64_t *number); /* false: not a constant integer, or above UINT64_MAX */
uint64_t edit_constant_or_most(LLVMValueRef constant); /* UINT64_MAX: an integer that is not below it */
/* Of an alloca, a load or a store, in bytes. What LLVM-C says wraps at the greatest that LLVM has. */
uint64_t edit_alignment(LLVMValueRef memory);
#define EDIT_MOST_ALIGN (UINT64_C(1) << 31) /* the greatest that LLVM-C can set, half of the greatest that LLVM has */
void edit_set_alignment(LLVMValueRef memory, uint64_t align); /* or as much of it as can be set */
/* The intrinsics name code and variables by pointers of no address space, where those have one of their own. */
LLVMValueRef edit_plain_pointer(LLVMValueRef constant);
/* A function of the C library, by its C signature; a declaration that is there already is called as it should be. */
LLVMValueRef edit_library_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);
/* A parameter takes what only a call that the program itself makes can give: memory set aside right before it, or a
   swifterror variable. */
bool edit_needs_own_call(LLVMValueRef function);

/* Enum attributes of a function, or of a call itself. */
bool edit_has_attribute(LLVMValueRef of, unsigned index, const char *name);
/* The attribute by which a parameter is memory on the caller's stack, that has the memory's type; NULL without one. */
LLVMAttributeRef edit_callers_memory(LLVMValueRef function, unsigned index);
bool edit_is_local(LLVMValueRef global); /* internal or private: no other module can name it */
bool edit_is_presplit(LLVMValueRef function); /* a coroutine still to be split; a declaration has nothing to split */
void edit_add_attribute(LLVMValueRef of, unsigned index, const char *name);
void edit_remove_attribute(LLVMValueRef of, unsigned index, const char *name);
uint64_t edit_attribute_value(LLVMValueRef function, unsigned index, const char *name); /* 0: not there */
bool edit_has_text_attribute(LLVMValueRef function, const char *name);
/* A text attribute of a function, as long as `length` says; "": it has none of that name. */
const char *edit_text_attribute(LLVMValueRef function, const char *name, unsigned *length);
bool edit_captures_nothing(LLVMValueRef call, unsigned argument); /* captures(none), on the call or the callee */
struct edit_attributes {
  LLVMAttributeRef *items;
  unsigned count;
};
/* Those of a function, or of a call itself; none where memory ran out, which the arena remembers. */
struct edit_attributes edit_attributes_of(struct coro_arena *arena, LLVMValueRef from, LLVMAttributeIndex at);
bool edit_call_has_attribute(LLVMValueRef call, const char *name); /* on the call itself, not on the callee */
/* Control may come back behind the call from elsewhere, as behind that of setjmp. */
bool edit_returns_twice(LLVMValueRef call);
/* A body that may be replaced by another, or by another compilation of the same source, says nothing. */
bool edit_body_known(LLVMValueRef function);
void edit_call_add_attribute(LLVMValueRef call, const char *name);
void edit_call_remove_attribute(LLVMValueRef call, const char *name);
/* All of them, on the call itself, its result and its arguments, but for the enum attribute `except` (NULL: for
   none). */
void edit_call_copy_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to, const char *except);

/* LLVM's C API calls every value an instruction that it has no kind for: `dso_local_equivalent @f`, `no_cfi @f`. */
static inline bool edit_is_instruction(LLVMValueRef value)
{
  return LLVMIsAInstruction(value) != NULL;
}

static inline bool edit_is_call(LLVMValueRef value) /* or an invoke */
{
  return edit_is_instruction(value) &&
         (LLVMGetInstructionOpcode(value) == LLVMCall || LLVMGetInstructionOpcode(value) == LLVMInvoke);
}

static inline bool edit_calls(LLVMValueRef value, LLVMValueRef function) /* ... of that one, by its own name */
{
  return edit_is_call(value) && LLVMGetCalledValue(value) == function;
}

static inline LLVMValueRef edit_function_of(LLVMValueRef instruction)
{
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

/* The number that the module flag has; 0: it has none, or is not there. */
uint64_t edit_module_flag(LLVMModuleRef module, const char *name);

#endif
