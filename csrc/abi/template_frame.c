/* Templates: what an ABI has of its own in the frame.
   Needs: a template that was read. Leaves: a field in the frame's header; the function as it was. */
#include "abi/template.h"
#include "base/align.h"
#include "coro/abi.h"

void template_add_header(const struct coro_lowering *low, struct coro_frame_header *header)
{
  const struct template *t = low->abi->template;
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

coro_status template_check_header(const struct coro_lowering *low, uint64_t given)
{
  for (uint32_t f = 0; f < low->frame.field_count && low->shape.suspend_count; f++)
    if (low->frame.fields[f].kind == CORO_FIELD_HEADER && low->frame.fields[f].align > given)
      return coro_reject(low, "template-header", IR_NONE,
                         "the ABI's header is aligned further than the coroutine's memory",
                         "let the coroutine ask llvm.coro.align, define abi.alloc, or align the header less");
  return CORO_OK;
}
