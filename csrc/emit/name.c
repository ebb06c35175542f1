/* Names values of the emitted function; see name.h. */
#include "emit/name.h"

#include <string.h>

void move_or_copy_name_from_source(struct emit *e, LLVMValueRef value, LLVMValueRef source)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(source, &length);
  bool gives_up = emit_in_place(e) && LLVMIsAInstruction(source);
  const char *own_name = length && gives_up ? coro_arena_strndup(e->low->arena, name, length) : name;
  if (length && gives_up)
    LLVMSetValueName2(source, "", 0);
  if (length && own_name)
    LLVMSetValueName2(value, own_name, length);
}

/* Whether a presplit instruction is now one of the ramp. Its name then belongs to the ramp's instruction, as after
   move_or_copy_name_from_source. */
static bool is_moved_into_ramp(const struct emit *e, LLVMValueRef source)
{
  return emit_in_place(e) && LLVMIsAInstruction(source) &&
         ir_block_id(&e->low->fn, LLVMGetInstructionParent(source)) == IR_NONE;
}

void set_name_of_copy_with_suffix(struct emit *e, LLVMValueRef value, LLVMValueRef copy, const char *suffix)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(copy, &length);
  char *full = length ? coro_arena_concatenate(e->low->arena, name, suffix) : NULL;
  if (full && LLVMIsAInstruction(value))
    LLVMSetValueName2(value, full, length + strlen(suffix));
}

void set_name_of_source_with_suffix(struct emit *e, LLVMValueRef value, LLVMValueRef source, const char *suffix)
{
  if (!is_moved_into_ramp(e, source))
    set_name_of_copy_with_suffix(e, value, source, suffix);
}
