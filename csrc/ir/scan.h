/* What must be known of IR before LLVM may parse it: how deep its brackets nest, whether it takes the address of an
   intrinsic, whether an attribute has a NUL, whether a list of values is empty, and whether it has the module flag
   "Debug Info Version", whose name is masked.
   Needs: nothing. Leaves: the data of the same size, with the name's last letter changed wherever it is a name. */
#ifndef CORO_IR_SCAN_H
#define CORO_IR_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum { IR_MOST_NESTED = 1000 }; /* LLVM's parser calls itself for each level, and overflows the stack at some 5,000 */

struct ir_scan {
  bool masked; /* the name was there */
  size_t deep_line; /* where brackets nest deeper than IR_MOST_NESTED, or 0 */
  size_t taken_line; /* where something else is done with a function of LLVM's than to call it, or 0 */
  size_t nul_line; /* where a text of the IR itself holds a NUL, or 0: LLVM prints and writes it as if it ended there */
  size_t empty_line; /* where a debug record has a list of no values, or 0: LLVM-C reads the first of them */
};

struct ir_scan ir_scan_text(char *data, size_t size);
/* Only the form that LLVM has written since 3.9, where the bytes of the name stand side by side. */
struct ir_scan ir_scan_bitcode(char *data, size_t size);

#endif
