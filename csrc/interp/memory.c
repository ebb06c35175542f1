/* Memory of the program: the host's own, so that pointers are addresses. Variables stand between canaries, what is
   undefined holds a pattern, and pages that are not there are found before they are touched.
   Needs: shadow.c. Leaves: loads that tell which of their bits are undefined. */
#ifdef __linux__
#define _GNU_SOURCE /* process_vm_readv */
#include <sys/uio.h>
#include <unistd.h>
#endif

#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "interp/room.h"

enum { RED = 32, CANARY = 0xa5, PATTERN = 0xa9, MOST_DEAD = 16 << 20, MOST_ALIGN = 1 << 20 };
#define MOST_SIZE (UINT64_C(256) << 20)

struct block {
  struct block *next;
  unsigned char *memory; /* of the first canary */
  uint64_t size;
};

static unsigned char *bytes_at(uint64_t address)
{
  return (unsigned char *)(uintptr_t)address;
}

uint64_t memory_new(struct interp *in, struct block **list, uint64_t size, uint64_t align)
{
  align = align < 16 ? 16 : align;
  if (size > MOST_SIZE || align > MOST_ALIGN) {
    interp_fail(in, NULL, CORO_ELIMIT, "variable-size", "a variable of %llu bytes is more than there is room for",
                (unsigned long long)size);
    return 0;
  }
  struct block *block = malloc(sizeof *block + 2 * RED + size + align);
  if (!block) {
    interp_no_memory(in);
    return 0;
  }
  uintptr_t start = coro_align_to((uintptr_t)(block + 1) + RED, align);
  *block = (struct block){*list, (unsigned char *)start - RED, size};
  *list = block;
  memset(block->memory, CANARY, RED);
  memset(block->memory + RED + size, CANARY, RED);
  memory_forget(in, start, size, false);
  return start;
}

static bool canaries_hold(const struct block *block)
{
  for (unsigned i = 0; i < RED; i++)
    if (block->memory[i] != CANARY || block->memory[RED + block->size + i] != CANARY)
      return false;
  return true;
}

static void release_oldest(struct memory *memory)
{
  struct block *block = memory->dead;
  memory->dead = block->next;
  memory->dead_size -= block->size + sizeof *block;
  if (!memory->dead)
    memory->dead_last = NULL;
  shadow_mark(memory, (uintptr_t)block->memory + RED, block->size, false, false);
  free(block);
}

void memory_release(struct interp *in, const struct op *op, struct block **list)
{
  struct memory *memory = &in->memory;
  for (struct block *block = *list, *next; block; block = next) {
    next = block->next;
    block->next = NULL;
    if (!canaries_hold(block))
      interp_undefined(in, op, "write-outside", "something was written beside a variable of this function");
    memory_forget(in, (uintptr_t)block->memory + RED, block->size, true);
    if (memory->dead_last)
      memory->dead_last->next = block;
    else
      memory->dead = block;
    memory->dead_last = block;
    memory->dead_size += block->size + sizeof *block;
  }
  *list = NULL;
  while (memory->dead_size > MOST_DEAD)
    release_oldest(memory);
}

bool memory_drop(struct interp *in, const struct op *op, struct block **list, uint64_t address)
{
  for (struct block **at = list; *at; at = &(*at)->next)
    if ((uintptr_t)(*at)->memory + RED == address) {
      struct block *block = *at;
      *at = block->next;
      block->next = NULL;
      memory_release(in, op, &block);
      return true;
    }
  return false;
}

void memory_free(struct interp *in)
{
  while (in->memory.dead)
    release_oldest(&in->memory);
  free(in->memory.chunks);
  in->memory.chunks = NULL;
}

/* ---- What may be touched ---- */

#ifdef __linux__
/* Whether the byte can be read (and written back): asked of the kernel, which tells instead of trapping. */
static bool probe(uint64_t address, bool write)
{
  unsigned char byte;
  struct iovec here = {&byte, 1}, there = {bytes_at(address), 1};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
    return false;
  return !write || process_vm_writev(getpid(), &here, 1, &there, 1, 0) == 1;
}

static bool can_probe(void)
{
  unsigned char byte = 0;
  return probe((uintptr_t)&byte, true); /* sandboxes may forbid it; then nothing can be told */
}
#else
static bool probe(uint64_t address, bool write)
{
  (void)address, (void)write;
  return true;
}

static bool can_probe(void)
{
  return true;
}
#endif

static bool page_there(struct memory *memory, uint64_t page, bool write)
{
  uint64_t *known = (write ? memory->writable : memory->readable) + page % 256;
  if (*known == page)
    return true;
  if (!probe(page << 12, write) && can_probe())
    return false;
  *known = page;
  return true;
}

bool memory_check(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write)
{
  const char *what = write ? "written" : "read";
  if (!size)
    return true;
  if (size > MOST_SIZE || address < 4096 || address + size > UINT64_C(1) << 47) {
    interp_fail(in, op, CORO_EUNDEFINED, "no-memory-there", "%llu bytes at address %#llx are %s, where no memory is",
                (unsigned long long)size, (unsigned long long)address, what);
    return false;
  }
  for (uint64_t page = address >> 12; page <= (address + size - 1) >> 12; page++)
    if (!page_there(&in->memory, page, write)) {
      interp_fail(in, op, CORO_EUNDEFINED, "no-memory-there", "address %#llx is %s, where no memory is",
                  (unsigned long long)address, what);
      return false;
    }
  return true;
}

/* ---- Loads and stores ---- */

