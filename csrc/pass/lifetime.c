/* Whether a coroutine that a function starts is over before the function is left.
   Needs: ir. Leaves: the function as it was. */
#include "pass/lifetime.h"

#include "ir/edit.h"
#include "ir/flow.h"
#include "pass/escapes.h"

enum event { EVENT_NONE, EVENT_BEGIN, EVENT_END, EVENT_LEFT };

struct place {
  LLVMBasicBlockRef block;
  bool known; /* the handle may be known to others when control is here */
};

struct search {
  const struct lifetime *l;
  struct coro_map events; /* instruction -> enum event */
  struct coro_map busy;   /* blocks that hold an event */
  struct coro_map shares; /* instructions by which others may learn of the handle, and the blocks that hold them */
  struct coro_map seen;   /* block -> 1: entered while the handle was not known, 2: while it was, 3: both */
  CORO_VEC(struct place) stack;
  LLVMValueRef at; /* what was looked at last */
};

static bool note_events(struct search *s, const pass_values *values, enum event event)
{
  for (uint32_t i = 0; i < values->count; i++)
    if (!coro_map_put(&s->events, coro_map_key(values->items[i]), event) ||
        !coro_map_put(&s->busy, coro_map_key(LLVMGetInstructionParent(values->items[i])), 1))
      return false;
  return true;
}

static bool is_own_part(const struct search *s, LLVMValueRef callee)
{
  return callee == s->l->parts->address[PART_SLOT_RESUME] || intrin_of(s->l->run->intrin, callee) == INTRIN_SUBFN_ADDR;
}

/* Who is called may keep what it is given. The coroutine itself may let its frame out only where it names it. */
static bool note_shares(struct search *s, LLVMValueRef begin)
{
  pass_values uses = {0};
  const LLVMValueRef *parts = s->l->parts->address;
  bool private_frame = leaving_keeps_private(s->l->run, parts[PART_SLOT_RESUME], parts[PART_SLOT_CLEANUP]);
  if (!pass_escapes(s->l->run, begin, &uses))
    return false;
  for (uint32_t i = 0; i < uses.count; i++) {
    LLVMValueRef user = uses.items[i];
    bool call = edit_is_call(user);
    if (call && (is_own_part(s, LLVMGetCalledValue(user)) ? private_frame : !leaving_may_keep(user)))
      continue;
    if (!coro_map_put(&s->shares, coro_map_key(user), 1) ||
        !coro_map_put(&s->shares, coro_map_key(LLVMGetInstructionParent(user)), 1))
      return false;
  }
  return true;
}

/* A call by which an exception leaves the function. */
static bool is_way_out(const struct search *s, LLVMValueRef call)
{
  bool resumes = LLVMIsACallInst(call) && is_own_part(s, LLVMGetCalledValue(call));
  LLVMValueRef part = resumes ? s->l->parts->address[PART_SLOT_RESUME] : NULL;
  return leaving_by(s->l->leaving, call) && !(part && leaving_never(part));
}

/* What comes first from here to the end of the block; *known is what is so at its end. */
static enum event first_event(struct search *s, LLVMValueRef from, bool *known)
{
  uint64_t event = EVENT_NONE, there;
  for (LLVMValueRef at = from; at; at = LLVMGetNextInstruction(at)) {
    s->at = at;
    if (coro_map_get(&s->events, coro_map_key(at), &event))
      return (enum event)event;
    *known = *known || coro_map_get(&s->shares, coro_map_key(at), &there);
    if (*known && is_way_out(s, at))
      return EVENT_LEFT;
  }
  return EVENT_NONE;
}

/* Likewise; a block in which nothing is done to the coroutine is looked at once for all of them. */
static enum event event_in(struct search *s, LLVMValueRef from, bool *known)
{
  uint64_t there;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(from);
  bool own =
      coro_map_get(&s->busy, coro_map_key(block), &there) || coro_map_get(&s->shares, coro_map_key(block), &there);
  if (!own && !(*known && leaving_in(s->l->leaving, block)))
    return EVENT_NONE;
  return first_event(s, from, known);
}

/* A caller that is a coroutine keeps its frame while suspended, and the elided one in it: only being resumed or
   destroyed goes on. */
static unsigned first_successor(const struct search *s, LLVMValueRef terminator)
{
  LLVMValueRef switched = flow_switched(terminator);
  return switched && intrin_of(s->l->run->intrin, switched) == INTRIN_SUSPEND ? 1 : 0;
}

static bool push_successors(struct search *s, LLVMValueRef terminator, bool known)
{
  unsigned count = LLVMGetNumSuccessors(terminator);
  for (unsigned i = first_successor(s, terminator); i < count; i++) {
    struct place next = {LLVMGetSuccessor(terminator, i), known};
    uint64_t seen = 0, mark = known ? 2 : 1;
    coro_map_get(&s->seen, coro_map_key(next.block), &seen);
    if (seen & mark)
      continue;
    if (!coro_map_put(&s->seen, coro_map_key(next.block), seen | mark) ||
        !coro_vec_push(s->l->run->arena, &s->stack, next))
      return false;
  }
  return true;
}

/* Follows control from an instruction to the end of its block. */
static const char *follow(struct search *s, LLVMValueRef from, bool known, bool *fine)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(from);
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
  LLVMOpcode opcode = LLVMGetInstructionOpcode(terminator);
  static const char *const reasons[] = {
      [EVENT_BEGIN] = "it may be started again before it is destroyed",
      [EVENT_END] = NULL,
      [EVENT_LEFT] = "an exception may leave it behind while others know its handle",
  };
  enum event event = event_in(s, from, &known);
  if (event != EVENT_NONE)
    return reasons[event];
  s->at = terminator;
  if (opcode == LLVMRet)
    return "a way to a return does not destroy it";
  if (LLVMGetNumSuccessors(terminator) == 0 && opcode != LLVMUnreachable && known)
    return reasons[EVENT_LEFT];
  *fine = *fine && push_successors(s, terminator, known);
  return NULL;
}

const char *lifetime_reason(const struct lifetime *l, LLVMValueRef begin, LLVMValueRef *at, bool *fine)
{
  struct search s = {.l = l};
  coro_map_init(&s.events, l->run->arena);
  coro_map_init(&s.busy, l->run->arena);
  coro_map_init(&s.shares, l->run->arena);
  coro_map_init(&s.seen, l->run->arena);
  *fine = note_events(&s, l->begins, EVENT_BEGIN) && note_events(&s, l->ends, EVENT_END) && note_shares(&s, begin);
  const char *reason = *fine ? follow(&s, LLVMGetNextInstruction(begin), false, fine) : NULL;
  while (s.stack.count && !reason && *fine) {
    struct place place = s.stack.items[--s.stack.count];
    reason = follow(&s, LLVMGetFirstInstruction(place.block), place.known, fine);
  }
  if (reason)
    *at = s.at;
  return reason;
}
