/* Verifies a module and turns LLVM's messages into diagnostics with function, block and instruction. LLVM-C reports
   which functions are invalid, and returns all messages as one text: one line per message, followed by lines that
   print the values concerned. To find an instruction, its line is searched for in the printed invalid functions. */
#include "ir/verify.h"

#include <string.h>

#include "base/arena.h"
#include "base/starts_with.h"
#include "ir/edit.h"
#include "ir/text.h"
#include "llvm-c/Analysis.h"
#include "llvm_printed.h"

enum { MAX_DIAGS = 16 };

struct line {
  const char *at;
  size_t length;
};

struct finder {
  struct coro_arena *arena;
  coro_diags *diags;
  LLVMValueRef function; /* the invalid function of the last message; NULL after the last one */
  char *printed; /* its text */
};

static struct line take_next_line(const char **text)
{
  const char *end = strchr(*text, '\n');
  struct line line = {*text, end ? (size_t)(end - *text) : strlen(*text)};
  *text += line.length + (end != NULL);
  return line;
}

/* The line prints a value or type instead of a message. */
static bool is_printed_value_line(struct line line)
{
  static const char *const types[] = {
#define LLVM_VALUE_LINE(start) start,
#include "llvm_messages.def"
  };
  if (!line.length || strchr(" $@%#<[{;-0123456789", line.at[0]))
    return true;
  if (line.at[0] == '!') /* "!12 = ", "!DILocation(", but not "!callsite metadata should only exist on calls" */
    return line.length < 2 || line.at[1] < 'a' || line.at[1] > 'z' || !memchr(line.at, ' ', line.length) ||
           memchr(line.at, '=', line.length);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (coro_starts_with(line.at, types[i]))
      return true;
  return false;
}

/* The instruction in a line is indented by two spaces, possibly after a type. Lines with operands are indented
   further. */
static struct line instruction_text_in_line(struct line line)
{
  for (size_t i = 0; i + 2 < line.length; i++)
    if (line.at[i] == ' ' && line.at[i + 1] == ' ')
      return line.at[i + 2] == ' ' || line.at[i + 2] == ']' ? (struct line){line.at, 0}
                                                            : (struct line){line.at + i + 2, line.length - i - 2};
  return (struct line){line.at, 0};
}

/* Length without metadata and attribute groups, whose numbers depend on the surrounding text. */
static size_t length_without_metadata(struct line line)
{
  for (size_t i = 0; i + 1 < line.length; i++)
    if ((line.at[i] == ',' && i + 2 < line.length && line.at[i + 1] == ' ' && line.at[i + 2] == '!') ||
        (line.at[i] == ' ' && line.at[i + 1] == '#'))
      return i;
  return line.length;
}

/* "entry:   ; preds = ..." */
static bool is_block_label_line(struct line line)
{
  return line.length > 1 && !strchr(" ;}#", line.at[0]) && memchr(line.at, ':', line.length);
}

/* The label of the instruction's block in the printed function, or NULL. */
static const char *find_label_of_instruction(struct finder *f, struct line instruction)
{
  struct line label = {NULL, 0};
  size_t length = length_without_metadata(instruction);
  const char *body = strstr(f->printed, LLVM_PRINTED_BODY);
  for (const char *at = body ? body + strlen(LLVM_PRINTED_BODY) : ""; *at;) {
    struct line line = take_next_line(&at);
    if (is_block_label_line(line))
      label = line;
    struct line candidate = instruction_text_in_line(line);
    if (candidate.length && candidate.at == line.at + 2 && length_without_metadata(candidate) == length &&
        !memcmp(candidate.at, instruction.at, length))
      return label.at ? ir_text_label_in_line_or_null(f->arena, label.at, label.length)
                      : ir_text_label_of_unnamed_entry(f->arena, f->function);
  }
  return NULL;
}

