/* Mutates one thing at a time in the clones of each lowering, and expects the checker of lowerings to refute the
   mutant, or to answer that it is not supported. Arguments: files to lower; options -show (print survivors), -table
   (print counts by kind), -hooks (lower by custom ABIs with hooks, too), -share N (judge one of N mutants at random).
   Requires: a linker that replaces calls of check_lowering by __wrap_check_lowering. */
#include <string.h>

#include "attack/attack.h"
#include "emit/emit.h"
#include "graph/graph.h"
#include "inputs.h"
#include "ir/number.h"
#include "pycoro.h"
#include "transform/swifterror.h"

struct attack_counts attack_counts = {.share = 1, .random = 1};

/* ---- One lowering ---- */

static char first_message[512]; /* of the last answer */

enum check_verdict attack_verdict(struct coro_lowering *low)
{
  coro_diags *diags = NULL, *own = low->diags;
  struct coro_arena *arena = low->arena;
  low->arena = coro_arena_create();
  CHECK(!coro_diags_create(&diags) && low->arena, "memory");
  low->diags = diags;
  coro_status status = __real_check_lowering(low);
  bool warned = coro_diags_count(diags) > 0;
  CHECK(!status || status == CORO_EBUG, "status %d", (int)status);
  snprintf(first_message, sizeof first_message, "%s", warned ? coro_diags_get(diags, 0)->message : "");
  coro_diags_free(diags);
  coro_arena_free(low->arena);
  low->arena = arena;
  low->diags = own;
  return status ? CHECK_REFUTED : warned ? CHECK_UNSUPPORTED : CHECK_PROVED;
}

bool attack_is_drawn(void)
{
  return attack_counts.share <= 1 || !check_below(&attack_counts.random, attack_counts.share);
}

static void show(const struct attack *a, const char *group, const char *mutation, LLVMValueRef at)
{
  size_t length;
  struct witness_entry entry = witness_entry_of_value(a->low->witness, at);
  char *text = LLVMPrintValueToString(at);
  static const char *const kinds[] = {"added", "copy",   "reload",  "rematerialized", "merge",
                                      "spill", "alloca", "lowered", "inlined",        "called"};
  printf("survivor (%s): %s | %s | @%s |%s\n", group, mutation, kinds[entry.kind],
         LLVMGetValueName2(a->fn.function, &length), text);
  LLVMDisposeMessage(text);
}

/* A store of a swifterror's content into the frame, which may be stored again before the coroutine suspends. */
static bool is_spill_of_error(LLVMValueRef at)
{
  LLVMValueRef load = LLVMIsAStoreInst(at) ? LLVMGetOperand(at, 0) : NULL;
  return load && LLVMIsALoadInst(load) && ir_is_swifterror(LLVMGetOperand(load, 0));
}

/* Mutations of the lowering's own code that may change nothing, by groups of which some were read: a jump past a
   dispatch with one landing or past a branch on a known suspend result; a second llvm.coro.subfn.addr; a spill
   sunk to the only path that reloads it, or moved to unused bytes; a resume pointer that is overwritten before the
   coroutine suspends, or the result of a finished continuation; the resume function of a coroutine that is never
   resumed; two landings that do the same; memory that is not read until it is written again; an access that is
   moved past others; fields that are never live at the same time. */
static bool is_explained(const char *mutation, LLVMValueRef at, enum witness_kind kind)
{
  static const char *const names[] = {"retargeted",         "duplicated",  "sunk-store",
                                      "operand-null",       "unreachable", "constant+",
                                      "swapped-successors", "dropped",     "overwritten-alloca"};
  if (is_spill_of_error(at) || !strcmp(mutation, "moved") || !strcmp(mutation, "merged-fields"))
    return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(mutation, names[i], strlen(names[i])))
      return kind == WITNESS_NONE || kind == WITNESS_SPILL || !strcmp(mutation, "dropped");
  return false;
}

/* The counts of a mutation; its name may be followed by details. */
static struct attack_kind *kind_of(const char *mutation)
{
  size_t length = strcspn(mutation, " ");
  struct attack_kind *kind = attack_counts.kinds;
  while (*kind->name && (strlen(kind->name) != length || memcmp(kind->name, mutation, length) != 0))
    kind++;
  CHECK(kind + 1 < attack_counts.kinds + ATTACK_KINDS && length < sizeof kind->name, "too many kinds");
  memcpy(kind->name, mutation, length);
  return kind;
}

