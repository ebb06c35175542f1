/* Tests whether one function is a prefix of another, by a comparison in lockstep: first of their control flow and
   operations, then of operands under the mapping found. Linear in the common part. */
#include "transform/function_prefix.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "transform/identical_instruction.h"

enum { MAX_JUMPS = 16 }; /* maximum number of consecutive unconditional branches to follow */

struct pair {
  LLVMBasicBlockRef longer, shorter;
};

struct comparison {
  struct coro_arena *arena;
  struct function_prefix *found;
  struct coro_map counterpart; /* instruction, argument or block of the longer function -> the shorter one's */
  struct coro_map mapped_shorter; /* blocks of the shorter function that are already mapped */
  CORO_VEC(struct pair) blocks; /* worklist of common blocks */
  CORO_VEC(LLVMBasicBlockRef) rest_blocks; /* blocks reachable from the rest, without its first */
  struct coro_map rest; /* instructions and blocks of the rest */
};

static bool map_has_pointer(const struct coro_map *map, const void *key)
{
  return coro_map_has(map, coro_map_key(key));
}

static bool is_mapped_to_counterpart(const struct comparison *w, const void *longer, const void *shorter)
{
  uint64_t known;
  return coro_map_get(&w->counterpart, coro_map_key(longer), &known) && known == coro_map_key(shorter);
}

static LLVMValueRef skip_unconditional_branches(LLVMValueRef at)
{
  for (unsigned i = 0; i < MAX_JUMPS && flow_is_jump(at); i++)
    at = LLVMGetFirstInstruction(LLVMGetSuccessor(at, 0));
  return at;
}

/* ---- Lockstep comparison ---- */

/* Whether the shorter function returns here, or after unconditional branches only. */
static bool jumps_to_return(LLVMValueRef shorter)
{
  return LLVMIsAReturnInst(skip_unconditional_branches(shorter)) != NULL;
}

/* Where the shorter function returns, `longer` must be the start of the rest. False: it is a phi, or another return has
   another rest. */
static bool match_start_of_rest(struct comparison *w, LLVMValueRef longer)
{
  longer = skip_unconditional_branches(longer);
  if (!w->found->rest)
    w->found->rest = longer;
  return w->found->rest == longer && !LLVMIsAPHINode(longer);
}

static bool match_block_pair(struct comparison *w, LLVMBasicBlockRef longer, LLVMBasicBlockRef shorter)
{
  if (jumps_to_return(LLVMGetFirstInstruction(shorter)))
    return match_start_of_rest(w, LLVMGetFirstInstruction(longer));
  if (map_has_pointer(&w->counterpart, longer))
    return is_mapped_to_counterpart(w, longer, shorter);
  return !map_has_pointer(&w->mapped_shorter, shorter) && coro_map_put(&w->mapped_shorter, coro_map_key(shorter), 1) &&
         coro_map_put(&w->counterpart, coro_map_key(longer), coro_map_key(shorter)) &&
         coro_vec_push(w->arena, &w->blocks, ((struct pair){longer, shorter}));
}

/* Calls that may return twice and musttail calls cannot move to another function. */
static bool is_musttail_or_returns_twice(LLVMValueRef instruction)
{
  return edit_is_call(instruction) &&
         (edit_call_or_callee_has_function_attribute(instruction, "returns_twice") ||
          (LLVMIsACallInst(instruction) && LLVMGetTailCallKind(instruction) == LLVMTailCallKindMustTail));
}

/* Approximates code size: address computations and casts usually fold into their users. */
static bool usually_emits_code(LLVMValueRef instruction)
{
  return !LLVMIsAPHINode(instruction) && !LLVMIsAGetElementPtrInst(instruction) && !LLVMIsACastInst(instruction) &&
         !LLVMIsAUnreachableInst(instruction) && !LLVMIsALandingPadInst(instruction) && !flow_is_jump(instruction);
}

static bool match_successor_pairs(struct comparison *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  unsigned count = LLVMGetNumSuccessors(longer);
  bool same = LLVMGetNumSuccessors(shorter) == count;
  for (unsigned i = 0; i < count && same; i++)
    same = match_block_pair(w, LLVMGetSuccessor(longer, i), LLVMGetSuccessor(shorter, i));
  return same;
}

static bool match_instructions_of_blocks(struct comparison *w, struct pair block)
{
  LLVMValueRef longer = LLVMGetFirstInstruction(block.longer), shorter = LLVMGetFirstInstruction(block.shorter);
  for (;; longer = LLVMGetNextInstruction(longer), shorter = LLVMGetNextInstruction(shorter)) {
    if (jumps_to_return(shorter))
      return match_start_of_rest(w, longer);
    if (!is_identical_but_for_operands_if_supported(longer, shorter) || is_musttail_or_returns_twice(longer) ||
        !coro_map_put(&w->counterpart, coro_map_key(longer), coro_map_key(shorter)))
      return false;
    w->found->weight += usually_emits_code(longer);
    if (LLVMIsATerminatorInst(longer))
      return match_successor_pairs(w, longer, shorter);
  }
}

/* ---- Operands ---- */

