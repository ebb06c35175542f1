/* Finds where the value of each source variable is after lowering.
   Requires: a frame layout.
   Guarantees: records and a DWARF type for the frame; the function is unchanged. */
#pragma once

#include "debug/records.h"

enum debug_place_kind {
  PLACE_LOST,
  PLACE_CONSTANT, /* a constant, or another value that is the same in all clones */
  PLACE_COPY, /* the clone's copy of the value */
  PLACE_RELOAD, /* the reload or rematerialization at the node, if the clone has one */
  PLACE_FRAME /* in the frame: `path` is the DWARF expression from the frame's address */
};

struct debug_place {
  enum debug_place_kind kind;
  uint32_t value; /* value that PLACE_COPY and PLACE_RELOAD refer to */
  const char *path; /* expression for PLACE_FRAME: from the frame's address to the variable */
};

/* Fills low->debug, or sets it to NULL if the function has no debug information. False: out of memory. */
bool coro_debug_read_records(struct coro_lowering *low);
/* The location of a record's value in a node of a clone. */
struct debug_place debug_place_of_record_value(const struct coro_lowering *low, const struct debug_record *record,
                                               uint32_t node, unsigned clone_kind);
