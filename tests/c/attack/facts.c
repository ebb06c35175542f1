/* Mutations that state more: attributes of arguments and results of calls, of the clone, and metadata of any
   instruction. Each is an assumption that the optimizer may use.
   Requires: a clone under attack. */
#include <string.h>

#include "attack/attack.h"
#include "ir/edit.h"
#include "ir/flow.h"

/* An attribute with a value that makes it as strong as possible. */
struct fact {
  const char *name;
  uint64_t value;
};

/* ---- Attributes of calls ---- */

static LLVMAttributeRef attribute_of(const struct attack *a, const struct fact *fact)
{
  return LLVMCreateEnumAttribute(a->low->context, LLVMGetEnumAttributeKindForName(fact->name, strlen(fact->name)),
                                 fact->value);
}

/* An attribute that the callee declares changes nothing. */
static bool is_declared(LLVMValueRef call, unsigned index, unsigned kind)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  return LLVMIsAFunction(callee) && LLVMGetEnumAttributeAtIndex(callee, index, kind);
}

static void add_to_call(struct attack *a, LLVMValueRef call, unsigned index, const struct fact *fact,
                        const char *mutation)
{
  unsigned kind = LLVMGetEnumAttributeKindForName(fact->name, strlen(fact->name));
  LLVMAttributeRef old = LLVMGetCallSiteEnumAttribute(call, index, kind), made = attribute_of(a, fact);
  if (old == made || is_declared(call, index, kind) || !attack_is_drawn())
    return;
  LLVMRemoveCallSiteEnumAttribute(call, index, kind);
  LLVMAddCallSiteAttribute(call, index, made);
  attack_judge(a, mutation, call);
  LLVMRemoveCallSiteEnumAttribute(call, index, kind);
  if (old)
    LLVMAddCallSiteAttribute(call, index, old);
}

static void remove_from_call(struct attack *a, LLVMValueRef call, unsigned index, const char *name)
{
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAttributeRef old = LLVMGetCallSiteEnumAttribute(call, index, kind);
  if (!old || !attack_is_drawn())
    return;
  LLVMRemoveCallSiteEnumAttribute(call, index, kind);
  attack_judge(a, "removed-attribute", call);
  LLVMAddCallSiteAttribute(call, index, old);
}

static void attack_passed(struct attack *a, LLVMValueRef call, unsigned index, LLVMTypeRef type)
{
  static const struct fact of_pointer[] = {{"noalias", 0},
                                           {"nonnull", 0},
                                           {"align", 1 << 16},
                                           {"dereferenceable", 1 << 20},
                                           {"noundef", 0}},
                           of_argument[] = {{"readonly", 0}, {"readnone", 0}, {"captures", 0},
                                            {"returned", 0}, {"nofree", 0},   {"swiftself", 0}},
                           of_integer[] = {{"noundef", 0}, {"zeroext", 0}, {"inreg", 0}};
  static const char *const removed[] = {"zeroext", "signext", "inreg", "swiftself", "swiftasync", "nest"};
  bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  const struct fact *facts = pointer ? of_pointer : of_integer;
  size_t count = pointer ? sizeof of_pointer / sizeof *of_pointer : sizeof of_integer / sizeof *of_integer;
  if (!pointer && LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return;
  for (size_t i = 0; i < count; i++)
    add_to_call(a, call, index, &facts[i], "passed-attribute");
  for (size_t i = 0; i < sizeof of_argument / sizeof *of_argument && pointer && index; i++)
    add_to_call(a, call, index, &of_argument[i], "passed-attribute");
  for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
    remove_from_call(a, call, index, removed[i]);
}

static void attack_call(struct attack *a, LLVMValueRef call)
{
  static const struct fact facts[] = {{"memory", 0},   {"willreturn", 0}, {"nofree", 0},      {"nosync", 0},
                                      {"strictfp", 0}, {"nocallback", 0}, {"speculatable", 0}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    add_to_call(a, call, (unsigned)LLVMAttributeFunctionIndex, &facts[i], "call-attribute");
  remove_from_call(a, call, (unsigned)LLVMAttributeFunctionIndex, "returns_twice");
  remove_from_call(a, call, (unsigned)LLVMAttributeFunctionIndex, "convergent");
  remove_from_call(a, call, (unsigned)LLVMAttributeFunctionIndex, "strictfp");
  attack_passed(a, call, LLVMAttributeReturnIndex, LLVMTypeOf(call));
  for (unsigned p = 0; p < LLVMGetNumArgOperands(call); p++)
    attack_passed(a, call, p + 1, LLVMTypeOf(LLVMGetOperand(call, p)));
}

/* ---- Metadata ---- */

static void set_metadata(struct attack *a, LLVMValueRef inst, const char *name, LLVMMetadataRef node)
{
  unsigned kind = LLVMGetMDKindIDInContext(a->low->context, name, (unsigned)strlen(name));
  if (LLVMGetMetadata(inst, kind) || !attack_is_drawn())
    return;
  LLVMSetMetadata(inst, kind, LLVMMetadataAsValue(a->low->context, node));
  attack_judge(a, name, inst);
  LLVMSetMetadata(inst, kind, NULL);
}

static LLVMMetadataRef text_node(const struct attack *a, const char *text)
{
  return LLVMMDStringInContext2(a->low->context, text, strlen(text));
}

static LLVMMetadataRef tuple(const struct attack *a, LLVMMetadataRef *parts, size_t count)
{
  return LLVMMDNodeInContext2(a->low->context, parts, count);
}

/* A list with one alias scope of a domain of its own. */
static LLVMMetadataRef scopes(const struct attack *a, const char *name)
{
  LLVMMetadataRef domain_name = text_node(a, "mutant's domain"), domain = tuple(a, &domain_name, 1);
  LLVMMetadataRef parts[2] = {text_node(a, name), domain}, scope = tuple(a, parts, 2);
  return tuple(a, &scope, 1);
}

static LLVMMetadataRef number_node(const struct attack *a, uint64_t number)
{
  LLVMMetadataRef value = LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(a->low->context), number, false));
  return tuple(a, &value, 1);
}

