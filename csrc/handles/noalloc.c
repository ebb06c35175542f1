/* f.noalloc is a copy of the ramp's body. Its last parameter replaces the allocation, and frees become no-ops. */
#include "handles/noalloc.h"

#include <limits.h>
#include <string.h>

#include "base/vec.h"
#include "debug/records.h"
#include "emit/declare.h"
#include "handles/elided_frame.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "run/intrinsic_calls.h"
#include "run/pass.h"
#include "transform/debug_nodes.h"
#include "transform/debug_records.h"
#include "transform/inline.h"
#include "transform/rebuild_call.h"

/* ---- Debug information of f.noalloc: a subprogram with the ramp inlined ---- */

struct noalloc_debug {
  LLVMContextRef context;
  LLVMMetadataRef call; /* location at which the ramp is inlined; NULL: no debug information */
};

/* A copy of the ramp's subprogram under the new name, without its retained nodes. */
static LLVMMetadataRef copy_subprogram_for_noalloc(struct pass_run *run, LLVMMetadataRef subprogram,
                                                   LLVMValueRef noalloc)
{
  struct ir_nodes nodes;
  struct coro_map none;
  struct ir_node_change change = {.linkage_name = edit_value_name(noalloc)};
  coro_map_init(&none, run->arena);
  ir_nodes_init(&nodes, run->arena, run->context);
  uint32_t number = ir_nodes_number(&nodes);
  ir_nodes_copy_with_change(&nodes, number, subprogram, &none, &change);
  if (!ir_nodes_parse(&nodes))
    return NULL;
  LLVMMetadataRef made = nodes.made[number];
  LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(run->context, made), DEBUG_SUBPROGRAM_RETAINED,
                               LLVMMDNodeInContext2(run->context, NULL, 0));
  return made;
}

/* Recreates the chain of inlined locations. */
static LLVMMetadataRef copy_location_inlined_at_ramp_call(const struct noalloc_debug *d, LLVMMetadataRef at)
{
  if (!at)
    return d->call;
  return LLVMDIBuilderCreateDebugLocation(d->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
                                          LLVMDILocationGetScope(at),
                                          copy_location_inlined_at_ramp_call(d, LLVMDILocationGetInlinedAt(at)));
}

/* The location in the copy for a location of the ramp (may be NULL): the callback `locate` of struct inline_call. */
static LLVMMetadataRef noalloc_debug_locate(void *debug, LLVMMetadataRef at)
{
  const struct noalloc_debug *d = debug;
  return at && d->call ? copy_location_inlined_at_ramp_call(d, at) : NULL;
}

/* noalloc_create_and_add_to_clone_array calls this before it copies the body. False: out of memory. */
static bool noalloc_debug_set_subprogram_if_any(struct noalloc_debug *d, struct pass_run *run, LLVMValueRef function,
                                                LLVMValueRef noalloc)
{
  LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
  *d = (struct noalloc_debug){.context = run->context};
  if (!subprogram)
    return true;
  LLVMMetadataRef own = copy_subprogram_for_noalloc(run, subprogram, noalloc);
  if (!own)
    return false;
  LLVMSetSubprogram(noalloc, own);
  d->call = LLVMDIBuilderCreateDebugLocation(run->context, LLVMDISubprogramGetLine(own), 0, own, NULL);
  return true;
}

/* Whether the record describes a single value or address. */
static bool has_empty_expression(LLVMContextRef context, LLVMDbgRecordRef record)
{
  char *text = ir_node_text(context, LLVMDbgVariableRecordGetExpression(record));
  bool plain = text && strcmp(text, "!DIExpression()") == 0;
  LLVMDisposeMessage(text);
  return plain;
}

static bool is_record_of_variable(LLVMDbgRecordRef record)
{
  return LLVMDbgRecordGetKind(record) != LLVMDbgRecordLabel;
}

