/* Matches the computation of a chosen address, and traces its base; see chosen_address.h. */
#include "check/chosen_address.h"

#include "check/frame_overlap.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"

/* An address that the ramp computes, and the number of its memory. */
struct chosen_pair {
  LLVMValueRef address, number;
};

struct chosen_match {
  struct check *c;
  struct check_clone *k;
  uint32_t claim;
  struct check_chosen *chosen;
  LLVMValueRef address, number; /* the ramp's copy of the phi, and the number of its memory */
  struct coro_map numbers;      /* stack address of a memory -> its number */
  struct coro_map taken;        /* numbers */
  coro_insts steps;
  CORO_VEC(struct chosen_pair) work;
  struct coro_map number_of; /* address -> number, of all pairs */
};

/* ---- The computation ---- */

/* Whether the lowering computes the value by this instruction. */
static bool is_added_with_opcode(const struct check_clone *k, LLVMValueRef value, LLVMOpcode opcode)
{
  uint32_t inst = ir_inst(&k->fn, value);
  return inst != IR_NONE && k->entries[inst].kind == WITNESS_NONE && k->fn.opcode[inst] == opcode;
}

static bool is_added_with_opcode_without_flags(const struct check_clone *k, LLVMValueRef value, LLVMOpcode opcode)
{
  return is_added_with_opcode(k, value, opcode) && !LLVMGetNUW(value) && !LLVMGetNSW(value);
}

static void record_step(struct chosen_match *m, LLVMValueRef value)
{
  (void)coro_vec_push(m->c->arena, &m->steps, ir_inst(&m->k->fn, value)); /* the arena records failures */
}

/* The pointer of an added llvm.ptrtoint to an integer that has room for it; else NULL. */
static LLVMValueRef pointer_of_added_ptrtoint_or_null(struct chosen_match *m, LLVMValueRef value)
{
  uint64_t bits = 8 * ir_pointer_size(m->c->low->context, m->c->low->layout);
  if (!is_added_with_opcode(m->k, value, LLVMPtrToInt) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) < bits)
    return NULL;
  record_step(m, value);
  return LLVMGetOperand(value, CAST_SOURCE);
}

/* Matches base + (address - from), in pointers or in integers. */
static bool match_base_plus_distance(struct chosen_match *m, LLVMValueRef moved, LLVMValueRef *base, LLVMValueRef *from)
{
  bool pointer = is_added_with_opcode(m->k, moved, LLVMGetElementPtr);
  if (pointer ? LLVMGetNumOperands(moved) != 2 || LLVMGEPGetNoWrapFlags(moved) ||
                    LLVMGetGEPSourceElementType(moved) != LLVMInt8TypeInContext(m->c->low->context)
              : !is_added_with_opcode_without_flags(m->k, moved, LLVMAdd))
    return false;
  LLVMValueRef distance = LLVMGetOperand(moved, SECOND_OPERAND);
  if (!is_added_with_opcode_without_flags(m->k, distance, LLVMSub))
    return false;
  LLVMValueRef minuend = LLVMGetOperand(distance, FIRST_OPERAND), subtrahend = LLVMGetOperand(distance, SECOND_OPERAND);
  *base = LLVMGetOperand(moved, FIRST_OPERAND);
  m->address = pointer ? pointer_of_added_ptrtoint_or_null(m, minuend) : minuend;
  *from = pointer ? pointer_of_added_ptrtoint_or_null(m, subtrahend) : subtrahend;
  record_step(m, moved);
  record_step(m, distance);
  uint32_t inst = m->address ? ir_inst(&m->k->fn, m->address) : IR_NONE;
  return *from && inst != IR_NONE && m->k->entries[inst].kind == WITNESS_COPY &&
         ir_value_of_inst(&m->c->low->fn, m->k->entries[inst].of) == m->chosen->value;
}

