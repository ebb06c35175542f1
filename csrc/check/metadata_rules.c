/* Checks metadata of single instructions; see metadata_rules.h. */
#include "check/metadata_rules.h"

#include "check/copied_intrinsic.h"
#include "check/verdict.h"
#include "llvm-c/DebugInfo.h"
#include "llvm_metadata.h"

/* The instruction that this one is compared with; NULL: none. */
static LLVMValueRef source_of_metadata_or_null(const struct check_walk *w, uint32_t inst)
{
  struct witness_entry entry = w->k->entries[inst];
  LLVMValueRef value = NULL;
  if (entry.kind == WITNESS_COPY && !copied_intrinsic_is_id_or_begin(w->c, entry.of))
    return w->c->low->fn.insts[entry.of];
  if (entry.kind == WITNESS_INLINED)
    return witness_original_or_null(w->c->witness, check_walk_inst(w, inst));
  if (entry.kind == WITNESS_REMATERIALIZED)
    value = ir_value(&w->c->low->fn, entry.of);
  return value && LLVMIsAInstruction(value) ? value : NULL;
}

/* ---- Properties of loops ---- */

/* The operands of a node. One is the node itself, which makes it distinct. */
struct loop_properties {
  LLVMValueRef node, *items;
  unsigned count;
};

static struct loop_properties loop_properties_of(struct coro_arena *arena, LLVMValueRef inst)
{
  LLVMValueRef node = inst ? LLVMGetMetadata(inst, METADATA_LOOP) : NULL;
  struct loop_properties properties = {node, NULL, node ? LLVMGetMDNodeNumOperands(node) : 0};
  properties.items = CORO_NEW_ARRAY(arena, LLVMValueRef, properties.count + 1);
  if (!properties.items)
    properties.count = 0;
  else if (node)
    LLVMGetMDNodeOperands(node, properties.items);
  return properties;
}

static bool is_debug_location(LLVMValueRef property)
{
  return LLVMGetMetadataKind(LLVMValueAsMetadata(property)) == LLVMDILocationMetadataKind;
}

/* Whether each property of the loop that the instruction ends is one of the presplit loop. Locations in debug
   information differ in each function. */
static bool has_only_loop_properties_of(struct coro_arena *arena, LLVMValueRef inst, LLVMValueRef source)
{
  if (!LLVMGetMetadata(inst, METADATA_LOOP))
    return true;
  struct loop_properties own = loop_properties_of(arena, inst), all = loop_properties_of(arena, source);
  for (unsigned i = 0; i < own.count; i++) {
    bool found = own.items[i] == own.node || is_debug_location(own.items[i]);
    for (unsigned s = 0; s < all.count && !found; s++)
      found = all.items[s] == own.items[i];
    if (!found)
      return false;
  }
  return true;
}

/* Whether all metadata are hints, which may differ: branch weights, value profiles and the debug location. */
static bool has_only_dbg_or_prof_metadata(LLVMValueRef inst)
{
  size_t count;
  bool only = true;
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(inst, &count);
  for (unsigned i = 0; i < count; i++) {
    unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
    only &= kind == METADATA_DBG || kind == METADATA_PROF;
  }
  LLVMDisposeValueMetadataEntries(entries);
  return only;
}

bool metadata_rules_check(const struct check_walk *w, uint32_t inst)
{
  LLVMValueRef value = check_walk_inst(w, inst), source;
  if (LLVMIsAAllocaInst(value)) /* no fact about an alloca is metadata */
    return true;
  source = source_of_metadata_or_null(w, inst);
  if (source && has_only_loop_properties_of(w->c->arena, value, source))
    return true;
  return (!source && has_only_dbg_or_prof_metadata(value)) ||
         check_refute(w->c, w->k, value, "its metadata states facts that the lowering does not know");
}