/* The parameter number (from 1) that the record is about; 0: none. */
static unsigned parameter_plus_one_of_record_or_zero(LLVMContextRef context, LLVMValueRef function,
                                                     LLVMDbgRecordRef record)
{
  LLVMValueRef value = LLVMDbgVariableRecordGetValue(record, 0);
  bool assigns = LLVMDbgRecordGetKind(record) == LLVMDbgRecordAssign;
  for (unsigned i = 0; value && !assigns && i < LLVMCountParams(function); i++)
    if (LLVMGetParam(function, i) == value)
      return has_empty_expression(context, record) ? i + 1 : 0;
  return 0;
}

struct variable { /* a variable of the ramp, with all its records */
  LLVMDbgRecordRef record; /* the first record */
  unsigned parameter; /* the parameter that all records are about; 0: not a single one */
};
typedef CORO_VEC(struct variable) variables;

static bool add_variable_or_merge_parameter(struct pass_run *run, struct coro_map *known, variables *found,
                                            LLVMValueRef function, LLVMDbgRecordRef record)
{
  uint64_t place, key = coro_map_key(LLVMDbgVariableRecordGetVariable(record));
  unsigned parameter = parameter_plus_one_of_record_or_zero(run->context, function, record);
  if (!coro_map_get(known, key, &place))
    return coro_map_put(known, key, found->count) &&
           coro_vec_push(run->arena, found, ((struct variable){record, parameter}));
  if (found->items[place].parameter != parameter)
    found->items[place].parameter = 0;
  return true;
}

static bool find_variables_with_their_parameter(struct pass_run *run, LLVMValueRef function, variables *found)
{
  struct coro_map known;
  bool fine = true;
  coro_map_init(&known, run->arena);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(at); r && fine; r = LLVMGetNextDbgRecord(r))
        fine = !is_record_of_variable(r) || add_variable_or_merge_parameter(run, &known, found, function, r);
  return fine;
}

/* Called afterwards: describes the parameters. False: out of memory. */
static bool noalloc_debug_describe_parameters_and_loops(struct noalloc_debug *d, struct pass_run *run,
                                                        LLVMValueRef function, LLVMValueRef noalloc)
{
  variables found = {0};
  if (!d->call)
    return true;
  if (!find_variables_with_their_parameter(run, function, &found))
    return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(noalloc); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (LLVMHasMetadata(at))
        ir_relocate_loop(run->arena, run->context, at, noalloc_debug_locate, d);
  LLVMDIBuilderRef builder = LLVMCreateDIBuilder(run->module);
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(noalloc));
  for (uint32_t i = 0; i < found.count; i++) {
    if (!found.items[i].parameter)
      continue;
    LLVMDbgRecordRef r = found.items[i].record;
    LLVMValueRef own = LLVMGetParam(noalloc, found.items[i].parameter - 1);
    ir_record_insert_copy(builder, r, own, LLVMDbgVariableRecordGetExpression(r),
                          noalloc_debug_locate(d, LLVMDbgRecordGetDebugLoc(r)), first);
  }
  LLVMDisposeDIBuilder(builder);
  return !coro_arena_failed(run->arena);
}

/* ---- Lookup ---- */

bool noalloc_has_parameters_of_ramp(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef noalloc)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(coroutine), other = LLVMGlobalGetValueType(noalloc);
  unsigned count = LLVMCountParams(coroutine);
  if (LLVMIsFunctionVarArg(type) || LLVMIsFunctionVarArg(other) || LLVMCountParams(noalloc) != count + 1 ||
      LLVMGetReturnType(type) != LLVMGetReturnType(other) ||
      LLVMTypeOf(LLVMGetParam(noalloc, count)) != LLVMPointerTypeInContext(run->context, 0))
    return false;
  for (unsigned i = 0; i < count; i++)
    if (LLVMTypeOf(LLVMGetParam(coroutine, i)) != LLVMTypeOf(LLVMGetParam(noalloc, i)))
      return false;
  return true;
}

LLVMValueRef noalloc_of_id(struct pass_run *run, LLVMValueRef id, struct clones *clones)
{
  struct clones own;
  if (!clones_read_from_split_id(run, id, &own) || !own.noalloc || !LLVMIsAFunction(own.noalloc) ||
      !noalloc_has_parameters_of_ramp(run, own.coroutine, own.noalloc))
    return NULL;
  *clones = own;
  clones_read_frame_size_and_align(own.noalloc, LLVMCountParams(own.coroutine), &clones->frame_size,
                                   &clones->frame_align);
  return own.noalloc;
}

