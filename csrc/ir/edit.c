/* Small IR edits and queries that LLVM-C has no single call for. */
#include "ir/edit.h"

#include <string.h>

#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"

static bool is_zero_gep(LLVMValueRef value)
{
  int count = LLVMGetNumOperands(value);
  for (int i = 1; i < count; i++) {
    LLVMValueRef index = LLVMGetOperand(value, (unsigned)i);
    if (!LLVMIsAConstantInt(index) || !LLVMIsNull(index))
      return false;
  }
  return true;
}

LLVMValueRef edit_strip_casts_and_zero_geps(LLVMValueRef value)
{
  for (int i = 0; i < EDIT_MAX_DEPTH; i++) {
    LLVMOpcode opcode = edit_is_instruction(value)   ? LLVMGetInstructionOpcode(value)
                        : LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value)
                                                     : LLVMRet;
    bool cast = opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast;
    LLVMValueRef inner = cast || (opcode == LLVMGetElementPtr && is_zero_gep(value)) ? LLVMGetOperand(value, 0) : NULL;
    if (!inner)
      break;
    value = inner;
  }
  return value;
}

LLVMValueRef edit_strip_geps(LLVMValueRef address)
{
  for (int i = 0; i < EDIT_MAX_DEPTH && LLVMIsAGetElementPtrInst(address); i++)
    address = LLVMGetOperand(address, ADDRESS_BASE);
  return address;
}

/* In an unreachable block an instruction may be its own operand. */
void edit_replace_and_erase(LLVMValueRef instruction, LLVMValueRef value)
{
  LLVMReplaceAllUsesWith(instruction, value == instruction ? LLVMGetPoison(LLVMTypeOf(instruction)) : value);
  LLVMInstructionEraseFromParent(instruction);
}

/* Instructions may use `token none` but not a poison token. Debug records must not use `token none`: LLVM then frees
   the context's metadata for it twice. */
static void replace_token_operands_of_users(LLVMValueRef instruction, LLVMValueRef none)
{
  for (LLVMUseRef use = LLVMGetFirstUse(instruction); use; use = LLVMGetFirstUse(instruction)) {
    LLVMValueRef user = LLVMGetUser(use);
    for (int o = 0; o < LLVMGetNumOperands(user); o++)
      if (LLVMGetOperand(user, (unsigned)o) == instruction)
        LLVMSetOperand(user, (unsigned)o, none);
  }
}

/* Replaces all uses by poison. */
static void replace_uses_by_poison_or_token_none(LLVMValueRef instruction)
{
  LLVMTypeRef type = LLVMTypeOf(instruction);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMVoidTypeKind)
    return;
  if (kind == LLVMTokenTypeKind)
    replace_token_operands_of_users(instruction, LLVMConstNull(type));
  LLVMReplaceAllUsesWith(instruction, LLVMGetPoison(type));
}

/* The builder names what it inserts, and gives it its own location. If the new function has another value of that name,
   LLVM frees this one's name. */
void edit_move_instruction(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef instruction)
{
  size_t length;
  const char *name = LLVMGetValueName2(instruction, &length),
             *own = length ? coro_arena_strndup(arena, name, length) : NULL;
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
  LLVMInstructionRemoveFromParent(instruction);
  LLVMInsertIntoBuilderWithName(builder, instruction, own ? own : "");
  LLVMInstructionSetDebugLoc(instruction, location);
}

void edit_move_value_name(struct coro_arena *arena, LLVMValueRef to, LLVMValueRef from)
{
  size_t length;
  const char *name = LLVMGetValueName2(from, &length), *own = coro_arena_strndup(arena, name, length);
  if (!own || !length)
    return;
  LLVMSetValueName2(from, "", 0);
  LLVMSetValueName2(to, own, length);
}

void edit_erase_instruction(LLVMValueRef instruction)
{
  replace_uses_by_poison_or_token_none(instruction);
  LLVMInstructionEraseFromParent(instruction);
}

