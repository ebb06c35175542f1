/* Checks the function and parameter attributes and the calling convention of a clone. */
#include "check/clone_attributes.h"

#include "check/async_rules.h"
#include "check/begin.h"
#include "check/own_clone.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "lowering/abi.h"

enum { OF_RAMP = 4 }; /* the first ones describe the ramp alone, even if the presplit function has them */

/* Attributes of functions that the optimizer concludes something about the behavior from. */
static const char *const promises[] = {
    "noreturn",  "returns_twice", "naked",  "speculatable", "nounwind",   "willreturn", "mustprogress",
    "norecurse", "nosync",        "nofree", "memory",       "nocallback", "cold",       "hot",
};

static LLVMAttributeRef attribute_at(LLVMValueRef function, unsigned index, const char *name)
{
  size_t length = 0;
  while (name[length])
    length++;
  return LLVMGetEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(name, length));
}

/* NULL: the clone has no prototype. */
static LLVMValueRef prototype_of(const struct check *c, const struct check_clone *k)
{
  if (c->low->abi->end_frees_frame)
    return LLVMIsAFunction(check_retcon_operand(c, RETCON_PROTOTYPE));
  return clone_has_prototype_of_abi_clone(c, k) ? c->witness->clone_prototype : NULL;
}

/* Of the presplit function, or of abi.clone. */
static bool check_function_attributes(struct check *c, const struct check_clone *k)
{
  for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
    unsigned at = (unsigned)LLVMAttributeFunctionIndex;
    LLVMAttributeRef promised = attribute_at(k->from->function, at, promises[i]);
    bool of_ramp = k->from->clone_kind != CLONE_RAMP && i < OF_RAMP;
    LLVMValueRef own = clone_has_prototype_of_abi_clone(c, k) ? c->witness->clone_prototype : NULL;
    if (promised && own && promised == attribute_at(own, at, promises[i]))
      continue;
    if (promised && (of_ramp || promised != attribute_at(c->low->fn.function, at, promises[i])))
      return check_refute(c, k, NULL, "its attribute '%s' is not one of the presplit function", promises[i]);
  }
  return true;
}

/* Whether the clone has an attribute because its parameter `index` is the frame. See also private_frame.h. */
static bool is_attribute_of_frame(const struct check *c, const struct check_clone *k, unsigned index,
                                  LLVMAttributeRef attribute)
{
  unsigned frame = k->from->clone_kind == CLONE_RAMP ? LLVMCountParams(k->from->function) : 1; /* of f.noalloc */
  static const char *const names[] = {"noundef", "nonnull", "align", "dereferenceable", "noalias"};
  size_t count = sizeof names / sizeof *names - !c->low->abi->end_frees_frame;
  bool found = false;
  for (size_t i = 0; i < count && index == frame; i++)
    found |= attribute_at(k->from->function, index, names[i]) == attribute;
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
static bool check_frame_parameter(struct check *c, const struct check_clone *k)
{
  const struct coro_frame *frame = &c->low->frame;
  uint64_t bytes = frame->size, alignment = frame->align;
  if (c->low->abi->end_frees_frame) {
    bytes = begin_buffer_size(c);
    alignment = LLVMConstIntGetZExtValue(check_id_operand(c, RETCON_ALIGN));
  }
  unsigned index = k->from->clone_kind == CLONE_RAMP ? LLVMCountParams(k->from->function) : 1;
  LLVMAttributeRef size = attribute_at(k->from->function, index, "dereferenceable"),
                   align = attribute_at(k->from->function, index, "align");
  if (size && LLVMGetEnumAttributeValue(size) > bytes)
    return check_refute(c, k, NULL, "the frame is smaller than its 'dereferenceable' bytes");
  return !align || LLVMGetEnumAttributeValue(align) <= alignment ||
         check_refute(c, k, NULL, "the frame is aligned to less than its 'align' says");
}

bool clone_attributes_permit_free(LLVMValueRef function)
{
  static const char *const violated[] = {"noreturn",   "returns_twice", "naked",  "speculatable", "nounwind",
                                         "willreturn", "nosync",        "nofree", "memory",       "nocallback"};
  for (size_t i = 0; i < sizeof violated / sizeof *violated; i++)
    if (attribute_at(function, (unsigned)LLVMAttributeFunctionIndex, violated[i]))
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
           check_frame_parameter(c, k);
  LLVMValueRef prototype = prototype_of(c, k);
  if (c->low->shape.abi == CORO_ABI_SWITCH && !prototype && LLVMGetFunctionCallConv(function) != LLVMFastCallConv)
    return check_refute(c, k, NULL, "its calling convention is not fastcc, by which llvm.coro.resume calls it");
  if (prototype && LLVMGetFunctionCallConv(function) != LLVMGetFunctionCallConv(prototype))
    return check_refute(c, k, NULL, "its calling convention is not that of the prototype");
  if (c->low->shape.abi == CORO_ABI_ASYNC)
    return async_rules_check_declaration(c, k) && check_function_attributes(c, k);
  return check_function_attributes(c, k) && check_result_and_parameter_attributes(c, k, prototype) &&
         check_frame_parameter(c, k);
}
