/* Reads and copies modules. If a module has the flag "Debug Info Version", LLVM's readers verify debug info and
   abort if any of the module is invalid. Such input is first read with the flag's name masked, verified, and
   discarded. A remaining risk is corrupt bitcode inside a well-formed file, which may crash LLVM's reader and cannot
   be detected beforehand. */
#include "sandbox/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/edit.h"
#include "ir/verify.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/IRReader.h"
#include "sandbox/bitcode.h"
#include "sandbox/locate.h"
#include "sandbox/scan.h"

struct input {
  char *data; /* a NUL-terminated copy */
  size_t size;
  const char *name;
  bool bitcode;
  coro_diags *diags;
};

static const char damaged[] = "write the bitcode again; it is damaged or comes from an unsupported LLVM version";

bool ir_is_bitcode(const char *data, size_t size)
{
  return size >= 4 && (!memcmp(data, "BC\xc0\xde", 4) || !memcmp(data, "\xde\xc0\x17\x0b", 4));
}

static coro_status reject_input(coro_diags *diags, const char *message, const char *hint)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EPARSE, .rule = "parse", .message = message, .hint = hint});
}

/* Reports the first problem that the scan found; CORO_OK: none. */
static coro_status report_first_scan_problem(coro_diags *diags, const struct ir_scan *scan)
{
  char nesting[48], message[96];
  snprintf(nesting, sizeof nesting, "brackets nest more than %d levels deep", IR_MAX_NESTING);
  const struct {
    size_t line;
    const char *what, *hint;
  } found[] = {
      {scan->deep_line, nesting, "give inner types and values names, as in `%t = type ...`"},
      {scan->address_taken_line, "the address of an intrinsic is taken",
       "call the intrinsic directly, or take the address of a wrapper function that calls it"},
      {scan->nul_line, "a string, such as an attribute's, contains a NUL",
       "remove the \\00; LLVM prints and writes the string only up to it"},
      {scan->empty_line, "a debug record has an empty DIArgList",
       "add a value, or poison, to the list; LLVM reads its first element"},
  };
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    if (!found[i].line)
      continue;
    snprintf(message, sizeof message, "line %zu: %s", found[i].line, found[i].what);
    return reject_input(diags, message, found[i].hint);
  }
  return CORO_OK;
}

static void record_error_and_maybe_warning(LLVMDiagnosticInfoRef info, void *diags, bool warnings)
{
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
  if (severity != LLVMDSError && !(severity == LLVMDSWarning && warnings))
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  if (severity == LLVMDSError)
    reject_input(diags, text, damaged);
  else
    coro_diags_add(diags, &(coro_diag){.severity = CORO_WARNING, .rule = "llvm", .message = text});
  LLVMDisposeMessage(text);
}

/* Errors and warnings, which LLVM would print to stderr. */
static void record_any_diagnostic(LLVMDiagnosticInfoRef info, void *diags)
{
  record_error_and_maybe_warning(info, diags, true);
}

/* LLVM warns that the masked flag is missing; that warning is dropped. */
static void record_error_diagnostics(LLVMDiagnosticInfoRef info, void *diags)
{
  record_error_and_maybe_warning(info, diags, false);
}

static LLVMMemoryBufferRef memory_buffer_of_input(const struct input *in)
{
  return LLVMCreateMemoryBufferWithMemoryRange(in->data, in->size, in->name, true);
}

static coro_status parse_input(LLVMModuleRef *out, LLVMContextRef context, const struct input *in)
{
  char *message = NULL;
  LLVMMemoryBufferRef buffer = memory_buffer_of_input(in);
  bool failed = LLVMParseIRInContext2(context, buffer, out, &message);
  LLVMDisposeMemoryBuffer(buffer);
  if (failed && in->bitcode)
    reject_input(in->diags, message, damaged);
  else if (failed)
    ir_locate_parse_error(in->diags, message, in->name, in->data, in->size);
  LLVMDisposeMessage(message);
  return failed ? CORO_EPARSE : CORO_OK;
}

/* CORO_EPARSE: the module has the flag. */
static coro_status reject_if_debug_info_version_flag(LLVMModuleRef module, coro_diags *diags)
{
  unsigned count = LLVMGetNamedMetadataNumOperands(module, "llvm.module.flags");
  LLVMValueRef *flags = calloc(count + 1, sizeof *flags);
  bool found = false;
  if (!flags)
    return CORO_ENOMEM;
  LLVMGetNamedMetadataOperands(module, "llvm.module.flags", flags);
  for (unsigned i = 0; i < count && !found; i++) {
    if (LLVMGetMDNodeNumOperands(flags[i]) != 3)
      continue;
    LLVMValueRef operands[3];
    unsigned length = 0;
    LLVMGetMDNodeOperands(flags[i], operands);
    const char *key = operands[1] ? LLVMGetMDString(operands[1], &length) : NULL;
    found = key && length == strlen("Debug Info Version") && !memcmp(key, "Debug Info Version", length);
  }
  free(flags);
  return found
             ? reject_input(diags, "the debug info uses the format of LLVM before 3.9, which cannot be checked safely",
                            "convert the file with `llvm-dis` and read the resulting text")
             : CORO_OK;
}

