/* Mutations of the clones that a lowering has created, each judged by the checker of lowerings and then undone.
   Requires: __real_check_lowering, which the linker resolves to the checker; witnesses of complete clones.
   Guarantees: the clones, the witness and the diagnostics are unmodified afterwards. */
#ifndef TESTS_C_ATTACK_H
#define TESTS_C_ATTACK_H

#include "check/check.h"
#include "check/check_data.h"
#include "graph/graph.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/DebugInfo.h"
#include "pycoro.h"

coro_status __real_check_lowering(struct coro_lowering *low);
coro_status __wrap_check_lowering(struct coro_lowering *low);

/* The clone that is mutated. */
struct attack {
  struct coro_lowering *low;
  const struct witness_clone *from;
  struct coro_arena *arena;
  struct ir_fn fn;
  struct graph graph;
  struct graph_rpo rpo;
  struct graph_dom dom;
  LLVMBuilderRef builder;
  bool verifies; /* LLVM's verifier accepts the function without a mutation */
};

/* Answers about the mutants of one kind. */
struct attack_kind {
  char name[32];
  uint32_t refuted, not_supported, survived, unexplained;
};

enum { ATTACK_KINDS = 128 };

/* Counts over all lowerings. */
struct attack_counts {
  struct attack_kind kinds[ATTACK_KINDS];
  uint32_t share, lowerings, unsupported, mutants, refuted, not_supported, invalid, survived, unexplained;
  uint64_t random;
  bool shows, tabulates; /* print survivors; print a line for each kind */
};
extern struct attack_counts attack_counts;

/* The checker's answer about the present state of the lowering. */
enum check_verdict attack_verdict(struct coro_lowering *low);
/* Whether to try the next mutation: one of `share`, at random. */
bool attack_is_drawn(void);
/* Judges the mutation that was just made. */
/* Removes an instruction from its block and, until it is inserted again, its uses of others. LLVM's verifier would
   reject these, and a mutant that is proved would count as invalid. */
LLVMValueRef *attack_remove(struct attack *a, LLVMValueRef inst);
/* Inserts it at the builder, with its operands. */
void attack_insert_again(struct attack *a, LLVMValueRef inst, LLVMValueRef *operands);
void attack_judge(struct attack *a, const char *mutation, LLVMValueRef at);
/* Whether the value may be used by the instruction `inst` without breaking SSA form. */
bool attack_dominates(const struct attack *a, LLVMValueRef value, uint32_t inst);
/* Whether the result of an instruction without side effects influences nothing. */
bool attack_is_dead(LLVMValueRef inst);
/* Whether the mutation changes nothing: values that are known to be equal, blocks that do the same (NULL: a return). */
bool attack_are_equal(const struct attack *a, LLVMValueRef one, LLVMValueRef two);
bool attack_are_same_target(LLVMBasicBlockRef one, LLVMBasicBlockRef two);
bool attack_is_debug(LLVMValueRef inst); /* of memory that only debug information names */
bool attack_is_never_executed(LLVMValueRef inst); /* only successors that are never taken lead to its block */
bool attack_has_effect(LLVMValueRef inst);
/* The offset of an address in the frame; UINT64_MAX: it is none. */
uint64_t attack_frame_offset(const struct attack *a, LLVMValueRef address);

/* Replaces an instruction by `made`, which is before it, judges that, and undoes it. The witness describes `made` as
   the old one. Nothing if `made` is `before`, which was the previous instruction, or no instruction. */
void attack_exchange(struct attack *a, LLVMValueRef old, LLVMValueRef before, LLVMValueRef made, const char *mutation);
/* Mutations of one instruction, by topic. */
void attack_operands(struct attack *a, uint32_t inst);
void attack_flags(struct attack *a, uint32_t inst);
void attack_facts(struct attack *a, uint32_t inst);
void attack_moves(struct attack *a, uint32_t inst);
void attack_effects(struct attack *a, uint32_t inst);
void attack_control(struct attack *a, uint32_t inst);
void attack_insertions(struct attack *a, uint32_t inst);
void attack_allocations(struct attack *a, uint32_t inst);
/* Whether a lowering of the same file with the same code was passed before: its mutants are the same. */
bool attack_is_repeated(const struct coro_lowering *low);
void attack_next_file(void);
/* Sets custom ABIs with hooks, one for each of LLVM's, that select all coroutines. */
void attack_with_hooks(coro_options *options);
/* Sets an ABI with custom clones that return a value; `each`: one clone for each suspend. */
void attack_with_own_clones(coro_options *options, bool each);
/* Mutations of the frame's layout, in all clones at once. */
void attack_layout(struct attack *a);
/* Mutations of what the clone declares. */
void attack_declaration(struct attack *a);

#endif
