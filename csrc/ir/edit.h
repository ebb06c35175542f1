/* Small IR edits and queries that LLVM-C has no single call for.
   Requires: LLVM-C. Guarantees: IR that verified before still verifies. */
#pragma once

#include "ir/edit_attributes.h"

/* Maximum number of steps from an address to its base: in unreachable code the chain may be cyclic. */
enum { EDIT_MAX_DEPTH = 64 };
LLVMValueRef edit_strip_casts_and_zero_geps(LLVMValueRef value); /* strips casts and all-zero geps */
LLVMValueRef edit_strip_geps(LLVMValueRef address); /* strips geps */
void edit_replace_and_erase(LLVMValueRef instruction, LLVMValueRef value); /* replaces all uses and erases */
/* Moves an instruction to the builder's position, with its name and its debug location. Failed allocations are recorded
   in the arena. */
void edit_move_instruction(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef instruction);
/* Moves the name of `from` to `to`, if it has one. Failed allocations are recorded in the arena. */
void edit_move_value_name(struct coro_arena *arena, LLVMValueRef to, LLVMValueRef from);
void edit_erase_instruction(LLVMValueRef instruction); /* replaces all uses by poison and erases */
/* Builds a call with the function's own type and calling convention. */
LLVMValueRef edit_build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments, unsigned count,
                             const char *name);
/* Gives a call without debug location line 0 of its caller, if that has a subprogram and the callee is not an intrinsic
   (as LLVM's Instruction::dropLocation): the verifier requires a location of each call that can be inlined. */
void edit_give_call_location_if_required(LLVMValueRef call);
/* Changes only the callee operand, and gives the call a debug location if it then requires one. */
void edit_set_called_function(LLVMValueRef call, LLVMValueRef callee);
/* Replaces a computed function address by `function`, as edit_replace_and_erase does, and locates the calls through it.
   */
void edit_replace_address_and_locate_its_calls(LLVMValueRef address, LLVMValueRef function);
/* Removes all uses into and edges out of an unreachable block, so that such blocks can be deleted in any order. */
void edit_make_block_unreachable_and_unused(LLVMBasicBlockRef block);
void edit_position_builder_with_location(LLVMBuilderRef builder,
                                         LLVMValueRef instruction); /* inserts before it, with its debug location */
LLVMValueRef edit_bool_constant(LLVMContextRef context, bool value); /* an i1 constant */
bool edit_is_simple_load(LLVMValueRef value); /* neither volatile nor atomic */
bool edit_is_nonzero_integer_constant(LLVMValueRef value); /* a nonzero constant integer */
bool edit_read_integer_constant(LLVMValueRef value,
                                uint64_t *integer); /* false: not a constant integer, or above UINT64_MAX */
/* UINT64_MAX if the constant is larger, or not an integer */
uint64_t edit_integer_constant_or_maximum(LLVMValueRef constant);
/* Alignment of an alloca, load or store in bytes. LLVM-C's own getter wraps at LLVM's maximum alignment. */
uint64_t edit_alignment(LLVMValueRef memory);
#define EDIT_MAX_ALIGN (UINT64_C(1) << 31) /* largest alignment LLVM-C can set: half of LLVM's maximum */
void edit_set_alignment(LLVMValueRef memory, uint64_t align); /* sets at most EDIT_MAX_ALIGN */
/* Casts a constant to address space 0, which the coroutine intrinsics require even if the target places code or data
   in others. */
LLVMValueRef edit_cast_to_default_pointer(LLVMValueRef constant);
/* Returns or declares a function of the C library with its C signature. */
LLVMValueRef edit_declare_library_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);
/* Whether generated code can call a function: no parameter needs an argument that only a call in the source can provide
   (inalloca, preallocated, swifterror), and LLVM permits calls with its calling convention. */
bool edit_permits_generated_calls(LLVMValueRef function);

bool edit_has_local_linkage(LLVMValueRef global); /* internal or private linkage */
/* The pad in the funclet bundle of a call; NULL: none. */
LLVMValueRef edit_funclet_pad(LLVMValueRef call);
bool edit_has_more_instructions_than(LLVMValueRef function,
                                     unsigned instructions); /* the cost is linear in `instructions` */
/* Copies section, alignment, garbage collector, prefix and prologue data. */
void edit_copy_codegen_properties(LLVMValueRef from, LLVMValueRef to);
bool edit_is_symbol_name_in_use(LLVMModuleRef module, const char *name); /* by a global value of any kind */
/* As LLVM's isInterposable: the linker may replace the definition by one that is not equivalent. */
bool edit_is_interposable(LLVMValueRef global);
/* As LLVM's hasExactDefinition: the linker cannot replace the body by another one. */
bool edit_has_exact_definition(LLVMValueRef function);

static inline const char *edit_value_name(LLVMValueRef value) /* without % or @; "": none */
{
  size_t length;
  return LLVMGetValueName2(value, &length);
}

/* LLVM-C reports values without a kind, such as `dso_local_equivalent @f` and `no_cfi @f`, as instructions. */
static inline bool edit_is_instruction(LLVMValueRef value)
{
  return LLVMIsAInstruction(value) != NULL;
}

static inline LLVMValueRef edit_first_after_phis(LLVMBasicBlockRef block)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  while (LLVMIsAPHINode(first))
    first = LLVMGetNextInstruction(first);
  return first;
}

/* The value of a phi for the edge from a block; NULL: there is none. */
static inline LLVMValueRef edit_incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingBlock(phi, i) == from)
      return LLVMGetIncomingValue(phi, i);
  return NULL;
}

/* The same for successive edges, which usually are in the order of the phi: begins with entry `*position`, and sets it
   to the one found. */
static inline LLVMValueRef edit_incoming_near(LLVMValueRef phi, LLVMBasicBlockRef from, unsigned *position)
{
  unsigned count = LLVMCountIncoming(phi);
  for (unsigned i = 0; i < count; i++, ++*position) {
    *position = *position < count ? *position : 0;
    if (LLVMGetIncomingBlock(phi, *position) == from)
      return LLVMGetIncomingValue(phi, *position);
  }
  return NULL;
}

static inline bool edit_is_pointer(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

static inline bool edit_is_default_pointer(LLVMTypeRef type) /* a pointer in address space 0 */
{
  return edit_is_pointer(type) && LLVMGetPointerAddressSpace(type) == 0;
}

static inline bool edit_is_call(LLVMValueRef value) /* call or invoke */
{
  return edit_is_instruction(value) &&
         (LLVMGetInstructionOpcode(value) == LLVMCall || LLVMGetInstructionOpcode(value) == LLVMInvoke);
}

static inline bool edit_is_call_of(LLVMValueRef value, LLVMValueRef function) /* a direct call of `function` */
{
  return edit_is_call(value) && LLVMGetCalledValue(value) == function;
}

static inline LLVMValueRef edit_function_of(LLVMValueRef instruction)
{
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

/* The integer value of a module flag; 0 if absent. */
uint64_t edit_module_flag_value_or_0(LLVMModuleRef module, const char *name);
