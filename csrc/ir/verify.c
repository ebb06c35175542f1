/* Verification of a module, with LLVM's complaints as diagnostics that name their place. LLVM's C API tells which
   functions are broken, and apart from that gives all complaints as one text: a line of its own for each, followed by
   lines that print the values it is about. The instruction's line is looked up in the broken functions' own printing.
   Needs: base, LLVM-C. Leaves: the module as it was. */
#include "ir/verify.h"

#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "ir/text.h"
#include "llvm-c/Analysis.h"

enum { MOST_DIAGS = 16 };

struct line {
  const char *at;
  size_t length;
};

struct finder {
  struct coro_arena *arena;
  coro_diags *diags;
  LLVMValueRef function; /* the broken function that the last complaint was about, NULL at the end */
  char *printed;         /* its text */
};

static struct line next_line(const char **text)
{
  const char *end = strchr(*text, '\n');
  struct line line = {*text, end ? (size_t)(end - *text) : strlen(*text)};
  *text += line.length + (end != NULL);
  return line;
}

/* Lines that print a value or type, and not a sentence. */
static bool is_value(struct line line)
{
  static const char *const types[] = {
#define LLVM_VALUE_LINE(start) start,
#include "facts/printed.def"
  };
  if (!line.length || strchr(" $@%#<[{;-0123456789", line.at[0]))
    return true;
  if (line.at[0] == '!') /* "!12 = ", "!DILocation(", and not "!callsite metadata should only exist on calls" */
    return line.length < 2 || line.at[1] < 'a' || line.at[1] > 'z' || !memchr(line.at, ' ', line.length) ||
           memchr(line.at, '=', line.length);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strncmp(line.at, types[i], strlen(types[i])))
      return true;
  return false;
}

/* An instruction is printed behind two spaces, which may follow a type on the same line. Its operands on lines of
   their own are indented further. */
static struct line instruction_in(struct line line)
{
  for (size_t i = 0; i + 2 < line.length; i++)
    if (line.at[i] == ' ' && line.at[i + 1] == ' ')
      return line.at[i + 2] == ' ' || line.at[i + 2] == ']' ? (struct line){line.at, 0}
                                                            : (struct line){line.at + i + 2, line.length - i - 2};
  return (struct line){line.at, 0};
}

/* Without metadata and attribute groups, whose numbers depend on what is printed around. */
static size_t essence(struct line line)
{
  for (size_t i = 0; i + 1 < line.length; i++)
    if ((line.at[i] == ',' && i + 2 < line.length && line.at[i + 1] == ' ' && line.at[i + 2] == '!') ||
        (line.at[i] == ' ' && line.at[i + 1] == '#'))
      return i;
  return line.length;
}

/* "entry:   ; preds = ..." */
static bool is_label(struct line line)
{
  return line.length > 1 && !strchr(" ;}#", line.at[0]) && memchr(line.at, ':', line.length);
}

/* Block of the instruction in the function that is printed, or NULL. */
static const char *find_block(struct finder *f, struct line instruction)
{
  struct line label = {NULL, 0};
  size_t length = essence(instruction);
  const char *body = strstr(f->printed, "{\n");
  for (const char *at = body ? body + 2 : ""; *at;) {
    struct line line = next_line(&at);
    if (is_label(line))
      label = line;
    struct line candidate = instruction_in(line);
    if (candidate.length && candidate.at == line.at + 2 && essence(candidate) == length &&
        !memcmp(candidate.at, instruction.at, length))
      return label.at ? ir_text_label(f->arena, label.at, label.length) : ir_text_entry(f->arena, f->function);
  }
  return NULL;
}

/* Goes to the next broken function, from `function` on. */
static void seek(struct finder *f, LLVMValueRef function)
{
  LLVMDisposeMessage(f->printed);
  f->printed = NULL;
  while (function && (LLVMIsDeclaration(function) || !LLVMVerifyFunction(function, LLVMReturnStatusAction)))
    function = LLVMGetNextFunction(function);
  f->function = function;
  if (function)
    f->printed = LLVMPrintValueToString(function);
}

/* By how the complaint starts and what its instruction calls; the first that fits. */
static const struct {
  const char *message, *call, *hint;
} hints[] = {
#define LLVM_COMPLAINT(message, call, hint) {message, call, hint},
#include "facts/printed.def"
};

const char *ir_hint_for(const char *message, const char *instruction)
{
  size_t i = 0;
  while (strncmp(message, hints[i].message, strlen(hints[i].message)) || !strstr(instruction, hints[i].call))
    i++;
  return hints[i].hint;
}

/* The function that a line as "ptr @f" names, where the module has it. */
static LLVMValueRef function_in(struct finder *f, LLVMModuleRef module, struct line line)
{
  if (line.length < 6 || strncmp(line.at, "ptr @", 5))
    return NULL;
  size_t quote = line.at[5] == '"', length = line.length - 5;
  const char *name = length > 2 * quote ? coro_arena_strndup(f->arena, line.at + 5 + quote, length - 2 * quote) : NULL;
  return name ? LLVMGetNamedFunction(module, name) : NULL;
}

