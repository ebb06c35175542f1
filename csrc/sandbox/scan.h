/* Scans IR lexically before LLVM parses it. Detects input on which LLVM's parser overflows the stack or crashes, and
   masks the module flag "Debug Info Version", which makes the parser verify debug info and abort.
   Requires: nothing.
   Guarantees: the size of the data stays; only masked names change, in their last letter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { IR_MAX_NESTING = 1000 }; /* LLVM's recursive-descent parser overflows the stack at about 5,000 levels */

struct ir_scan {
  bool masked; /* the flag was present */
  size_t deep_line; /* line where brackets nest deeper than IR_MAX_NESTING, or 0 */
  size_t address_taken_line; /* line where the address of an intrinsic is taken, or 0 */
  size_t nul_line; /* line of a string with a NUL, at which LLVM truncates it, or 0 */
  size_t empty_line; /* line of a debug record with an empty DIArgList, or 0 */
};

struct ir_scan ir_scan_text_and_mask_flag(char *data, size_t size);
/* Finds only the encoding used since LLVM 3.9, where the name is a byte-aligned string. */
struct ir_scan ir_scan_bitcode_and_mask_flag(char *data, size_t size);
