/* Faults: errors of the engine that are there on purpose, one at a time, so that the tests can be tested.
   Needs: an arena that was told which of them is in force. Leaves: in a build without PYCORO_FAULTS nothing at all:
   every planting is a constant false there. */
#ifndef CORO_BASE_FAULT_H
#define CORO_BASE_FAULT_H

#include "base/arena.h"

enum coro_fault {
  FAULT_NONE,
#define CORO_FAULT(name, what) FAULT_##name,
#include "base/fault.def"
  FAULT_END
};

#ifdef PYCORO_FAULTS
enum { FAULT_MOST = FAULT_END - 1, FAULTS_COMPILED = 1 };
#else
enum { FAULT_MOST = 0, FAULTS_COMPILED = 0 };
#endif

void coro_arena_set_fault(struct coro_arena *arena, uint32_t fault); /* defined where FAULTS_COMPILED */
uint32_t coro_arena_fault(const struct coro_arena *arena);           /* likewise */

#define FAULTY(arena, name) (FAULTS_COMPILED && coro_arena_fault(arena) == FAULT_##name)

#endif
