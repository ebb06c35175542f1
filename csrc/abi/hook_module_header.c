/* Adds the header of a custom ABI, a struct that its hook module defines, to the frame, and checks its values.
   Requires: a parsed hook module.
   Guarantees: a field in the frame's header; the function is unchanged. */

#include "abi/common_hook_sites.h"
#include "abi/hook_module.h"
#include "base/align.h"
#include "lowering/abi.h"

void hook_module_append_header_field(const struct coro_lowering *low, struct coro_frame_header *header)
{
  const struct hook_module *t = low->abi->hook_module;
  if (!t || !t->header)
    return;
  struct coro_field field = {.kind = CORO_FIELD_HEADER,
                             .value = IR_NONE,
                             .type = t->header,
                             .size = LLVMABISizeOfType(low->layout, t->header),
                             .align = LLVMABIAlignmentOfType(low->layout, t->header)};
  if (t->header_align > field.align)
    field.align = t->header_align;
  field.offset = coro_align_to(header->end, field.align);
  header->fields[header->count++] = field;
  header->end = field.offset + field.size;
  if (field.align > header->align)
    header->align = field.align;
}

coro_status hook_module_check_header_alignment(const struct coro_lowering *low, uint64_t frame_align)
{
  for (uint32_t f = 0; f < low->frame.field_count && low->shape.suspend_count; f++)
    if (low->frame.fields[f].kind == CORO_FIELD_HEADER && low->frame.fields[f].align > frame_align)
      return coro_reject(low, "hook-module-header", IR_NONE,
                         "the alignment of the ABI's header exceeds that of the coroutine's memory",
                         "call llvm.coro.align in the coroutine, define abi.alloc, or reduce the header's alignment");
  return CORO_OK;
}

/* ---- Values per coroutine ---- */

static bool integer_fits_type_signed_or_unsigned(LLVMTypeRef type, uint64_t integer)
{
  unsigned bits = LLVMGetIntTypeWidth(type);
  if (bits > 64)
    return !(integer >> 63); /* otherwise signed and unsigned are ambiguous */
  uint64_t high_bits = bits < 64 ? UINT64_MAX << bits : 0, sign_bits = bits < 64 ? UINT64_MAX << (bits - 1) : 0;
  return !(integer & high_bits) || (integer & sign_bits) == sign_bits;
}

static LLVMTypeRef type_of_header_element_or_null(LLVMTypeRef header, uint32_t element)
{
  if (LLVMGetTypeKind(header) != LLVMStructTypeKind)
    return element ? NULL : header;
  return element < LLVMCountStructElementTypes(header) ? LLVMStructGetTypeAtIndex(header, element) : NULL;
}

/* Whether the hook module defines it; such definitions are linked even if unused. */
static bool module_defines_external_symbol(LLVMModuleRef hook_module, const char *name)
{
  LLVMValueRef found = LLVMGetNamedFunction(hook_module, name);
  found = found ? found : LLVMGetNamedGlobal(hook_module, name);
  return found && !LLVMIsDeclaration(found) && LLVMGetLinkage(found) == LLVMExternalLinkage;
}

static const char *header_value_error_or_null(const struct coro_lowering *low, const struct coro_header_value *value)
{
  const struct hook_module *t = low->abi->hook_module;
  LLVMTypeRef type = t && t->header ? type_of_header_element_or_null(t->header, value->element) : NULL;
  if (!t || !t->header)
    return "but has no abi.header";
  if (!type)
    return "but its abi.header has no such element";
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (value->kind == HEADER_NUMBER && kind != LLVMIntegerTypeKind)
    return "a number, but the element is no integer";
  if (value->kind == HEADER_NUMBER)
    return integer_fits_type_signed_or_unsigned(type, value->number) ? NULL
                                                                     : "a number that the element is too narrow for";
  if (kind != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(type))
    return "an address, but the element is no `ptr`";
  if (value->kind == HEADER_ADDRESS && !hook_site_global_of_name_or_null(low->module, value->text) &&
      !module_defines_external_symbol(t->source, value->text))
    return coro_arena_printf(low->arena, "the address of @%s, which neither the module nor the hook module has",
                             value->text);
  return NULL;
}

coro_status hook_module_check_header_values(const struct coro_lowering *low)
{
  for (const struct coro_header_value *value = low->header_values; value; value = value->next) {
    const char *error = header_value_error_or_null(low, value);
    if (error)
      return coro_reject(low, "header-value", IR_NONE,
                         coro_arena_printf(low->arena, "%s says what element %u of its header holds, %s",
                                           low->abi->policies.name, (unsigned)value->element, error),
                         "set elements of the type of abi.header: integers, texts and addresses");
  }
  return coro_arena_failed(low->arena) ? CORO_ENOMEM : CORO_OK;
}