static int compare_kinds(const void *a, const void *b)
{
  return strcmp(((const struct attack_kind *)a)->name, ((const struct attack_kind *)b)->name);
}

static void print_kinds(void)
{
  size_t count = 0;
  while (*attack_counts.kinds[count].name)
    count++;
  qsort(attack_counts.kinds, count, sizeof *attack_counts.kinds, compare_kinds);
  for (struct attack_kind *kind = attack_counts.kinds; *kind->name; kind++)
    printf("| %s | %u | %u | %u | %u |\n", kind->name, kind->refuted, kind->not_supported, kind->survived,
           kind->unexplained);
}

void attack_judge(struct attack *a, const char *mutation, LLVMValueRef at)
{
  struct attack_counts *counts = &attack_counts;
  struct attack_kind *kind = kind_of(mutation);
  bool explained;
  switch (attack_verdict(a->low)) {
  case CHECK_REFUTED:
    counts->refuted++;
    kind->refuted++;
    CHECK(!LLVMGetSubprogram(a->low->fn.function) || strstr(first_message, ", at "), "no source location: %s",
          first_message);
    break;
  case CHECK_UNANSWERED: break; /* attack_verdict does not return it */
  case CHECK_UNSUPPORTED:
    counts->not_supported++;
    kind->not_supported++;
    break;
  case CHECK_PROVED:
    if (a->verifies && LLVMVerifyFunction(a->fn.function, LLVMReturnStatusAction)) {
      counts->invalid++;
      return;
    }
    explained = is_explained(mutation, at, witness_entry_of_value(a->low->witness, at).kind);
    counts->survived++;
    kind->survived++;
    counts->unexplained += !explained;
    kind->unexplained += !explained;
    if (counts->shows)
      show(a, explained ? "known" : "NEW", mutation, at);
  }
  counts->mutants++;
}

static bool number(struct attack *a)
{
  struct coro_map *ids = CORO_NEW(a->arena, struct coro_map);
  struct ir_labels labels;
  if (!ids)
    return false;
  coro_map_init(ids, a->arena);
  if (!ir_number_reachable_with_phi_operands(&a->fn, a->arena, a->from->function, a->from->entry, ids, &labels))
    return false;
  uint32_t entry = ir_id(&a->fn, LLVMBasicBlockAsValue(a->from->entry)) & ~IR_BLOCK;
  return ir_build_block_graph(&a->graph, a->arena, &a->fn) &&
         graph_compute_reverse_postorder(&a->rpo, a->arena, &a->graph, entry) &&
         graph_compute_dominators(&a->dom, a->arena, &a->graph, &a->rpo);
}

/* A resume function is only executed if there is a suspend from which the coroutine is resumed. */
static bool is_entered(const struct coro_lowering *low, const struct witness_clone *clone)
{
  const struct coro_shape *shape = &low->shape;
  return clone->clone_kind == CLONE_RAMP ||
         (clone->clone_kind == CLONE_RESUME ? shape->resumed_count : shape->suspend_count);
}

static void attack_clone(struct coro_lowering *low, const struct witness_clone *clone)
{
  struct attack a = {.low = low, .from = clone, .arena = coro_arena_create()};
  CHECK(a.arena && number(&a), "memory");
  a.builder = LLVMCreateBuilderInContext(low->context);
  a.verifies = !LLVMVerifyFunction(clone->function, LLVMReturnStatusAction);
  for (uint32_t i = 0; i < a.fn.inst_count && is_entered(low, clone); i++) {
    if (attack_is_never_executed(a.fn.insts[i]))
      continue;
    attack_operands(&a, i);
    attack_flags(&a, i);
    attack_facts(&a, i);
    attack_moves(&a, i);
    attack_effects(&a, i);
    attack_control(&a, i);
    attack_insertions(&a, i);
    attack_allocations(&a, i);
  }
  attack_declaration(&a);
  if (clone == low->witness->clones.items)
    attack_layout(&a);
  LLVMDisposeBuilder(a.builder);
  coro_arena_free(a.arena);
}

