/* Words of textual IR for LLVM's enum values, in both directions.
   Requires: LLVM-C. */
#ifndef CORO_PY_IR_WORDS_H
#define CORO_PY_IR_WORDS_H

struct ir_words {
  const char *const *words; /* by number - first; NULL for unused numbers */
  int first, count;
};

extern const struct ir_words ir_opcodes, ir_orderings, ir_operations, ir_int_predicates, ir_real_predicates,
    ir_linkages, ir_visibilities, ir_tail_markers, ir_conventions, ir_constant_kinds;

const char *ir_word(const struct ir_words *of, int number); /* NULL: none */
int ir_word_number(const struct ir_words *of, const char *word); /* -1: none */

#endif