/* Phis may list their incoming blocks in different orders. */
static bool have_equivalent_incoming_values(const struct comparison *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  struct coro_arena_mark mark = coro_arena_mark(w->arena);
  struct coro_map incoming; /* block -> incoming value */
  bool same = true;
  uint64_t from, value;
  coro_map_init(&incoming, w->arena);
  for (unsigned i = 0; i < LLVMCountIncoming(shorter) && same; i++)
    same = coro_map_put(&incoming, coro_map_key(LLVMGetIncomingBlock(shorter, i)),
                        coro_map_key(LLVMGetIncomingValue(shorter, i)));
  for (unsigned i = 0; i < LLVMCountIncoming(longer) && same; i++)
    same = coro_map_get(&w->counterpart, coro_map_key(LLVMGetIncomingBlock(longer, i)), &from) &&
           coro_map_get(&incoming, from, &value) &&
           is_equivalent_value(&w->counterpart, LLVMGetIncomingValue(longer, i), (LLVMValueRef)(uintptr_t)value);
  coro_arena_rewind(w->arena, mark);
  return same;
}

static bool are_operands_of_matched_equivalent(const struct comparison *w)
{
  uint64_t other;
  for (uint32_t b = 0; b < w->blocks.count; b++)
    for (LLVMValueRef at = LLVMGetFirstInstruction(w->blocks.items[b].longer); at; at = LLVMGetNextInstruction(at)) {
      if (!coro_map_get(&w->counterpart, coro_map_key(at), &other))
        break; /* the rest starts here */
      LLVMValueRef shorter = (LLVMValueRef)(uintptr_t)other; /* successors were compared in lockstep */
      if (!(LLVMIsAPHINode(at) ? have_equivalent_incoming_values(w, at, shorter)
                               : have_equivalent_nonblock_operands(&w->counterpart, at, shorter)))
        return false;
    }
  return true;
}

/* ---- The rest ---- */

static bool add_rest_block_unless_it_leads_back(struct comparison *w, LLVMValueRef from)
{
  for (LLVMValueRef at = from; at; at = LLVMGetNextInstruction(at))
    if (!coro_map_put(&w->rest, coro_map_key(at), 1))
      return false;
  LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(from));
  for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
    LLVMBasicBlockRef next = LLVMGetSuccessor(last, i);
    if (map_has_pointer(&w->counterpart, next) || next == LLVMGetInstructionParent(w->found->rest))
      return false; /* an edge back to the common part or to the start of the rest */
    if (!map_has_pointer(&w->rest, next) &&
        (!coro_map_put(&w->rest, coro_map_key(next), 1) || !coro_vec_push(w->arena, &w->rest_blocks, next)))
      return false;
  }
  return true;
}

static bool uses_only_values_of_rest(const struct comparison *w, LLVMValueRef from)
{
  for (LLVMValueRef at = from; at; at = LLVMGetNextInstruction(at))
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(at); o++) {
      LLVMValueRef operand = LLVMGetOperand(at, o);
      if (!LLVMValueIsBasicBlock(operand) && edit_is_instruction(operand) && !map_has_pointer(&w->rest, operand))
        return false;
    }
  return true;
}

/* The rest has a single entry and uses no values of the common part, so that it needs no phi that depends on the
   exit taken. */
static bool is_rest_independent_of_prefix(struct comparison *w)
{
  LLVMValueRef rest = w->found->rest;
  coro_map_init(&w->rest, w->arena);
  if (!rest || !add_rest_block_unless_it_leads_back(w, rest))
    return false;
  for (uint32_t i = 0; i < w->rest_blocks.count; i++)
    if (!add_rest_block_unless_it_leads_back(w, LLVMGetFirstInstruction(w->rest_blocks.items[i])))
      return false;
  bool alone = uses_only_values_of_rest(w, rest);
  for (uint32_t i = 0; i < w->rest_blocks.count && alone; i++)
    alone = uses_only_values_of_rest(w, LLVMGetFirstInstruction(w->rest_blocks.items[i]));
  return alone;
}

static bool init_prefix_comparison(struct comparison *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  coro_map_init(&w->counterpart, w->arena);
  coro_map_init(&w->mapped_shorter, w->arena);
  for (unsigned p = 0; p < LLVMCountParams(longer); p++)
    if (!coro_map_put(&w->counterpart, coro_map_key(LLVMGetParam(longer, p)), coro_map_key(LLVMGetParam(shorter, p))))
      return false;
  return match_block_pair(w, LLVMGetEntryBasicBlock(longer), LLVMGetEntryBasicBlock(shorter));
}

bool is_function_prefix(struct coro_arena *arena, LLVMValueRef longer, LLVMValueRef shorter,
                        struct function_prefix *found)
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct comparison w = {.arena = arena, .found = found};
  *found = (struct function_prefix){0};
  bool same = init_prefix_comparison(&w, longer, shorter);
  for (uint32_t b = 0; b < w.blocks.count && same; b++)
    same = match_instructions_of_blocks(&w, w.blocks.items[b]);
  same = same && are_operands_of_matched_equivalent(&w) && is_rest_independent_of_prefix(&w);
  coro_arena_rewind(arena, scratch);
  return same;
}
