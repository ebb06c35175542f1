/* What may be asked of instructions.
   Needs: the module held. Leaves: see ir_looks.def. */
#include "ir.h"

PyObject *ir_look_opcode(struct value_object *self)
{
  static const char *const texts[] = {
#define IR_OPCODE(name, text) [LLVM##name] = text,
#include "ir_opcodes.def"
  };
  unsigned opcode = LLVMGetInstructionOpcode(self->value);
  const char *text = opcode < sizeof texts / sizeof *texts ? texts[opcode] : NULL;
  return core_text(text ? text : "unknown");
}

PyObject *ir_look_instruction_parent(struct value_object *self)
{
  return core_ir_block(self->module, LLVMGetInstructionParent(self->value));
}