/* The llvm.coro.id of a split coroutine lists it as the last clone. A function that merely has the name does not
   count. */
LLVMValueRef noalloc_of_ramp(struct pass_run *run, LLVMValueRef coroutine, struct clones *clones)
{
  for (LLVMUseRef use = LLVMGetFirstUse(coroutine); use; use = LLVMGetNextUse(use)) {
    struct clones own;
    if (clones_read_from_split_id(run, LLVMGetUser(use), &own) && own.coroutine == coroutine && own.noalloc)
      return noalloc_of_id(run, LLVMGetUser(use), clones);
  }
  return NULL;
}

/* ---- Creation ---- */

bool noalloc_can_be_created(LLVMValueRef id, const struct clones *clones)
{
  LLVMValueRef info = edit_strip_casts_and_zero_geps(LLVMGetOperand(id, ID_PARTS));
  LLVMValueRef function = clones->coroutine;
  uint64_t count = LLVMGetArrayLength2(LLVMGlobalGetValueType(info));
  return !clones->noalloc && count == CLONE_SLOT_COUNT &&
         LLVMIsAFunction(edit_strip_casts_and_zero_geps(clones->address[0])) &&
         declare_can_append_frame_parameter(function) && inline_can_copy_body(function);
}

/* Drops attributes of the result that hold only if the ramp allocates the frame. */
static void drop_heap_attributes_of_result(LLVMValueRef of)
{
  static const char *const of_heap[] = {"align", "dereferenceable", "dereferenceable_or_null", "noalias"};
  for (size_t i = 0; i < sizeof of_heap / sizeof *of_heap; i++)
    edit_remove_attribute(of, LLVMAttributeReturnIndex, of_heap[i]);
}

static LLVMValueRef declare_noalloc_like_ramp(struct pass_run *run, const struct clones *clones)
{
  LLVMValueRef function = clones->coroutine;
  unsigned count = LLVMCountParams(function);
  LLVMTypeRef type = declare_noalloc_type(run->arena, function);
  if (!type)
    return NULL;
  LLVMValueRef noalloc = declare_function_like(run->arena, run->module, function, "noalloc", type);
  LLVMSetFunctionCallConv(noalloc, LLVMGetFunctionCallConv(function));
  LLVMSetUnnamedAddress(noalloc, LLVMGetUnnamedAddress(function));
  edit_copy_attributes(run->arena, function, noalloc, LLVMAttributeFunctionIndex, declare_attribute_holds_for_clone);
  edit_copy_attributes(run->arena, function, noalloc, LLVMAttributeReturnIndex, declare_attribute_holds_for_buffer);
  drop_heap_attributes_of_result(noalloc);
  for (unsigned i = 1; i <= count; i++)
    edit_copy_attributes(run->arena, function, noalloc, i, NULL);
  declare_mark_dereferenceable_pointer(noalloc, count + 1, clones->frame_align, clones->frame_size);
  return noalloc;
}

static bool copy_ramp_body(struct pass_run *run, LLVMValueRef function, LLVMValueRef noalloc)
{
  unsigned count = LLVMCountParams(function);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(run->arena, LLVMValueRef, count + 1), result;
  struct noalloc_debug debug;
  if (!arguments || !noalloc_debug_set_subprogram_if_any(&debug, run, function, noalloc))
    return false;
  LLVMGetParams(noalloc, arguments);
  for (unsigned i = 0; i < count; i++) {
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetParam(function, i), &length);
    LLVMSetValueName2(arguments[i], name, length);
  }
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(run->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(run->context, noalloc, "entry"));
  struct inline_call call = {.builder = builder,
                             .callee = function,
                             .arguments = arguments,
                             .tail = true,
                             .locate = noalloc_debug_locate,
                             .user = &debug};
  bool fine = inline_body_at_builder_position(run->arena, &call, &result);
  LLVMDisposeBuilder(builder);
  return fine && noalloc_debug_describe_parameters_and_loops(&debug, run, function, noalloc);
}