/* Bitcode from before LLVM 3.9 encodes the flag's name in forms that masking misses. Reading the module lazily,
   without function bodies, finds the flag and verifies nothing. */
static coro_status reject_bitcode_with_unmasked_flag(LLVMContextRef context, const struct input *in)
{
  LLVMModuleRef module = NULL;
  LLVMMemoryBufferRef buffer = memory_buffer_of_input(in);
  if (LLVMGetBitcodeModuleInContext2(context, buffer, &module)) {
    LLVMDisposeMemoryBuffer(buffer); /* the module owns it only on success */
    return CORO_EPARSE;
  }
  coro_status status = reject_if_debug_info_version_flag(module, in->diags);
  LLVMDisposeModule(module);
  return status;
}

/* A debug record may use `token none`. LLVM then frees the context's metadata for it twice when the context is
   disposed. Poison is equivalent. Constants of this kind have no use list, so only metadata uses are replaced. */
static void replace_token_none_in_debug_records(LLVMContextRef context, const char *text)
{
  static const char *const named[] = {"#dbg_value(token none", "#dbg_declare(token none", "metadata token none"};
  LLVMTypeRef token = LLVMTokenTypeInContext(context);
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (strstr(text, named[i])) {
      LLVMReplaceAllUsesWith(LLVMConstNull(token), LLVMGetPoison(token));
      return;
    }
}

/* Reads the masked input into a temporary context. */
static coro_status verify_masked_in_temporary_context(struct input *in, bool masked)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, record_error_diagnostics, in->diags);
  LLVMModuleRef module = NULL;
  coro_status status = in->bitcode ? reject_bitcode_with_unmasked_flag(context, in) : CORO_OK;
  if (status == CORO_OK && masked)
    status = parse_input(&module, context, in);
  if (module) {
    status = ir_verify(module, in->diags);
    LLVMDisposeModule(module);
  }
  if (!in->bitcode)
    replace_token_none_in_debug_records(context, in->data);
  LLVMContextDispose(context);
  return status;
}

/* CORO_OK if parsing the input is safe; else the status of a diagnostic. The flag's name in the data stays masked. */
static coro_status mask_and_check_safe_to_parse(struct input *in, enum ir_trust trust)
{
  struct ir_scan scan =
      in->bitcode ? ir_scan_bitcode_and_mask_flag(in->data, in->size) : ir_scan_text_and_mask_flag(in->data, in->size);
  coro_status status = report_first_scan_problem(in->diags, &scan);
  if (status)
    return status;
  bool is_safe = trust == IR_UNCHECKED || (!scan.masked && !in->bitcode);
  return is_safe ? CORO_OK : verify_masked_in_temporary_context(in, scan.masked);
}

/* Old constructs that LLVM's reader of bitcode upgrades, but not its reader of text. */
static bool has_construct_upgraded_by_bitcode_reader(const struct input *in)
{
  static const char *const named[] = {"no-frame-pointer-elim", "null-pointer-is-valid", "implicit-section-name",
                                      "strictfp", "clang.arc.retainAutoreleasedReturnValueMarker"};
  bool found = false;
  for (size_t i = 0; i < sizeof named / sizeof *named && !in->bitcode; i++)
    found |= strstr(in->data, named[i]) != NULL;
  return found;
}

static void set_identifier_like(LLVMModuleRef copy, LLVMModuleRef module)
{
  size_t length;
  const char *name = LLVMGetModuleIdentifier(module, &length);
  LLVMSetModuleIdentifier(copy, name, length);
}

/* Parses text, writes bitcode and reads it, so that the module equals its copies. In a temporary context, because types
   would be renamed in one that has types of the same names. *out is NULL if the module does not verify. */