/* Bytes that were marked, but no longer hold the pattern, were written by foreign code. */
uint64_t memory_undefined(struct interp *in, uint64_t address, unsigned size, uint64_t *poison)
{
  uint64_t undef = shadow_undef(&in->memory, address, size, poison);
  for (unsigned i = 0; undef >> i && i < size; i++)
    if (undef >> i & 1 && bytes_at(address)[i] != PATTERN)
      undef &= ~(UINT64_C(1) << i);
  *poison &= undef;
  return undef;
}

static struct cell load_scalar(struct interp *in, uint64_t address, unsigned bits)
{
  unsigned size = (bits + 7) / 8;
  struct cell cell = {0, 0, false};
  uint64_t poison, undef = memory_undefined(in, address, size, &poison);
  memcpy(&cell.bits, bytes_at(address), size);
  for (unsigned i = 0; undef >> i && i < size; i++)
    if (undef >> i & 1)
      cell.undef |= (u128)0xff << (8 * i);
  if (poison)
    return cell_poison(bits);
  cell.undef &= cell_mask(bits);
  cell.bits &= cell_mask(bits) & ~cell.undef;
  return cell;
}

static bool store_scalar(struct interp *in, uint64_t address, unsigned bits, const struct cell *cell)
{
  unsigned size = (bits + 7) / 8;
  memcpy(bytes_at(address), &cell->bits, size);
  if (!shadow_mark(&in->memory, address, size, false, false))
    return false;
  for (unsigned i = 0; cell->undef >> (8 * i) && i < size; i++)
    if (cell->undef >> (8 * i) & 0xff)
      memory_forget(in, address + i, 1, cell->poison);
  return true;
}

/* A vector of elements that do not fill bytes is one number in memory. */
static struct cell pack(const struct layout *type, const struct cell *cells)
{
  struct cell whole = {0, 0, false};
  for (uint32_t i = 0; i < type->count; i++) {
    whole.bits |= cells[i].bits << type->leaves[i].offset;
    whole.undef |= cells[i].undef << type->leaves[i].offset;
  }
  return whole;
}

static void unpack(const struct layout *type, const struct cell *whole, struct cell *out)
{
  for (uint32_t i = 0; i < type->count; i++) {
    u128 mask = cell_mask(type->leaves[i].bits);
    out[i] = (struct cell){whole->bits >> type->leaves[i].offset & mask, whole->undef >> type->leaves[i].offset & mask,
                           whole->poison};
  }
}

static void load_all(struct interp *in, uint64_t address, const struct layout *type, struct cell *out)
{
  if (type->packed) {
    struct cell whole = load_scalar(in, address, (unsigned)(8 * type->store_size));
    unpack(type, &whole, out);
    return;
  }
  for (uint32_t i = 0; i < type->count; i++)
    out[i] = load_scalar(in, address + type->leaves[i].offset, type->leaves[i].bits);
}

static void store_all(struct interp *in, uint64_t address, const struct layout *type, const struct cell *cells)
{
  bool stored = true;
  if (type->packed) {
    struct cell whole = pack(type, cells);
    stored = store_scalar(in, address, (unsigned)(8 * type->store_size), &whole);
  } else {
    for (uint32_t i = 0; i < type->count; i++)
      stored &= store_scalar(in, address + type->leaves[i].offset, type->leaves[i].bits, &cells[i]);
  }
  if (!stored)
    interp_no_memory(in);
}

void memory_load(struct interp *in, const struct op *op, uint64_t address, const struct layout *type, struct cell *out)
{
  if (memory_check(in, op, address, type->store_size, false))
    load_all(in, address, type, out);
}

void memory_store(struct interp *in, const struct op *op, uint64_t address, const struct layout *type,
                  const struct cell *cells)
{
  if (memory_check(in, op, address, type->store_size, true))
    store_all(in, address, type, cells);
}

void memory_forget(struct interp *in, uint64_t address, uint64_t size, bool poison)
{
  memset(bytes_at(address), PATTERN, size);
  if (!shadow_mark(&in->memory, address, size, true, poison))
    interp_no_memory(in);
}

void memory_copy(struct interp *in, const struct op *op, uint64_t to, uint64_t from, uint64_t size)
{
  if (!memory_check(in, op, from, size, false) || !memory_check(in, op, to, size, true))
    return;
  bool down = to > from; /* as memmove goes */
  for (uint64_t done = 0; done < size;) {
    unsigned part = size - done < 64 ? (unsigned)(size - done) : 64;
    uint64_t at = down ? size - done - part : done, poison, undef;
    undef = memory_undefined(in, from + at, part, &poison);
    memmove(bytes_at(to + at), bytes_at(from + at), part);
    bool marked = shadow_mark(&in->memory, to + at, part, false, false);
    for (unsigned i = 0; undef >> i && i < part; i++)
      if (undef >> i & 1)
        marked &= shadow_mark(&in->memory, to + at + i, 1, true, poison >> i & 1);
    if (!marked)
      interp_no_memory(in);
    done += part;
  }
}

void memory_fill(struct interp *in, const struct op *op, uint64_t to, struct cell byte, uint64_t size)
{
  if (!memory_check(in, op, to, size, true))
    return;
  if (byte.undef) {
    memory_forget(in, to, size, byte.poison);
    return;
  }
  if (size)
    memset(bytes_at(to), (int)byte.bits, size);
  shadow_mark(&in->memory, to, size, false, false);
}

void memory_cast(struct interp *in, const struct layout *from, const struct cell *cells, const struct layout *to,
                 struct cell *out)
{
  struct block *scratch = NULL;
  uint64_t size = from->store_size > to->store_size ? from->store_size : to->store_size;
  uint64_t at = memory_new(in, &scratch, size, 16);
  if (!at)
    return;
  store_all(in, at, from, cells);
  load_all(in, at, to, out);
  shadow_mark(&in->memory, at, size, false, false);
  free(scratch);
}