/* Moves to the next invalid function, starting at `function`. */
static void find_next_invalid_function_from(struct finder *f, LLVMValueRef function)
{
  LLVMDisposeMessage(f->printed);
  f->printed = NULL;
  while (function && (LLVMIsDeclaration(function) || !LLVMVerifyFunction(function, LLVMReturnStatusAction)))
    function = LLVMGetNextFunction(function);
  f->function = function;
  if (function)
    f->printed = LLVMPrintValueToString(function);
}

/* The first entry that matches the start of the message and the instruction's callee. */
static const struct {
  const char *message, *call, *hint;
  bool is_signature;
} hints[] = {
#define LLVM_VERIFIER_HINT(message, call, hint) {message, call, hint, false},
#define LLVM_SIGNATURE_HINT(message, call, hint) {message, call, hint, true},
#include "llvm_messages.def"
};

/* "declare it as `i8 @llvm.coro.suspend(token, i1)`", for the intrinsic that an instruction calls; NULL if it calls
   none, or one with a type in its name. */
static const char *signature_hint_or_null(struct coro_arena *arena, const char *instruction)
{
  const char *name = strstr(instruction, "@llvm.");
  size_t length = name ? strcspn(++name, "(") : 0;
  unsigned id = length ? LLVMLookupIntrinsicID(name, length) : 0;
  if (!id || LLVMIntrinsicIsOverloaded(id))
    return NULL;
  LLVMContextRef context = LLVMContextCreate();
  char *type = LLVMPrintTypeToString(LLVMIntrinsicGetType(context, id, NULL, 0));
  const char *parameters = strstr(type, " (");
  const char *hint = parameters ? coro_arena_printf(arena, "declare it as `%.*s @%.*s%s`", (int)(parameters - type),
                                                    type, (int)length, name, parameters + 1)
                                : NULL;
  LLVMDisposeMessage(type);
  LLVMContextDispose(context);
  return hint;
}

const char *ir_hint_for_verifier_message(struct coro_arena *arena, const char *message, const char *instruction)
{
  size_t i = 0;
  while (!coro_starts_with(message, hints[i].message) || !strstr(instruction, hints[i].call))
    i++;
  const char *signature = hints[i].is_signature ? signature_hint_or_null(arena, instruction) : NULL;
  return signature ? signature : hints[i].hint;
}

/* The function of a line such as "ptr @f", if the module has it. */
static LLVMValueRef function_named_in_line(struct finder *f, LLVMModuleRef module, struct line line)
{
  if (line.length < 6 || strncmp(line.at, "ptr @", 5))
    return NULL;
  size_t quote = line.at[5] == '"', length = line.length - 5;
  const char *name = length > 2 * quote ? coro_arena_strndup(f->arena, line.at + 5 + quote, length - 2 * quote) : NULL;
  return name ? LLVMGetNamedFunction(module, name) : NULL;
}

/* Finds the invalid function with this instruction. LLVM verifies functions in order, so the search resumes at the
   last match. */
static LLVMValueRef find_invalid_function_with(struct finder *f, struct line instruction, const char **block)
{
  LLVMValueRef start = f->function;
  while (f->function) {
    *block = find_label_of_instruction(f, instruction);
    if (*block)
      return f->function;
    find_next_invalid_function_from(f, LLVMGetNextFunction(f->function));
  }
  find_next_invalid_function_from(f, start);
  return NULL;
}

/* A message about an intrinsic's declaration is reported at its first call. */
static LLVMValueRef set_diag_to_first_call_of_intrinsic(struct finder *f, LLVMValueRef intrinsic, coro_diag *diag)
{
  LLVMValueRef call = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(intrinsic); use; use = LLVMGetNextUse(use))
    if (LLVMIsAInstruction(LLVMGetUser(use)))
      call = LLVMGetUser(use); /* the use list starts with the newest use */
  if (!call)
    return intrinsic;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  struct finder other = {.arena = f->arena, .function = function, .printed = LLVMPrintValueToString(function)};
  char *text = LLVMPrintValueToString(call);
  const char *instruction = text + strspn(text, " ");
  diag->block = find_label_of_instruction(&other, (struct line){instruction, strlen(instruction)});
  diag->instruction = coro_arena_strndup(f->arena, instruction, strlen(instruction));
  LLVMDisposeMessage(text);
  LLVMDisposeMessage(other.printed);
  return function;
}

