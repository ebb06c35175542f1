/* Divides the frame into cells, and lists the stores to each. */
#include "check/frame_access.h"

#include <stdlib.h>
#include <string.h>

#include "check/frame_overlap.h"
#include "check/memory_uses.h"
#include "ir/operand.h"

bool frame_access_is_memcpy_of_ramp(const struct check_clone *k, uint32_t inst)
{
  size_t length;
  LLVMValueRef callee = LLVMGetCalledValue(k->fn.insts[inst]);
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  return k->from->clone_kind == CLONE_RAMP && !strncmp(name, "llvm.memcpy.", 12);
}

/* The bytes to which a call copies content. */
static bool find_bytes_of_copy_into_frame(const struct check *c, const struct check_clone *k, uint32_t inst,
                                          struct check_frame_bytes *access)
{
  uint64_t align;
  LLVMValueRef call = k->fn.insts[inst], length = LLVMGetOperand(call, MEMORY_LENGTH);
  if (!LLVMIsAConstantInt(length) ||
      !frame_overlap_is_frame_address(k, LLVMGetOperand(call, MEMORY_TO), &access->offset, &align))
    return false;
  uint64_t known = c->low->frame.align | access->offset; /* the lowest bit is the alignment before it is rounded down */
  known &= 0 - known;
  uint64_t before = align > known ? align - known : 0;
  access->offset -= before < access->offset ? before : access->offset;
  access->size = LLVMConstIntGetZExtValue(length) + before;
  return true;
}

/* The bytes of the frame that an instruction of the ABI, or a reload, accesses. False: none. */
static bool find_bytes_of_frame_access(const struct check *c, const struct check_clone *k, uint32_t inst,
                                       struct check_frame_bytes *access)
{
  bool store = k->fn.opcode[inst] == LLVMStore, load = k->fn.opcode[inst] == LLVMLoad;
  if (k->fn.opcode[inst] == LLVMCall && k->entries[inst].kind == WITNESS_NONE &&
      frame_access_is_memcpy_of_ramp(k, inst))
    return find_bytes_of_copy_into_frame(c, k, inst, access);
  if ((!store && !load) || k->entries[inst].kind == WITNESS_COPY || k->entries[inst].kind == WITNESS_INLINED)
    return false;
  return check_accesses_frame(k, inst, &access->offset) && check_find_access_size(c, k, inst, &access->size);
}