/* Replaces the allocation by the parameter, and removes the deallocation. */
static bool use_last_parameter_as_frame_and_drop_frees(struct pass_run *run, LLVMValueRef coroutine,
                                                       LLVMValueRef noalloc)
{
  pass_values users = {0};
  struct clones clones;
  LLVMValueRef frame = LLVMGetLastParam(noalloc), id = clones_find_id(run, coroutine, noalloc, UINT_MAX, &clones);
  for (LLVMUseRef use = id ? LLVMGetFirstUse(id) : NULL; use; use = LLVMGetNextUse(use))
    if (!coro_vec_push(run->arena, &users, LLVMGetUser(use)))
      return false;
  for (uint32_t i = 0; i < users.count; i++)
    switch (intrin_of_call(run->intrin, users.items[i])) {
    case INTRIN_ALLOC: edit_replace_and_erase(users.items[i], edit_bool_constant(run->context, false)); break;
    case INTRIN_BEGIN: edit_replace_and_erase(users.items[i], frame); break;
    case INTRIN_FREE: edit_replace_and_erase(users.items[i], LLVMConstNull(LLVMTypeOf(frame))); break;
    default: break;
    }
  if (id)
    edit_erase_instruction(id);
  return true;
}

/* Appends it to the array of clones, which all coro.ids of the coroutine share. */
static void append_noalloc_to_clone_array(struct pass_run *run, const struct clones *clones, LLVMValueRef info,
                                          LLVMValueRef noalloc)
{
  LLVMValueRef all[CLONE_SLOT_COUNT + 1];
  LLVMTypeRef type = LLVMTypeOf(clones->address[0]);
  for (unsigned i = 0; i < CLONE_SLOT_COUNT; i++)
    all[i] = clones->address[i];
  all[CLONE_SLOT_COUNT] = noalloc;
  LLVMValueRef longer = LLVMAddGlobalInAddressSpace(run->module, LLVMArrayType2(type, CLONE_SLOT_COUNT + 1), "",
                                                    LLVMGetPointerAddressSpace(LLVMTypeOf(info)));
  LLVMSetInitializer(longer, LLVMConstArray2(type, all, CLONE_SLOT_COUNT + 1));
  LLVMSetLinkage(longer, LLVMGetLinkage(info));
  LLVMSetGlobalConstant(longer, true);
  edit_move_value_name(run->arena, longer, info);
  LLVMReplaceAllUsesWith(info, longer);
  LLVMDeleteGlobal(info);
}

LLVMValueRef noalloc_create_and_add_to_clone_array(struct pass_run *run, LLVMValueRef id, const struct clones *clones)
{
  LLVMValueRef info = edit_strip_casts_and_zero_geps(LLVMGetOperand(id, ID_PARTS)),
               noalloc = declare_noalloc_like_ramp(run, clones);
  if (!noalloc || !copy_ramp_body(run, clones->coroutine, noalloc) ||
      !use_last_parameter_as_frame_and_drop_frees(run, clones->coroutine, noalloc))
    return NULL;
  append_noalloc_to_clone_array(run, clones, info, noalloc);
  return coro_arena_failed(run->arena) ? NULL : noalloc;
}

/* ---- Calls ---- */

bool elide_ramp_call_by_noalloc_call(struct pass_run *run, LLVMValueRef call, LLVMValueRef noalloc,
                                     const struct clones *clones, LLVMValueRef *made)
{
  struct call_changes changes = {.callee = noalloc,
                                 .last_argument = elided_frame_build(run, clones, edit_function_of(call)),
                                 .dropped = "coro_elide_safe"}; /* the annotation is consumed */
  *made = rebuild_call(run->arena, call, &changes);
  if (!*made)
    return false;
  elided_frame_start_lifetime(run, changes.last_argument, *made);
  edit_remove_function_attribute(*made, "memory");
  drop_heap_attributes_of_result(*made);
  return true;
}
