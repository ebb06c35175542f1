/* Moves bodies to the work module and back; see work_module.h. */
#include "cgscc/work_module.h"

#include "cgscc/held_functions.h"
#include "cgscc/work_constants.h"
#include "cgscc/work_declaration.h"
#include "ir/edit.h"
#include "llvm-c/Comdat.h"

enum {
  /* instructions of a body that LLVM's inliner may copy: its threshold is 225, at a cost of 5 each */
  LARGEST_CALLEE = 400,
  CALL_DEPTH = 2        /* callees, and their callees: the inliner visits calls in inlined bodies */
};

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

static bool has_block_address(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); use; use = LLVMGetNextUse(use))
      if (!edit_is_instruction(LLVMGetUser(use)))
        return true;
  return false;
}

bool work_module_can_hold_functions(const pass_values *functions)
{
  for (uint32_t i = 0; i < functions->count; i++)
    if (has_block_address(functions->items[i]))
      return false;
  return true;
}

/* Whether a local function's only use is a call, which the inliner may replace whatever the size of the body. */
static bool is_local_and_used_once(LLVMValueRef function)
{
  LLVMUseRef use = LLVMGetFirstUse(function);
  return edit_has_local_linkage(function) && use && !LLVMGetNextUse(use);
}

static bool may_be_inlined(LLVMValueRef function)
{
  return !LLVMIsDeclaration(function) && !edit_is_presplit_definition(function) &&
         !edit_has_attribute(function, on_function, "noinline") &&
         (edit_has_attribute(function, on_function, "alwaysinline") || is_local_and_used_once(function) ||
          !edit_has_more_instructions_than(function, LARGEST_CALLEE)) &&
         !has_block_address(function);
}

struct choice { /* selection of functions to move */
  struct work_module *w;
  struct coro_map chosen;
  bool fine;
};

static void add_function_to_move(struct choice *c, LLVMValueRef function, bool only_for_inlining)
{
  if (coro_map_has(&c->chosen, coro_map_key(function)))
    return;
  bool moves = !only_for_inlining || may_be_inlined(function);
  struct moved_function moved = {.home = function, .only_for_inlining = only_for_inlining};
  c->fine = c->fine && coro_map_put(&c->chosen, coro_map_key(function), moves) &&
            (!moves || coro_vec_push(c->w->arena, &c->w->moved, moved));
}

static void add_callees_of_function(struct choice *c, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && c->fine; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at)) {
      LLVMValueRef callee = edit_is_call(at) ? LLVMGetCalledValue(at) : NULL;
      if (callee && LLVMIsAFunction(callee))
        add_function_to_move(c, callee, true);
    }
}

static bool choose_functions_to_move(struct work_module *w, const pass_values *functions, int call_depth)
{
  struct choice c = {.w = w, .fine = true};
  coro_map_init(&c.chosen, w->arena);
  for (uint32_t i = 0; i < functions->count; i++)
    add_function_to_move(&c, functions->items[i], false);
  uint32_t begin = 0;
  for (int depth = 0; depth < call_depth && c.fine; depth++) {
    uint32_t end = w->moved.count;
    for (uint32_t i = begin; i < end; i++)
      add_callees_of_function(&c, w->moved.items[i].home);
    begin = end;
  }
  return c.fine;
}

/* Replaces uses of a parameter by that of another function. Debug records would be dropped if a use moved between
   functions directly, so a value outside of any function is used in between. */
static void replace_parameters(struct work_module *w, LLVMValueRef from, LLVMValueRef to)
{
  for (unsigned i = 0; i < LLVMCountParams(from); i++) {
    LLVMValueRef old = LLVMGetParam(from, i), between = LLVMBuildFreeze(w->builder, LLVMGetUndef(LLVMTypeOf(old)), "");
    LLVMReplaceAllUsesWith(old, between);
    LLVMReplaceAllUsesWith(between, LLVMGetParam(to, i));
    LLVMDeleteInstruction(between);
  }
}

static void move_body_between_functions(struct work_module *w, LLVMValueRef from, LLVMValueRef to)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetFirstBasicBlock(from)) {
    LLVMRemoveBasicBlockFromParent(b);
    LLVMAppendExistingBasicBlock(to, b);
  }
  replace_parameters(w, from, to);
}

static void copy_parameter_names(LLVMValueRef from, LLVMValueRef to)
{
  for (unsigned i = 0; i < LLVMCountParams(from); i++) {
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetParam(from, i), &length);
    LLVMSetValueName2(LLVMGetParam(to, i), name, length);
  }
}

