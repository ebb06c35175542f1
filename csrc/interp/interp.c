/* Creates and frees interpreters, and the entry points for the host. */
#include "interp/interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/cell_memory.h"
#include "interp/code_entry.h"
#include "interp/constant.h"
#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/cxx_exception.h"
#include "interp/decode.h"
#include "interp/execution_error.h"
#include "interp/global_address.h"
#include "interp/memory.h"
#include "interp/ops.h"
#include "ir/target.h"
#include "sandbox/read.h"

/* ---- Globals, and the frame of the no-op coroutine ---- */

static bool is_linker_list(LLVMValueRef variable) /* llvm.used and similar lists for the linker */
{
  const char *section = LLVMGetSection(variable);
  return LLVMGetLinkage(variable) == LLVMAppendingLinkage || (section && !strcmp(section, "llvm.metadata"));
}

static bool initialize_global(struct interp *in, LLVMValueRef variable)
{
  LLVMValueRef value = LLVMGetInitializer(variable);
  uint64_t address = value && !is_linker_list(variable) ? global_address_or_allocate(in, variable) : 0;
  if (!address)
    return !in->status;
  const struct layout *type = layout_of_llvm_type(in, LLVMTypeOf(value));
  const struct cell *cells = type && !LLVMIsNull(value) ? constant_value_cells_or_null(in, value) : NULL;
  if (type && (cells || LLVMIsNull(value))) /* otherwise an unsupported type: its contents stay undefined */
    memory_fill_bytes_checked(in, NULL, address, cell_of(0), type->size);
  if (cells)
    memory_store_value_checked(in, NULL, address, type, cells);
  return !in->status;
}

static bool initialize_globals(struct interp *in)
{
  for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v; v = LLVMGetNextGlobal(v))
    if (!initialize_global(in, v))
      return false;
  return true;
}

static bool make_noop_coroutine(struct interp *in)
{
  struct code *code = CORO_NEW(in->arena, struct code);
  const struct layout *pointer = layout_of_pointer(in);
  uint64_t at = object_allocate_in_list(in, &in->statics, 16, 16, (struct origin){.kind = OBJECT_OTHER});
  struct cell cell = cell_of((uintptr_t)code);
  if (!code || !pointer || !at || !coro_map_put(&in->codes, (uintptr_t)code, (uintptr_t)code))
    return interp_stop_out_of_memory(in);
  code->kind = CODE_NOOP;
  memory_store_value_checked(in, NULL, at, pointer, &cell);
  memory_store_value_checked(in, NULL, at + 8, pointer, &cell);
  in->noop = at;
  return true;
}

/* false: the execution has ended */
static bool initialize_globals_and_noop_coroutine(struct interp *in)
{
  return make_noop_coroutine(in) && initialize_globals(in);
}

enum { MAX_ENTRIES = 100 }; /* nested host calls, which use the C stack */

/* ---- Lifetime ---- */

static void set_interpreter_options(struct interp *in, const coro_interp_options *options)
{
  in->options = (coro_interp_options)CORO_INTERP_OPTIONS_INIT;
  if (options)
    in->options = *options;
  if (!in->options.steps)
    in->options.steps = UINT64_MAX / 2;
  if (!in->options.depth)
    in->options.depth = UINT32_MAX;
}

static coro_status check_64_bit_little_endian(struct interp *in, coro_diags *diags)
{
  const uint16_t probe = 1;
  bool little = *(const unsigned char *)&probe;
  if (sizeof(void *) == 8 && little && LLVMPointerSize(in->target) == 8 &&
      LLVMByteOrder(in->target) == LLVMLittleEndian)
    return CORO_OK;
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUNSUPPORTED,
                                            .rule = "same-machine",
                                            .message = "the module's data layout does not have 64-bit pointers and "
                                                       "little-endian byte order, as this machine has",
                                            .hint = "set this machine's `target datalayout` in the module"});
}

static void init_interpreter_maps(struct interp *in)
{
  struct coro_map *maps[] = {&in->layouts, &in->functions, &in->codes,  &in->globals,
                             &in->handles, &in->constants, &in->typeids};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    coro_map_init(maps[i], in->arena);
}

