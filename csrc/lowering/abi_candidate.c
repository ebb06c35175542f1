/* Describes a coroutine to the policy that selects its ABI. */
#include "lowering/abi_candidate.h"

#include <string.h>

#include "ir/edit.h"
#include "ir/expanded_type.h"

typedef CORO_VEC(coro_attribute_info) attributes;

static const char *copy_and_dispose_message(struct coro_arena *arena, char *message)
{
  const char *copy = coro_arena_strndup(arena, message, strlen(message));
  LLVMDisposeMessage(message);
  return copy;
}

/* ---- Attributes of the function ---- */

/* Parses the attribute names from the printed comment "; Function Attrs: nounwind memory(argmem: read) ", because
   LLVM-C cannot name enum attributes. */
static bool parse_function_attrs_comment(struct coro_arena *arena, attributes *found, const char *printed)
{
  static const char heading[] = "; Function Attrs: ";
  const char *at = strncmp(printed, heading, strlen(heading)) ? "" : printed + strlen(heading);
  while (*at && *at != '\n') {
    size_t length = strcspn(at, " (\n"), value = 0, depth = 0;
    const char *name = at;
    for (at += length; *at && *at != '\n' && (depth || *at != ' '); at++)
      depth += (*at == '(') - (*at == ')');
    value = (size_t)(at - name) - length;
    coro_attribute_info info = {coro_arena_strndup(arena, name, length),
                                value > 2 ? coro_arena_strndup(arena, name + length + 1, value - 2) : ""};
    if (!info.name || !info.value || (length && !coro_vec_push(arena, found, info)))
      return false;
    at += strspn(at, " ");
  }
  return true;
}

static bool copy_string_attributes(struct coro_arena *arena, attributes *found, LLVMValueRef function)
{
  struct edit_attributes all = edit_list_attributes(arena, function, LLVMAttributeFunctionIndex);
  for (unsigned i = 0; i < all.count; i++) {
    unsigned length;
    if (!LLVMIsStringAttribute(all.items[i]))
      continue;
    const char *name = LLVMGetStringAttributeKind(all.items[i], &length);
    coro_attribute_info info = {.name = coro_arena_strndup(arena, name, length)};
    const char *value = LLVMGetStringAttributeValue(all.items[i], &length);
    info.value = coro_arena_strndup(arena, value, length);
    if (!info.name || !info.value || !coro_vec_push(arena, found, info))
      return false;
  }
  return true;
}

static bool read_function_attributes(struct coro_lowering *low, coro_candidate_info *info, const char *printed)
{
  attributes found = {0};
  if (!parse_function_attrs_comment(low->arena, &found, printed) ||
      !copy_string_attributes(low->arena, &found, low->fn.function))
    return false;
  info->attributes = found.items;
  info->attribute_count = found.count;
  return true;
}

/* ---- Other properties ---- */

static bool add_candidate_parameters(struct coro_lowering *low, coro_candidate_info *info)
{
  const struct ir_fn *fn = &low->fn;
  coro_parameter_info *parameters = CORO_NEW_ARRAY(low->arena, coro_parameter_info, fn->arg_count);
  unsigned number = 0; /* of unnamed values */
  for (uint32_t a = 0; parameters && a < fn->arg_count; a++) {
    size_t length = 0;
    const char *name = LLVMGetValueName2(ir_value(fn, a), &length);
    parameters[a].name =
        length ? coro_arena_strndup(low->arena, name, length) : coro_arena_printf(low->arena, "%u", number);
    parameters[a].type = copy_and_dispose_message(low->arena, LLVMPrintTypeToString(LLVMTypeOf(ir_value(fn, a))));
    number += !length;
  }
  info->parameters = parameters;
  info->parameter_count = fn->arg_count;
  return parameters != NULL;
}

static bool add_candidate_suspends(struct coro_lowering *low, coro_candidate_info *info)
{
  const struct coro_shape *shape = &low->shape;
  coro_candidate_suspend *suspends = CORO_NEW_ARRAY(low->arena, coro_candidate_suspend, shape->suspend_count);
  for (uint32_t k = 0; suspends && k < shape->suspend_count; k++)
    suspends[k] = (coro_candidate_suspend){.name = low->text->name[shape->suspends[k].inst],
                                           .block = low->text->block[ir_block_of(&low->fn, shape->suspends[k].inst)],
                                           .is_final = shape->suspends[k].final};
  info->suspends = suspends;
  info->suspend_count = shape->suspend_count;
  return suspends != NULL;
}

static void set_candidate_promise_name_and_type(struct coro_lowering *low, coro_candidate_info *info)
{
  LLVMValueRef promise = low->shape.promise;
  uint32_t inst = promise && LLVMIsAAllocaInst(promise) ? ir_inst(&low->fn, promise) : IR_NONE;
  info->promise = info->promise_type = "";
  if (inst == IR_NONE)
    return;
  info->promise = low->text->name[inst] + (*low->text->name[inst] == '%');
  info->promise_type = ir_print_expanded_type(low->arena, LLVMGetAllocatedType(promise));
}

static uint32_t custom_abi_index_or_none(const struct coro_lowering *low)
{
  uint64_t index = CORO_NONE;
  if (low->shape.custom)
    edit_read_integer_constant(LLVMGetOperand(low->fn.insts[low->shape.begin], BEGIN_ABI), &index);
  return index < CORO_NONE ? (uint32_t)index : CORO_NONE;
}

static bool fill_abi_candidate(struct coro_lowering *low, coro_candidate_info *info, const char *definition_text,
                               const char *attributes_comment)
{
  if (!coro_split_text_once(low, definition_text))
    return false;
  info->function = coro_arena_printf(low->arena, "%s", edit_value_name(low->fn.function));
  info->type = copy_and_dispose_message(low->arena, LLVMPrintTypeToString(LLVMGlobalGetValueType(low->fn.function)));
  info->abi = low->shape.abi;
  info->id = low->text->inst[low->shape.id];
  info->index = custom_abi_index_or_none(low);
  set_candidate_promise_name_and_type(low, info);
  return read_function_attributes(low, info, attributes_comment) && add_candidate_parameters(low, info) &&
         add_candidate_suspends(low, info) && !coro_arena_failed(low->arena);
}

const coro_candidate_info *describe_candidate_for_abi(struct coro_lowering *low, const struct ir_printed *printed)
{
  if (low->candidate)
    return low->candidate;
  coro_candidate_info *info = CORO_NEW(low->arena, coro_candidate_info);
  const char *definition = printed ? ir_printed_text_from_function_on_or_null(printed, low->fn.function) : NULL;
  const char *comment = definition ? ir_printed_text_from_comment_on_or_null(printed, low->fn.function) : NULL;
  char *own = definition ? NULL : LLVMPrintValueToString(low->fn.function);
  if (info && (own ? fill_abi_candidate(low, info, own, own)
                   : fill_abi_candidate(low, info, definition, comment ? comment : "")))
    low->candidate = info;
  if (own)
    LLVMDisposeMessage(own);
  return low->candidate;
}
