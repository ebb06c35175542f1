/* Recognizes the selector of a cleanup that several paths share: a phi of constants that decides where the cleanup
   branches at its end (clang's cleanup.dest). */
#include "analysis/cleanup_selector.h"

#include "ir/constant_fold.h"

void cleanup_selector_add_landing(struct cleanup_selector *b, uint32_t landing, uint32_t from)
{
  coro_bits_set(&b->from, from);
  coro_bits_set(&b->to, ir_block_of(b->fn, landing));
}

uint32_t cleanup_selector_of(const struct cleanup_selector *b, LLVMValueRef terminator)
{
  LLVMValueRef source = constant_successor_source(terminator);
  uint32_t inst = source ? ir_inst(b->fn, source) : IR_NONE;
  bool brought = inst != IR_NONE && b->fn->opcode[inst] == LLVMPHI && coro_bits_get(&b->to, ir_block_of(b->fn, inst));
  return brought ? inst : IR_NONE;
}

bool cleanup_selector_is_of_landing(const struct cleanup_selector *b, uint32_t phi, uint32_t k)
{
  uint32_t from = ir_operand(b->fn, phi, ir_phi_count(b->fn, phi) + k);
  return from != IR_NONE && coro_bits_get(&b->from, from & ~IR_BLOCK);
}

bool cleanup_selector_only_from_landings(const struct cleanup_selector *b, LLVMValueRef terminator, uint32_t phi,
                                         unsigned successor)
{
  for (uint32_t k = 0; k < ir_phi_count(b->fn, phi); k++) {
    LLVMValueRef number = LLVMGetIncomingValue(b->fn->insts[phi], k);
    unsigned leads = LLVMIsAConstantInt(number) ? constant_successor(terminator, b->fn->insts[phi], number) : successor;
    if (!cleanup_selector_is_of_landing(b, phi, k) && (leads == successor || leads == CONSTANT_SUCCESSOR_UNKNOWN))
      return false;
  }
  return true;
}

bool cleanup_selector_is_stable(const struct cleanup_selector *b, const struct coro_cfg *cfg,
                                const struct coro_bits *cleanup)
{
  for (uint32_t x = 0; x < b->extra->landing_count; x++) {
    uint32_t phi = b->extra->landings[x], count = b->fn->opcode[phi] == LLVMPHI ? ir_phi_count(b->fn, phi) : 0;
    if (x && phi == b->extra->landings[x - 1])
      continue; /* several ends have the same cleanup */
    for (uint32_t k = 0; k < count; k++) {
      uint32_t from = ir_operand(b->fn, phi, count + k);
      if (from != IR_NONE && coro_bits_get(cleanup, cfg->last_node[from & ~IR_BLOCK]))
        return false;
    }
  }
  return true;
}
