/* Keywords of textual IR for LLVM's enum values (opcodes, predicates, orderings, linkages), in both directions.
   Requires: LLVM-C. */
#pragma once

struct ir_keywords {
  const char *const *keywords; /* by number - first; NULL for unused numbers */
  int first, count;
};

extern const struct ir_keywords ir_opcodes, ir_orderings, ir_operations, ir_int_predicates, ir_real_predicates,
    ir_linkages, ir_visibilities, ir_tail_markers, ir_conventions, ir_constant_kinds;

const char *ir_keyword(const struct ir_keywords *of, int number); /* NULL: none */
int ir_keyword_number(const struct ir_keywords *of, const char *keyword); /* -1: none */