/* The presplit memory at an address on the ramp's stack; IR_NONE: none. */
static uint32_t memory_at_stack_address_or_none(const struct chosen_match *m, LLVMValueRef address)
{
  const struct coro_lowering *low = m->c->low;
  uint32_t inst = ir_inst(&m->k->fn, address), id = ir_id(&m->k->fn, address);
  if (inst == IR_NONE)
    return id < low->fn.arg_count && low->shape.byval[id] ? id : IR_NONE;
  struct witness_entry entry = m->k->entries[inst];
  if (m->k->fn.opcode[inst] != LLVMAlloca)
    return IR_NONE;
  return entry.kind == WITNESS_ALLOCA ? entry.of
         : entry.kind == WITNESS_COPY ? ir_value_of_inst(&low->fn, entry.of)
                                      : IR_NONE;
}

/* Adds a memory at two addresses with its number. False: it is another memory in the frame, or has two numbers. */
static bool add_memory_with_number(struct chosen_match *m, LLVMValueRef in_frame, LLVMValueRef on_stack,
                                   LLVMValueRef number)
{
  struct check *c = m->c;
  uint32_t memory = memory_at_stack_address_or_none(m, on_stack),
           field = memory == IR_NONE ? IR_NONE : c->low->frame.of_value[memory];
  uint64_t offset, align;
  bool fits = field != IR_NONE && frame_overlap_is_frame_address(m->k, in_frame, &offset, &align) &&
              frame_overlap_is_address_of_fitting_field(c, memory, &c->low->frame.fields[field], offset, align);
  if (!fits || !LLVMIsAConstantInt(number) || coro_map_has(&m->taken, coro_map_key(number)) ||
      coro_map_has(&m->numbers, coro_map_key(on_stack)))
    return false;
  (void)coro_map_put(&m->taken, coro_map_key(number), 1); /* the arena records failures */
  (void)coro_map_put(&m->numbers, coro_map_key(on_stack), coro_map_key(number));
  (void)coro_vec_push(c->arena, &m->chosen->memories, memory);
  return record_use_of_memory_address(c, memory, PLACE_IN_FRAME | PLACE_BEFORE_BEGIN);
}

/* Matches a pair of selects, for the base in the frame and for the one on the stack, by the number. */
static bool match_selects_by_number(struct chosen_match *m, LLVMValueRef base, LLVMValueRef from)
{
  bool pointer = LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind;
  if (!is_added_with_opcode(m->k, base, LLVMSelect) || !is_added_with_opcode(m->k, from, LLVMSelect))
    return false;
  LLVMValueRef is_this = LLVMGetOperand(base, SELECT_CONDITION);
  if (LLVMGetOperand(from, SELECT_CONDITION) != is_this || !is_added_with_opcode(m->k, is_this, LLVMICmp) ||
      LLVMGetICmpPredicate(is_this) != LLVMIntEQ || LLVMGetICmpSameSign(is_this))
    return false;
  LLVMValueRef number = LLVMGetOperand(is_this, COMPARE_LEFT);
  if (m->number && m->number != number)
    return false;
  m->number = number;
  LLVMValueRef in_frame = LLVMGetOperand(base, SELECT_TRUE), on_stack = LLVMGetOperand(from, SELECT_TRUE);
  if (!pointer) {
    in_frame = pointer_of_added_ptrtoint_or_null(m, in_frame);
    on_stack = pointer_of_added_ptrtoint_or_null(m, on_stack);
  }
  record_step(m, base);
  record_step(m, from);
  return in_frame && on_stack && add_memory_with_number(m, in_frame, on_stack, LLVMGetOperand(is_this, COMPARE_RIGHT));
}

static bool match_computation_of_moved_address(struct chosen_match *m, LLVMValueRef moved)
{
  LLVMValueRef base, from;
  if (!match_base_plus_distance(m, moved, &base, &from))
    return false;
  while (base != m->address || from != m->address) {
    if (!match_selects_by_number(m, base, from))
      return false;
    base = LLVMGetOperand(base, SELECT_FALSE);
    from = LLVMGetOperand(from, SELECT_FALSE);
  }
  return m->number != NULL;
}

/* ---- The number ---- */

static bool refute_number(struct chosen_match *m, LLVMValueRef address)
{
  return claims_refute(m->c, m->claim,
                       coro_arena_printf(m->c->arena, "the number of the memory to which '%s' points is another",
                                         value_text_for_message(m->c, address)));
}