/* Whether code other than the moved bodies refers to it, or its comdat has other members. */
static bool is_used_elsewhere(LLVMValueRef home)
{
  LLVMComdatRef comdat = LLVMGetComdat(home);
  return LLVMGetFirstUse(home) || (comdat && !declaration_is_comdat_key(home));
}

/* Adds a variable of the work module that refers to functions with other users at home, so that LLVM neither deletes
   them nor treats a single call as the only use. It also makes local functions reachable in the lazy call graph. */
static bool hold_externally_used_declarations(struct work_module *w)
{
  pass_values held = {0};
  for (uint32_t i = 0; i < w->moved.count; i++) {
    uint64_t made = 0;
    if (is_used_elsewhere(w->moved.items[i].home) &&
        coro_map_get(&w->made, coro_map_key(w->moved.items[i].home), &made) &&
        !coro_vec_push(w->arena, &held, (LLVMValueRef)(uintptr_t)made))
      return false;
  }
  return held_functions_add(w->arena, w->work, &held, &w->held);
}

static bool declare_counterparts_of_moved(struct work_module *w)
{
  for (uint32_t i = 0; i < w->moved.count; i++)
    if (!find_or_declare_counterpart(w, w->moved.items[i].home))
      return false;
  for (uint32_t i = 0; i < w->moved.count; i++)
    declaration_copy_definition_properties(w, w->moved.items[i].home,
                                           find_or_declare_counterpart(w, w->moved.items[i].home));
  return !w->failed;
}

bool work_module_begin(struct work_module *w, struct coro_arena *arena, LLVMModuleRef home,
                       const pass_values *functions, bool with_callees)
{
  *w = (struct work_module){.arena = arena, .home = home, .work = create_module_with_target_of(home)};
  w->builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(home));
  coro_map_init(&w->made, arena);
  coro_map_init(&w->seen, arena);
  if (!choose_functions_to_move(w, functions, with_callees ? CALL_DEPTH : 0) || !declare_counterparts_of_moved(w)) {
    w->moved.count = 0;
    w->failed = true;
    return false;
  }
  for (uint32_t i = 0; i < w->moved.count; i++) {
    struct moved_function *m = &w->moved.items[i];
    LLVMValueRef made = find_or_declare_counterpart(w, m->home);
    m->only_for_inlining &= !edit_has_attribute(made, on_function, "optnone");
    if (m->only_for_inlining)
      edit_add_attribute(made, on_function, "optnone");
    copy_parameter_names(m->home, made);
    move_body_between_functions(w, m->home, made);
  }
  for (uint32_t i = 0; i < w->moved.count && !w->failed; i++)
    redirect_operands_to_counterparts(w, find_or_declare_counterpart(w, w->moved.items[i].home));
  w->failed = w->failed || !hold_externally_used_declarations(w);
  return !w->failed;
}

/* Deletes a function that LLVM deleted after inlining its last use. */
static void delete_function_deleted_by_llvm(LLVMValueRef home)
{
  LLVMReplaceAllUsesWith(home, LLVMGetPoison(LLVMTypeOf(home)));
  LLVMDeleteFunction(home);
}

static void move_function_back(struct work_module *w, const struct moved_function *m, struct counterpart *c)
{
  LLVMValueRef made = LLVMGetNamedFunction(w->work, c->name);
  if (!made || LLVMIsDeclaration(made)) {
    if (made)
      LLVMReplaceAllUsesWith(made, LLVMGetPoison(LLVMTypeOf(made)));
    delete_function_deleted_by_llvm(m->home);
    c->home = NULL;
    return;
  }
  if (m->only_for_inlining)
    edit_remove_attribute(made, on_function, "optnone");
  /* argpromotion created another function with this name */
  if (LLVMGlobalGetValueType(made) != LLVMGlobalGetValueType(m->home)) {
    c->home = create_home_function_named_as(w, m->home, made);
    delete_function_deleted_by_llvm(m->home);
  }
  declaration_copy_changes_back(w, made, c->home);
  copy_parameter_names(made, c->home);
  move_body_between_functions(w, made, c->home);
}

bool work_module_end(struct work_module *w)
{
  held_functions_release(w->work, w->held);
  for (uint32_t i = 0; i < w->moved.count; i++)
    move_function_back(w, &w->moved.items[i], &w->counterparts.items[i]);
  work_redirect_references_to_home(w);
  LLVMDisposeBuilder(w->builder);
  LLVMDisposeModule(w->work);
  return !w->failed && !coro_arena_failed(w->arena);
}
