/* Checks the function and parameter attributes and the calling convention of a clone. */
#include "check/clone_attributes.h"

#include "check/async_rules.h"
#include "check/begin.h"
#include "check/own_clone.h"
#include "check/verdict.h"
#include "ir/attribute_kind.h"
#include "ir/edit.h"
#include "lowering/abi.h"

/* The first promises describe the ramp alone, even if the presplit function has them. A call of free may violate the
   first OF_MEMORY ones. */
enum { OF_RAMP = 4, OF_MEMORY = 10, PROMISES = 14 };
enum { OF_FRAME = PROMISES, ALIGN = OF_FRAME, DEREFERENCEABLE, OF_FRAME_COUNT = CHECK_ATTRIBUTES - OF_FRAME };

/* Attributes of functions that the optimizer concludes something about the behavior from, then those of the frame's
   parameter; the last one only if a clone's end frees the frame. */
static const char *const names[CHECK_ATTRIBUTES] = {
    "noreturn", "returns_twice",   "naked",      "speculatable", "nounwind",  "willreturn", "nosync",
    "nofree",   "memory",          "nocallback", "mustprogress", "norecurse", "cold",       "hot",
    "align",    "dereferenceable", "noundef",    "nonnull",      "noalias",
};

void clone_attributes_init(struct check *c)
{
  for (size_t i = 0; i < CHECK_ATTRIBUTES; i++)
    c->attribute_kinds[i] = attribute_kind(names[i]);
}

static LLVMAttributeRef enum_attribute_of_table_at(const struct check *c, LLVMValueRef function, unsigned index,
                                                   size_t name_index)
{
  return LLVMGetEnumAttributeAtIndex(function, index, c->attribute_kinds[name_index]);
}

/* NULL: the clone has no prototype. */
static LLVMValueRef prototype_of_clone_or_null(const struct check *c, const struct check_clone *k)
{
  if (c->low->abi->end_frees_frame)
    return LLVMIsAFunction(check_retcon_operand(c, RETCON_PROTOTYPE));
  return clone_has_prototype_of_abi_clone(c, k) ? c->witness->clone_prototype : NULL;
}

/* Whether each promise is one of the presplit function, or of the prototype abi.clone. */
static bool check_function_attributes(struct check *c, const struct check_clone *k)
{
  for (size_t i = 0; i < PROMISES; i++) {
    unsigned at = (unsigned)LLVMAttributeFunctionIndex;
    LLVMAttributeRef promised = enum_attribute_of_table_at(c, k->from->function, at, i);
    bool of_ramp = k->from->clone_kind != CLONE_RAMP && i < OF_RAMP;
    LLVMValueRef own = clone_has_prototype_of_abi_clone(c, k) ? c->witness->clone_prototype : NULL;
    if (promised && own && promised == enum_attribute_of_table_at(c, own, at, i))
      continue;
    if (promised && (of_ramp || promised != enum_attribute_of_table_at(c, c->low->fn.function, at, i)))
      return check_refute(c, k, NULL, "its attribute '%s' is not one of the presplit function", names[i]);
  }
  return true;
}

/* Whether the clone has an attribute because its parameter `index` is the frame. See also private_frame.h. */
static bool is_attribute_of_frame(const struct check *c, const struct check_clone *k, unsigned index,
                                  LLVMAttributeRef attribute)
{
  unsigned frame = k->from->clone_kind == CLONE_RAMP ? LLVMCountParams(k->from->function) : 1; /* of f.noalloc */
  size_t count = OF_FRAME_COUNT - !c->low->abi->end_frees_frame;
  bool found = false;
  for (size_t i = 0; i < count && index == frame; i++)
    found |= enum_attribute_of_table_at(c, k->from->function, index, OF_FRAME + i) == attribute;
  return found;
}

/* Whether each attribute of the result and the parameters is the prototype's (NULL: none), or of the frame. */
static bool check_result_and_parameter_attributes(struct check *c, const struct check_clone *k, LLVMValueRef prototype)
{
  for (unsigned index = 0; index <= LLVMCountParams(k->from->function); index++) {
    struct edit_attributes own = edit_list_attributes(c->arena, k->from->function, index), of_prototype = {0};
    if (prototype && index <= LLVMCountParams(prototype))
      of_prototype = edit_list_attributes(c->arena, prototype, index);
    for (unsigned i = 0; i < own.count; i++) {
      bool found = is_attribute_of_frame(c, k, index, own.items[i]);
      for (unsigned p = 0; p < of_prototype.count && !found; p++)
        found = of_prototype.items[p] == own.items[i];
      if (!found)
        return check_refute(c, k, NULL, "parameter %u has an attribute that no prototype has", index);
    }
  }
  return true;
}

/* Attributes of the parameter that is the frame. */
static bool check_frame_parameter_size_and_align(struct check *c, const struct check_clone *k)
{
  const struct coro_frame *frame = &c->low->frame;
  uint64_t bytes = frame->size, alignment = frame->align;
  if (c->low->abi->end_frees_frame) {
    bytes = begin_retcon_buffer_size_or_zero_if_unknown(c);
    alignment = LLVMConstIntGetZExtValue(check_id_operand(c, RETCON_ALIGN));
  }
  unsigned index = k->from->clone_kind == CLONE_RAMP ? LLVMCountParams(k->from->function) : 1;
  LLVMAttributeRef size = enum_attribute_of_table_at(c, k->from->function, index, DEREFERENCEABLE),
                   align = enum_attribute_of_table_at(c, k->from->function, index, ALIGN);
  if (size && LLVMGetEnumAttributeValue(size) > bytes)
    return check_refute(c, k, NULL, "the frame is smaller than its 'dereferenceable' bytes");
  return !align || LLVMGetEnumAttributeValue(align) <= alignment ||
         check_refute(c, k, NULL, "the frame is aligned to less than its 'align' says");
}

bool clone_attributes_permit_free(const struct check *c, LLVMValueRef function)
{
  for (size_t i = 0; i < OF_MEMORY; i++)
    if (enum_attribute_of_table_at(c, function, (unsigned)LLVMAttributeFunctionIndex, i))
      return false;
  return true;
}

bool clone_attributes_check(struct check *c, const struct check_clone *k)
{
  LLVMValueRef function = k->from->function, presplit = c->low->fn.function;
  if (function == presplit)
    return true;
  if (k->from->clone_kind == CLONE_RAMP)
    return (LLVMGetFunctionCallConv(function) == LLVMGetFunctionCallConv(presplit) ||
            check_refute(c, k, NULL, "its calling convention is not that of the coroutine")) &&
           check_function_attributes(c, k) && check_result_and_parameter_attributes(c, k, presplit) &&
           check_frame_parameter_size_and_align(c, k);
  LLVMValueRef prototype = prototype_of_clone_or_null(c, k);
  if (c->low->shape.abi == CORO_ABI_SWITCH && !prototype && LLVMGetFunctionCallConv(function) != LLVMFastCallConv)
    return check_refute(c, k, NULL, "its calling convention is not fastcc, by which llvm.coro.resume calls it");
  if (prototype && LLVMGetFunctionCallConv(function) != LLVMGetFunctionCallConv(prototype))
    return check_refute(c, k, NULL, "its calling convention is not that of the prototype");
  if (c->low->shape.abi == CORO_ABI_ASYNC)
    return async_rules_check_parameters_and_convention(c, k) && check_function_attributes(c, k);
  return check_function_attributes(c, k) && check_result_and_parameter_attributes(c, k, prototype) &&
         check_frame_parameter_size_and_align(c, k);
}
