/* Moves bodies to the work module and back; see work_module.h. */
#include "cgscc/work_module.h"

#include "cgscc/held_functions.h"
#include "cgscc/work_declaration.h"
#include "ir/edit.h"
#include "llvm-c/Comdat.h"

/* ---- References from moved bodies to functions of their home module ---- */

enum { DEEPEST = 64 }; /* nesting limit of constants */

static bool is_function_alias_or_ifunc(LLVMValueRef constant)
{
  return LLVMIsAFunction(constant) || LLVMIsAGlobalAlias(constant) || LLVMIsAGlobalIFunc(constant);
}

/* Returns true on the first visit. */
static bool mark_visited_first_time(struct work_module *w, LLVMValueRef constant)
{
  if (coro_map_has(&w->seen, coro_map_key(constant)))
    return false;
  w->failed |= !coro_map_put(&w->seen, coro_map_key(constant), 1);
  return true;
}

static bool is_aggregate(LLVMValueRef constant)
{
  LLVMValueKind kind = LLVMGetValueKind(constant);
  return kind == LLVMConstantArrayValueKind || kind == LLVMConstantStructValueKind ||
         kind == LLVMConstantVectorValueKind;
}

static LLVMValueRef aggregate_with_elements(LLVMValueRef like, LLVMValueRef *clones, unsigned count)
{
  LLVMTypeRef type = LLVMTypeOf(like);
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return LLVMConstArray2(LLVMGetElementType(type), clones, count);
  if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
    return LLVMGetStructName(type)
               ? LLVMConstNamedStruct(type, clones, count)
               : LLVMConstStructInContext(LLVMGetTypeContext(type), clones, count, LLVMIsPackedStruct(type));
  return LLVMConstVector(clones, count);
}

static void hide_functions_of_initializer_temporarily(struct work_module *w, LLVMValueRef global, unsigned depth);

static LLVMValueRef rebuild_constant(struct work_module *w, LLVMValueRef constant, unsigned depth);

static LLVMValueRef rebuild_aggregate(struct work_module *w, LLVMValueRef constant, unsigned depth)
{
  unsigned count = (unsigned)LLVMGetNumOperands(constant);
  LLVMValueRef *clones = CORO_NEW_ARRAY(w->arena, LLVMValueRef, count + 1);
  bool changed = false;
  for (unsigned i = 0; i < count && clones; i++) {
    LLVMValueRef part = LLVMGetOperand(constant, i);
    clones[i] = rebuild_constant(w, part, depth + 1);
    if (!clones[i])
      return NULL;
    changed |= clones[i] != part;
  }
  return !clones ? NULL : changed ? aggregate_with_elements(constant, clones, count) : constant;
}

/* The constant with home functions replaced by those of the work module; NULL if LLVM-C cannot build it. */
static LLVMValueRef rebuild_constant(struct work_module *w, LLVMValueRef constant, unsigned depth)
{
  if (depth > DEEPEST || LLVMIsABlockAddress(constant))
    return NULL;
  if (is_function_alias_or_ifunc(constant))
    return LLVMGetGlobalParent(constant) == w->home ? find_or_declare_counterpart(w, constant) : constant;
  if (LLVMIsAGlobalVariable(constant)) {
    hide_functions_of_initializer_temporarily(w, constant, depth + 1);
    return constant;
  }
  if (is_aggregate(constant))
    return rebuild_aggregate(w, constant, depth);
  for (int i = 0; i < LLVMGetNumOperands(constant); i++)
    if (rebuild_constant(w, LLVMGetOperand(constant, (unsigned)i), depth + 1) != LLVMGetOperand(constant, (unsigned)i))
      return NULL;
  return constant;
}

static void hide_functions_of_initializer_temporarily(struct work_module *w, LLVMValueRef global, unsigned depth)
{
  LLVMValueRef initializer = LLVMGetInitializer(global);
  if (!initializer || !mark_visited_first_time(w, global))
    return;
  LLVMValueRef hidden = rebuild_constant(w, initializer, depth);
  if (hidden == initializer)
    return;
  if (coro_vec_push(w->arena, &w->hidden, ((struct hidden_initializer){global, initializer})))
    LLVMSetInitializer(global, hidden);
  else
    w->failed = true;
}

/* Redirects a constant operand, or a part of one. */
static void redirect_constant(struct work_module *w, LLVMValueRef constant, unsigned depth)
{
  if (LLVMIsAGlobalVariable(constant)) {
    hide_functions_of_initializer_temporarily(w, constant, 0);
    return;
  }
  if (depth > DEEPEST || !LLVMGetNumOperands(constant) || !mark_visited_first_time(w, constant))
    return;
  for (int i = 0; i < LLVMGetNumOperands(constant); i++) {
    LLVMValueRef part = LLVMGetOperand(constant, (unsigned)i);
    if (!LLVMIsAConstant(part))
      continue; /* the block of a blockaddress */
    if (!is_function_alias_or_ifunc(part))
      redirect_constant(w, part, depth + 1);
    else if (LLVMGetGlobalParent(part) == w->home && find_or_declare_counterpart(w, part))
      LLVMReplaceAllUsesWith(part, find_or_declare_counterpart(w, part));
  }
}

