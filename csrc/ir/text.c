/* Splits one print of a function into the text of its instructions and blocks. */
#include "ir/text.h"

#include <string.h>

#include "ir/edit.h"
#include "llvm_printed.h"

struct reader {
  struct coro_arena *arena;
  const struct ir_fn *fn;
  struct ir_text *text;
  LLVMBasicBlockRef block; /* the current block, NULL before the first */
  LLVMValueRef next;       /* the instruction that the next instruction line prints */
  uint32_t block_id, inst_id;
};

const char *ir_text_label_in_line_or_null(struct coro_arena *arena, const char *line, size_t length)
{
  const char *quoted = line[0] == '"' ? memchr(line + 1, '"', length - 1) : NULL;
  const char *from = quoted ? quoted : line;
  const char *colon = memchr(from, ':', (size_t)(line + length - from));
  return colon ? coro_arena_printf(arena, "%%%.*s", (int)(colon - line), line) : NULL;
}

const char *ir_text_label_of_unnamed_entry(struct coro_arena *arena, LLVMValueRef function)
{
  unsigned number = 0;
  for (LLVMValueRef arg = LLVMGetFirstParam(function); arg; arg = LLVMGetNextParam(arg))
    number += !*edit_value_name(arg);
  return coro_arena_printf(arena, "%%%u", number);
}

static bool is_printed_without_quotes(const char *name, size_t length)
{
  static const char plain[] = "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return strspn(name, plain) == length && (name[0] < '0' || name[0] > '9');
}

const char *ir_text_label_of_block(struct coro_arena *arena, LLVMBasicBlockRef block)
{
  size_t length;
  const char *name = LLVMGetValueName2(LLVMBasicBlockAsValue(block), &length);
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  if (length && is_printed_without_quotes(name, length))
    return coro_arena_concatenate(arena, "%", name);
  if (!length && block == LLVMGetEntryBasicBlock(function))
    return ir_text_label_of_unnamed_entry(arena, function);
  char *printed = LLVMPrintValueToString(LLVMBasicBlockAsValue(block));
  const char *line = printed + strspn(printed, "\n");
  const char *label = ir_text_label_in_line_or_null(arena, line, strlen(line));
  LLVMDisposeMessage(printed);
  return label;
}

static const char *copy_printed_text(struct reader *r, const char *from, size_t length)
{
  const char *text = coro_arena_strndup(r->arena, from, length);
  return text ? text : "";
}

/* "entry:   ; preds = ..." or "7:  ..." starts a block. */
static void move_to_next_printed_block(struct reader *r)
{
  r->block = r->block ? LLVMGetNextBasicBlock(r->block) : LLVMGetFirstBasicBlock(r->fn->function);
  if (!r->block)
    return;
  r->next = LLVMGetFirstInstruction(r->block);
  r->block_id = ir_block_id(r->fn, r->block);
  if (r->block_id < r->fn->block_count)
    r->inst_id = r->fn->block_start[r->block_id];
}

static void read_printed_block_label(struct reader *r, const char *line, size_t length)
{
  move_to_next_printed_block(r);
  const char *name = ir_text_label_in_line_or_null(r->arena, line, length);
  if (name && r->block && r->block_id < r->fn->block_count)
    r->text->block[r->block_id] = name;
}

/* An unnamed entry block has no label line. */
static void start_printed_entry_block(struct reader *r)
{
  move_to_next_printed_block(r);
  const char *name = ir_text_label_of_unnamed_entry(r->arena, r->fn->function);
  r->text->block[0] = name ? name : "";
}

static void read_printed_instruction(struct reader *r, const char *line, size_t length)
{
  if (!r->block)
    start_printed_entry_block(r);
  if (!r->next || r->block_id >= r->fn->block_count)
    return;
  r->text->inst[r->inst_id] = copy_printed_text(r, line, length);
  const char *equals = line[0] == '%' ? strstr(line, LLVM_PRINTED_EQUALS) : NULL;
  if (equals && equals < line + length)
    r->text->name[r->inst_id] = copy_printed_text(r, line, (size_t)(equals - line));
  r->inst_id++;
  r->next = LLVMGetNextInstruction(r->next);
}

static void read_printed_function(struct reader *r, const char *printed)
{
  const char *line = strstr(printed, LLVM_PRINTED_BODY);
  for (line = line ? line + strlen(LLVM_PRINTED_BODY) : ""; *line && *line != '}';) {
    const char *end = strchr(line, '\n');
    size_t length = end ? (size_t)(end - line) : strlen(line);
    if (length > 2 && line[0] == ' ' && line[1] == ' ' && line[2] != ' ' && line[2] != ']')
      read_printed_instruction(r, line + 2, length - 2);
    else if (length > 1 && line[0] != ' ' && line[0] != ';' && memchr(line, ':', length))
      read_printed_block_label(r, line, length);
    line += length + (end != NULL);
  }
}

bool ir_text_split_printed_function(struct ir_text *text, struct coro_arena *arena, const struct ir_fn *fn,
                                    const char *printed)
{
  text->inst = CORO_NEW_ARRAY(arena, const char *, fn->inst_count);
  text->name = CORO_NEW_ARRAY(arena, const char *, fn->inst_count);
  text->block = CORO_NEW_ARRAY(arena, const char *, fn->block_count);
  if (!text->inst || !text->name || !text->block)
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    text->inst[i] = text->name[i] = "";
  for (uint32_t b = 0; b < fn->block_count; b++)
    text->block[b] = "";
  struct reader reader = {.arena = arena, .fn = fn, .text = text, .block_id = IR_NONE};
  char *own_text = printed ? NULL : LLVMPrintValueToString(fn->function);
  read_printed_function(&reader, printed ? printed : own_text);
  LLVMDisposeMessage(own_text);
  return !coro_arena_failed(arena);
}
