/* Data model of a coroutine's debug records, and the steps that fill it.
   Requires: a frame layout.
   Guarantees: see each function; the coroutine is unchanged. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "lowering/lowering.h"

enum { DEBUG_SUBPROGRAM_RETAINED = 7 }; /* operand index */

struct debug_record {
  LLVMValueRef value; /* NULL: none, or several values */
  LLVMMetadataRef variable, expression, location;
  /* operations of the expression, without its final fragment; NULL: the expression has several values */
  const char *operations;
  const char *fragment; /* "DW_OP_LLVM_fragment, ...", or "" */
  const char *path; /* DWARF operations from the frame's address to the value while the frame exists; or NULL */
  uint32_t memory_field; /* the frame field that contains the address in `value`, or IR_NONE */
  int64_t memory_offset; /* offset of that address in the field */
  uint32_t node;
  bool declares; /* gives the variable's address for its lifetime; otherwise its value from here on */
  bool assigns; /* the value is also stored, at an unknown address */
  bool in_all_clones; /* valid at the entry of every clone */
  bool copies_memory; /* the value copies memory that may change during a suspend */
  bool in_frame; /* the value is an address in the frame, valid everywhere except before coro.begin */
  uint32_t whole, piece; /* numbers of the variable (per inlined call) and of its fragment */
};

struct debug_piece { /* a whole variable, or the bits of a fragment */
  uint32_t variable, number, offset, size; /* `size` is UINT32_MAX for a whole variable */
};

/* A piece of a variable that is in scope at a suspend, and the record that is valid there, or IR_NONE. */
struct debug_in_scope {
  uint32_t piece, suspend, record;
};

/* The frame type has two variants. A clone that resumes the coroutine cannot see it after the final suspend. */
enum debug_frame_variant { FRAME_RESUMABLE, FRAME_ANY, FRAME_VARIANTS };

/* A name for bytes of a field: a variable, or a member of one, is there at every suspend where the variable is in
   scope, or at one suspend. */
struct debug_field_name {
  const char *name;
  size_t length;
  LLVMMetadataRef type;
  uint32_t field;
  uint64_t offset, size; /* bits of the frame: offset from its address, and size */
  bool in[FRAME_VARIANTS];
};

struct coro_debug {
  LLVMMetadataRef subprogram, unit;
  LLVMMetadataRef retained_list, *retained; /* the subprogram's retained nodes */
  uint32_t retained_count;
  struct coro_map retained_nodes; /* node -> 1 */
  struct coro_map linked; /* DIAssignID -> the address that the instruction writes, or NULL; filled on first use */
  bool full; /* full debug information, not only line tables */
  bool optimised;
  bool exact_lines; /* locations have atom groups (Key Instructions), which LLVM-C cannot set */
  struct debug_record *records; /* in program order */
  uint32_t record_count;
  uint32_t *record_start; /* indexed by instruction: the first record in front of it */
  /* records that a clone may emit where its frame begins instead of at their presplit position */
  CORO_VEC(uint32_t) at_frame_start;
  struct coro_bits shared; /* indexed by field: another field uses the same bytes at other times */
  struct coro_bits overwritten; /* indexed by field: another field uses its bytes after its own first write */
  /* Records to repeat at the head of node n, a landing or the start of an epoch after one: repeated.items[k], with k
     in [repeated_start[n], repeated_start[n + 1]). A value that is neither in the frame nor constant gets its record
     at its reload. */
  CORO_VEC(uint32_t) repeated;
  uint32_t *repeated_start;
  uint32_t *frame_records; /* indexed by `whole`: the record + 1 with the variable's address in the frame, or 0 */
  /* records before coro.begin of values that are in the frame from coro.begin on */
  CORO_VEC(uint32_t) effective_at_begin;
  const struct debug_piece *pieces; /* indexed by `piece` */
  CORO_VEC(struct debug_in_scope) in_scope; /* by suspend */
  struct coro_bits scope_unknown; /* indexed by suspend: more variables than those in `in_scope` may be in scope */
  CORO_VEC(struct debug_field_name) field_names;
  struct graph_groups names_of_field; /* indices in `field_names` */
  struct coro_bits named[FRAME_VARIANTS]; /* sets of fields whose content has a name */
  struct coro_bits seen_at_suspend; /* indexed by `whole`: the variable is in scope at a suspend */
  LLVMMetadataRef frame_types[FRAME_VARIANTS]; /* NULL: not requested */
};

/* Finds fields that share bytes. False: out of memory. */
bool debug_find_shared_fields(const struct coro_lowering *low, struct coro_debug *debug);
/* Numbers the variables of the records and finds the records to repeat after suspends. False: out of memory. */
bool debug_find_records_after_suspend(struct coro_lowering *low, struct coro_debug *debug);
/* Finds the records whose value copies memory. False: out of memory. */
bool debug_find_memory_copies(struct coro_lowering *low, struct coro_debug *debug, uint32_t variable_count);
/* Turns the #dbg_assign record in front of `inst` into one about the assigned memory, if that is known. False: out
   of memory. */
bool debug_turn_assign_into_memory_record_if_known(struct coro_lowering *low, struct coro_debug *debug, uint32_t inst,
                                                   LLVMDbgRecordRef source, struct debug_record *record);
/* The name and type of a record's variable; NULL if it has none. */
void debug_read_variable_name_and_type(const struct coro_lowering *low, const struct debug_record *record,
                                       struct debug_field_name *name);
/* Finds names for fields of spilled values and allocas. False: out of memory. */
bool debug_find_field_names(const struct coro_lowering *low, struct coro_debug *debug);
/* Creates the DWARF types of the frame; the variants are one type if they have the same members. False: out of
   memory. */
bool debug_make_frame_types(const struct coro_lowering *low, struct coro_debug *debug);
