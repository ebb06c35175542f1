/* Debug records of assignment tracking (#dbg_assign), which link a variable with the store that assigns it. LLVM-C can
   neither read the link nor create such records. The DIAssignID is therefore read from the record's printed text, and
   the record becomes one about the memory that the store writes.
   Requires: number.
   Guarantees: the record names an address; the function is unchanged. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug/records.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"

/* The address that an instruction writes: an alloca itself, or the destination of a store or memory intrinsic. NULL:
   unknown. */
static LLVMValueRef address_written_by(LLVMValueRef inst)
{
  if (LLVMIsAAllocaInst(inst))
    return inst;
  if (LLVMIsAStoreInst(inst))
    return LLVMGetOperand(inst, STORE_ADDRESS);
  return LLVMIsAMemIntrinsic(inst) ? LLVMGetOperand(inst, MEMORY_TO) : NULL;
}

/* Maps each DIAssignID to its instruction's address. An ID of several instructions maps to NULL, because it is
   unknown which of them wrote last. */
static bool map_assign_ids_to_addresses_once(struct coro_lowering *low, struct coro_debug *debug)
{
  unsigned kind = LLVMGetMDKindIDInContext(low->context, "DIAssignID", strlen("DIAssignID"));
  if (debug->linked.arena)
    return true;
  coro_map_init(&debug->linked, low->arena);
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    LLVMValueRef inst = low->fn.insts[i], node = LLVMHasMetadata(inst) ? LLVMGetMetadata(inst, kind) : NULL;
    uint64_t name = node ? (uint64_t)(uintptr_t)LLVMValueAsMetadata(node) : 0, known = 0;
    LLVMValueRef pointer = node ? address_written_by(inst) : NULL;
    if (node && coro_map_get(&debug->linked, name, &known))
      pointer = NULL;
    if (node && !coro_map_put(&debug->linked, name, (uint64_t)(uintptr_t)pointer))
      return false;
  }
  return true;
}

/* Prints a record while its block is detached from the function. Metadata then has no slot numbers and is printed as
   addresses, so the cost does not depend on the size of the module. The block is reinserted at once. */
static char *print_debug_record(LLVMValueRef inst, LLVMDbgRecordRef record)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(inst), next = LLVMGetNextBasicBlock(block);
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  LLVMRemoveBasicBlockFromParent(block);
  char *text = LLVMPrintDbgRecordToString(record);
  LLVMAppendExistingBasicBlock(function, block);
  if (next)
    LLVMMoveBasicBlockBefore(block, next);
  return text;
}

/* The DIAssignID of a record, taken from the text after the variable. 0: it has none. */
static uint64_t assign_id_of_debug_record_or_0(struct coro_lowering *low, LLVMValueRef inst, LLVMDbgRecordRef record)
{
  char *text = print_debug_record(inst, record);
  char *variable =
      coro_arena_printf(low->arena, "<0x%" PRIxPTR ">, ", (uintptr_t)LLVMDbgVariableRecordGetVariable(record));
  const char *at = text && variable && !strncmp(text, "#dbg_assign(", 12) ? strstr(text, variable) : NULL;
  const char *identity = at ? strstr(at + strlen(variable), "<0x") : NULL;
  uint64_t name = 0;
  if (identity)
    sscanf(identity, "<%" SCNx64, &name);
  LLVMDisposeMessage(text);
  return name;
}

static LLVMMetadataRef deref_expression_of_record(struct coro_lowering *low, const struct debug_record *record)
{
  enum { DEREF = 0x06, FRAGMENT = 0x1000 };
  uint64_t operations[4] = {DEREF, FRAGMENT};
  bool is_fragment =
      sscanf(record->fragment, "DW_OP_LLVM_fragment, %" SCNu64 ", %" SCNu64, &operations[2], &operations[3]) == 2;
  LLVMDIBuilderRef builder = LLVMCreateDIBuilder(low->module);
  LLVMMetadataRef expression = LLVMDIBuilderCreateExpression(builder, operations, is_fragment ? 4 : 1);
  LLVMDisposeDIBuilder(builder);
  return expression;
}

bool debug_turn_assign_into_memory_record_if_known(struct coro_lowering *low, struct coro_debug *debug, uint32_t inst,
                                                   LLVMDbgRecordRef source, struct debug_record *record)
{
  uint64_t name, pointer = 0;
  if (!map_assign_ids_to_addresses_once(low, debug))
    return false;
  name = assign_id_of_debug_record_or_0(low, low->fn.insts[inst], source);
  record->assigns = name;
  if (!name || !coro_map_get(&debug->linked, name, &pointer) || !pointer || !record->operations || *record->operations)
    return true;
  LLVMValueRef address = (LLVMValueRef)(uintptr_t)pointer;
  if (LLVMIsAAllocaInst(address) && *record->fragment)
    return true; /* the offset within the alloca is unknown */
  record->value = address;
  record->expression = deref_expression_of_record(low, record);
  record->operations = "DW_OP_deref";
  record->assigns = false;
  return true;
}
