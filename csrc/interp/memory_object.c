/* The program's memory objects: allocas, globals, heap allocations and memory shared by the host, in a treap by
   address. Freed objects stay registered for a while, so that use after free is reported with the object's name. */
#include "interp/memory_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "interp/execution_error.h"
#include "ir/edit.h"

enum { REDZONE = 32, CANARY = 0xa5, MAX_DEAD = 16 << 20, MAX_ALIGN = 1 << 20, NEARBY = 4096 };
#define MAX_SIZE (UINT64_C(256) << 20)
#define MAX_TOTAL (UINT64_C(512) << 20) /* total size of live objects */

/* ---- Treap (Seidel and Aragon, 1996): a search tree by address, a heap by a hash of it ---- */

static uint64_t treap_priority(const struct block *block)
{
  uint64_t hash = block->start * UINT64_C(0x9e3779b97f4a7c15);
  return (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void insert_into_treap(struct block **at, struct block *block)
{
  while (*at && treap_priority(*at) >= treap_priority(block))
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

static void remove_from_treap(struct block **at, const struct block *block)
{
  while (*at != block)
    at = block->start < (*at)->start ? &(*at)->left : &(*at)->right;
  struct block *left = block->left, *right = block->right;
  while (left && right) {
    if (treap_priority(left) > treap_priority(right)) {
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

/* Finds the last object that starts at or before the address and the first that starts after it; either may be NULL. */
static struct block *find_neighboring_objects(const struct memory *memory, uint64_t address, struct block **after)
{
  struct block *before = NULL;
  *after = NULL;
  for (struct block *at = memory->objects; at;) {
    if (at->start <= address) {
      before = at;
      at = at->right;
    } else {
      *after = at;
      at = at->left;
    }
  }
  return before;
}

static bool block_contains(const struct block *block, uint64_t address, uint64_t size)
{
  return address >= block->start && address - block->start <= block->size &&
         size <= block->size - (address - block->start);
}

static struct block **cache_slot_of_address(struct memory *memory, uint64_t address)
{
  return &memory->recent[(address >> 6) % (sizeof memory->recent / sizeof *memory->recent)];
}

struct block *object_containing_or_ending_at(struct memory *memory, uint64_t address)
{
  struct block *after, *known = *cache_slot_of_address(memory, address);
  if (known && block_contains(known, address, 1))
    return known;
  struct block *found = find_neighboring_objects(memory, address, &after);
  if (!found || address - found->start > found->size)
    return NULL;
  *cache_slot_of_address(memory, address) = found;
  return found;
}

static void unregister_object(struct memory *memory, const struct block *block)
{
  remove_from_treap(&memory->objects, block);
  memset(memory->recent, 0, sizeof memory->recent);
}

/* ---- Lifetime ---- */

/* Host memory used by an object, including overhead. */
static uint64_t host_size_of_object(uint64_t size)
{
  return sizeof(struct block) + 2 * REDZONE + size;
}

static bool stop_unless_object_size_is_valid(struct interp *in, uint64_t size, uint64_t align)
{
  if (size > MAX_SIZE || align > MAX_ALIGN)
    interp_stop_with_error(in, NULL, CORO_ELIMIT, "variable-size", "an object of %llu bytes exceeds the size limit",
                           (unsigned long long)size);
  else if (align & (align - 1))
    interp_stop_with_error(in, NULL, CORO_EUNDEFINED, "alignment", "the alignment %llu is not a power of two",
                           (unsigned long long)align);
  else if (in->memory.total > MAX_TOTAL - host_size_of_object(size))
    interp_stop_with_error(in, NULL, CORO_ELIMIT, "memory-size", "the program uses more than %llu bytes of memory",
                           (unsigned long long)MAX_TOTAL);
  return !in->status;
}

bool object_size_is_supported(uint64_t size, uint64_t align)
{
  return size <= MAX_SIZE && align <= MAX_ALIGN;
}

struct block *object_create(struct interp *in, uint64_t size, uint64_t align, struct origin origin)
{
  align = align < 16 ? 16 : align;
  if (!stop_unless_object_size_is_valid(in, size, align))
    return NULL;
  interp_charge(in, size);
  struct block *block = malloc(sizeof *block + 2 * REDZONE + size + align);
  if (!block)
    return interp_stop_out_of_memory(in);
  *block =
      (struct block){.start = coro_align_to((uintptr_t)(block + 1) + REDZONE, align), .size = size, .origin = origin};
  memset(bytes_at(block->start) - REDZONE, CANARY, REDZONE);
  memset(bytes_at(block->start) + size, CANARY, REDZONE);
  in->memory.total += host_size_of_object(size);
  insert_into_treap(&in->memory.objects, block);
  if (!shadow_fill_and_mark_undefined(&in->memory.shadow, block->start, size, false))
    interp_stop_out_of_memory(in);
  return block;
}

/* Only native code can have written there. */
static bool are_redzones_intact(const struct block *block)
{
  const unsigned char *before = bytes_at(block->start) - REDZONE, *after = bytes_at(block->start) + block->size;
  for (unsigned i = 0; i < REDZONE; i++)
    if (before[i] != CANARY || after[i] != CANARY)
      return false;
  return true;
}

static bool is_host_memory(const struct block *block)
{
  return block->origin.kind == OBJECT_SHARED;
}

static void release_oldest_dead_object(struct memory *memory)
{
  struct block *block = memory->dead;
  memory->dead = block->next;
  memory->dead_size -= (is_host_memory(block) ? 0 : block->size) + sizeof *block;
  if (!memory->dead)
    memory->dead_last = NULL;
  unregister_object(memory, block);
  shadow_mark_bytes(&memory->shadow, block->start, block->size, false, false);
  free(block);
}

void object_end_lifetime_and_check_redzones(struct interp *in, const struct op *op, struct block *block)
{
  struct memory *memory = &in->memory;
  block->next = NULL;
  block->link = NULL;
  block->dead = true;
  if (!is_host_memory(block)) {
    if (!are_redzones_intact(block))
      interp_stop_undefined_behavior(in, op, "write-outside", "native code wrote outside of an object of the program");
    memory->total -= host_size_of_object(block->size);
  }
  if (memory->dead_last)
    memory->dead_last->next = block;
  else
    memory->dead = block;
  memory->dead_last = block;
  memory->dead_size += (is_host_memory(block) ? 0 : block->size) + sizeof *block;
  while (memory->dead_size > MAX_DEAD)
    release_oldest_dead_object(memory);
}

uint64_t object_allocate_in_list(struct interp *in, struct block **list, uint64_t size, uint64_t align,
                                 struct origin origin)
{
  struct block *block = object_create(in, size, align, origin);
  if (!block)
    return 0;
  block->next = *list;
  block->link = list;
  if (block->next)
    block->next->link = &block->next;
  *list = block;
  return block->start;
}

void object_end_lifetimes_of_list(struct interp *in, const struct op *op, struct block **list)
{
  for (struct block *block = *list, *next; block; block = next) {
    next = block->next;
    object_end_lifetime_and_check_redzones(in, op, block);
  }
  *list = NULL;
}

bool object_free_listed_at_address(struct interp *in, const struct op *op, uint64_t address)
{
  struct block *block = object_containing_or_ending_at(&in->memory, address);
  if (!block || block->start != address || block->dead || !block->link)
    return false;
  *block->link = block->next;
  if (block->next)
    block->next->link = block->link;
  object_end_lifetime_and_check_redzones(in, op, block);
  return true;
}

void object_free_all_of_interpreter(struct interp *in)
{
  for (struct block *at = in->memory.objects; at;) { /* rotates left subtrees up, so that the tree becomes a list */
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

/* ---- Shared memory ---- */

/* An object that overlaps the range, or NULL. */
static struct block *overlapping_block(const struct memory *memory, uint64_t start, uint64_t size)
{
  struct block *after, *before = find_neighboring_objects(memory, start, &after);
  if (before && start - before->start < before->size)
    return before;
  return after && after->start - start < size ? after : NULL;
}

static void unlink_dead_object(struct memory *memory, const struct block *block)
{
  struct block **at = &memory->dead, *last = NULL;
  for (; *at != block; at = &(*at)->next)
    last = *at;
  *at = block->next;
  if (memory->dead_last == block)
    memory->dead_last = last;
  memory->dead_size -= sizeof *block;
}

bool object_register_host_memory(struct interp *in, uint64_t start, uint64_t size, struct origin origin)
{
  origin.kind = OBJECT_SHARED;
  if (!start || !size || size > UINT64_MAX - start)
    return !size;
  for (struct block *old; (old = overlapping_block(&in->memory, start, size));) {
    if (!is_host_memory(old) || (!old->dead && block_contains(old, start, size)))
      return is_host_memory(old) || (!old->dead && block_contains(old, start, size)); /* already accessible */
    uint64_t end = start + size, old_end = old->start + old->size;
    if (old->dead) { /* the host reuses the address */
      unlink_dead_object(&in->memory, old);
    } else {
      start = old->start < start ? old->start : start;
      size = (old_end > end ? old_end : end) - start;
    }
    unregister_object(&in->memory, old);
    free(old);
  }
  struct block *block = calloc(1, sizeof *block);
  if (!block)
    return false;
  *block = (struct block){.start = start, .size = size, .origin = origin};
  insert_into_treap(&in->memory.objects, block);
  return true;
}

void object_unregister_host_memory(struct interp *in, uint64_t start)
{
  struct block *block = object_containing_or_ending_at(&in->memory, start);
  if (!block || block->start != start || !is_host_memory(block) || block->dead)
    return;
  unregister_object(&in->memory, block);
  shadow_mark_bytes(&in->memory.shadow, block->start, block->size, false, false);
  free(block);
}

/* ---- Access checks ---- */

/* "%x, an alloca of 8 bytes in @f" */
void object_describe(const struct block *block, char *text, size_t size)
{
  static const char *const kinds[] = {[OBJECT_VARIABLE] = "an alloca",
                                      [OBJECT_GLOBAL] = "a global variable",
                                      [OBJECT_HEAP] = "memory",
                                      [OBJECT_SHARED] = "memory",
                                      [OBJECT_OTHER] = "interpreter memory"};
  const struct origin *origin = &block->origin;
  LLVMValueRef value = origin->value;
  bool local = value && LLVMIsAInstruction(value) && LLVMGetInstructionParent(value);
  LLVMValueRef function = local ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)) : NULL;
  const char *name = value ? edit_value_name(value) : "";
  int used = 0;
  if (*name)
    used = snprintf(text, size, "%s%.40s, ", function ? "%" : "@", name);
  used += snprintf(text + used, size - (size_t)used, "%s of %llu bytes", kinds[origin->kind],
                   (unsigned long long)block->size);
  if (origin->allocator)
    used += snprintf(text + used, size - (size_t)used, " allocated by @%.40s", origin->allocator);
  else if (origin->kind == OBJECT_SHARED)
    used += snprintf(text + used, size - (size_t)used, " shared by the host");
  if (function)
    snprintf(text + used, size - (size_t)used, " in @%.40s", edit_value_name(function));
}

static void report_invalid_access(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write)
{
  struct block *after, *before = find_neighboring_objects(&in->memory, address, &after);
  char name[200];
  const char *what = write ? "written" : "read";
  unsigned long long bytes = size, at = address;
  if (before && address - before->start >= before->size && address - before->start - before->size > NEARBY)
    before = NULL;
  if (code_at_address(in, address))
    before = after = NULL;
  bool near = before || (after && after->start - address < NEARBY);
  object_describe(before ? before : near ? after : &(struct block){0}, name, sizeof name);
  if (before && before->dead && address - before->start < before->size)
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "used-after-free",
                           "%llu bytes at %#llx are %s after the lifetime of %s has ended", bytes, at, what, name);
  else if (before && address - before->start <= before->size)
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "out-of-bounds", "%llu bytes are %s at byte %llu of %s", bytes,
                           what, (unsigned long long)(address - before->start), name);
  else if (near)
    interp_stop_with_error(
        in, op, CORO_EUNDEFINED, "out-of-bounds", "%llu bytes at %#llx are %s: %llu bytes %s %s", bytes, at, what,
        (unsigned long long)(before ? address - before->start - before->size : after->start - address),
        before ? "after" : "before", name);
  else
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "no-memory-there",
                           "%llu bytes at %#llx are %s, where the program has no memory", bytes, at, what);
}

bool object_is_accessible(struct interp *in, uint64_t address, uint64_t size, bool write)
{
  const struct block *block = object_containing_or_ending_at(&in->memory, address);
  if (block && !block->dead && block_contains(block, address, size))
    return true;
  return in->trusted && (!block || is_host_memory(block)) &&
         probe_is_range_mapped(&in->memory.probe, address, size, write);
}

bool object_check_access(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write)
{
  if (!size || object_is_accessible(in, address, size, write))
    return true;
  report_invalid_access(in, op, address, size, write);
  return false;
}
