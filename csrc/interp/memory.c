/* Loads and stores of cells. Pointers are host addresses; undefined bytes are tracked by shadow memory and filled
   with a pattern. */
#include "interp/memory.h"

#include <string.h>

#include "interp/execution_error.h"

/* ---- Loads and stores ---- */

static struct cell load_scalar_cell(struct interp *in, uint64_t address, unsigned bits)
{
  unsigned size = (bits + 7) / 8;
  struct cell cell = {0, 0, false};
  uint64_t poison, undef = shadow_query_undefined_bytes(&in->memory.shadow, address, size, &poison);
  memcpy(&cell.bits, bytes_at(address), size);
  for (unsigned i = 0; undef >> i && i < size; i++)
    if (undef >> i & 1)
      cell.undef |= (u128)0xff << (8 * i);
  if (poison)
    return cell_poison(bits);
  cell.undef &= integer_mask(bits);
  cell.bits &= integer_mask(bits) & ~cell.undef;
  return cell;
}

static bool store_scalar_cell(struct interp *in, uint64_t address, unsigned bits, const struct cell *cell)
{
  unsigned size = (bits + 7) / 8;
  memcpy(bytes_at(address), &cell->bits, size);
  if (!shadow_mark_bytes(&in->memory.shadow, address, size, false, false))
    return false;
  for (unsigned i = 0; cell->undef >> (8 * i) && i < size; i++)
    if (cell->undef >> (8 * i) & 0xff)
      memory_set_undefined(in, address + i, 1, cell->poison);
  return true;
}

/* A vector whose elements do not fill bytes is stored as one integer. */
static struct cell pack_vector_into_integer(const struct layout *type, const struct cell *cells)
{
  struct cell whole = {0, 0, false};
  for (uint32_t i = 0; i < type->count; i++) {
    whole.bits |= cells[i].bits << type->leaves[i].offset;
    whole.undef |= cells[i].undef << type->leaves[i].offset;
  }
  return whole;
}

static void unpack_vector_from_integer(const struct layout *type, const struct cell *whole, struct cell *out)
{
  for (uint32_t i = 0; i < type->count; i++) {
    u128 mask = integer_mask(type->leaves[i].bits);
    out[i] = (struct cell){whole->bits >> type->leaves[i].offset & mask, whole->undef >> type->leaves[i].offset & mask,
                           whole->poison};
  }
}

static void load_scalars_of_type(struct interp *in, uint64_t address, const struct layout *type, struct cell *out)
{
  if (type->packed) {
    struct cell whole = load_scalar_cell(in, address, (unsigned)(8 * type->store_size));
    unpack_vector_from_integer(type, &whole, out);
    return;
  }
  for (uint32_t i = 0; i < type->count; i++)
    out[i] = load_scalar_cell(in, address + type->leaves[i].offset, type->leaves[i].bits);
}

static void store_scalars_of_type(struct interp *in, uint64_t address, const struct layout *type,
                                  const struct cell *cells)
{
  bool stored = true;
  if (type->packed) {
    struct cell whole = pack_vector_into_integer(type, cells);
    stored = store_scalar_cell(in, address, (unsigned)(8 * type->store_size), &whole);
  } else {
    for (uint32_t i = 0; i < type->count; i++)
      stored &= store_scalar_cell(in, address + type->leaves[i].offset, type->leaves[i].bits, &cells[i]);
  }
  if (!stored)
    interp_stop_out_of_memory(in);
}

void memory_load_value_checked(struct interp *in, const struct op *op, uint64_t address, const struct layout *type,
                               struct cell *out)
{
  if (object_check_access(in, op, address, type->store_size, false))
    load_scalars_of_type(in, address, type, out);
}

void memory_store_value_checked(struct interp *in, const struct op *op, uint64_t address, const struct layout *type,
                                const struct cell *cells)
{
  if (object_check_access(in, op, address, type->store_size, true))
    store_scalars_of_type(in, address, type, cells);
}

void memory_set_undefined(struct interp *in, uint64_t address, uint64_t size, bool poison)
{
  if (!shadow_fill_and_mark_undefined(&in->memory.shadow, address, size, poison))
    interp_stop_out_of_memory(in);
}

void memory_copy_bytes_checked(struct interp *in, const struct op *op, uint64_t to, uint64_t from, uint64_t size)
{
  if (!object_check_access(in, op, from, size, false) || !object_check_access(in, op, to, size, true))
    return;
  interp_charge(in, size);
  bool down = to > from; /* direction as in memmove */
  for (uint64_t done = 0; done < size;) {
    unsigned chunk = size - done < 64 ? (unsigned)(size - done) : 64;
    uint64_t at = down ? size - done - chunk : done, poison, undef;
    undef = shadow_query_undefined_bytes(&in->memory.shadow, from + at, chunk, &poison);
    memmove(bytes_at(to + at), bytes_at(from + at), chunk);
    bool marked = shadow_mark_bytes(&in->memory.shadow, to + at, chunk, false, false);
    for (unsigned i = 0; undef >> i && i < chunk; i++)
      if (undef >> i & 1)
        marked &= shadow_mark_bytes(&in->memory.shadow, to + at + i, 1, true, poison >> i & 1);
    if (!marked)
      interp_stop_out_of_memory(in);
    done += chunk;
  }
}

void memory_fill_bytes_checked(struct interp *in, const struct op *op, uint64_t to, struct cell byte, uint64_t size)
{
  if (!object_check_access(in, op, to, size, true))
    return;
  interp_charge(in, size);
  if (byte.undef) {
    memory_set_undefined(in, to, size, byte.poison);
    return;
  }
  if (size)
    memset(bytes_at(to), (int)byte.bits, size);
  shadow_mark_bytes(&in->memory.shadow, to, size, false, false);
}

void memory_bitcast_cells(struct interp *in, const struct layout *from, const struct cell *cells,
                          const struct layout *to, struct cell *out)
{
  uint64_t size = from->store_size > to->store_size ? from->store_size : to->store_size;
  struct block *scratch = object_create(in, size, 16, (struct origin){.kind = OBJECT_OTHER});
  if (!scratch)
    return;
  store_scalars_of_type(in, scratch->start, from, cells);
  load_scalars_of_type(in, scratch->start, to, out);
  object_end_lifetime_and_check_redzones(in, NULL, scratch);
}