static int compare_offsets(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* A store and its clone. */
struct store_of_clone {
  struct check_clone *clone;
  struct check_store store;
};
struct clone_stores {
  CORO_VEC(struct store_of_clone) items;
};

/* Most accesses have the borders of few fields. */
static bool add_border_once(struct check *c, struct coro_map *seen, uint64_t border)
{
  uint64_t key = border + 1;
  if (key && coro_map_has(seen, key))
    return true;
  return (!key || coro_map_put(seen, key, 1)) && coro_vec_push(c->arena, &c->borders, border);
}

/* Finds the accesses, their borders, and the stores. */
static bool find_access_borders_and_stores(struct check *c, struct clone_stores *stores)
{
  struct coro_map seen;
  coro_map_init(&seen, c->arena);
  for (uint32_t n = 0; n < c->clone_count; n++) {
    struct check_clone *k = c->clones[n];
    for (uint32_t i = 0; i < k->fn.inst_count; i++) {
      struct check_frame_bytes access;
      unsigned char opcode = k->fn.opcode[i];
      if (k->entries[i].kind == WITNESS_COPY || (opcode != LLVMLoad && opcode != LLVMStore && opcode != LLVMCall) ||
          !find_bytes_of_frame_access(c, k, i, &access))
        continue;
      struct check_store store = {i, access.offset, access.size, 0, IR_NONE};
      if (!add_border_once(c, &seen, access.offset) || !add_border_once(c, &seen, access.offset + access.size) ||
          !coro_vec_push(c->arena, &k->frame_bytes, access) ||
          (opcode != LLVMLoad && !coro_vec_push(c->arena, &stores->items, ((struct store_of_clone){k, store}))))
        return false;
      k->frame_bytes_of[i] = k->frame_bytes.count;
    }
  }
  if (!c->borders.count)
    return true;
  qsort(c->borders.items, c->borders.count, sizeof *c->borders.items, compare_offsets);
  uint32_t count = 1;
  for (uint32_t i = 1; i < c->borders.count; i++)
    if (c->borders.items[i] != c->borders.items[count - 1])
      c->borders.items[count++] = c->borders.items[i];
  c->borders.count = count;
  return true;
}

uint32_t frame_access_first_cell_from(const struct check *c, uint64_t offset)
{
  uint32_t low = 0, high = c->borders.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (c->borders.items[middle] < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool add_frame_store(struct check *c, struct check_clone *k, const struct check_store *store)
{
  uint32_t block = k->fn.inst_block[store->inst];
  uint64_t end = store->offset + store->size;
  for (uint32_t cell = frame_access_first_cell_from(c, store->offset);
       cell < c->borders.count && c->borders.items[cell] < end; cell++) {
    struct check_store own = *store;
    uint64_t last = 0, key = coro_map_pair(cell, block);
    coro_map_get(&k->stores, key, &last);
    own.cell = cell;
    own.next = last ? (uint32_t)(last - 1) : IR_NONE;
    if (!coro_vec_push(c->arena, &k->frame_stores, own) || !coro_map_put(&k->stores, key, k->frame_stores.count))
      return false;
  }
  return true;
}

/* Copied instructions that write to an alloca overwrite the spilled values that share its bytes. */
static bool add_writes_to_alloca(struct check *c, const struct coro_field *field)
{
  struct memory_uses uses = {0};
  bool escapes = false;
  if (!memory_uses_find(c, field->value, &uses))
    return false;
  for (uint32_t u = 0; u < uses.items.count; u++)
    escapes |= uses.items.items[u].effects & MEMORY_ESCAPES;
  if (escapes && !coro_vec_push(c->arena, &c->escaping, (uint32_t)(field - c->low->frame.fields)))
    return false;
  for (uint32_t n = 0; n < c->clone_count; n++)
    for (uint32_t u = 0; u < uses.items.count; u++) {
      const struct check_clone *k = c->clones[n];
      uint64_t last = 0;
      if (!(uses.items.items[u].effects & MEMORY_WRITES) ||
          !coro_map_get(&k->copies, (uint64_t)uses.items.items[u].inst + 1, &last))
        continue;
      for (uint32_t copy = (uint32_t)last; copy != IR_NONE; copy = k->earlier_copy[copy])
        if (!add_frame_store(c, c->clones[n], &(struct check_store){copy, field->offset, field->size, 0, IR_NONE}))
          return false;
    }
  return true;
}

static bool is_alloca_field_shared_with_spill(struct check *c, uint32_t f)
{
  const struct coro_field *field = &c->low->frame.fields[f];
  return (field->kind == CORO_FIELD_ALLOCA || field->kind == CORO_FIELD_PROMISE) && field->value != IR_NONE &&
         frame_overlap_is_shared(c, f, true);
}

/* The copies of instructions in the clones, for the uses of shared allocas. */
static bool map_copies_of_instructions(struct check *c)
{
  for (uint32_t n = 0; n < c->clone_count; n++) {
    struct check_clone *k = c->clones[n];
    coro_map_init(&k->copies, c->arena);
    k->earlier_copy = CORO_NEW_ARRAY(c->arena, uint32_t, k->fn.inst_count);
    for (uint32_t i = 0; i < k->fn.inst_count && k->earlier_copy; i++) {
      uint64_t earlier = IR_NONE, key = (uint64_t)k->entries[i].of + 1;
      if (k->entries[i].kind != WITNESS_COPY)
        continue;
      coro_map_get(&k->copies, key, &earlier);
      k->earlier_copy[i] = (uint32_t)earlier;
      if (!coro_map_put(&k->copies, key, i))
        return false;
    }
    if (!k->earlier_copy)
      return false;
  }
  return true;
}

static bool add_writes_to_allocas(struct check *c)
{
  bool found = false;
  for (uint32_t f = 0; f < c->low->frame.field_count; f++) {
    if (!is_alloca_field_shared_with_spill(c, f))
      continue;
    if (!found && !map_copies_of_instructions(c))
      return false;
    found = c->has_shared_allocas = true;
    if (!add_writes_to_alloca(c, &c->low->frame.fields[f]))
      return false;
  }
  return true;
}

bool frame_access_may_be_aliased(const struct check *c, uint64_t offset, uint64_t size)
{
  for (uint32_t i = 0; i < c->escaping.count; i++) {
    const struct coro_field *field = &c->low->frame.fields[c->escaping.items[i]];
    if (frame_overlap_intersects(offset, size, field->offset, field->size))
      return true;
  }
  return false;
}

bool find_frame_accesses_of_clones(struct check *c)
{
  struct clone_stores stores = {0};
  for (uint32_t f = 0; f < c->low->frame.field_count; f++)
    if (is_alloca_field_shared_with_spill(c, f) &&
        (!coro_vec_push(c->arena, &c->borders, c->low->frame.fields[f].offset) ||
         !coro_vec_push(c->arena, &c->borders, c->low->frame.fields[f].offset + c->low->frame.fields[f].size)))
      return false;
  if (!find_access_borders_and_stores(c, &stores))
    return false;
  for (uint32_t i = 0; i < stores.items.count; i++)
    if (!add_frame_store(c, stores.items.items[i].clone, &stores.items.items[i].store))
      return false;
  return add_writes_to_allocas(c);
}

const struct check_store *frame_access_last_store_or_null(const struct check *c, const struct check_clone *k,
                                                          uint32_t block, uint32_t at, uint64_t offset, uint64_t size)
{
  const struct check_store *last = NULL;
  for (uint32_t cell = frame_access_first_cell_from(c, offset);
       cell < c->borders.count && c->borders.items[cell] < offset + size; cell++) {
    uint64_t found = 0;
    coro_map_get(&k->stores, coro_map_pair(cell, block), &found);
    const struct check_store *store = found ? &k->frame_stores.items[found - 1] : NULL;
    for (; store; store = store->next == IR_NONE ? NULL : &k->frame_stores.items[store->next]) {
      if (2 * check_position(k, store->inst) + 1 >= at)
        continue;
      if (!last || store->inst > last->inst)
        last = store;
      if (!c->has_shared_allocas)
        break; /* later stores come first */
    }
  }
  return last;
}