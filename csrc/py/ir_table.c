/* Hash table of the live Value objects of a module: open addressing with linear probing and backward-shift deletion
   (Knuth, TAOCP 6.4, Algorithm R).
   Guarantees: see ir_table.h. */
#include "ir_table.h"

static size_t first_probe_slot(const struct value_table *table, LLVMValueRef value)
{
  uint64_t bits = (uint64_t)(uintptr_t)value * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(bits >> 32) & (table->capacity - 1);
}

static size_t next_probe_slot(const struct value_table *table, size_t slot)
{
  return (slot + 1) & (table->capacity - 1);
}

/* The slot of a value, or the free slot where it would be inserted. */
static size_t slot_for_value(const struct value_table *table, LLVMValueRef value)
{
  size_t slot = first_probe_slot(table, value);
  while (table->slots[slot] && table->slots[slot]->value != value)
    slot = next_probe_slot(table, slot);
  return slot;
}

struct value_object *value_table_find(const struct value_table *table, LLVMValueRef value)
{
  return table->count ? table->slots[slot_for_value(table, value)] : NULL;
}

static bool grow_value_table(struct value_table *table)
{
  struct value_table larger = {NULL, table->count, table->capacity ? table->capacity * 2 : 64, table->metadata};
  larger.slots = PyMem_Calloc(larger.capacity, sizeof *larger.slots);
  if (!larger.slots) {
    PyErr_NoMemory();
    return false;
  }
  for (size_t slot = 0; slot < table->capacity; slot++)
    if (table->slots[slot])
      larger.slots[slot_for_value(&larger, table->slots[slot]->value)] = table->slots[slot];
  PyMem_Free(table->slots);
  *table = larger;
  return true;
}

bool value_table_put(struct value_table *table, struct value_object *object)
{
  if (table->count >= table->capacity / 2 && !grow_value_table(table))
    return false;
  size_t slot = slot_for_value(table, object->value);
  table->count += !table->slots[slot];
  table->metadata += !table->slots[slot] && object->kind == IR_METADATA;
  table->slots[slot] = object;
  return true;
}

/* Whether an entry with home slot `from` can move to the free slot and still be found. */
static bool can_move_entry_to_slot(const struct value_table *table, size_t home_slot, size_t free_slot, size_t slot)
{
  size_t mask = table->capacity - 1;
  return ((slot - home_slot) & mask) >= ((slot - free_slot) & mask);
}

void value_table_remove(struct value_table *table, const struct value_object *object)
{
  size_t empty = table->count ? slot_for_value(table, object->value) : 0;
  if (!table->count || table->slots[empty] != object)
    return;
  for (size_t slot = next_probe_slot(table, empty); table->slots[slot]; slot = next_probe_slot(table, slot)) {
    if (!can_move_entry_to_slot(table, first_probe_slot(table, table->slots[slot]->value), empty, slot))
      continue;
    table->slots[empty] = table->slots[slot];
    empty = slot;
  }
  table->slots[empty] = NULL;
  table->metadata -= object->kind == IR_METADATA;
  if (!--table->count)
    value_table_free(table);
}

void value_table_free(struct value_table *table)
{
  PyMem_Free(table->slots);
  *table = (struct value_table){0};
}

void value_table_mark_stale_and_empty(struct value_table *table)
{
  for (size_t slot = 0; slot < table->capacity; slot++)
    if (table->slots[slot])
      table->slots[slot]->value = NULL;
  value_table_free(table);
}
