/* The program's heap: malloc, free and the other allocation functions of C and C++, unless the host defines them.
   Memory from the host's allocator is registered as shared.
   Requires: memory_object.c. Guarantees: a double free, an invalid free or a mismatched deallocator ends the execution
   with a diagnostic. */
#include "interp/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interp/execution_error.h"
#include "interp/memory.h"

enum family { FAMILY_MALLOC = 1, FAMILY_NEW, FAMILY_NEW_ARRAY };
enum operation { ALLOCATE, ALLOCATE_ZEROED, ALLOCATE_INTO, REALLOCATE, RELEASE };
enum { NONE = 9 }; /* no such argument */

struct heap_function {
  const char *name;
  const char *type; /* signature, result first: v void, p pointer, i integer */
  unsigned char operation, family, size, align, count; /* size, align, count: argument indices */
  bool must; /* never returns null */
};

static const struct heap_function heap_functions[] = {
    {"malloc", "pi", ALLOCATE, FAMILY_MALLOC, 0, NONE, NONE, false},
    {"calloc", "pii", ALLOCATE_ZEROED, FAMILY_MALLOC, 1, NONE, 0, false},
    {"realloc", "ppi", REALLOCATE, FAMILY_MALLOC, 1, NONE, NONE, false},
    {"reallocarray", "ppii", REALLOCATE, FAMILY_MALLOC, 2, NONE, 1, false},
    {"aligned_alloc", "pii", ALLOCATE, FAMILY_MALLOC, 1, 0, NONE, false},
    {"memalign", "pii", ALLOCATE, FAMILY_MALLOC, 1, 0, NONE, false},
    {"posix_memalign", "ipii", ALLOCATE_INTO, FAMILY_MALLOC, 2, 1, NONE, false},
    {"free", "vp", RELEASE, FAMILY_MALLOC, NONE, NONE, NONE, false},
    {"_Znwm", "pi", ALLOCATE, FAMILY_NEW, 0, NONE, NONE, true},
    {"_ZnwmRKSt9nothrow_t", "pip", ALLOCATE, FAMILY_NEW, 0, NONE, NONE, false},
    {"_ZnwmSt11align_val_t", "pii", ALLOCATE, FAMILY_NEW, 0, 1, NONE, true},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", "piip", ALLOCATE, FAMILY_NEW, 0, 1, NONE, false},
    {"_Znam", "pi", ALLOCATE, FAMILY_NEW_ARRAY, 0, NONE, NONE, true},
    {"_ZnamRKSt9nothrow_t", "pip", ALLOCATE, FAMILY_NEW_ARRAY, 0, NONE, NONE, false},
    {"_ZnamSt11align_val_t", "pii", ALLOCATE, FAMILY_NEW_ARRAY, 0, 1, NONE, true},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", "piip", ALLOCATE, FAMILY_NEW_ARRAY, 0, 1, NONE, false},
    {"_ZdlPv", "vp", RELEASE, FAMILY_NEW, NONE, NONE, NONE, false},
    {"_ZdlPvm", "vpi", RELEASE, FAMILY_NEW, 1, NONE, NONE, false},
    {"_ZdlPvSt11align_val_t", "vpi", RELEASE, FAMILY_NEW, NONE, 1, NONE, false},
    {"_ZdlPvmSt11align_val_t", "vpii", RELEASE, FAMILY_NEW, 1, 2, NONE, false},
    {"_ZdlPvRKSt9nothrow_t", "vpp", RELEASE, FAMILY_NEW, NONE, NONE, NONE, false},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", "vpip", RELEASE, FAMILY_NEW, NONE, 1, NONE, false},
    {"_ZdaPv", "vp", RELEASE, FAMILY_NEW_ARRAY, NONE, NONE, NONE, false},
    {"_ZdaPvm", "vpi", RELEASE, FAMILY_NEW_ARRAY, 1, NONE, NONE, false},
    {"_ZdaPvSt11align_val_t", "vpi", RELEASE, FAMILY_NEW_ARRAY, NONE, 1, NONE, false},
    {"_ZdaPvmSt11align_val_t", "vpii", RELEASE, FAMILY_NEW_ARRAY, 1, 2, NONE, false},
    {"_ZdaPvRKSt9nothrow_t", "vpp", RELEASE, FAMILY_NEW_ARRAY, NONE, NONE, NONE, false},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", "vpip", RELEASE, FAMILY_NEW_ARRAY, NONE, 1, NONE, false},
};