static void redirect_operand(struct work_module *w, LLVMValueRef instruction, unsigned i)
{
  LLVMValueRef operand = LLVMGetOperand(instruction, i);
  if (!operand || !LLVMIsAConstant(operand))
    return;
  if (!is_function_alias_or_ifunc(operand)) {
    redirect_constant(w, operand, 0);
    return;
  }
  LLVMValueRef made = LLVMGetGlobalParent(operand) == w->home ? find_or_declare_counterpart(w, operand) : NULL;
  if (made)
    LLVMSetOperand(instruction, i, made);
}

/* Makes the operands of a moved body refer to functions of the work module only. References in variables'
   initializers are hidden until work_redirect_references_to_home. w->failed records memory exhaustion. */
static void redirect_operands_to_counterparts(struct work_module *w, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      for (int i = 0; i < LLVMGetNumOperands(at); i++)
        redirect_operand(w, at, (unsigned)i);
}

static LLVMValueRef find_in_home(const struct work_module *w, const char *name, size_t length)
{
  LLVMValueRef named = LLVMGetNamedFunctionWithLength(w->home, name, length);
  named = named ? named : LLVMGetNamedGlobalAlias(w->home, name, length);
  return named ? named : LLVMGetNamedGlobalWithLength(w->home, name, length);
}

/* A library function or intrinsic declared by a pass. */
static LLVMValueRef find_or_declare_in_home(struct work_module *w, LLVMValueRef made)
{
  size_t length;
  const char *name = LLVMGetValueName2(made, &length);
  LLVMValueRef home = find_in_home(w, name, length);
  if (home)
    return home;
  char *copy = coro_arena_strndup(w->arena, name, length);
  w->failed |= !copy;
  home = LLVMAddFunction(w->home, copy ? copy : "", LLVMGlobalGetValueType(made));
  copy_convention_and_attributes(w, made, home);
  return home;
}

static void move_variable_to_home(struct work_module *w, LLVMValueRef made)
{
  size_t length;
  const char *name = LLVMGetValueName2(made, &length);
  char *copy = coro_arena_strndup(w->arena, name, length);
  w->failed |= !copy;
  LLVMValueRef home = LLVMAddGlobalInAddressSpace(w->home, LLVMGlobalGetValueType(made), copy ? copy : "",
                                                  LLVMGetPointerAddressSpace(LLVMTypeOf(made)));
  LLVMSetInitializer(home, LLVMGetInitializer(made));
  LLVMSetLinkage(home, LLVMGetLinkage(made));
  LLVMSetGlobalConstant(home, LLVMIsGlobalConstant(made));
  LLVMSetUnnamedAddress(home, LLVMGetUnnamedAddress(made));
  LLVMSetAlignment(home, LLVMGetAlignment(made));
  LLVMReplaceAllUsesWith(made, home);
}

/* Makes all references to the work module refer to the home module, creating functions and variables that LLVM's
   passes have added, and restores initializers. */
static void work_redirect_references_to_home(struct work_module *w)
{
  for (uint32_t i = 0; i < w->counterparts.count; i++) {
    const struct counterpart *c = &w->counterparts.items[i];
    LLVMValueRef made = LLVMGetNamedFunction(w->work, c->name);
    made = made ? made : LLVMGetNamedGlobal(w->work, c->name);
    if (made && c->home)
      LLVMReplaceAllUsesWith(made, c->home);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(w->work); f; f = LLVMGetNextFunction(f))
    if (LLVMGetFirstUse(f))
      LLVMReplaceAllUsesWith(f, find_or_declare_in_home(w, f));
  for (LLVMValueRef g = LLVMGetFirstGlobal(w->work); g; g = LLVMGetNextGlobal(g))
    if (LLVMGetFirstUse(g))
      move_variable_to_home(w, g);
  for (uint32_t i = 0; i < w->hidden.count; i++)
    LLVMSetInitializer(w->hidden.items[i].global, w->hidden.items[i].initializer);
}

enum {
  /* instructions of a body that LLVM's inliner may copy: its threshold is 225, at a cost of 5 each */
  LARGEST_CALLEE = 400,
  CALL_DEPTH = 2        /* callees, and their callees: the inliner visits calls in inlined bodies */
};

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
         !edit_has_function_attribute(function, "noinline") &&
         (edit_has_function_attribute(function, "alwaysinline") || is_local_and_used_once(function) ||
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
    m->only_for_inlining &= !edit_has_function_attribute(made, "optnone");
    if (m->only_for_inlining)
      edit_add_function_attribute(made, "optnone");
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
    edit_remove_function_attribute(made, "optnone");
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
