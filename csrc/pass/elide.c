/* coro-elide: calls the parts of a known coroutine directly, and puts the frame of one that does not outlive the
   function that starts it on that function's stack.
   Needs: ramps split and inlined: a coro.id whose info lists the parts of another function. Leaves: of that id no
   coro.subfn.addr on its coro.begin; where elided, no allocation either. */
#include "ir/edit.h"
#include "pass/decision.h"
#include "pass/escapes.h"
#include "pass/lifetime.h"
#include "pass/parts.h"

struct elide {
  struct pass_run *run;
  LLVMValueRef function;
  LLVMValueRef id;
  struct parts parts;
  struct leaving *leaving;           /* of the function */
  pass_values begins, allocs, frees; /* on this id */
  pass_values resumes, destroys;     /* coro.subfn.addr on its begins */
  pass_values direct;                /* calls of f.destroy with such a begin */
  pass_values ends;                  /* where the coroutine is destroyed or its frame freed */
  bool changed;
};

static bool sort_user(struct elide *e, LLVMValueRef user)
{
  switch (intrin_of(e->run->intrin, user)) {
  case INTRIN_BEGIN: return coro_vec_push(e->run->arena, &e->begins, user);
  case INTRIN_ALLOC: return coro_vec_push(e->run->arena, &e->allocs, user);
  case INTRIN_FREE:
    return coro_vec_push(e->run->arena, &e->frees, user) && coro_vec_push(e->run->arena, &e->ends, user);
  default: return true;
  }
}

/* Whether an address is called: handing it on, to a phi or to memory, destroys nothing by itself. */
static bool sort_address(struct elide *e, LLVMValueRef address, uint64_t slot)
{
  pass_values *into = slot == PART_SLOT_RESUME ? &e->resumes : &e->destroys;
  if (slot > PART_SLOT_DESTROY)
    return true;
  if (!coro_vec_push(e->run->arena, into, address))
    return false;
  for (LLVMUseRef use = slot == PART_SLOT_DESTROY ? LLVMGetFirstUse(address) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (edit_is_call(user) && LLVMGetCalledValue(user) == address && !coro_vec_push(e->run->arena, &e->ends, user))
      return false;
  }
  return true;
}

static bool sort_begin_user(struct elide *e, LLVMValueRef begin, LLVMValueRef user)
{
  uint64_t slot;
  if (!edit_is_call(user))
    return true;
  if (intrin_of(e->run->intrin, user) == INTRIN_SUBFN_ADDR)
    return !edit_constant(LLVMGetOperand(user, SUBFN_INDEX), &slot) || sort_address(e, user, slot);
  bool direct =
      LLVMGetCalledValue(user) == e->parts.address[PART_SLOT_DESTROY] && LLVMGetOperand(user, PART_FRAME) == begin;
  return !direct || (coro_vec_push(e->run->arena, &e->direct, user) && coro_vec_push(e->run->arena, &e->ends, user));
}

static bool collect(struct elide *e)
{
  for (LLVMUseRef use = LLVMGetFirstUse(e->id); use; use = LLVMGetNextUse(use))
    if (!sort_user(e, LLVMGetUser(use)))
      return false;
  for (uint32_t b = 0; b < e->begins.count; b++)
    for (LLVMUseRef use = LLVMGetFirstUse(e->begins.items[b]); use; use = LLVMGetNextUse(use))
      if (!sort_begin_user(e, e->begins.items[b], LLVMGetUser(use)))
        return false;
  return true;
}

static const char *refusal(struct elide *e, LLVMValueRef *at, bool *fine)
{
  *fine = true;
  *at = e->begins.items[0];
  if (!e->allocs.count)
    return "it does not ask by coro.alloc whether to allocate";
  if (!e->parts.frame_size)
    return "the size of its frame is not known";
  struct lifetime lifetime = {e->run, &e->begins, &e->ends, &e->parts, e->leaving};
  const char *reason = NULL;
  for (uint32_t b = 0; b < e->begins.count && !reason && *fine; b++)
    reason = lifetime_reason(&lifetime, e->begins.items[b], at, fine);
  return reason;
}

