/* Objects: what memory the program has. Variables, what it allocates, and what the host shares with it lie in a tree by
   address; nothing else may be touched. What is gone stays for a while, so that a late use is told by its name.
   Needs: shadow, probe. Leaves: every access inside one object that lives, or an end that names place and object. */
#include "interp/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "interp/fault.h"

enum { RED = 32, CANARY = 0xa5, MOST_DEAD = 16 << 20, MOST_ALIGN = 1 << 20, NEAR = 4096 };
#define MOST_SIZE (UINT64_C(256) << 20)
#define MOST_TOTAL (UINT64_C(512) << 20) /* of all that the program has at a time */

/* ---- The tree: by address, and a heap by a number that the address gives, so that it is not deep ---- */

static uint64_t rank(const struct block *block)
{
  uint64_t hash = block->start * UINT64_C(0x9e3779b97f4a7c15);
  return (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void insert(struct block **at, struct block *block)
{
  while (*at && rank(*at) >= rank(block))
    at = block->start < (*at)->start ? &(*at)->left : &(*at)->right;
  struct block *rest = *at, **below = &block->left, **above = &block->right;
  while (rest) {
    if (rest->start < block->start) {
      *below = rest;
      below = &rest->right;
      rest = rest->right;
    } else {
      *above = rest;
      above = &rest->left;
      rest = rest->left;
    }
  }
  *below = *above = NULL;
  *at = block;
}

static void extract(struct block **at, const struct block *block)
{
  while (*at != block)
    at = block->start < (*at)->start ? &(*at)->left : &(*at)->right;
  struct block *left = block->left, *right = block->right;
  while (left && right) {
    if (rank(left) > rank(right)) {
      *at = left;
      at = &left->right;
      left = left->right;
    } else {
      *at = right;
      at = &right->left;
      right = right->left;
    }
  }
  *at = left ? left : right;
}

/* The last that begins at the address or before it; the first that begins behind it. Either may be NULL. */
static struct block *around(const struct memory *memory, uint64_t address, struct block **behind)
{
  struct block *before = NULL;
  *behind = NULL;
  for (struct block *at = memory->objects; at;) {
    if (at->start <= address) {
      before = at;
      at = at->right;
    } else {
      *behind = at;
      at = at->left;
    }
  }
  return before;
}

static bool holds(const struct block *block, uint64_t address, uint64_t size)
{
  return address >= block->start && address - block->start <= block->size &&
         size <= block->size - (address - block->start);
}

static struct block **recent(struct memory *memory, uint64_t address)
{
  return &memory->recent[(address >> 6) % (sizeof memory->recent / sizeof *memory->recent)];
}

struct block *object_at(struct memory *memory, uint64_t address)
{
  struct block *behind, *known = *recent(memory, address);
  if (known && holds(known, address, 1))
    return known;
  struct block *found = around(memory, address, &behind);
  if (!found || address - found->start > found->size)
    return NULL;
  *recent(memory, address) = found;
  return found;
}

static void forget(struct memory *memory, const struct block *block)
{
  extract(&memory->objects, block);
  memset(memory->recent, 0, sizeof memory->recent);
}

/* ---- Life ---- */

/* What an object takes of the host, by which the smallest counts as well. */
static uint64_t cost(uint64_t size)
{
  return sizeof(struct block) + 2 * RED + size;
}

static bool has_room(struct interp *in, uint64_t size, uint64_t align)
{
  if (size > MOST_SIZE || align > MOST_ALIGN)
    interp_fail(in, NULL, CORO_ELIMIT, "variable-size", "an object of %llu bytes is more than there is room for",
                (unsigned long long)size);
  else if (align & (align - 1))
    interp_fail(in, NULL, CORO_EUNDEFINED, "alignment", "%llu is no alignment, which is a power of two",
                (unsigned long long)align);
  else if (in->memory.total > MOST_TOTAL - cost(size))
    interp_fail(in, NULL, CORO_ELIMIT, "memory-size", "the program uses more than %llu bytes at a time",
                (unsigned long long)MOST_TOTAL);
  return !in->status;
}

bool object_fits(uint64_t size, uint64_t align)
{
  return size <= MOST_SIZE && align <= MOST_ALIGN;
}

struct block *object_new(struct interp *in, uint64_t size, uint64_t align, struct origin origin)
{
  align = align < 16 ? 16 : align;
  if (!has_room(in, size, align))
    return NULL;
  interp_charge(in, size);
  struct block *block = malloc(sizeof *block + 2 * RED + size + align);
  if (!block) {
    interp_no_memory(in);
    return NULL;
  }
  *block = (struct block){.start = coro_align_to((uintptr_t)(block + 1) + RED, align), .size = size, .origin = origin};
  memset(bytes_at(block->start) - RED, CANARY, RED);
  memset(bytes_at(block->start) + size, CANARY, RED);
  in->memory.total += cost(size);
  insert(&in->memory.objects, block);
  if (!shadow_forget(&in->memory.shadow, block->start, size, false))
    interp_no_memory(in);
  return block;
}

/* Only foreign code can have written there. */
static bool canaries_hold(const struct block *block)
{
  const unsigned char *before = bytes_at(block->start) - RED, *behind = bytes_at(block->start) + block->size;
  for (unsigned i = 0; i < RED; i++)
    if (before[i] != CANARY || behind[i] != CANARY)
      return false;
  return true;
}

static bool is_hosts(const struct block *block)
{
  return block->origin.kind == OBJECT_SHARED;
}

static void release_oldest(struct memory *memory)
{
  struct block *block = memory->dead;
  memory->dead = block->next;
  memory->dead_size -= (is_hosts(block) ? 0 : block->size) + sizeof *block;
  if (!memory->dead)
    memory->dead_last = NULL;
  forget(memory, block);
  shadow_mark(&memory->shadow, block->start, block->size, false, false);
  free(block);
}

void object_end(struct interp *in, const struct op *op, struct block *block)
{
  struct memory *memory = &in->memory;
  block->next = NULL;
  block->link = NULL;
  block->dead = true;
  if (!is_hosts(block)) {
    if (!canaries_hold(block))
      interp_undefined(in, op, "write-outside", "something was written beside an object of the program");
    memory->total -= cost(block->size);
  }
  if (memory->dead_last)
    memory->dead_last->next = block;
  else
    memory->dead = block;
  memory->dead_last = block;
  memory->dead_size += (is_hosts(block) ? 0 : block->size) + sizeof *block;
  while (memory->dead_size > MOST_DEAD)
    release_oldest(memory);
}

uint64_t object_add(struct interp *in, struct block **list, uint64_t size, uint64_t align, struct origin origin)
{
  struct block *block = object_new(in, size, align, origin);
  if (!block)
    return 0;
  block->next = *list;
  block->link = list;
  if (block->next)
    block->next->link = &block->next;
  *list = block;
  return block->start;
}

void object_release(struct interp *in, const struct op *op, struct block **list)
{
  for (struct block *block = *list, *next; block; block = next) {
    next = block->next;
    object_end(in, op, block);
  }
  *list = NULL;
}

bool object_drop(struct interp *in, const struct op *op, uint64_t address)
{
  struct block *block = object_at(&in->memory, address);
  if (!block || block->start != address || block->dead || !block->link)
    return false;
  *block->link = block->next;
  if (block->next)
    block->next->link = block->link;
  object_end(in, op, block);
  return true;
}

void object_free_all(struct interp *in)
{
  for (struct block *at = in->memory.objects; at;) { /* what is left of one comes before it: a list in the end */
    struct block *left = at->left, *right = at->right;
    if (left) {
      at->left = left->right;
      left->right = at;
    } else {
      free(at);
    }
    at = left ? left : right;
  }
  shadow_free(&in->memory.shadow);
  in->memory = (struct memory){0};
}

/* ---- What the host shares ---- */

/* Some object that has a byte of the range, or NULL. */
static struct block *overlapping(const struct memory *memory, uint64_t start, uint64_t size)
{
  struct block *behind, *before = around(memory, start, &behind);
  if (before && start - before->start < before->size)
    return before;
  return behind && behind->start - start < size ? behind : NULL;
}

static void unlink_dead(struct memory *memory, const struct block *block)
{
  struct block **at = &memory->dead, *last = NULL;
  for (; *at != block; at = &(*at)->next)
    last = *at;
  *at = block->next;
  if (memory->dead_last == block)
    memory->dead_last = last;
  memory->dead_size -= sizeof *block;
}

bool object_share(struct interp *in, uint64_t start, uint64_t size, struct origin origin)
{
  origin.kind = OBJECT_SHARED;
  if (!start || !size || size > UINT64_MAX - start)
    return !size;
  for (struct block *old; (old = overlapping(&in->memory, start, size));) {
    if (!is_hosts(old) || (!old->dead && holds(old, start, size)))
      return is_hosts(old) || (!old->dead && holds(old, start, size)); /* it is the program's already */
    uint64_t end = start + size, old_end = old->start + old->size;
    if (old->dead) { /* the host uses the place again */
      unlink_dead(&in->memory, old);
    } else {
      start = old->start < start ? old->start : start;
      size = (old_end > end ? old_end : end) - start;
    }
    forget(&in->memory, old);
    free(old);
  }
  struct block *block = calloc(1, sizeof *block);
  if (!block)
    return false;
  *block = (struct block){.start = start, .size = size, .origin = origin};
  insert(&in->memory.objects, block);
  return true;
}

void object_unshare(struct interp *in, uint64_t start)
{
  struct block *block = object_at(&in->memory, start);
  if (!block || block->start != start || !is_hosts(block) || block->dead)
    return;
  forget(&in->memory, block);
  shadow_mark(&in->memory.shadow, block->start, block->size, false, false);
  free(block);
}

/* ---- What may be touched ---- */

/* "%x, a variable of @f of 8 bytes" */
void object_name(const struct block *block, char *text, size_t size)
{
  static const char *const kinds[] = {[OBJECT_VARIABLE] = "a variable",
                                      [OBJECT_GLOBAL] = "a variable of the module",
                                      [OBJECT_HEAP] = "memory",
                                      [OBJECT_SHARED] = "memory",
                                      [OBJECT_OTHER] = "memory of the interpreter's"};
  const struct origin *origin = &block->origin;
  LLVMValueRef value = origin->value;
  bool local = value && LLVMIsAInstruction(value) && LLVMGetInstructionParent(value);
  LLVMValueRef function = local ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)) : NULL;
  size_t length;
  const char *name = value ? LLVMGetValueName2(value, &length) : "";
  int used = 0;
  if (*name)
    used = snprintf(text, size, "%s%.40s, ", function ? "%" : "@", name);
  used += snprintf(text + used, size - (size_t)used, "%s of %llu bytes", kinds[origin->kind],
                   (unsigned long long)block->size);
  if (origin->giver)
    used += snprintf(text + used, size - (size_t)used, " that @%.40s gave", origin->giver);
  else if (origin->kind == OBJECT_SHARED)
    used += snprintf(text + used, size - (size_t)used, " that the host has shared");
  if (function)
    snprintf(text + used, size - (size_t)used, " in @%.40s", LLVMGetValueName2(function, &length));
}