/* Reports one message, and the values that follow it in `rest`. */
static void report_verifier_message(struct finder *f, LLVMModuleRef module, struct line sentence, const char *rest)
{
  coro_diag diag = {.status = CORO_EVERIFY, .severity = CORO_ERROR, .rule = "verify"};
  LLVMValueRef function = NULL, named = NULL;
  struct line first = {NULL, 0};
  while (*rest) {
    struct line line = take_next_line(&rest), instruction = instruction_text_in_line(line);
    if (!is_printed_value_line(line))
      break;
    named = named ? named : function_named_in_line(f, module, line);
    first = first.at ? first : line;
    if (!strncmp(line.at, "label ", 6) && !diag.block && (function = f->function) != NULL)
      diag.block = coro_arena_strndup(f->arena, line.at + 6, line.length - 6);
    if (!instruction.length || diag.instruction)
      continue;
    diag.instruction = coro_arena_strndup(f->arena, instruction.at, instruction.length);
    function = find_invalid_function_with(f, instruction, &diag.block);
  }
  if (!diag.instruction && named && LLVMGetIntrinsicID(named))
    function = set_diag_to_first_call_of_intrinsic(f, named, &diag);
  if (!diag.instruction && first.at)
    diag.instruction = coro_arena_strndup(f->arena, first.at, first.length);
  size_t length;
  function = function ? function : named;
  diag.function = function ? LLVMGetValueName2(function, &length) : "";
  diag.message = coro_arena_strndup(f->arena, sentence.at, sentence.length);
  diag.hint = ir_hint_for_verifier_message(f->arena, diag.message ? diag.message : "",
                                           diag.instruction ? diag.instruction : "");
  coro_diags_add(f->diags, &diag);
}

/* LLVM emits nothing for declarations and ignores their prefix and prologue data: module copies keep pointers into
   the original module, and passes delete globals that only such data uses. */
static LLVMValueRef find_declaration_with_function_data(LLVMModuleRef module)
{
  LLVMValueRef f = LLVMGetFirstFunction(module);
  while (f && !(LLVMIsDeclaration(f) && (LLVMHasPrefixData(f) || LLVMHasPrologueData(f))))
    f = LLVMGetNextFunction(f);
  return f;
}

static coro_status reject_data_of_declaration(LLVMValueRef declaration, coro_diags *diags)
{
  coro_diag diag = {.status = CORO_EVERIFY, .severity = CORO_ERROR, .rule = "verify"};
  diag.function = edit_value_name(declaration);
  diag.message = "a declaration has prefix or prologue data, which dangles in LLVM's copy of a module";
  diag.hint = "remove the data; only a function definition may have it";
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
    find_next_invalid_function_from(&finder, LLVMGetFirstFunction(module));
    unsigned count = 0;
    for (const char *at = text; *at && count < MAX_DIAGS;) {
      struct line line = take_next_line(&at);
      if (is_printed_value_line(line))
        continue;
      report_verifier_message(&finder, module, line, at);
      count++;
    }
    if (!count)
      coro_diags_add(diags,
                     &(coro_diag){.status = CORO_EVERIFY,
                                  .rule = "verify",
                                  .message = *text ? text : "LLVM's verifier rejects the module without a message",
                                  .hint = ir_hint_for_verifier_message(finder.arena, "", "")});
    LLVMDisposeMessage(finder.printed);
    coro_arena_free(finder.arena);
  }
  LLVMDisposeMessage(text);
  LLVMValueRef declaration = broken ? NULL : find_declaration_with_function_data(module);
  return declaration ? reject_data_of_declaration(declaration, diags) : broken ? CORO_EVERIFY : CORO_OK;
}