LLVMValueRef edit_build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments, unsigned count,
                             const char *name)
{
  LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, name);
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
  edit_give_call_location_if_required(call);
  return call;
}

void edit_give_call_location_if_required(LLVMValueRef call)
{
  if (!edit_is_call(call) || LLVMInstructionGetDebugLoc(call))
    return;
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
  LLVMMetadataRef scope = callee && LLVMGetIntrinsicID(callee) ? NULL : LLVMGetSubprogram(edit_function_of(call));
  if (scope)
    LLVMInstructionSetDebugLoc(
        call, LLVMDIBuilderCreateDebugLocation(LLVMGetTypeContext(LLVMTypeOf(call)), 0, 0, scope, NULL));
}

void edit_set_called_function(LLVMValueRef call, LLVMValueRef callee)
{
  LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee);
  edit_give_call_location_if_required(call);
}

void edit_replace_address_and_locate_its_calls(LLVMValueRef address, LLVMValueRef function)
{
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
    if (edit_is_call_of(LLVMGetUser(use), address))
      edit_give_call_location_if_required(LLVMGetUser(use));
  edit_replace_and_erase(address, function);
}

/* Keeps the instructions: debug records are deleted with their block, but outlive an instruction that is erased at
   its end. */
void edit_make_block_unreachable_and_unused(LLVMBasicBlockRef block)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
  for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
    if (LLVMGetFirstUse(at))
      replace_uses_by_poison_or_token_none(at);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(terminator)));
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
  LLVMInstructionEraseFromParent(terminator);
}

void edit_position_builder_with_location(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  LLVMPositionBuilderBefore(builder, instruction);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction));
}

LLVMValueRef edit_bool_constant(LLVMContextRef context, bool value)
{
  return LLVMConstInt(LLVMInt1TypeInContext(context), value, false);
}

bool edit_is_nonzero_integer_constant(LLVMValueRef value)
{
  return LLVMIsAConstantInt(value) && !LLVMIsNull(value);
}

bool edit_read_integer_constant(LLVMValueRef value, uint64_t *integer)
{
  if (!LLVMIsAConstantInt(value))
    return false;
  LLVMTypeRef type = LLVMTypeOf(value), word = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
  bool wide = LLVMGetIntTypeWidth(type) > 64;
  uint64_t low = LLVMConstIntGetZExtValue(wide ? LLVMConstTrunc(value, word) : value);
  if (wide && LLVMConstInt(type, low, false) != value) /* LLVM uniques constants per context */
    return false;
  *integer = low;
  return true;
}

LLVMValueRef edit_cast_to_default_pointer(LLVMValueRef constant)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(constant)), 0);
  return LLVMTypeOf(constant) == pointer ? constant : LLVMConstAddrSpaceCast(constant, pointer);
}

uint64_t edit_integer_constant_or_maximum(LLVMValueRef constant)
{
  uint64_t number = UINT64_MAX;
  edit_read_integer_constant(constant, &number);
  return number;
}

bool edit_is_simple_load(LLVMValueRef value)
{
  return LLVMIsALoadInst(value) && !LLVMGetVolatile(value) && LLVMGetOrdering(value) == LLVMAtomicOrderingNotAtomic;
}

uint64_t edit_alignment(LLVMValueRef memory)
{
  unsigned align = LLVMGetAlignment(memory);
  return align ? align : 2 * EDIT_MAX_ALIGN;
}

void edit_set_alignment(LLVMValueRef memory, uint64_t align)
{
  LLVMSetAlignment(memory, (unsigned)(align < EDIT_MAX_ALIGN ? align : EDIT_MAX_ALIGN));
}

LLVMValueRef edit_declare_library_function(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  return function ? function : LLVMAddFunction(module, name, type);
}

