/* The program's heap: malloc, free and their kin of C and C++, where the host does not define them; what it gives
   where it does is the program's memory as well.
   Needs: object.c. Leaves: what is given back twice, or was never given, an end that names it. */
#include "interp/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interp/fault.h"
#include "interp/memory.h"

enum family { OF_MALLOC = 1, OF_NEW, OF_NEW_ARRAY };
enum what { ALLOCATE, ALLOCATE_ZEROED, ALLOCATE_INTO, REALLOCATE, RELEASE };
enum { NONE = 9 }; /* no such argument */

struct rule {
  const char *name;
  const char *type; /* of result and arguments: v nothing, p pointer, i integer */
  unsigned char what, family, size, align, count; /* the last three: which argument */
  bool must;                                      /* it never gives null */
};

static const struct rule rules[] = {
    {"malloc", "pi", ALLOCATE, OF_MALLOC, 0, NONE, NONE, false},
    {"calloc", "pii", ALLOCATE_ZEROED, OF_MALLOC, 1, NONE, 0, false},
    {"realloc", "ppi", REALLOCATE, OF_MALLOC, 1, NONE, NONE, false},
    {"reallocarray", "ppii", REALLOCATE, OF_MALLOC, 2, NONE, 1, false},
    {"aligned_alloc", "pii", ALLOCATE, OF_MALLOC, 1, 0, NONE, false},
    {"memalign", "pii", ALLOCATE, OF_MALLOC, 1, 0, NONE, false},
    {"posix_memalign", "ipii", ALLOCATE_INTO, OF_MALLOC, 2, 1, NONE, false},
    {"free", "vp", RELEASE, OF_MALLOC, NONE, NONE, NONE, false},
    {"_Znwm", "pi", ALLOCATE, OF_NEW, 0, NONE, NONE, true},
    {"_ZnwmRKSt9nothrow_t", "pip", ALLOCATE, OF_NEW, 0, NONE, NONE, false},
    {"_ZnwmSt11align_val_t", "pii", ALLOCATE, OF_NEW, 0, 1, NONE, true},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", "piip", ALLOCATE, OF_NEW, 0, 1, NONE, false},
    {"_Znam", "pi", ALLOCATE, OF_NEW_ARRAY, 0, NONE, NONE, true},
    {"_ZnamRKSt9nothrow_t", "pip", ALLOCATE, OF_NEW_ARRAY, 0, NONE, NONE, false},
    {"_ZnamSt11align_val_t", "pii", ALLOCATE, OF_NEW_ARRAY, 0, 1, NONE, true},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", "piip", ALLOCATE, OF_NEW_ARRAY, 0, 1, NONE, false},
    {"_ZdlPv", "vp", RELEASE, OF_NEW, NONE, NONE, NONE, false},
    {"_ZdlPvm", "vpi", RELEASE, OF_NEW, 1, NONE, NONE, false},
    {"_ZdlPvSt11align_val_t", "vpi", RELEASE, OF_NEW, NONE, 1, NONE, false},
    {"_ZdlPvmSt11align_val_t", "vpii", RELEASE, OF_NEW, 1, 2, NONE, false},
    {"_ZdlPvRKSt9nothrow_t", "vpp", RELEASE, OF_NEW, NONE, NONE, NONE, false},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", "vpip", RELEASE, OF_NEW, NONE, 1, NONE, false},
    {"_ZdaPv", "vp", RELEASE, OF_NEW_ARRAY, NONE, NONE, NONE, false},
    {"_ZdaPvm", "vpi", RELEASE, OF_NEW_ARRAY, 1, NONE, NONE, false},
    {"_ZdaPvSt11align_val_t", "vpi", RELEASE, OF_NEW_ARRAY, NONE, 1, NONE, false},
    {"_ZdaPvmSt11align_val_t", "vpii", RELEASE, OF_NEW_ARRAY, 1, 2, NONE, false},
    {"_ZdaPvRKSt9nothrow_t", "vpp", RELEASE, OF_NEW_ARRAY, NONE, NONE, NONE, false},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", "vpip", RELEASE, OF_NEW_ARRAY, NONE, 1, NONE, false},
};

