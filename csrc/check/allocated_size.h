/* Checks the sizes of allocations for allocas: a number of elements times the size of one, and a constant.
   Requires: a simulation in progress. */
#pragma once

#include "check/skipped_code.h"

/* Whether argument `argument` of an allocation call asks for as many elements as operand `operand` of the presplit
   instruction says, of `element` bytes each, and `added` bytes more. False, with an answer: it does not. */
bool allocated_size_check(const struct check_walk *w, uint32_t inst, unsigned argument, uint32_t presplit,
                          unsigned operand, uint64_t element, uint64_t *added);