/* LLVM's isCallableCC: only hardware, drivers and certain intrinsics call the others. */
static bool has_callable_calling_convention(LLVMValueRef function)
{
  enum { CS_CHAIN = 104, CS_CHAIN_PRESERVE = 105, GFX_WHOLE_WAVE = 124 }; /* LLVM-C has no names for these */
  switch (LLVMGetFunctionCallConv(function)) {
  case LLVMSPIRKERNELCallConv:
  case LLVMAMDGPUVSCallConv:
  case LLVMAMDGPUGSCallConv:
  case LLVMAMDGPUPSCallConv:
  case LLVMAMDGPUCSCallConv:
  case LLVMAMDGPUKERNELCallConv:
  case LLVMAMDGPUHSCallConv:
  case LLVMAMDGPULSCallConv:
  case LLVMAMDGPUESCallConv:
  case CS_CHAIN:
  case CS_CHAIN_PRESERVE:
  case GFX_WHOLE_WAVE: return false;
  default: return true;
  }
}

bool edit_permits_generated_calls(LLVMValueRef function)
{
  static const char *const unforwardable[] = {"inalloca", "preallocated", "swifterror"};
  return !edit_has_parameter_with_attribute(function, unforwardable, sizeof unforwardable / sizeof *unforwardable) &&
         has_callable_calling_convention(function);
}

bool edit_has_local_linkage(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

LLVMValueRef edit_funclet_pad(LLVMValueRef call)
{
  LLVMValueRef pad = NULL;
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    size_t length;
    const char *tag = LLVMGetOperandBundleTag(bundle, &length);
    if (length == strlen("funclet") && !memcmp(tag, "funclet", length))
      pad = LLVMGetOperandBundleArgAtIndex(bundle, 0);
    LLVMDisposeOperandBundle(bundle);
  }
  return pad;
}

bool edit_has_more_instructions_than(LLVMValueRef function, unsigned instructions)
{
  unsigned count = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (++count > instructions)
        return true;
  return false;
}

void edit_copy_codegen_properties(LLVMValueRef from, LLVMValueRef to)
{
  const char *section = LLVMGetSection(from);
  if (section && *section)
    LLVMSetSection(to, section);
  LLVMSetAlignment(to, LLVMGetAlignment(from));
  if (LLVMGetGC(from))
    LLVMSetGC(to, LLVMGetGC(from));
  if (LLVMHasPrefixData(from))
    LLVMSetPrefixData(to, LLVMGetPrefixData(from));
  if (LLVMHasPrologueData(from))
    LLVMSetPrologueData(to, LLVMGetPrologueData(from));
}

bool edit_is_symbol_name_in_use(LLVMModuleRef module, const char *name)
{
  return LLVMGetNamedGlobal(module, name) || LLVMGetNamedFunction(module, name) ||
         LLVMGetNamedGlobalAlias(module, name, strlen(name)) || LLVMGetNamedGlobalIFunc(module, name, strlen(name));
}

bool edit_is_interposable(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMExternalWeakLinkage ||
         linkage == LLVMCommonLinkage;
}

bool edit_has_exact_definition(LLVMValueRef function)
{
  if (!LLVMIsAFunction(function) || LLVMIsDeclaration(function))
    return false;
  LLVMLinkage linkage = LLVMGetLinkage(function);
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage || linkage == LLVMExternalLinkage;
}

uint64_t edit_module_flag_value_or_0(LLVMModuleRef module, const char *name)
{
  LLVMMetadataRef flag = LLVMGetModuleFlag(module, name, strlen(name));
  LLVMValueRef value = flag ? LLVMMetadataAsValue(LLVMGetModuleContext(module), flag) : NULL;
  uint64_t number = 0;
  if (value && LLVMIsAMDNode(value) && LLVMGetMDNodeNumOperands(value) == 1)
    LLVMGetMDNodeOperands(value, &value);
  if (value)
    edit_read_integer_constant(value, &number);
  return number;
}