coro_status interp_create(struct interp **out, LLVMModuleRef module, const coro_interp_options *options,
                          coro_diags *diags)
{
  struct interp *in = *out = calloc(1, sizeof *in);
  if (!in || !(in->arena = coro_arena_create())) {
    interp_free(in);
    *out = NULL;
    return CORO_ENOMEM;
  }
  init_interpreter_maps(in);
  set_interpreter_options(in, options);
  in->opcodes = opcodes;
  intrin_table_init(&in->intrinsics);
  in->context = LLVMContextCreate();
  coro_status status = ir_copy_if_it_verifies(&in->module, in->context, module, diags);
  if (status == CORO_OK) {
    in->owned_target = target_layout_if_module_has_none(in->module);
    in->target = in->owned_target ? in->owned_target : LLVMGetModuleDataLayout(in->module);
    status = check_64_bit_little_endian(in, diags);
  }
  if (status == CORO_OK)
    return CORO_OK;
  interp_free(in);
  *out = NULL;
  return status;
}

void interp_free(struct interp *in)
{
  if (!in)
    return;
  while (in->coroutines) {
    in->coroutines->refs = 1;
    coroutine_release_reference(in, NULL, in->coroutines);
  }
  activations_free(in);
  exceptions_free(in);
  object_end_lifetimes_of_list(in, NULL, &in->statics);
  object_free_all_of_interpreter(in);
  free(in->scratch);
  free(in->results);
  free(in->values);
  if (in->owned_target)
    LLVMDisposeTargetData(in->owned_target);
  if (in->module)
    LLVMDisposeModule(in->module);
  if (in->context)
    LLVMContextDispose(in->context);
  coro_arena_free(in->arena);
  free(in);
}

uint64_t interp_executed_steps(const struct interp *in)
{
  return in->steps;
}

void interp_allow_all_memory(struct interp *in)
{
  in->trusted = true;
}

static coro_status register_host_memory_or_report(struct interp *in, void *address, size_t size, LLVMValueRef variable,
                                                  coro_diags *diags)
{
  if (object_register_host_memory(in, (uintptr_t)address, size, (struct origin){.value = variable}))
    return CORO_OK;
  char message[128];
  snprintf(message, sizeof message, "the %zu bytes at address %p cannot be shared with the program", size, address);
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE,
                                            .rule = "no-memory-there",
                                            .message = message,
                                            .hint = "share memory that is not null, does not wrap around the address "
                                                    "space, and does not overlap memory of the program"});
}

coro_status interp_share_host_memory(struct interp *in, void *address, size_t size, coro_diags *diags)
{
  return register_host_memory_or_report(in, address, size, NULL, diags);
}

void interp_unshare_host_memory(struct interp *in, void *address)
{
  object_unregister_host_memory(in, (uintptr_t)address);
}

bool interp_is_accessible(struct interp *in, const void *address, size_t size)
{
  return object_is_accessible(in, (uintptr_t)address, size, false);
}

bool interp_is_memory_defined(struct interp *in, const void *address, size_t size)
{
  if (!interp_is_accessible(in, address, size))
    return false;
  for (size_t done = 0; done < size; done++) {
    uint64_t poison;
    if (shadow_query_undefined_bytes(&in->memory.shadow, (uintptr_t)address + done, 1, &poison))
      return false;
  }
  return true;
}

const char *interp_coroutine_name_from_header(struct interp *in, const void *handle)
{
  const size_t slot = CORO_SLOT; /* the destroy slot, because the resume slot is null when the coroutine is done */
  const uint64_t *place = (const uint64_t *)((uintptr_t)handle + slot);
  bool accessible = interp_is_accessible(in, handle, 2 * slot);
  if (!accessible || (uintptr_t)handle % sizeof *place || !interp_is_memory_defined(in, place, slot))
    return NULL;
  const struct code *code = code_at_address(in, *place);
  return code && code->kind == CODE_DESTROY ? code->function->name : NULL;
}

void interp_mark_written(struct interp *in, const void *address, size_t size)
{
  /* Marking bytes as defined never allocates. */
  shadow_mark_bytes(&in->memory.shadow, (uintptr_t)address, size, false, false);
}