static coro_status parse_and_upgrade_through_bitcode(LLVMModuleRef *out, LLVMContextRef context, const struct input *in)
{
  LLVMContextRef temporary = LLVMContextCreate();
  LLVMModuleRef module = NULL;
  LLVMContextSetDiagnosticHandler(temporary, record_any_diagnostic, in->diags);
  coro_status status = parse_input(&module, temporary, in);
  *out = NULL;
  if (!status) {
    replace_token_none_in_debug_records(temporary, in->data);
    *out = ir_verify(module, NULL) ? NULL : ir_bitcode_copy(module, context);
    if (*out)
      set_identifier_like(*out, module);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(temporary);
  return status;
}

/* Parses input that was found safe. */
static coro_status parse_with_diagnostics(LLVMModuleRef *out, LLVMContextRef context, const struct input *in)
{
  LLVMDiagnosticHandler handler = LLVMContextGetDiagnosticHandler(context);
  void *user = LLVMContextGetDiagnosticContext(context);
  LLVMContextSetDiagnosticHandler(context, record_any_diagnostic, in->diags);
  bool upgrades = has_construct_upgraded_by_bitcode_reader(in);
  coro_status status = upgrades ? parse_and_upgrade_through_bitcode(out, context, in) : CORO_OK;
  if (!status && !*out)
    status = parse_input(out, context, in);
  LLVMContextSetDiagnosticHandler(context, handler, user);
  if (status == CORO_OK && !in->bitcode)
    replace_token_none_in_debug_records(context, in->data);
  return status;
}

void ir_source_free(struct ir_source *source)
{
  if (!source)
    return;
  free(source->data);
  free(source->name);
  free(source);
}

/* Copies the input and its name. */
static struct ir_source *copy_ir_source(const char *data, size_t size, const char *name)
{
  struct ir_source *source = size == SIZE_MAX ? NULL : calloc(1, sizeof *source);
  if (!source)
    return NULL;
  size_t length = strlen(name);
  *source = (struct ir_source){malloc(size + 1), size, calloc(length + 1, 1)};
  if (!source->data || !source->name) {
    ir_source_free(source);
    return NULL;
  }
  memcpy(source->name, name, length);
  memcpy(source->data, size ? data : "", size);
  source->data[size] = '\0';
  return source;
}

static struct input input_of_ir_source(const struct ir_source *source, coro_diags *diags)
{
  return (struct input){source->data, source->size, source->name, ir_is_bitcode(source->data, source->size), diags};
}

/* Whether LLVM's reader verified the module, as it does before it accepts debug info of its own version. */
static bool is_verified_by_reader(LLVMModuleRef module)
{
  return edit_module_flag_value_or_0(module, "Debug Info Version") == LLVMDebugMetadataVersion();
}

coro_status ir_read_with_source(LLVMModuleRef *out, LLVMContextRef context, struct ir_source **source,
                                enum ir_trust trust, const char *data, size_t size, const char *name, coro_diags *diags)
{
  *out = NULL;
  struct ir_source *copy = *source = copy_ir_source(data, size, name ? name : "");
  if (!copy)
    return CORO_ENOMEM;
  struct input in = input_of_ir_source(copy, diags);
  coro_status status = trust == IR_PREVERIFIED ? CORO_OK : mask_and_check_safe_to_parse(&in, trust);
  if (trust != IR_PREVERIFIED)
    memcpy(in.data, size ? data : "", size); /* restores the masked bytes */
  if (status == CORO_OK)
    status = parse_with_diagnostics(out, context, &in);
  bool verify = status == CORO_OK && trust != IR_PREVERIFIED && !is_verified_by_reader(*out);
  if (verify && (status = ir_verify(*out, diags)) != CORO_OK) {
    LLVMDisposeModule(*out);
    *out = NULL;
  }
  if (status) {
    ir_source_free(copy);
    *source = NULL;
  }
  return status;
}

coro_status ir_read(LLVMModuleRef *out, LLVMContextRef context, const char *data, size_t size, const char *name,
                    coro_diags *diags)
{
  struct ir_source *source;
  coro_status status = ir_read_with_source(out, context, &source, IR_UNTRUSTED, data, size, name, diags);
  ir_source_free(source);
  return status;
}

LLVMModuleRef ir_reread_source(const struct ir_source *source, LLVMContextRef context)
{
  LLVMModuleRef out = NULL;
  struct input in = input_of_ir_source(source, NULL);
  return parse_with_diagnostics(&out, context, &in) ? NULL : out;
}

coro_status ir_copy_if_it_verifies(LLVMModuleRef *out, LLVMContextRef context, LLVMModuleRef module, coro_diags *diags)
{
  *out = NULL;
  coro_status status = ir_verify(module, diags);
  if (status != CORO_OK)
    return status;
  LLVMDiagnosticHandler handler = LLVMContextGetDiagnosticHandler(context);
  void *user = LLVMContextGetDiagnosticContext(context);
  LLVMContextSetDiagnosticHandler(context, record_any_diagnostic, diags);
  *out = ir_bitcode_copy(module, context);
  LLVMContextSetDiagnosticHandler(context, handler, user);
  if (!*out)
    return coro_diags_add(diags, &(coro_diag){.status = CORO_EBUG,
                                              .rule = "copy",
                                              .message = "LLVM cannot read the bitcode that it wrote for the module",
                                              .hint = "report a bug in LLVM or pycoro, with the module"});
  set_identifier_like(*out, module);
  return CORO_OK;
}
