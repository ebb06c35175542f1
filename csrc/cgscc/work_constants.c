/* Rebuilds constants that refer to functions; see work_constants.h. */
#include "cgscc/work_constants.h"

#include "cgscc/work_declaration.h"

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

void redirect_operands_to_counterparts(struct work_module *w, LLVMValueRef function)
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

void work_redirect_references_to_home(struct work_module *w)
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
