/* Encodes and decodes the handle summary of a ramp by a recursive-descent parser of its items. */
#include "handles/handle_summary.h"

#include <inttypes.h>
#include <string.h>

#include "emit/declare.h"
#include "ir/edit.h"

enum { VERSION = 1, MAX_DIGITS = 12 };
static const int64_t max_offset = INT64_C(999999999999); /* limited by the number of digits */

enum fact { FACT_RAMP, FACT_UNWOUND, FACT_RESUME, FACT_NOUNWIND, FACT_COUNT };

static const char *const keywords[] = {
    [FACT_RAMP] = "ramp",
    [FACT_UNWOUND] = "unwound",
    [FACT_RESUME] = "resume",
    [FACT_NOUNWIND] = "nounwind",
};

/* ---- Encoding ---- */

static const char *append_comma_and_summary_word(struct coro_arena *arena, const char *text, const char *word)
{
  return text && word ? coro_arena_printf(arena, "%s,%s", text, word) : NULL;
}

static const char *suffix_if_maybe_handle(enum holds holds)
{
  return holds == HOLDS_MAYBE ? "m" : "";
}

static const char *text_of_result_effect(struct coro_arena *arena, const struct ramp *ramp)
{
  return ramp->field == TRACE_WHOLE_VALUE
             ? coro_arena_printf(arena, "r%s", suffix_if_maybe_handle(ramp->result))
             : coro_arena_printf(arena, "r%u%s", ramp->field, suffix_if_maybe_handle(ramp->result));
}

static const char *text_of_slot_effect(struct coro_arena *arena, const struct ramp_slot *slot)
{
  return coro_arena_printf(arena, "p%u_%" PRId64 "%s%s", slot->parameter, slot->offset,
                           suffix_if_maybe_handle(slot->holds), slot->exposed ? "k" : "");
}

const char *handle_summary_encode(struct coro_arena *arena, const struct ramp *ramp)
{
  /* an exception may leave the handle in memory that the caller lets escape */
  bool unwound = !ramp->escapes_on_unwind && !ramp->slots.count;
  bool is_set[FACT_COUNT] = {!ramp->escapes, unwound, ramp->clones.keeps_frame_private,
                             ramp->clones.no_exceptional_exit};
  const char *text = coro_arena_printf(arena, "%d", VERSION);
  if (ramp->result == HOLDS_HANDLE || ramp->result == HOLDS_MAYBE)
    text = append_comma_and_summary_word(arena, text, text_of_result_effect(arena, ramp));
  for (uint32_t i = 0; i < ramp->slots.count; i++)
    if (ramp->slots.items[i].offset >= 0 && ramp->slots.items[i].offset <= max_offset)
      text = append_comma_and_summary_word(arena, text, text_of_slot_effect(arena, &ramp->slots.items[i]));
    else
      is_set[FACT_RAMP] = false; /* other code that knows that memory can read the handle */
  for (unsigned w = 0; w < FACT_COUNT; w++)
    text = is_set[w] ? append_comma_and_summary_word(arena, text, keywords[w]) : text;
  return text;
}

/* ---- Decoding ---- */

struct reading {
  const char *at, *end;
};

bool handle_summary_parse_up_to_12_digits(const char **at, const char *end, uint64_t *number)
{
  const char *start = *at;
  *number = 0;
  for (; *at < end && **at >= '0' && **at <= '9' && *at - start < MAX_DIGITS; ++*at)
    *number = *number * 10 + (uint64_t)(**at - '0');
  return *at > start;
}

static bool accept_summary_character(struct reading *r, char c)
{
  bool there = r->at < r->end && *r->at == c;
  r->at += there;
  return there;
}

static bool accept_summary_keyword(struct reading *r, const char *word)
{
  size_t length = strlen(word), left = (size_t)(r->end - r->at);
  bool there = left >= length && memcmp(r->at, word, length) == 0 && (left == length || r->at[length] == ',');
  r->at += there ? length : 0;
  return there;
}

/* NULL: no such field. */
static LLVMTypeRef type_of_aggregate_field_or_null(LLVMTypeRef type, uint64_t field)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (field < TRACE_WHOLE_VALUE && kind == LLVMStructTypeKind && field < LLVMCountStructElementTypes(type))
    return LLVMStructGetTypeAtIndex(type, (unsigned)field);
  bool item = kind == LLVMArrayTypeKind && field < TRACE_WHOLE_VALUE && field < LLVMGetArrayLength2(type);
  return item ? LLVMGetElementType(type) : NULL;
}

static bool parse_result_effect(struct reading *r, LLVMValueRef function, struct ramp *ramp)
{
  uint64_t field;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  bool again = ramp->result != HOLDS_OTHER;
  if (handle_summary_parse_up_to_12_digits(&r->at, r->end, &field)) {
    type = type_of_aggregate_field_or_null(type, field);
    ramp->field = (unsigned)field;
  }
  ramp->result = accept_summary_character(r, 'm') ? HOLDS_MAYBE : HOLDS_HANDLE;
  return !again && type && edit_is_pointer(type);
}

static bool parse_slot_effect(struct coro_arena *arena, struct reading *r, LLVMValueRef function, struct ramp *ramp)
{
  uint64_t parameter, offset;
  if (!handle_summary_parse_up_to_12_digits(&r->at, r->end, &parameter) || !accept_summary_character(r, '_') ||
      !handle_summary_parse_up_to_12_digits(&r->at, r->end, &offset) || parameter >= LLVMCountParams(function) ||
      !edit_is_pointer(LLVMTypeOf(LLVMGetParam(function, (unsigned)parameter))))
    return false;
  struct ramp_slot slot = {.parameter = (unsigned)parameter, .offset = (int64_t)offset};
  slot.holds = accept_summary_character(r, 'm') ? HOLDS_MAYBE : HOLDS_HANDLE;
  slot.exposed = accept_summary_character(r, 'k');
  return coro_vec_push(arena, &ramp->slots, slot);
}

static bool parse_summary_item(struct coro_arena *arena, struct reading *r, LLVMValueRef function, struct ramp *ramp)
{
  bool *const is_set[] = {&ramp->escapes, &ramp->escapes_on_unwind, &ramp->clones.keeps_frame_private,
                          &ramp->clones.no_exceptional_exit};
  for (unsigned w = 0; w < FACT_COUNT; w++)
    if (accept_summary_keyword(r, keywords[w])) {
      *is_set[w] = w != FACT_RAMP && w != FACT_UNWOUND;
      return true;
    }
  return accept_summary_character(r, 'r')
             ? parse_result_effect(r, function, ramp)
             : accept_summary_character(r, 'p') && parse_slot_effect(arena, r, function, ramp);
}

enum summary_status handle_summary_decode(struct coro_arena *arena, LLVMValueRef function, struct ramp *ramp)
{
  uint64_t version;
  unsigned length;
  const char *text = edit_string_attribute_value(function, DECLARE_HANDLE, &length);
  struct reading r = {text, text + length};
  ramp->escapes = ramp->escapes_on_unwind = true; /* unless the summary says otherwise */
  ramp->field = TRACE_WHOLE_VALUE;
  if (!handle_summary_parse_up_to_12_digits(&r.at, r.end, &version) || (r.at < r.end && *r.at != ','))
    return SUMMARY_MALFORMED;
  if (version != VERSION)
    return SUMMARY_UNKNOWN_VERSION;
  while (accept_summary_character(&r, ','))
    if (!parse_summary_item(arena, &r, function, ramp))
      return SUMMARY_MALFORMED;
  return r.at == r.end ? SUMMARY_VALID : SUMMARY_MALFORMED;
}