/* Attacks functions that the clones call to allocate and free memory, as clones without a frame. */
static void attack_helpers(struct coro_lowering *low)
{
  const struct emit_scratch *scratch = low->scratch;
  LLVMValueRef helpers[] = {scratch->release,       scratch->drop,          scratch->allocators[0],
                            scratch->allocators[1], scratch->allocators[2], scratch->allocators[3]};
  for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
    if (helpers[i]) {
      struct witness_clone helper = {.function = helpers[i],
                                     .entry = LLVMGetEntryBasicBlock(helpers[i]),
                                     .clone_kind = CLONE_RAMP,
                                     .landing = IR_NONE};
      attack_clone(low, &helper);
    }
}

coro_status __wrap_check_lowering(struct coro_lowering *low)
{
  attack_counts.lowerings++;
  enum check_verdict verdict = attack_verdict(low);
  attack_counts.unsupported += verdict == CHECK_UNSUPPORTED;
  CHECK(verdict != CHECK_REFUTED, "a lowering without a mutation is refuted: %s", first_message);
  bool attacks = verdict == CHECK_PROVED && !attack_is_repeated(low);
  for (uint32_t n = 0; n < low->witness->clones.count && attacks; n++)
    attack_clone(low, &low->witness->clones.items[n]);
  if (attacks && low->scratch)
    attack_helpers(low);
  CHECK(attack_verdict(low) == verdict, "all mutations are undone");
  return __real_check_lowering(low);
}

/* ---- SSA form ---- */

bool attack_dominates(const struct attack *a, LLVMValueRef value, uint32_t inst)
{
  uint32_t of = ir_inst(&a->fn, value);
  if (of == IR_NONE)
    return !LLVMIsAInstruction(value);
  uint32_t from = a->fn.inst_block[of], to = a->fn.inst_block[inst];
  return from == to ? of < inst : graph_dominates(&a->dom, from, to) && !LLVMIsATerminatorInst(value);
}

bool attack_has_effect(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMStore:
  case LLVMCall:
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMVAArg:
  case LLVMCatchPad:
  case LLVMCleanupPad: return true;
  case LLVMLoad: return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
  default: return LLVMIsATerminatorInst(inst);
  }
}

static bool is_dead(LLVMValueRef inst, unsigned depth)
{
  if (attack_has_effect(inst) || depth == 8)
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use))
    if (LLVMGetUser(use) != inst && !is_dead(LLVMGetUser(use), depth + 1))
      return false;
  return true;
}

bool attack_is_dead(LLVMValueRef inst)
{
  return is_dead(inst, 0);
}

/* ---- Equivalence ---- */

/* f.handle.debug is only stored to. */
bool attack_is_debug(LLVMValueRef inst)
{
  size_t length;
  LLVMValueRef memory = LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 1) : inst;
  return LLVMIsAAllocaInst(memory) && strstr(LLVMGetValueName2(memory, &length), ".debug");
}

uint64_t attack_frame_offset(const struct attack *a, LLVMValueRef address)
{
  uint64_t offset = 0;
  while (address != a->from->frame) {
    if (!LLVMIsAGetElementPtrInst(address) || LLVMGetNumOperands(address) != 2 ||
        !LLVMIsAConstantInt(LLVMGetOperand(address, 1)))
      return UINT64_MAX;
    offset += LLVMConstIntGetZExtValue(LLVMGetOperand(address, 1));
    address = LLVMGetOperand(address, 0);
  }
  return offset;
}

/* A value of the frame that the clone reloads twice, or carries in a phi. */
static bool carry_same_value(const struct attack *a, LLVMValueRef one, LLVMValueRef two)
{
  struct witness_entry of_one = witness_entry_of_value(a->low->witness, one),
                       of_two = witness_entry_of_value(a->low->witness, two);
  return of_one.kind != WITNESS_NONE && of_two.kind != WITNESS_NONE && of_one.kind != WITNESS_COPY &&
         of_two.kind != WITNESS_COPY && of_one.of == of_two.of;
}

/* The value whose type the lowering changes to more bits and back. */
static LLVMValueRef strip_casts(LLVMValueRef value)
{
  LLVMValueRef wide = LLVMIsATruncInst(value) ? LLVMGetOperand(value, 0) : NULL;
  LLVMValueRef source = wide && LLVMIsAZExtInst(wide) ? LLVMGetOperand(wide, 0) : NULL;
  return source && LLVMTypeOf(source) == LLVMTypeOf(value) ? source : value;
}