/* Each address has one number, so that a loop ends. */
static bool add_address_number_pair_or_refute(struct chosen_match *m, LLVMValueRef address, LLVMValueRef number)
{
  uint64_t known = 0, key = coro_map_key(address);
  if (coro_map_get(&m->number_of, key, &known) && LLVMIsAInstruction(address))
    return known == coro_map_key(number) || refute_number(m, address);
  return coro_map_put(&m->number_of, key, coro_map_key(number)) &&
         coro_vec_push(m->c->arena, &m->work, ((struct chosen_pair){address, number}));
}

/* An address outside of the memory that moves has its own number; memory that moves has its number. */
static bool check_number_of_base(struct chosen_match *m, LLVMValueRef base, LLVMValueRef number)
{
  uint64_t wanted = 0;
  bool moves = coro_map_get(&m->numbers, coro_map_key(base), &wanted);
  bool holds = moves ? wanted == coro_map_key(number)
                     : LLVMIsAConstantInt(number) && !coro_map_has(&m->taken, coro_map_key(number));
  return holds || refute_number(m, base);
}

static bool is_added_phi_in_block_of(const struct check_clone *k, LLVMValueRef number, LLVMValueRef address)
{
  return is_added_with_opcode(k, number, LLVMPHI) &&
         LLVMGetInstructionParent(number) == LLVMGetInstructionParent(address);
}

static bool check_number_of_phi(struct chosen_match *m, LLVMValueRef phi, LLVMValueRef number)
{
  bool chosen = is_added_phi_in_block_of(m->k, number, phi);
  if (!chosen && !LLVMIsAConstantInt(number))
    return check_unsupported(m->c, "an address chosen before llvm.coro.begin, whose number is computed elsewhere");
  for (unsigned i = 0, position = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef of_edge = chosen ? edit_incoming_near(number, from, &position) : number;
    if (!of_edge)
      return refute_number(m, phi);
    if (!add_address_number_pair_or_refute(m, LLVMGetIncomingValue(phi, i), of_edge))
      return false;
  }
  return true;
}

static bool check_number_of_select(struct chosen_match *m, LLVMValueRef select, LLVMValueRef number)
{
  bool chooses = is_added_with_opcode(m->k, number, LLVMSelect) &&
                 LLVMGetInstructionParent(number) == LLVMGetInstructionParent(select) &&
                 LLVMGetOperand(number, SELECT_CONDITION) == LLVMGetOperand(select, SELECT_CONDITION);
  for (unsigned i = SELECT_TRUE; i <= SELECT_FALSE; i++)
    if (!add_address_number_pair_or_refute(m, LLVMGetOperand(select, i), chooses ? LLVMGetOperand(number, i) : number))
      return false;
  return true;
}

/* Notes an operand that is no base: it must not depend on the address of memory that moves. */
static bool record_operand_that_is_no_base(struct chosen_match *m, LLVMValueRef operand)
{
  uint32_t inst = ir_inst(&m->k->fn, operand);
  if (inst == IR_NONE)
    return true;
  return m->k->entries[inst].kind == WITNESS_COPY
             ? coro_vec_push(m->c->arena, &m->chosen->others, ir_value_of_inst(&m->c->low->fn, m->k->entries[inst].of))
             : check_unsupported(m->c, "an address chosen before llvm.coro.begin, whose index is no copy");
}

static bool check_number_of_gep(struct chosen_match *m, LLVMValueRef address, LLVMValueRef number)
{
  for (unsigned i = FIRST_INDEX; i < (unsigned)LLVMGetNumOperands(address); i++)
    if (!record_operand_that_is_no_base(m, LLVMGetOperand(address, i)))
      return false;
  return add_address_number_pair_or_refute(m, LLVMGetOperand(address, ADDRESS_BASE), number);
}

/* An integer between two conversions must have room for the pointer. */
static bool is_pointer_or_wide_integer(const struct check *c, LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind ||
         LLVMGetIntTypeWidth(type) >= 8 * ir_pointer_size(c->low->context, c->low->layout);
}

static bool is_pointer_in_space_0_or_integer(LLVMTypeRef type)
{
  return (LLVMGetTypeKind(type) == LLVMPointerTypeKind && !LLVMGetPointerAddressSpace(type)) ||
         LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
}

