/* Lets the host inspect suspended coroutines: their current suspend and saved values.
   Requires: coroutines.
   Guarantees: the coroutine stays suspended at the same place. */
#include <stdlib.h>

#include "interp/coroutine.h"
#include "interp/interp.h"
#include "ir/text.h"

/* Computed once per function by printing it. NULL: out of memory. */
static const char **value_names_of_function(struct interp *in, struct function *function)
{
  const struct ir_fn *fn = &function->fn;
  uint32_t count = ir_value_count(fn);
  struct ir_text text;
  if (function->names)
    return function->names;
  const char **names = CORO_NEW_ARRAY(in->arena, const char *, count + 1);
  if (!names || !ir_text_split_printed_function(&text, in->arena, fn, NULL))
    return NULL;
  for (uint32_t id = 0; id < count; id++) {
    uint32_t inst = ir_inst_of_value(fn, id);
    size_t length = 0;
    const char *name = inst == IR_NONE ? LLVMGetValueName2(ir_value(fn, id), &length) : text.name[inst];
    if (inst == IR_NONE && !length)
      name = coro_arena_printf(in->arena, "%u", (unsigned)id);
    names[id] = name && inst != IR_NONE && *name ? name + 1 : name ? name : "";
  }
  return function->names = names;
}

const char *interp_live_coroutine_name_at(struct interp *in, const void *address)
{
  const struct coroutine *coroutine = coroutine_with_handle(in, (uintptr_t)address);
  return coroutine ? coroutine->function->name : NULL;
}

const char *interp_suspend_name(struct interp *in, const void *handle)
{
  const struct coroutine *coroutine = coroutine_with_handle(in, (uintptr_t)handle);
  if (!coroutine)
    return NULL;
  const char **names = coroutine->resumable ? value_names_of_function(in, coroutine->function) : NULL;
  const struct ir_fn *fn = &coroutine->function->fn;
  const char *name = names ? names[ir_value_of_inst(fn, coroutine->saved_at)] : "";
  return *name ? name - 1 : ""; /* including the % */
}

size_t interp_names_of_all_function_values(struct interp *in, const void *handle, const char *const **names)
{
  const struct coroutine *coroutine = coroutine_with_handle(in, (uintptr_t)handle);
  *names = coroutine ? value_names_of_function(in, coroutine->function) : NULL;
  return *names ? ir_value_count(&coroutine->function->fn) : 0;
}

/* The saved cells of a value, or NULL. */
static struct cell *saved_cells_of_value(struct interp *in, const struct coroutine *coroutine, size_t value,
                                         const struct layout **type)
{
  if (!coroutine || !coroutine->resumable || !coroutine->saved || value >= ir_value_count(&coroutine->function->fn))
    return NULL;
  *type = layout_of_llvm_type(in, LLVMTypeOf(ir_value(&coroutine->function->fn, (uint32_t)value)));
  return *type && !(*type)->unsupported ? coroutine->saved + coroutine->function->slots[value] : NULL;
}

coro_values interp_get_value(struct interp *in, const void *handle, size_t value)
{
  const struct layout *type = NULL;
  const struct cell *cells = saved_cells_of_value(in, coroutine_with_handle(in, (uintptr_t)handle), value, &type);
  return cells ? interp_values_of_cells(in, type, cells) : (coro_values){NULL, 0};
}

bool interp_set_value(struct interp *in, const void *handle, size_t value, coro_values values)
{
  const struct layout *type = NULL;
  struct cell *cells = saved_cells_of_value(in, coroutine_with_handle(in, (uintptr_t)handle), value, &type);
  if (!cells || values.count != type->count)
    return false;
  for (uint32_t i = 0; i < type->count; i++) {
    u128 bits = (u128)values.items[i].words[1] << 64 | values.items[i].words[0];
    cells[i] = cell_of(bits & integer_mask(type->leaves[i].bits));
  }
  return true;
}

/* True if an operand is among the changed cells, and all operands are defined. */
static bool depends_on_changed_and_all_defined(const struct activation *act, const struct op *op, const bool *changed)
{
  bool depends = false;
  for (uint32_t k = 0; k < op->count; k++) {
    const struct operand *o = &op->operands[k];
    if (!o->type)
      continue;
    if (operand_cells(act, op, k)->undef)
      return false;
    depends |= !o->constant && changed[o->slot];
  }
  return depends;
}

/* The operation of a value that depends only on its operands; else NULL. */
static const struct op *recomputable_operation_or_null(const struct function *function, size_t value)
{
  uint32_t inst = value < ir_value_count(&function->fn) ? ir_inst_of_value(&function->fn, (uint32_t)value) : IR_NONE;
  const struct op *op = inst == IR_NONE ? NULL : &function->ops[inst];
  return op && op->type && LLVMIsAInstruction(op->inst) && !LLVMIsACallInst(op->inst) && !LLVMIsALoadInst(op->inst) &&
                 !LLVMIsAPHINode(op->inst) && !LLVMIsATerminatorInst(op->inst) && !LLVMIsAAllocaInst(op->inst) &&
                 !LLVMIsAAtomicRMWInst(op->inst) && !LLVMIsAAtomicCmpXchgInst(op->inst)
             ? op
             : NULL;
}

bool interp_recompute(struct interp *in, const void *handle, size_t changed, const size_t *values, size_t count)
{
  struct coroutine *coroutine = coroutine_with_handle(in, (uintptr_t)handle);
  if (!coroutine || !coroutine->resumable || !coroutine->saved || changed >= ir_value_count(&coroutine->function->fn))
    return false;
  const coro_status status = in->status; /* of the host call that is in progress, as `diags` */
  coro_diags *const diags = in->diags;
  in->status = CORO_OK;
  in->diags = NULL;
  const struct function *function = coroutine->function;
  struct activation act = {.function = coroutine->function, .coroutine = coroutine, .cells = coroutine->saved};
  bool *is_changed = calloc(function->cell_count + (size_t)1, sizeof *is_changed), more = is_changed != NULL;
  if (is_changed)
    is_changed[function->slots[changed]] = true;
  while (more) { /* until no value changes */
    more = false;
    for (size_t i = 0; i < count; i++) {
      const struct op *op = recomputable_operation_or_null(function, values[i]);
      if (!op || is_changed[op->slot] || !depends_on_changed_and_all_defined(&act, op, is_changed))
        continue;
      op->run(in, &act, op);
      more = is_changed[op->slot] = true;
    }
  }
  bool done = is_changed && !in->status;
  in->status = status;
  in->diags = diags;
  free(is_changed);
  return done;
}
