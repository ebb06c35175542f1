/* Sorted lists of instruction numbers. */
#include "analysis/instruction_list.h"

#include <stdlib.h>

#include "base/compare.h"

void coro_insts_sort(coro_insts *insts)
{
  if (insts->count)
    qsort(insts->items, insts->count, sizeof *insts->items, compare_uint32);
}

uint32_t coro_insts_count_before(const coro_insts *insts, uint32_t inst)
{
  uint32_t low = 0, high = insts->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (insts->items[middle] < inst)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
