/* Records: what is known of a coroutine's debug information, and who finds which of it.
   Needs: a coroutine with a frame layout. Leaves: see each function; the coroutine's function as it was. */
#ifndef CORO_DEBUG_RECORDS_H
#define CORO_DEBUG_RECORDS_H

#include "base/map.h"
#include "base/vec.h"
#include "coro/lowering.h"

enum { DEBUG_SUBPROGRAM_RETAINED = 7 }; /* which operand it is */

struct debug_record {
  LLVMValueRef value; /* NULL: no single value */
  LLVMMetadataRef variable, expression, location;
  const char *operations; /* of the expression, but for a fragment at its end; NULL where it is about several values */
  const char *fragment; /* "DW_OP_LLVM_fragment, ...", or "" */
  const char
      *path; /* operations that lead from the frame's address to the value, as long as there is a frame; or NULL */
  uint32_t node;
  bool declares; /* where a variable is, as long as it lives; else what it is from here on */
  bool assigns; /* a value that memory got as well, nobody knows where */
  bool for_all; /* what it says holds wherever a clone begins */
  bool passing; /* the value is a copy of what memory holds now, and may not hold after a suspend */
  bool in_frame; /* the value is an address in the frame: all parts but what runs before coro.begin have it */
  uint32_t whole, piece; /* the variable, in one call that was inlined, and which bits of it: numbers */
};

struct coro_debug {
  LLVMMetadataRef subprogram, unit;
  LLVMMetadataRef retained_list, *retained; /* what the subprogram lists */
  uint32_t retained_count;
  struct coro_map is_retained; /* node -> 1 */
  struct coro_map linked; /* DIAssignID -> the address that the instruction writes to, or NULL; once asked for */
  bool full; /* more than lines is wanted */
  bool cpp;
  bool optimised;
  bool exact_lines; /* locations say more than line and column */
  struct debug_record *records; /* in program order */
  uint32_t record_count;
  uint32_t *record_start; /* by instruction: those that stand right before it start here */
  CORO_VEC(uint32_t) early; /* records that a part may have where its frame begins, wherever the source has them */
  struct coro_bits shared; /* by field: its bytes hold another's too, at other times */
  struct coro_bits taken; /* ... also later than what it holds first */
  /* Records that hold at the head of node n, a landing or what comes behind one: again[again_start[n] ..
     again_start[n + 1]). What is neither in the frame nor the same everywhere, is told where it is read back. */
  CORO_VEC(uint32_t) again;
  uint32_t *again_start;
  uint32_t *homes; /* by `whole`: the record + 1 that says at which address in the frame the variable is, or 0 */
  CORO_VEC(uint32_t) moved; /* records before coro.begin of what is in the frame from there on */
  LLVMMetadataRef frame_type; /* NULL: not wanted */
};

/* Finds whose bytes become another's. False: memory ran out. */
bool debug_find_shared(const struct coro_lowering *low, struct coro_debug *debug);
/* Numbers the variables of the records; finds which of these say all of their variable, and which hold where control
   comes back. False: memory ran out. */
bool debug_find_again(struct coro_lowering *low, struct coro_debug *debug);
bool debug_find_passing(struct coro_lowering *low, struct coro_debug *debug, uint32_t variable_count); /* likewise */
/* Makes the record of an assignment, which stands before `inst`, one of the memory that is assigned, where that is
   known. False: memory ran out. */
bool debug_read_assign(struct coro_lowering *low, struct coro_debug *debug, uint32_t inst, LLVMDbgRecordRef source,
                       struct debug_record *record);
/* The type of the frame, as DWARF shall describe it. NULL: memory ran out. */
LLVMMetadataRef debug_frame_type(const struct coro_lowering *low);

#endif