static bool is_of(const coro_value *value, char type)
{
  return type == 'v' ? !value->bits : value->bits && value->kind == (type == 'p' ? CORO_VALUE_POINTER : CORO_VALUE_INT);
}

static bool fits(const struct rule *rule, const coro_external *call)
{
  bool fit = call->arg_count == strlen(rule->type) - 1 && is_of(&call->result, rule->type[0]);
  for (size_t k = 0; fit && k < call->arg_count; k++)
    fit = is_of(&call->args[k], rule->type[k + 1]);
  return fit;
}

static const struct rule *rule_of(const coro_external *call)
{
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (!strcmp(rules[i].name, call->name))
      return fits(&rules[i], call) ? &rules[i] : NULL;
  return NULL;
}

static uint64_t argument(const coro_external *call, unsigned which, uint64_t otherwise)
{
  return which == NONE ? otherwise : call->args[which].words[0];
}

static uint64_t size_of(const struct rule *rule, const coro_external *call)
{
  uint64_t size;
  bool over = __builtin_mul_overflow(argument(call, rule->size, 0), argument(call, rule->count, 1), &size);
  return over ? UINT64_MAX : size;
}

static int ask_host(struct interp *in, coro_external *call)
{
  return in->options.external ? in->options.external(in->options.user, call) : CORO_EXTERNAL_UNKNOWN;
}

/* ---- Giving ---- */

static struct origin origin_of(const struct op *op, const struct rule *rule)
{
  return (struct origin){OBJECT_HEAP, rule->family, op ? op->inst : NULL, rule->name};
}

static bool is_power(uint64_t align)
{
  return align && !(align & (align - 1));
}

/* The address; 0 where there is no such memory. */
static uint64_t give(struct interp *in, const struct op *op, const struct rule *rule, const coro_external *call)
{
  uint64_t size = size_of(rule, call), align = argument(call, rule->align, 16);
  if (!rule->must && (!is_power(align) || !object_fits(size, align)))
    return 0;
  struct block *block = object_new(in, size, align, origin_of(op, rule));
  if (block && rule->what == ALLOCATE_ZEROED)
    memory_fill(in, op, block->start, cell_of(0), size);
  return block ? block->start : 0;
}

/* What the host has given is the program's from now on. False: it gave null, which is no memory. */
static bool take_given(struct interp *in, const struct op *op, const struct rule *rule, const coro_external *call)
{
  uint64_t address = call->result.words[0];
  if (address && !object_share(in, address, size_of(rule, call), origin_of(op, rule)))
    interp_no_memory(in);
  return address;
}

static int allocate(struct interp *in, const struct op *op, const struct rule *rule, coro_external *call)
{
  int answer = ask_host(in, call);
  if (answer == CORO_EXTERNAL_UNKNOWN) {
    call->result.words[0] = give(in, op, rule, call);
    return 0;
  }
  if (!answer && !call->thrown)
    take_given(in, op, rule, call);
  return answer;
}

static int allocate_into(struct interp *in, const struct op *op, const struct rule *rule, coro_external *call)
{
  const struct layout *pointer = layout_of_pointer(in);
  int answer = ask_host(in, call);
  if (answer != CORO_EXTERNAL_UNKNOWN || !pointer)
    return answer;
  struct cell cell = cell_of(give(in, op, rule, call));
  bool good = is_power(call->args[1].words[0]) && call->args[1].words[0] >= sizeof(void *);
  call->result.words[0] = cell.bits ? 0 : good ? ENOMEM : EINVAL;
  if (cell.bits && !in->status)
    memory_store(in, op, call->args[0].words[0], pointer, &cell);
  return 0;
}

/* ---- Taking back ---- */