/* A tag for accesses of a type that nothing else has. */
static LLVMMetadataRef tbaa(const struct attack *a)
{
  LLVMMetadataRef zero = LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(a->low->context), 0, false));
  LLVMMetadataRef name = text_node(a, "mutant's root"), root = tuple(a, &name, 1);
  LLVMMetadataRef parts[3] = {text_node(a, "mutant"), root, zero}, type = tuple(a, parts, 3);
  LLVMMetadataRef tag[3] = {type, type, zero};
  return tuple(a, tag, 3);
}

/* A loop that must not run forever without an effect. Its node contains itself. */
static LLVMMetadataRef progress(const struct attack *a)
{
  LLVMMetadataRef name = text_node(a, "llvm.loop.mustprogress");
  LLVMMetadataRef parts[2] = {LLVMTemporaryMDNode(a->low->context, NULL, 0), tuple(a, &name, 1)};
  LLVMMetadataRef loop = tuple(a, parts, 2);
  LLVMMetadataReplaceAllUsesWith(parts[0], loop);
  return loop;
}

static void attack_metadata(struct attack *a, LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  bool accesses = opcode == LLVMLoad || opcode == LLVMStore, calls = opcode == LLVMCall || opcode == LLVMInvoke;
  if (accesses || calls) {
    set_metadata(a, inst, "noalias", scopes(a, "one"));
    set_metadata(a, inst, "alias.scope", scopes(a, "two"));
    set_metadata(a, inst, "llvm.access.group", tuple(a, NULL, 0));
    set_metadata(a, inst, "tbaa", tbaa(a));
  }
  if (accesses)
    set_metadata(a, inst, "invariant.group", tuple(a, NULL, 0));
  if (opcode == LLVMLoad && LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMPointerTypeKind) {
    set_metadata(a, inst, "align", number_node(a, 1 << 16));
    set_metadata(a, inst, "dereferenceable", number_node(a, 1 << 20));
  }
  if (calls && !LLVMIsAFunction(LLVMGetCalledValue(inst))) {
    LLVMMetadataRef callee = LLVMValueAsMetadata(a->low->fn.function);
    set_metadata(a, inst, "callees", tuple(a, &callee, 1));
  }
  if (opcode == LLVMBr)
    set_metadata(a, inst, "llvm.loop", progress(a));
}

/* ---- Atomicity ---- */

static void attack_atomicity(struct attack *a, LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  bool accesses = opcode == LLVMLoad || opcode == LLVMStore;
  bool updates = opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg;
  if ((accesses || updates) && !LLVMGetVolatile(inst) && attack_is_drawn()) {
    LLVMSetVolatile(inst, true);
    attack_judge(a, "volatile", inst);
    LLVMSetVolatile(inst, false);
  }
  bool atomic = updates || opcode == LLVMFence || (accesses && LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic);
  if (atomic && attack_is_drawn()) {
    unsigned old = LLVMGetAtomicSyncScopeID(inst);
    LLVMSetAtomicSyncScopeID(inst, !old);
    attack_judge(a, "scope", inst);
    LLVMSetAtomicSyncScopeID(inst, old);
  }
  if (opcode == LLVMFence && attack_is_drawn()) {
    LLVMAtomicOrdering old = LLVMGetOrdering(inst);
    LLVMSetOrdering(inst, old == LLVMAtomicOrderingAcquire ? LLVMAtomicOrderingRelease : LLVMAtomicOrderingAcquire);
    attack_judge(a, "ordering", inst);
    LLVMSetOrdering(inst, old);
  }
}

void attack_facts(struct attack *a, uint32_t index)
{
  LLVMValueRef inst = a->fn.insts[index];
  if (attack_is_dead(inst) || attack_is_debug(inst))
    return;
  if (edit_is_call(inst))
    attack_call(a, inst);
  attack_metadata(a, inst);
  attack_atomicity(a, inst);
}
