/* Debug records in jump threading. A cloned instruction gets copies of the records before it, with the clones of their
   values, or poison if these are unknown. LLVM-C cannot change or erase a record. If the value of a record before an
   instruction that is not cloned changes, another record is inserted after the old one and takes effect.
   Requires: cloned blocks.
   Guarantees: no phi is created that only a debug record uses. */
#include "llvm-c/DebugInfo.h"
#include "loops/jump_thread_internal.h"
#include "transform/debug_records.h"

struct record_copier {
  struct jump_threading *s;
  LLVMDIBuilderRef builder;
};

/* A record with several values cannot be recreated and is lost. */
static LLVMValueRef value_at_record_or_null(const struct jump_threading *s, LLVMDbgRecordRef record, uint32_t variant)
{
  LLVMValueRef value = ir_record_single_value(s->run->context, record);
  uint32_t inst = value ? ir_inst(&s->fn, value) : IR_NONE;
  if (inst == IR_NONE)
    return value;
  bool here = ir_block_of(&s->fn, inst) == s->variants.node[variant];
  return jump_thread_find_available_value(s, ir_value_of_inst(&s->fn, inst), &variant, here);
}

static void add_copied_debug_record(const struct record_copier *t, LLVMDbgRecordRef record, LLVMValueRef value,
                                    LLVMValueRef before)
{
  ir_record_insert_copy(t->builder, record, value, LLVMDbgVariableRecordGetExpression(record),
                        LLVMDbgRecordGetDebugLoc(record), before);
}

static void copy_debug_records_before_inst(const struct record_copier *t, uint32_t inst, uint32_t variant)
{
  const struct jump_threading *s = t->s;
  LLVMValueRef copy = s->copies[variant][inst - s->fn.block_start[s->variants.node[variant]]];
  for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(s->fn.insts[inst]); r; r = LLVMGetNextDbgRecord(r)) {
    if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel)
      continue;
    LLVMValueRef value = value_at_record_or_null(s, r, variant), was = LLVMDbgVariableRecordGetValue(r, 0);
    if (!value)
      value = LLVMGetPoison(was ? LLVMTypeOf(was) : LLVMInt1TypeInContext(s->run->context));
    add_copied_debug_record(t, r, value, copy);
  }
}

/* For instructions that are not cloned. */
static void recreate_records_with_changed_value(const struct record_copier *t, uint32_t inst, uint32_t variant)
{
  const struct jump_threading *s = t->s;
  LLVMValueRef at = s->fn.insts[inst];
  LLVMDbgRecordRef last = LLVMGetLastDbgRecord(at);
  for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(at); r; r = r == last ? NULL : LLVMGetNextDbgRecord(r)) {
    if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel || ir_record_is_superseded(r))
      continue;
    LLVMValueRef was = LLVMDbgVariableRecordGetValue(r, 0), value = value_at_record_or_null(s, r, variant);
    if (value && value != was)
      add_copied_debug_record(t, r, value, at);
  }
}

void jump_thread_copy_debug_records(struct jump_threading *s)
{
  if (!LLVMGetSubprogram(s->fn.function))
    return;
  struct record_copier t = {s, LLVMCreateDIBuilderDisallowUnresolved(s->run->module)};
  for (uint32_t v = 0; v < s->variants.count; v++) {
    uint32_t node = s->variants.node[v];
    for (uint32_t i = s->fn.block_start[node]; i < s->fn.block_start[node + 1]; i++)
      if (jump_thread_has_clones(s, node))
        copy_debug_records_before_inst(&t, i, v);
      else
        recreate_records_with_changed_value(&t, i, v);
  }
  LLVMDisposeDIBuilder(t.builder);
}