bool attack_are_equal(const struct attack *a, LLVMValueRef one, LLVMValueRef two)
{
  one = strip_casts(one);
  two = strip_casts(two);
  if (LLVMIsAZExtInst(one) && LLVMIsAZExtInst(two) && LLVMTypeOf(one) == LLVMTypeOf(two))
    return attack_are_equal(a, LLVMGetOperand(one, 0), LLVMGetOperand(two, 0));
  uint64_t offset = attack_frame_offset(a, one);
  if (one == two || (offset != UINT64_MAX && offset == attack_frame_offset(a, two)) || carry_same_value(a, one, two))
    return true;
  return LLVMIsALoadInst(one) && LLVMIsALoadInst(two) &&
         LLVMGetInstructionParent(one) == LLVMGetInstructionParent(two) &&
         attack_frame_offset(a, LLVMGetOperand(one, 0)) != UINT64_MAX &&
         attack_are_equal(a, LLVMGetOperand(one, 0), LLVMGetOperand(two, 0));
}

/* The last instruction, if the others compute nothing that is used. */
static LLVMValueRef only_effect(LLVMBasicBlockRef block)
{
  LLVMValueRef inst = LLVMGetFirstInstruction(block);
  while (!LLVMIsATerminatorInst(inst) && !LLVMGetFirstUse(inst) && !attack_has_effect(inst))
    inst = LLVMGetNextInstruction(inst);
  return inst;
}

static bool is_unreachable(LLVMBasicBlockRef block)
{
  return LLVMIsAUnreachableInst(LLVMGetFirstInstruction(block));
}

/* The only block that follows a terminator; NULL: there are several. A dispatch may have one landing. */
static LLVMBasicBlockRef only_successor(LLVMValueRef terminator)
{
  if (LLVMIsABranchInst(terminator) && !LLVMIsConditional(terminator))
    return LLVMGetSuccessor(terminator, 0);
  bool one = LLVMIsASwitchInst(terminator) && LLVMGetNumSuccessors(terminator) == 2;
  return one && is_unreachable(LLVMGetSuccessor(terminator, 0)) ? LLVMGetSuccessor(terminator, 1) : NULL;
}

/* Whether the blocks' only effect is to continue at another one. */
static bool has_no_effect(LLVMBasicBlockRef block)
{
  LLVMValueRef inst = LLVMGetFirstInstruction(block);
  while (!LLVMIsATerminatorInst(inst) && !attack_has_effect(inst))
    inst = LLVMGetNextInstruction(inst);
  return LLVMIsATerminatorInst(inst);
}

/* The block that is reached through blocks that only jump. */
static LLVMBasicBlockRef destination(LLVMBasicBlockRef block)
{
  for (unsigned steps = 0; steps < 8; steps++) {
    LLVMValueRef first = only_effect(block), terminator = LLVMGetBasicBlockTerminator(block);
    bool jumps = first == terminator || (LLVMIsASwitchInst(terminator) && has_no_effect(block));
    if (!jumps || !only_successor(terminator))
      break;
    block = only_successor(terminator);
  }
  return block;
}

static bool only_returns(LLVMBasicBlockRef block)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  while (attack_is_dead(first))
    first = LLVMGetNextInstruction(first);
  return LLVMIsAReturnInst(first) && LLVMGetNumOperands(first) == 0;
}

bool attack_are_same_target(LLVMBasicBlockRef one, LLVMBasicBlockRef two)
{
  if (is_unreachable(one)) /* the default of a dispatch is never reached */
    return true;
  one = destination(one);
  two = two ? destination(two) : NULL;
  return one == two || (only_returns(one) && (!two || only_returns(two)));
}

/* ---- Files ---- */

/* The ABIs that lower a file. */
enum abis { LLVM_ABIS, ABIS_WITH_HOOKS, ABI_WITH_CLONES, ABI_WITH_CLONE_FOR_SUSPEND };