static bool has_type_kind_letter(const coro_value *value, char type)
{
  return type == 'v' ? !value->bits : value->bits && value->kind == (type == 'p' ? CORO_VALUE_POINTER : CORO_VALUE_INT);
}

static bool matches_signature(const struct heap_function *heap_function, const coro_external *call)
{
  bool fit =
      call->arg_count == strlen(heap_function->type) - 1 && has_type_kind_letter(&call->result, heap_function->type[0]);
  for (size_t k = 0; fit && k < call->arg_count; k++)
    fit = has_type_kind_letter(&call->args[k], heap_function->type[k + 1]);
  return fit;
}

static const struct heap_function *find_heap_function_by_name_and_signature(const coro_external *call)
{
  for (size_t i = 0; i < sizeof heap_functions / sizeof *heap_functions; i++)
    if (!strcmp(heap_functions[i].name, call->name))
      return matches_signature(&heap_functions[i], call) ? &heap_functions[i] : NULL;
  return NULL;
}

static uint64_t integer_argument(const coro_external *call, unsigned which, uint64_t otherwise)
{
  return which == NONE ? otherwise : call->args[which].words[0];
}

static uint64_t read_requested_size(const struct heap_function *heap_function, const coro_external *call)
{
  uint64_t size;
  bool over = __builtin_mul_overflow(integer_argument(call, heap_function->size, 0),
                                     integer_argument(call, heap_function->count, 1), &size);
  return over ? UINT64_MAX : size;
}

static int call_external_callback(struct interp *in, coro_external *call)
{
  return in->options.external ? in->options.external(in->options.user, call) : CORO_EXTERNAL_UNKNOWN;
}

/* ---- Allocation ---- */

static struct origin heap_origin_of_call(const struct op *op, const struct heap_function *heap_function)
{
  return (struct origin){OBJECT_HEAP, heap_function->family, op ? op->inst : NULL, heap_function->name};
}

static bool is_power_of_two(uint64_t align)
{
  return align && !(align & (align - 1));
}

/* The address, or 0 on failure. */
static uint64_t allocate_block(struct interp *in, const struct op *op, const struct heap_function *heap_function,
                               const coro_external *call)
{
  uint64_t size = read_requested_size(heap_function, call), align = integer_argument(call, heap_function->align, 16);
  if (!heap_function->must && (!is_power_of_two(align) || !object_size_is_supported(size, align)))
    return 0;
  struct block *block = object_create(in, size, align, heap_origin_of_call(op, heap_function));
  if (block && heap_function->operation == ALLOCATE_ZEROED)
    memory_fill_bytes_checked(in, op, block->start, cell_of(0), size);
  return block ? block->start : 0;
}

/* Registers memory that the host allocated. False: the host returned null. */
static bool register_host_result_and_return_is_nonnull(struct interp *in, const struct op *op,
                                                       const struct heap_function *heap_function,
                                                       const coro_external *call)
{
  uint64_t address = call->result.words[0];
  if (address && !object_register_host_memory(in, address, read_requested_size(heap_function, call),
                                              heap_origin_of_call(op, heap_function)))
    interp_stop_out_of_memory(in);
  return address;
}

static int allocate_by_host_or_interpreter(struct interp *in, const struct op *op,
                                           const struct heap_function *heap_function, coro_external *call)
{
  int answer = call_external_callback(in, call);
  if (answer == CORO_EXTERNAL_UNKNOWN) {
    call->result.words[0] = allocate_block(in, op, heap_function, call);
    return 0;
  }
  if (!answer && !call->thrown)
    register_host_result_and_return_is_nonnull(in, op, heap_function, call);
  return answer;
}

static int execute_posix_memalign(struct interp *in, const struct op *op, const struct heap_function *heap_function,
                                  coro_external *call)
{
  const struct layout *pointer = layout_of_pointer(in);
  int answer = call_external_callback(in, call);
  if (answer != CORO_EXTERNAL_UNKNOWN || !pointer)
    return answer;
  bool good = is_power_of_two(call->args[1].words[0]) && call->args[1].words[0] >= sizeof(void *);
  struct cell cell = cell_of(good ? allocate_block(in, op, heap_function, call) : 0);
  call->result.words[0] = cell.bits ? 0 : good ? ENOMEM : EINVAL;
  if (cell.bits && !in->status)
    memory_store_value_checked(in, op, call->args[0].words[0], pointer, &cell);
  return 0;
}

/* ---- Deallocation ---- */