/* ---- Entry: saves and restores the state of an enclosing host call ---- */

struct entry {
  const struct activation *base;
  coro_status status;
  coro_diags *diags;
};

static struct entry begin_host_entry(struct interp *in, coro_diags *diags)
{
  struct entry entry = {in->base, in->status, in->diags};
  in->base = in->top;
  in->status = CORO_OK;
  in->diags = diags;
  if (!in->entries)
    in->limit = in->options.steps > UINT64_MAX - in->steps ? UINT64_MAX : in->steps + in->options.steps;
  if (in->poll > in->limit)
    in->poll = in->limit;
  if (++in->entries > MAX_ENTRIES)
    interp_stop_with_error(in, NULL, CORO_ELIMIT, "depth-limit",
                           "calls between the host and the program nest deeper than %d", MAX_ENTRIES);
  if (!in->loaded && !in->status)
    in->loaded = initialize_globals_and_noop_coroutine(in);
  return entry;
}

static coro_status run_and_finish_host_entry(struct interp *in, struct entry entry)
{
  control_interpret_until_innermost(in, in->base);
  coro_status status = in->status;
  in->entries--;
  in->base = entry.base;
  in->status = entry.status;
  in->diags = entry.diags;
  return status;
}

/* ---- Calls ---- */

/* Converts the host's scalars to cells. NULL: out of memory. */
static struct cell *convert_host_values_to_cells(struct interp *in, coro_values values)
{
  struct cell *cells = calloc(values.count + 1, sizeof *cells);
  if (!cells)
    interp_stop_out_of_memory(in);
  for (size_t i = 0; cells && i < values.count; i++) {
    const coro_value *value = &values.items[i];
    cells[i] = cell_of((u128)value->words[1] << 64 | value->words[0]);
    cells[i].undef = value->defined ? 0 : ~(u128)0;
  }
  return cells;
}

/* Truncates arguments to the parameters' widths. False: wrong number of arguments. */
static bool check_count_and_truncate_arguments(struct interp *in, const struct function *function, struct cell *cells,
                                               size_t count)
{
  size_t wanted = 0, at = 0;
  for (uint32_t a = 0; a < function->fn.arg_count; a++)
    wanted += function->types[a]->count;
  if (wanted != count)
    return interp_stop_with_error(in, NULL, CORO_EUSAGE, "arguments", "@%s takes %zu scalars as arguments, not %zu",
                                  function->name, wanted, count);
  for (uint32_t a = 0; a < function->fn.arg_count; a++)
    for (uint32_t k = 0; k < function->types[a]->count; k++, at++) {
      u128 mask = integer_mask(function->types[a]->leaves[k].bits);
      cells[at].undef &= mask;
      cells[at].bits &= mask & ~cells[at].undef;
    }
  return true;
}

static struct activation *start_defined_function(struct interp *in, struct function *function, struct cell *cells,
                                                 size_t count)
{
  if (function->declared)
    interp_stop_with_error(in, NULL, CORO_EUSAGE, "no-function", "@%s is not defined in the module", function->name);
  if (in->status || !function_decode_once(in, function) ||
      !check_count_and_truncate_arguments(in, function, cells, count))
    return NULL;
  return call_interpreted_function(in, NULL, function, cells, function->types, function->fn.arg_count);
}

static void call_code_at_address(struct interp *in, const void *address, coro_values args)
{
  const struct code *code = code_at_address(in, (uintptr_t)address);
  struct cell *cells = convert_host_values_to_cells(in, args);
  struct activation *act = NULL;
  if (!cells)
    return;
  if (code && code->kind == CODE_CONTINUATION)
    act = enter_continuation(in, NULL, code, cells, (uint32_t)args.count);
  else if (code && code->kind == CODE_FUNCTION)
    act = start_defined_function(in, code->function, cells, args.count);
  else if (!code || (code->kind != CODE_RESUME && code->kind != CODE_DESTROY))
    interp_stop_with_error(in, NULL, CORO_EUSAGE, "no-function", "the address is not a function of the module");
  else if (args.count == 1)
    enter_code_with_handle(in, NULL, (uintptr_t)address, args.items->words[0], true);
  else
    interp_stop_with_error(in, NULL, CORO_EUSAGE, "arguments",
                           "a resume or destroy function takes one argument, the handle");
  if (act)
    act->on_return = return_value_to_host;
  free(cells);
}