/* What lives at the address and may be given back so; NULL where the execution has ended. */
static struct block *taken(struct interp *in, const struct op *op, const struct rule *rule, const coro_external *call)
{
  uint64_t address = call->args[0].words[0];
  struct block *block = object_at(&in->memory, address);
  char name[200];
  bool sized = rule->what == RELEASE && rule->size != NONE;
  if (block)
    object_name(block, name, sizeof name);
  if (!block)
    interp_fail(in, op, CORO_EUNDEFINED, "not-allocated", "@%s is given %#llx, where the program has no memory",
                rule->name, (unsigned long long)address);
  else if (!block->origin.giver || block->start != address)
    interp_fail(in, op, CORO_EUNDEFINED, "not-allocated", "@%s is given byte %llu of %s", rule->name,
                (unsigned long long)(address - block->start), name);
  else if (block->dead)
    interp_fail(in, op, CORO_EUNDEFINED, "freed-twice", "@%s is given %s, which was given back before", rule->name,
                name);
  else if (block->origin.family != rule->family || (sized && size_of(rule, call) != block->size))
    interp_fail(in, op, CORO_EUNDEFINED, "wrong-deallocator", "@%s of %llu bytes is given %s", rule->name,
                (unsigned long long)(sized ? size_of(rule, call) : block->size), name);
  return in->status ? NULL : block;
}

/* What no function of the heap has given may be the host's to take back. */
static bool is_hosts(struct interp *in, uint64_t address)
{
  const struct block *block = object_at(&in->memory, address);
  return !address || !block || (block->origin.kind == OBJECT_SHARED && !block->origin.giver);
}

static int release(struct interp *in, const struct op *op, const struct rule *rule, coro_external *call)
{
  uint64_t address = call->args[0].words[0];
  int answer = is_hosts(in, address) ? ask_host(in, call) : CORO_EXTERNAL_UNKNOWN;
  if (answer != CORO_EXTERNAL_UNKNOWN)
    return answer;
  if (!address)
    return 0;
  if (in->trusted && rule->family == OF_MALLOC && !object_at(&in->memory, address)) {
    free(bytes_at(address)); /* a native function has allocated it */
    return 0;
  }
  struct block *block = taken(in, op, rule, call);
  if (!block)
    return 0;
  bool own = block->origin.kind == OBJECT_HEAP;
  object_end(in, op, block); /* before the host is asked, which may enter again */
  answer = in->status ? 0 : ask_host(in, call);
  return own && answer == CORO_EXTERNAL_UNKNOWN ? 0 : answer;
}

static int reallocate(struct interp *in, const struct op *op, const struct rule *rule, coro_external *call)
{
  if (!call->args[0].words[0])
    return allocate(in, op, rule, call);
  struct block *old = taken(in, op, rule, call);
  if (!old)
    return 0;
  if (old->origin.kind != OBJECT_HEAP) { /* the host's, whose it stays */
    uint64_t start = old->start, old_size = old->size;
    struct origin origin = old->origin;
    object_end(in, op, old); /* before the host is asked, which may enter again */
    int answer = ask_host(in, call);
    bool kept = !answer && !call->thrown && !take_given(in, op, rule, call) && size_of(rule, call);
    if (kept && !object_share(in, start, old_size, origin))
      interp_no_memory(in);
    return answer;
  }
  uint64_t size = size_of(rule, call), to = call->result.words[0] = give(in, op, rule, call);
  if (to) {
    memory_copy(in, op, to, old->start, size < old->size ? size : old->size);
    object_end(in, op, old);
  }
  return 0;
}

/* ---- The way in ---- */

int heap_ask(struct interp *in, const struct op *op, coro_external *call)
{
  const struct rule *rule = *call->name ? rule_of(call) : NULL;
  if (!rule)
    return ask_host(in, call);
  switch (rule->what) {
  case ALLOCATE:
  case ALLOCATE_ZEROED: return allocate(in, op, rule, call);
  case ALLOCATE_INTO: return allocate_into(in, op, rule, call);
  case REALLOCATE: return reallocate(in, op, rule, call);
  default: return release(in, op, rule, call);
  }
}