/* The object at the address, if this function may free it; NULL if the execution has ended. */
static struct block *block_to_free(struct interp *in, const struct op *op, const struct heap_function *heap_function,
                                   const coro_external *call)
{
  uint64_t address = call->args[0].words[0];
  struct block *block = object_containing_or_ending_at(&in->memory, address);
  char name[200];
  bool sized = heap_function->operation == RELEASE && heap_function->size != NONE;
  if (block)
    object_describe(block, name, sizeof name);
  if (!block)
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "not-allocated",
                           "@%s is called with %#llx, which is not memory of the program", heap_function->name,
                           (unsigned long long)address);
  else if (!block->origin.allocator || block->start != address)
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "not-allocated",
                           "@%s is called with byte %llu of %s, which is not the start of an allocation",
                           heap_function->name, (unsigned long long)(address - block->start), name);
  else if (block->dead)
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "freed-twice", "@%s is called with %s, which was already freed",
                           heap_function->name, name);
  else if (block->origin.family != heap_function->family ||
           (sized && read_requested_size(heap_function, call) != block->size))
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "wrong-deallocator",
                           "@%s with size %llu does not match the allocation of %s", heap_function->name,
                           (unsigned long long)(sized ? read_requested_size(heap_function, call) : block->size), name);
  return in->status ? NULL : block;
}

/* Memory that no heap function allocated may belong to the host's allocator. */
static bool is_null_or_may_be_host_memory(struct interp *in, uint64_t address)
{
  const struct block *block = object_containing_or_ending_at(&in->memory, address);
  return !address || !block || (block->origin.kind == OBJECT_SHARED && !block->origin.allocator);
}

static int execute_deallocation(struct interp *in, const struct op *op, const struct heap_function *heap_function,
                                coro_external *call)
{
  uint64_t address = call->args[0].words[0];
  int answer = is_null_or_may_be_host_memory(in, address) ? call_external_callback(in, call) : CORO_EXTERNAL_UNKNOWN;
  if (answer != CORO_EXTERNAL_UNKNOWN)
    return answer;
  if (!address)
    return 0;
  if (in->trusted && heap_function->family == FAMILY_MALLOC && !object_containing_or_ending_at(&in->memory, address)) {
    free(bytes_at(address)); /* allocated by a native function */
    return 0;
  }
  struct block *block = block_to_free(in, op, heap_function, call);
  if (!block)
    return 0;
  bool own = block->origin.kind == OBJECT_HEAP;
  object_end_lifetime_and_check_redzones(in, op, block); /* before the host call, which may reenter the interpreter */
  answer = in->status ? 0 : call_external_callback(in, call);
  return own && answer == CORO_EXTERNAL_UNKNOWN ? 0 : answer;
}

static int execute_reallocation(struct interp *in, const struct op *op, const struct heap_function *heap_function,
                                coro_external *call)
{
  if (!call->args[0].words[0])
    return allocate_by_host_or_interpreter(in, op, heap_function, call);
  struct block *old = block_to_free(in, op, heap_function, call);
  if (!old)
    return 0;
  if (old->origin.kind != OBJECT_HEAP) { /* allocated by the host */
    uint64_t start = old->start, old_size = old->size;
    struct origin origin = old->origin;
    object_end_lifetime_and_check_redzones(in, op, old); /* before the host call, which may reenter the interpreter */
    int answer = call_external_callback(in, call);
    bool kept = !answer && !call->thrown && !register_host_result_and_return_is_nonnull(in, op, heap_function, call) &&
                read_requested_size(heap_function, call);
    if (kept && !object_register_host_memory(in, start, old_size, origin))
      interp_stop_out_of_memory(in);
    return answer;
  }
  uint64_t size = read_requested_size(heap_function, call),
           to = call->result.words[0] = allocate_block(in, op, heap_function, call);
  if (to) {
    memory_copy_bytes_checked(in, op, to, old->start, size < old->size ? size : old->size);
    object_end_lifetime_and_check_redzones(in, op, old);
  }
  return 0;
}

/* ---- Entry point ---- */

int heap_call_function_or_host(struct interp *in, const struct op *op, coro_external *call)
{
  const struct heap_function *heap_function = *call->name ? find_heap_function_by_name_and_signature(call) : NULL;
  if (!heap_function)
    return call_external_callback(in, call);
  switch (heap_function->operation) {
  case ALLOCATE:
  case ALLOCATE_ZEROED: return allocate_by_host_or_interpreter(in, op, heap_function, call);
  case ALLOCATE_INTO: return execute_posix_memalign(in, op, heap_function, call);
  case REALLOCATE: return execute_reallocation(in, op, heap_function, call);
  default: return execute_deallocation(in, op, heap_function, call);
  }
}