coro_values interp_values_of_cells(struct interp *in, const struct layout *type, const struct cell *cells)
{
  uint32_t count = type ? type->count : 0;
  coro_value *values = realloc(in->values, (count + (size_t)1) * sizeof *values);
  if (!values)
    return (coro_values){NULL, 0};
  in->values = values;
  for (uint32_t i = 0; i < count; i++) {
    const struct leaf *leaf = &type->leaves[i];
    values[i] = (coro_value){.kind = (coro_value_kind)leaf->kind, .bits = leaf->bits, .defined = !cells[i].undef};
    values[i].words[0] = (uint64_t)cells[i].bits;
    values[i].words[1] = (uint64_t)(cells[i].bits >> 64);
  }
  return (coro_values){values, count};
}

static coro_status convert_results_to_host(struct interp *in, coro_values *results)
{
  coro_values values = interp_values_of_cells(in, in->results_type, in->results);
  if (results && values.items)
    *results = values;
  return values.items ? CORO_OK : CORO_ENOMEM;
}

coro_status interp_call(struct interp *in, const void *code, coro_values args, coro_values *results, coro_diags *diags)
{
  struct entry entry = begin_host_entry(in, diags);
  in->results_type = NULL;
  if (!in->status)
    call_code_at_address(in, code, args);
  coro_status status = run_and_finish_host_entry(in, entry);
  return status == CORO_OK ? convert_results_to_host(in, results) : status;
}

static coro_status call_header_slot(struct interp *in, void *handle, unsigned slot, coro_diags *diags)
{
  struct entry entry = begin_host_entry(in, diags);
  uint64_t address = (uintptr_t)handle;
  uint64_t code = in->status ? 0 : coroutine_load_nonnull_header_slot(in, NULL, address, slot);
  if (code)
    enter_code_with_handle(in, NULL, code, address, true);
  return run_and_finish_host_entry(in, entry);
}

coro_status interp_resume(struct interp *in, void *handle, coro_diags *diags)
{
  return call_header_slot(in, handle, 0, diags);
}

coro_status interp_destroy(struct interp *in, void *handle, coro_diags *diags)
{
  return call_header_slot(in, handle, 1, diags);
}

/* ---- Names ---- */

static coro_status report_symbol_not_found(coro_diags *diags, const char *name)
{
  char message[512];
  snprintf(message, sizeof message, "the module has no function or variable '%s'", name);
  return coro_diags_add(diags,
                        &(coro_diag){.status = CORO_EUSAGE,
                                     .rule = "no-such-name",
                                     .message = message,
                                     .hint = "write the name without the @, as the module defines or declares it"});
}

coro_status interp_define_external_variable(struct interp *in, const char *name, void *address, coro_diags *diags)
{
  LLVMValueRef variable = LLVMGetNamedGlobal(in->module, name);
  if (!variable || LLVMGetInitializer(variable))
    return report_symbol_not_found(diags, name);
  const struct layout *type = layout_of_llvm_type(in, LLVMGlobalGetValueType(variable));
  uint64_t size = type && type->sized ? type->size : 0;
  coro_status status = register_host_memory_or_report(in, address, size, variable, diags);
  if (status != CORO_OK)
    return status;
  return coro_map_put(&in->globals, (uintptr_t)variable, (uintptr_t)address) ? CORO_OK : CORO_ENOMEM;
}

coro_status interp_address_of_symbol(struct interp *in, const char *name, void **address, coro_diags *diags)
{
  LLVMValueRef value = LLVMGetNamedFunction(in->module, name);
  if (!value)
    value = LLVMGetNamedGlobal(in->module, name);
  if (!value)
    return report_symbol_not_found(diags, name);
  struct entry entry = begin_host_entry(in, diags);
  *address = (void *)(uintptr_t)(in->status ? 0 : global_address_or_allocate(in, value));
  return run_and_finish_host_entry(in, entry);
}
