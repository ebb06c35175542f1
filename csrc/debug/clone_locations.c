/* Sets the debug locations of a clone. Each location of the presplit function is recreated with a scope in the clone's
   subprogram.
   Requires: the clone's metadata nodes.
   Guarantees: every location of the clone is within its subprogram. */
#include "debug/clone_metadata.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

LLVMMetadataRef debug_location_without_line(const struct debug_clone *p)
{
  return LLVMDIBuilderCreateDebugLocation(p->low->context, 0, 0, debug_clone_subprogram(p), NULL);
}

LLVMMetadataRef debug_location_in_clone(struct debug_clone *p, LLVMMetadataRef at)
{
  uint64_t made = 0;
  if (debug_is_ramp(p))
    return at;
  if (!coro_map_get(&p->locations, coro_map_key(at), &made))
    return debug_location_without_line(p);
  if (!made) {
    LLVMMetadataRef inlined = LLVMDILocationGetInlinedAt(at), copy = debug_copy_of_node_or_itself(p, at);
    if (copy == at)
      copy = LLVMDIBuilderCreateDebugLocation(p->low->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
                                              debug_copy_of_node_or_itself(p, LLVMDILocationGetScope(at)),
                                              inlined ? debug_copy_of_node_or_itself(p, inlined) : NULL);
    coro_map_put(&p->locations, coro_map_key(at), coro_map_key(copy));
    return copy;
  }
  return (LLVMMetadataRef)(uintptr_t)made;
}

LLVMMetadataRef debug_location_in_inlined_code(struct debug_clone *p, LLVMMetadataRef site, LLVMMetadataRef at)
{
  CORO_VEC(LLVMMetadataRef) chain = {0};
  LLVMMetadataRef made = site ? debug_location_in_clone(p, site) : debug_location_without_line(p);
  for (LLVMMetadataRef inner = at; inner; inner = LLVMDILocationGetInlinedAt(inner))
    if (!coro_vec_push(p->low->arena, &chain, inner))
      return made; /* the arena records the failure */
  while (chain.count) {
    LLVMMetadataRef inner = chain.items[--chain.count];
    made = LLVMDIBuilderCreateDebugLocation(p->low->context, LLVMDILocationGetLine(inner),
                                            LLVMDILocationGetColumn(inner), LLVMDILocationGetScope(inner), made);
  }
  coro_map_put(&p->locations, coro_map_key(made), coro_map_key(made));
  return made;
}

static LLVMMetadataRef location_in_clone_scope(void *part, LLVMMetadataRef at)
{
  return debug_location_in_clone(part, at);
}

/* Gives a clone's dispatch, its only code so far, the function's first line. A breakpoint on the function then stops
   after the store of the frame's address. */
void debug_set_location_of_dispatch(struct debug_clone *p)
{
  LLVMMetadataRef scope = debug_clone_subprogram(p);
  LLVMMetadataRef at =
      LLVMDIBuilderCreateDebugLocation(p->low->context, LLVMDISubprogramGetLine(scope), 0, scope, NULL);
  coro_map_put(&p->locations, coro_map_key(at), coro_map_key(at));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      LLVMInstructionSetDebugLoc(i, at);
}

/* Moves the locations of all instructions to the clone's scopes. Calls without one get one: the lowering's own calls,
   such as those of an allocator, may be of functions with debug information. */
void debug_set_locations_in_clone(struct debug_clone *p)
{
  bool in_place = debug_is_ramp(p);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->function); b; b = LLVMGetNextBasicBlock(b)) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
      if (at)
        LLVMInstructionSetDebugLoc(i, debug_location_in_clone(p, at));
      else
        edit_give_call_location_if_required(i);
      if (!in_place && LLVMHasMetadata(i))
        ir_relocate_loop(p->low->arena, p->low->context, i, location_in_clone_scope, p);
    }
  }
}