static void lower_file(const char *path, const char *passes, enum abis abis)
{
  char *text = input_read(path);
  coro_module *module = NULL;
  coro_report *report = NULL;
  coro_options options = CORO_OPTIONS_INIT;
  options.check = true;
  if (abis == ABIS_WITH_HOOKS)
    attack_with_hooks(&options);
  if (abis > ABIS_WITH_HOOKS)
    attack_with_own_clones(&options, abis == ABI_WITH_CLONE_FOR_SUSPEND);
  if (attack_counts.shows)
    printf("file: %s\n", path);
  if (!coro_module_parse(&module, text, strlen(text), "input", NULL))
    (void)coro_run(module, passes, &options, &report, NULL);
  coro_report_free(report);
  coro_module_free(module);
  free(text);
}

int main(int argc, char **argv)
{
  static const char *const files[] = {"ir/switch/symmetric-transfer.ll",
                                      "ir/switch/aliases-before-begin.ll",
                                      "ir/elide/heap.ll",
                                      "ir/debug/variables.ll",
                                      "ir/layout/part-overwritten.ll",
                                      "ir/switch/destroyed-after-throw.ll",
                                      "ir/async/context.ll",
                                      "ir/async/continuations.ll",
                                      "ir/async/handing-over.ll",
                                      "ir/check/async.ll",
                                      "ir/retcon/generator-in-buffer.ll",
                                      "ir/retcon/generator-allocated.ll",
                                      "ir/switch/alloc-and-free.ll",
                                      "ir/retcon/storage.ll",
                                      "ir/dynamic/type-id.ll",
                                      "ir/check/dynamic.ll",
                                      "ir/switch/zero-suspends.ll",
                                      "ir/switch/suspend-over.ll",
                                      "ir/switch/swifterror.ll",
                                      "ir/retcon/swifterror.ll",
                                      "ir/retcon/how-memory-is-passed.ll",
                                      "ir/layout/chosen-before-begin.ll",
                                      "ir/check/chosen-before-begin.ll",
                                      "ir/check/in-buffer-before-begin.ll",
                                      "ir/switch/dynamic-alloca.ll",
                                      "ir/switch/variable-where-ways-meet.ll",
                                      "ir/check/heap-on-32-bit-target.ll",
                                      "ir/switch/alloca-made-anew.ll",
                                      "ir/switch/alloca-in-loop-in-one-place.ll",
                                      "ir/check/phi-in-loop.ll",
                                      "ir/check/narrow-size.ll",
                                      "ir/check/swifterror-unwound.ll",
                                      "ir/switch/heap-list-where-paths-join.ll",
                                      "ir/check/async-dynamic-alloca.ll",
                                      "ir/switch/block-in-and-out-of-pad.ll",
                                      "ir/switch/destroyed-outside-pads.ll",
                                      "ir/switch/names-taken.ll",
                                      "ir/check/token-in-clone.ll"};
  struct attack_counts *counts = &attack_counts;
  int first = 1;
  bool hooks = false;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (; first < argc && *argv[first] == '-'; first++) {
    counts->shows |= !strcmp(argv[first], "-show");
    counts->tabulates |= !strcmp(argv[first], "-table");
    hooks |= !strcmp(argv[first], "-hooks");
    if (!strcmp(argv[first], "-share") && first + 1 < argc)
      counts->share = (uint32_t)strtoul(argv[++first], NULL, 10);
  }
  const char *const *given = first < argc ? (const char *const *)argv + first : files;
  int count = first < argc ? argc - first : (int)(sizeof files / sizeof *files);
  for (int i = 0; i < count; i++) {
    attack_next_file();
    lower_file(given[i], "coro-early,cgscc(coro-split),coro-cleanup", LLVM_ABIS);
    lower_file(given[i], "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup", LLVM_ABIS);
    for (enum abis abis = ABIS_WITH_HOOKS; (hooks || first >= argc) && abis <= ABI_WITH_CLONE_FOR_SUSPEND; abis++)
      lower_file(given[i], "coro-early,cgscc(coro-split),coro-cleanup", abis);
  }
  printf(
      "%u lowerings (%u not supported), %u mutants: %u refuted, %u not supported, %u proved; %u more are invalid IR\n",
      counts->lowerings, counts->unsupported, counts->mutants, counts->refuted, counts->not_supported, counts->survived,
      counts->invalid);
  if (counts->tabulates)
    print_kinds();
  CHECK(!counts->unexplained, "%u mutants are proved", counts->unexplained);
  CHECK(counts->survived <= counts->mutants / 50 + 8, "%u of %u mutants are proved", counts->survived, counts->mutants);
  return check_done("check_mutants");
}