static void refuse(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write)
{
  struct block *behind, *before = around(&in->memory, address, &behind);
  char name[200];
  const char *what = write ? "written" : "read";
  unsigned long long bytes = size, at = address;
  if (before && address - before->start >= before->size && address - before->start - before->size > NEAR)
    before = NULL;
  if (code_at(in, address))
    before = behind = NULL;
  bool near = before || (behind && behind->start - address < NEAR);
  object_name(before ? before : near ? behind : &(struct block){0}, name, sizeof name);
  if (before && before->dead && address - before->start < before->size)
    interp_fail(in, op, CORO_EUNDEFINED, "used-when-gone", "%llu bytes at %#llx are %s: they were in %s, which is gone",
                bytes, at, what, name);
  else if (before && address - before->start <= before->size)
    interp_fail(in, op, CORO_EUNDEFINED, "out-of-bounds", "%llu bytes from byte %llu on are %s of %s", bytes,
                (unsigned long long)(address - before->start), what, name);
  else if (near)
    interp_fail(in, op, CORO_EUNDEFINED, "out-of-bounds", "%llu bytes at %#llx are %s: %llu bytes %s %s", bytes, at,
                what, (unsigned long long)(before ? address - before->start - before->size : behind->start - address),
                before ? "behind" : "before", name);
  else
    interp_fail(in, op, CORO_EUNDEFINED, "no-memory-there",
                "%llu bytes at %#llx are %s, where the program has no memory", bytes, at, what);
}

bool object_owns(struct interp *in, uint64_t address, uint64_t size)
{
  const struct block *block = object_at(&in->memory, address);
  return block && !block->dead && holds(block, address, size);
}

bool object_check(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write)
{
  if (!size || object_owns(in, address, size))
    return true;
  struct block *block = object_at(&in->memory, address);
  if (in->trusted && (!block || is_hosts(block)) && probe_range(&in->memory.probe, address, size, write))
    return true;
  refuse(in, op, address, size, write);
  return false;
}