static bool check_number_of_address(struct chosen_match *m, struct chosen_pair pair)
{
  uint32_t inst = ir_inst(&m->k->fn, pair.address);
  if (inst == IR_NONE || m->k->fn.opcode[inst] == LLVMAlloca)
    return check_number_of_base(m, pair.address, pair.number);
  bool scalar = is_pointer_in_space_0_or_integer(LLVMTypeOf(pair.address)) && m->k->entries[inst].kind == WITNESS_COPY;
  switch (scalar ? m->k->fn.opcode[inst] : 0) {
  case LLVMLoad:
  case LLVMCall:
  case LLVMInvoke: return check_number_of_base(m, pair.address, pair.number);
  case LLVMPHI: return check_number_of_phi(m, pair.address, pair.number);
  case LLVMSelect: return check_number_of_select(m, pair.address, pair.number);
  case LLVMGetElementPtr: return check_number_of_gep(m, pair.address, pair.number);
  case LLVMPtrToInt:
  case LLVMIntToPtr: {
    LLVMValueRef from = LLVMGetOperand(pair.address, CAST_SOURCE);
    if (is_pointer_or_wide_integer(m->c, LLVMTypeOf(from)) &&
        is_pointer_or_wide_integer(m->c, LLVMTypeOf(pair.address)))
      return add_address_number_pair_or_refute(m, from, pair.number);
    break;
  }
  default: break;
  }
  return check_unsupported(m->c, "an address chosen before llvm.coro.begin from a computed one");
}

/* ---- Claims ---- */

bool chosen_address_is_moved_phi(const struct check *c, uint32_t claim)
{
  const struct check_claim *of = &c->claims.items[claim];
  const struct check_clone *k = c->clones[of->clone];
  uint32_t phi = ir_inst_of_value(&c->low->fn, of->fact.value);
  return k->from->clone_kind == CLONE_RAMP && phi != IR_NONE && c->low->fn.opcode[phi] == LLVMPHI &&
         (is_added_with_opcode(k, of->fact.carrier, LLVMGetElementPtr) ||
          is_added_with_opcode(k, of->fact.carrier, LLVMAdd));
}

bool chosen_address_prove(struct check *c, uint32_t claim)
{
  struct check_claim of = c->claims.items[claim];
  struct check_clone *k = c->clones[of.clone];
  struct check_chosen chosen = {.value = of.fact.value};
  struct chosen_match m = {.c = c, .k = k, .claim = claim, .chosen = &chosen};
  coro_map_init(&m.numbers, c->arena);
  coro_map_init(&m.taken, c->arena);
  coro_map_init(&m.number_of, c->arena);
  if (!match_computation_of_moved_address(&m, of.fact.carrier))
    return claims_refute(c, claim,
                         coro_arena_printf(c->arena, "'%s' is used", value_text_for_message(c, of.fact.carrier)));
  if (!add_address_number_pair_or_refute(&m, m.address, m.number))
    return false;
  while (m.work.count)
    if (!check_number_of_address(&m, m.work.items[--m.work.count]))
      return false;
  if (!coro_vec_push(c->arena, &k->chosen, chosen))
    return false;
  if (k->chosen.count == 1)
    coro_map_init(&k->chosen_steps, c->arena);
  for (uint32_t i = 0; i < m.steps.count; i++)
    (void)coro_map_put(&k->chosen_steps, (uint64_t)m.steps.items[i] + 1, k->chosen.count);
  return true;
}

static bool contains_value(const coro_insts *values, uint32_t value)
{
  for (uint32_t i = 0; i < values->count; i++)
    if (values->items[i] == value)
      return true;
  return false;
}

bool chosen_address_is_step_for_memory(const struct check_clone *ramp, uint32_t inst, uint32_t memory,
                                       const struct memory_uses *uses)
{
  uint64_t number = 0;
  if (!ramp->chosen.count || !coro_map_get(&ramp->chosen_steps, (uint64_t)inst + 1, &number))
    return false;
  const struct check_chosen *chosen = &ramp->chosen.items[number - 1];
  bool moves = contains_value(&chosen->memories, memory);
  for (uint32_t d = 0; d < uses->derived.count && moves; d++)
    moves = !contains_value(&chosen->others, uses->derived.items[d]);
  return moves;
}