/* The broken function that has the instruction. LLVM complains about functions in their order, so the search goes on
   from the last one found. */
static LLVMValueRef locate(struct finder *f, struct line instruction, const char **block)
{
  LLVMValueRef start = f->function;
  while (f->function) {
    *block = find_block(f, instruction);
    if (*block)
      return f->function;
    seek(f, LLVMGetNextFunction(f->function));
  }
  seek(f, start);
  return NULL;
}

/* Of a complaint about an intrinsic's declaration, the place to mend is a call; told is the first in the module. */
static LLVMValueRef blame_call(struct finder *f, LLVMValueRef intrinsic, coro_diag *diag)
{
  LLVMValueRef call = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(intrinsic); use; use = LLVMGetNextUse(use))
    if (LLVMIsAInstruction(LLVMGetUser(use)))
      call = LLVMGetUser(use); /* the list starts with the use that was made last */
  if (!call)
    return intrinsic;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  struct finder other = {.arena = f->arena, .function = function, .printed = LLVMPrintValueToString(function)};
  char *text = LLVMPrintValueToString(call);
  const char *instruction = text + strspn(text, " ");
  diag->block = find_block(&other, (struct line){instruction, strlen(instruction)});
  diag->instruction = coro_arena_strndup(f->arena, instruction, strlen(instruction));
  LLVMDisposeMessage(text);
  LLVMDisposeMessage(other.printed);
  return function;
}

/* One complaint: the sentence, and the values that follow it in `rest`. */
static void report(struct finder *f, LLVMModuleRef module, struct line sentence, const char *rest)
{
  coro_diag diag = {.status = CORO_EVERIFY, .severity = CORO_ERROR, .rule = "verify"};
  LLVMValueRef function = NULL, named = NULL;
  struct line first = {NULL, 0};
  while (*rest) {
    struct line line = next_line(&rest), instruction = instruction_in(line);
    if (!is_value(line))
      break;
    named = named ? named : function_in(f, module, line);
    first = first.at ? first : line;
    if (!strncmp(line.at, "label ", 6) && !diag.block && (function = f->function) != NULL)
      diag.block = coro_arena_strndup(f->arena, line.at + 6, line.length - 6);
    if (!instruction.length || diag.instruction)
      continue;
    diag.instruction = coro_arena_strndup(f->arena, instruction.at, instruction.length);
    function = locate(f, instruction, &diag.block);
  }
  if (!diag.instruction && named && LLVMGetIntrinsicID(named))
    function = blame_call(f, named, &diag);
  if (!diag.instruction && first.at)
    diag.instruction = coro_arena_strndup(f->arena, first.at, first.length);
  size_t length;
  function = function ? function : named;
  diag.function = function ? LLVMGetValueName2(function, &length) : "";
  diag.message = coro_arena_strndup(f->arena, sentence.at, sentence.length);
  diag.hint = ir_hint_for(diag.message ? diag.message : "", diag.instruction ? diag.instruction : "");
  coro_diags_add(f->diags, &diag);
}

/* Of a declaration nothing is emitted, and LLVM forgets that it has data: its copy of a module keeps naming what is the
   original's, and its passes delete what nothing else names. */
static LLVMValueRef declaration_with_data(LLVMModuleRef module)
{
  LLVMValueRef f = LLVMGetFirstFunction(module);
  while (f && !(LLVMIsDeclaration(f) && (LLVMHasPrefixData(f) || LLVMHasPrologueData(f))))
    f = LLVMGetNextFunction(f);
  return f;
}

static coro_status refuse_data(LLVMValueRef declaration, coro_diags *diags)
{
  coro_diag diag = {.status = CORO_EVERIFY, .severity = CORO_ERROR, .rule = "verify"};
  diag.function = LLVMGetValueName2(declaration, &(size_t){0});
  diag.message = "a declaration has prefix or prologue data, which LLVM's copy of a module leaves pointing to nothing";
  diag.hint = "take the data away: it belongs to the function's definition";
  if (diags)
    coro_diags_add(diags, &diag);
  return CORO_EVERIFY;
}

coro_status ir_verify(LLVMModuleRef module, coro_diags *diags)
{
  char *text = NULL;
  bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &text);
  struct finder finder = {.arena = broken && diags ? coro_arena_create() : NULL, .diags = diags};
  if (finder.arena) {
    seek(&finder, LLVMGetFirstFunction(module));
    unsigned count = 0;
    for (const char *at = text; *at && count < MOST_DIAGS;) {
      struct line line = next_line(&at);
      if (is_value(line))
        continue;
      report(&finder, module, line, at);
      count++;
    }
    if (!count)
      coro_diags_add(diags,
                     &(coro_diag){.status = CORO_EVERIFY,
                                  .rule = "verify",
                                  .message = *text ? text : "LLVM's verifier refuses the module without a reason",
                                  .hint = ir_hint_for("", "")});
    LLVMDisposeMessage(finder.printed);
    coro_arena_free(finder.arena);
  }
  LLVMDisposeMessage(text);
  LLVMValueRef odd = broken ? NULL : declaration_with_data(module);
  return odd ? refuse_data(odd, diags) : broken ? CORO_EVERIFY : CORO_OK;
}
