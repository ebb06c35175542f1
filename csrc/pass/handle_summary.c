/* Encodes and decodes the handle summary of a ramp as a string, so that other modules can elide calls to it.
   Requires: ramp.
   Guarantees: the module is unchanged. */
#include "pass/handle_summary.h"

#include <inttypes.h>
#include <string.h>

#include "emit/declare.h"
#include "ir/edit.h"

enum { VERSION = 1, MOST_DIGITS = 12 };
static const int64_t most_offset = INT64_C(999999999999); /* limited by the number of digits */

enum word { WORD_RAMP, WORD_UNWOUND, WORD_RESUME, WORD_NOUNWIND, WORD_COUNT };

static const char *const words[] = {
    [WORD_RAMP] = "ramp",
    [WORD_UNWOUND] = "unwound",
    [WORD_RESUME] = "resume",
    [WORD_NOUNWIND] = "nounwind",
};

/* ---- Encoding ---- */

static const char *add(struct coro_arena *arena, const char *text, const char *word)
{
  return text && word ? coro_arena_printf(arena, "%s,%s", text, word) : NULL;
}

static const char *maybe(enum holds holds)
{
  return holds == HOLDS_MAYBE ? "m" : "";
}

static const char *place_of_result(struct coro_arena *arena, const struct ramp *ramp)
{
  return ramp->field == TRACE_NONE ? coro_arena_printf(arena, "r%s", maybe(ramp->result))
                                   : coro_arena_printf(arena, "r%u%s", ramp->field, maybe(ramp->result));
}

static const char *place_of_slot(struct coro_arena *arena, const struct ramp_slot *slot)
{
  return coro_arena_printf(arena, "p%u_%" PRId64 "%s%s", slot->parameter, slot->offset, maybe(slot->holds),
                           slot->kept ? "k" : "");
}

const char *handle_summary_encode(struct coro_arena *arena, const struct ramp *ramp)
{
  /* an exception may leave the handle in memory that the caller lets escape */
  bool unwound = !ramp->thrown && !ramp->slots.count;
  bool said[WORD_COUNT] = {!ramp->kept, unwound, ramp->parts.keeps_frame_private, ramp->parts.no_exceptional_exit};
  const char *text = coro_arena_printf(arena, "%d", VERSION);
  if (ramp->result == HOLDS_HANDLE || ramp->result == HOLDS_MAYBE)
    text = add(arena, text, place_of_result(arena, ramp));
  for (uint32_t i = 0; i < ramp->slots.count; i++)
    if (ramp->slots.items[i].offset >= 0 && ramp->slots.items[i].offset <= most_offset)
      text = add(arena, text, place_of_slot(arena, &ramp->slots.items[i]));
    else
      said[WORD_RAMP] = false; /* other code that knows that memory can read the handle */
  for (unsigned w = 0; w < WORD_COUNT; w++)
    text = said[w] ? add(arena, text, words[w]) : text;
  return text;
}

/* ---- Decoding ---- */

struct reading {
  const char *at, *end;
};

bool handle_summary_number(const char **at, const char *end, uint64_t *number)
{
  const char *start = *at;
  *number = 0;
  for (; *at < end && **at >= '0' && **at <= '9' && *at - start < MOST_DIGITS; ++*at)
    *number = *number * 10 + (uint64_t)(**at - '0');
  return *at > start;
}

static bool take(struct reading *r, char c)
{
  bool there = r->at < r->end && *r->at == c;
  r->at += there;
  return there;
}

static bool take_word(struct reading *r, const char *word)
{
  size_t length = strlen(word), left = (size_t)(r->end - r->at);
  bool there = left >= length && memcmp(r->at, word, length) == 0 && (left == length || r->at[length] == ',');
  r->at += there ? length : 0;
  return there;
}

static bool is_pointer(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/* NULL: no such field. */
static LLVMTypeRef field_of(LLVMTypeRef type, uint64_t field)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (field < TRACE_NONE && kind == LLVMStructTypeKind && field < LLVMCountStructElementTypes(type))
    return LLVMStructGetTypeAtIndex(type, (unsigned)field);
  bool item = kind == LLVMArrayTypeKind && field < TRACE_NONE && field < LLVMGetArrayLength2(type);
  return item ? LLVMGetElementType(type) : NULL;
}

static bool read_result(struct reading *r, LLVMValueRef function, struct ramp *ramp)
{
  uint64_t field;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  bool again = ramp->result != HOLDS_OTHER;
  if (handle_summary_number(&r->at, r->end, &field)) {
    type = field_of(type, field);
    ramp->field = (unsigned)field;
  }
  ramp->result = take(r, 'm') ? HOLDS_MAYBE : HOLDS_HANDLE;
  return !again && type && is_pointer(type);
}

static bool read_slot(struct coro_arena *arena, struct reading *r, LLVMValueRef function, struct ramp *ramp)
{
  uint64_t parameter, offset;
  if (!handle_summary_number(&r->at, r->end, &parameter) || !take(r, '_') ||
      !handle_summary_number(&r->at, r->end, &offset) || parameter >= LLVMCountParams(function) ||
      !is_pointer(LLVMTypeOf(LLVMGetParam(function, (unsigned)parameter))))
    return false;
  struct ramp_slot slot = {.parameter = (unsigned)parameter, .offset = (int64_t)offset};
  slot.holds = take(r, 'm') ? HOLDS_MAYBE : HOLDS_HANDLE;
  slot.kept = take(r, 'k');
  return coro_vec_push(arena, &ramp->slots, slot);
}

static bool read_one(struct coro_arena *arena, struct reading *r, LLVMValueRef function, struct ramp *ramp)
{
  bool *const said[] = {&ramp->kept, &ramp->thrown, &ramp->parts.keeps_frame_private, &ramp->parts.no_exceptional_exit};
  for (unsigned w = 0; w < WORD_COUNT; w++)
    if (take_word(r, words[w])) {
      *said[w] = w != WORD_RAMP && w != WORD_UNWOUND;
      return true;
    }
  return take(r, 'r') ? read_result(r, function, ramp) : take(r, 'p') && read_slot(arena, r, function, ramp);
}

enum told handle_summary_decode(struct coro_arena *arena, LLVMValueRef function, struct ramp *ramp)
{
  uint64_t version;
  unsigned length;
  const char *text = edit_string_attribute(function, DECLARE_HANDLE, &length);
  struct reading r = {text, text + length};
  ramp->kept = ramp->thrown = true; /* unless the summary says otherwise */
  ramp->field = TRACE_NONE;
  if (!handle_summary_number(&r.at, r.end, &version) || (r.at < r.end && *r.at != ','))
    return SUMMARY_MALFORMED;
  if (version != VERSION)
    return SUMMARY_UNKNOWN_VERSION;
  while (take(&r, ','))
    if (!read_one(arena, &r, function, ramp))
      return SUMMARY_MALFORMED;
  return r.at == r.end ? SUMMARY_VALID : SUMMARY_MALFORMED;
}