static void replace_all(struct elide *e, pass_values *values, LLVMValueRef by)
{
  for (uint32_t i = 0; i < values->count; i++)
    edit_replace(values->items[i], by);
  e->changed |= values->count != 0;
}

/* `tail` promises that the callee sees nothing of this function's stack, where the frame is now. A call right before a
   return keeps it: the coroutine is over by then. */
static void drop_tail(struct elide *e)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (LLVMGetInstructionOpcode(at) == LLVMCall && LLVMGetTailCallKind(at) == LLVMTailCallKindTail &&
          LLVMGetInstructionOpcode(LLVMGetNextInstruction(at)) != LLVMRet)
        LLVMSetTailCallKind(at, LLVMTailCallKindNone);
}

static bool put_on_stack(struct elide *e)
{
  pass_values uses = {0};
  for (uint32_t b = 0; b < e->begins.count; b++)
    if (!pass_escapes(e->run, e->begins.items[b], &uses))
      return false;
  LLVMValueRef frame = parts_build_frame(e->run, &e->parts, e->function, "vFrame");
  replace_all(e, &e->allocs, edit_bool(e->run->context, false));
  replace_all(e, &e->frees, LLVMConstNull(LLVMTypeOf(frame)));
  replace_all(e, &e->begins, frame);
  for (uint32_t i = 0; i < e->direct.count; i++)
    edit_set_callee(e->direct.items[i], e->parts.address[PART_SLOT_CLEANUP]);
  if (uses.count)
    drop_tail(e);
  return true;
}

static bool say(struct elide *e, LLVMValueRef at, const char *refused)
{
  struct decision decision = {.pass = "coro-elide",
                              .name = "CoroElide",
                              .caller = e->function,
                              .parts = &e->parts,
                              .at = at,
                              .reason = refused ? refused : "every way on from its start destroys it",
                              .done = !refused};
  return decision_tell(e->run, &decision);
}

static coro_status elide_id(struct elide *e)
{
  bool fine;
  LLVMValueRef at;
  if (!collect(e))
    return CORO_ENOMEM;
  if (!e->begins.count)
    return CORO_OK;
  const char *refused = refusal(e, &at, &fine);
  if (!fine || !say(e, at, refused))
    return CORO_ENOMEM;
  /* A ramp that was given its frame by its caller has had its coro.alloc decided, and its frame is not to be freed; one
     that never had a coro.alloc always frees it. Which of them this was only the frame itself knows. */
  bool known = e->allocs.count || !e->parts.noalloc;
  replace_all(e, &e->resumes, e->parts.address[PART_SLOT_RESUME]);
  if (known)
    replace_all(e, &e->destroys, e->parts.address[refused ? PART_SLOT_DESTROY : PART_SLOT_CLEANUP]);
  return refused || put_on_stack(e) ? CORO_OK : CORO_ENOMEM;
}

coro_status coro_pass_elide(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  pass_values calls = {0}, ids = {0};
  LLVMValueRef id = LLVMGetNamedFunction(run->module, intrin_name(INTRIN_ID));
  if (!id || !LLVMGetFirstUse(id))
    return CORO_OK;
  if (!pass_calls(run, function, &calls))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < calls.count; i++) /* the other calls may be gone once an id was looked at */
    if (intrin_of(run->intrin, calls.items[i]) == INTRIN_ID && !coro_vec_push(run->arena, &ids, calls.items[i]))
      return CORO_ENOMEM;
  coro_status status = CORO_OK;
  struct leaving leaving;
  coro_report_forget_refusals(run->report, LLVMGetValueName2(function, &(size_t){0}));
  leaving_init(&leaving, run->arena, function);
  for (uint32_t i = 0; i < ids.count && !status; i++) {
    struct elide e = {.run = run, .function = function, .id = ids.items[i], .leaving = &leaving};
    if (parts_of_id(run, e.id, &e.parts) && e.parts.coroutine != function)
      status = elide_id(&e);
    *changed |= e.changed;
  }
  return status;
}
