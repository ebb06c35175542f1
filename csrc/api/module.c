/* Modules: each owns its LLVMContext and receives LLVM's diagnostics for it.
   Guarantees: on failure no module, and the client's objects do not change. */
#include "api/module.h"

#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "api/usage.h"
#include "ir/context.h"
#include "ir/printed.h"
#include "ir/verify.h"
#include "jit/emit_object.h"
#include "sandbox/bitcode.h"
#include "sandbox/link.h"
#include "sandbox/read.h"
#include "sandbox/read_sandboxed.h"
#include "transform/module_interface.h"

static void record_module_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
  coro_module *module = user;
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
  if (!module->listener || (severity != LLVMDSError && severity != LLVMDSWarning))
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  bool error = severity == LLVMDSError;
  coro_diags_add(module->listener, &(coro_diag){.status = error ? CORO_EVERIFY : CORO_OK,
                                                .severity = error ? CORO_ERROR : CORO_WARNING,
                                                .rule = "llvm",
                                                .message = text});
  LLVMDisposeMessage(text);
}

static void discard_function_list(coro_module *module)
{
  coro_arena_free(module->infos);
  coro_arena_free(module->info);
  module->infos = module->info = NULL;
}

void coro_module_discard_caches(coro_module *module)
{
  discard_function_list(module);
  types_cache_free(module);
}

static void set_llvm_module_and_diagnostic_handler(coro_module *module, LLVMModuleRef llvm)
{
  module->llvm = llvm;
  module->context = LLVMGetModuleContext(llvm);
  LLVMContextSetDiagnosticHandler(module->context, record_module_diagnostic, module);
}

static void discard_original_input(coro_module *module)
{
  if (module->origin)
    ir_source_free(module->origin->source);
  free(module->origin);
  module->origin = NULL;
}

bool coro_module_can_restore_unnoticed(const coro_module *module)
{
  return module->origin && !module->origin->shown;
}

coro_status coro_module_restore(coro_module *module, coro_diags *diags)
{
  LLVMContextRef old = module->context, context = ir_create_context();
  LLVMModuleRef llvm = ir_reread_source(module->origin->source, context);
  if (!llvm) {
    LLVMContextDispose(context);
    return coro_diags_add(diags, &(coro_diag){.status = CORO_EBUG,
                                              .rule = "return",
                                              .message = "LLVM failed to read the module's original input again",
                                              .hint = "this is a bug in pycoro; please report it with the input"});
  }
  LLVMDisposeModule(module->llvm);
  set_llvm_module_and_diagnostic_handler(module, llvm);
  LLVMContextDispose(old);
  return CORO_OK;
}

struct ir_source *coro_module_take_source(coro_module *module)
{
  struct ir_source *source = module->origin->source;
  module->origin->source = NULL;
  discard_original_input(module);
  return source;
}

coro_module *coro_module_reread(const struct ir_source *source)
{
  coro_module *module = calloc(1, sizeof *module);
  LLVMContextRef context = module ? ir_create_context() : NULL;
  LLVMModuleRef llvm = context ? ir_reread_source(source, context) : NULL;
  if (llvm) {
    set_llvm_module_and_diagnostic_handler(module, llvm);
    return module;
  }
  if (context)
    LLVMContextDispose(context);
  free(module);
  return NULL;
}

void coro_module_mark_changed(coro_module *module)
{
  module->generation++;
  discard_original_input(module);
  coro_module_discard_caches(module);
}

void coro_module_replace(coro_module *module, LLVMModuleRef llvm)
{
  LLVMContextRef old = module->context;
  LLVMDisposeModule(module->llvm);
  set_llvm_module_and_diagnostic_handler(module, llvm);
  if (module->context != old)
    LLVMContextDispose(old);
  module->edited = false;
  coro_module_mark_changed(module);
}

coro_module coro_module_make_handle_to_lend(const coro_module *owner)
{
  return (coro_module){.lent = true, .depth = owner->depth + 1};
}

void coro_module_lend(coro_module *lent, LLVMModuleRef llvm, coro_diags *listener, bool unchanged_since_last_call)
{
  if (!unchanged_since_last_call || lent->llvm != llvm)
    coro_module_mark_changed(lent);
  lent->listener = listener;
  lent->edited = false;
  set_llvm_module_and_diagnostic_handler(lent, llvm);
}

LLVMModuleRef coro_module_reclaim(coro_module *lent, coro_module *owner)
{
  LLVMContextSetDiagnosticHandler(owner->context, record_module_diagnostic, owner);
  return lent->llvm;
}

coro_status coro_module_verify_edits(const coro_module *module, coro_diags *diags)
{
  return module->edited ? ir_verify(module->llvm, diags) : CORO_OK;
}

coro_status coro_module_check_sandboxed(coro_reader *reader, const char *data, size_t size, const char *name,
                                        coro_diags *diags)
{
  if (!data && size)
    return usage_missing("the text is required", diags);
  bool reads;
  return ir_try_reading_sandboxed(reader, &reads, data, size, name, diags);
}

/* Last step of a constructor: takes ownership of the LLVM module, or disposes of everything on failure. */
static coro_status own_llvm_module_or_dispose(coro_module **out, coro_module *module, LLVMContextRef context,
                                              LLVMModuleRef llvm, coro_status status)
{
  if (status == CORO_OK) {
    set_llvm_module_and_diagnostic_handler(module, llvm);
    *out = module;
  } else {
    LLVMContextDispose(context);
    free(module);
  }
  return status;
}

static coro_status parse_module(coro_module **out, enum ir_trust trust, const char *data, size_t size, const char *name,
                                coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!out || (!data && size))
    return usage_missing("a text and an output pointer for the module are required", diags);
  coro_module *module = calloc(1, sizeof *module);
  struct module_origin *origin = calloc(1, sizeof *origin);
  if (!module || !origin) {
    free(module);
    free(origin);
    return CORO_ENOMEM;
  }
  LLVMContextRef context = ir_create_context();
  LLVMModuleRef llvm = NULL;
  coro_status status = ir_read_with_source(&llvm, context, &origin->source, trust, data, size, name, diags);
  if (status == CORO_OK)
    module->origin = origin;
  else
    free(origin);
  return own_llvm_module_or_dispose(out, module, context, llvm, status);
}

coro_status coro_module_parse(coro_module **out, const char *data, size_t size, const char *name, coro_diags *diags)
{
  return parse_module(out, IR_UNTRUSTED, data, size, name, diags);
}

coro_status coro_module_parse_unchecked(coro_module **out, const char *data, size_t size, const char *name,
                                        coro_diags *diags)
{
  return parse_module(out, IR_UNCHECKED, data, size, name, diags);
}

coro_status coro_module_parse_sandboxed(coro_module **out, coro_reader *reader, const char *data, size_t size,
                                        const char *name, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!data && size)
    return usage_missing("the text is required", diags);
  bool reads;
  coro_status status = ir_try_reading_sandboxed(reader, &reads, data, size, name, diags);
  return status ? status : parse_module(out, reads ? IR_PREVERIFIED : IR_UNTRUSTED, data, size, name, diags);
}

coro_status coro_module_set(coro_module *module, const char *data, size_t size, const char *name, coro_diags *diags)
{
  if (!module || (!data && size))
    return usage_missing("a module and a text are required", diags);
  LLVMModuleRef llvm = NULL;
  coro_diags *listener = module->listener;
  module->listener = diags;
  coro_status status = ir_read(&llvm, module->context, data, size,
                               name ? name : LLVMGetModuleIdentifier(module->llvm, &(size_t){0}), diags);
  module->listener = listener;
  if (status == CORO_OK)
    coro_module_replace(module, llvm);
  return status;
}

coro_status coro_module_adopt(coro_module **out, LLVMModuleRef llvm, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  coro_status status = llvm ? ir_verify(llvm, diags) : CORO_OK;
  return status ? status : coro_module_adopt_unchecked(out, llvm, diags);
}

coro_status coro_module_adopt_unchecked(coro_module **out, LLVMModuleRef llvm, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!out || !llvm)
    return usage_missing("a module and an output pointer are required", diags);
  coro_module *module = calloc(1, sizeof *module);
  if (!module)
    return CORO_ENOMEM;
  set_llvm_module_and_diagnostic_handler(module, llvm);
  *out = module;
  return CORO_OK;
}

coro_status coro_module_clone(coro_module **out, const coro_module *from, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!out || !from)
    return usage_missing("a module and an output pointer for its copy are required", diags);
  coro_module *module = calloc(1, sizeof *module);
  if (!module)
    return CORO_ENOMEM;
  module->ran_without_layout = from->ran_without_layout;
  LLVMContextRef context = ir_create_context();
  LLVMModuleRef llvm = NULL;
  coro_status status = ir_copy_if_it_verifies(&llvm, context, from->llvm, diags);
  return own_llvm_module_or_dispose(out, module, context, llvm, status);
}

static coro_status link_modules(coro_module **out, const coro_module *const *modules, size_t count, const char *name,
                                coro_diags *diags)
{
  LLVMModuleRef *inputs = calloc(count, sizeof *inputs);
  coro_module *module = calloc(1, sizeof *module);
  if (!inputs || !module) {
    free(inputs);
    free(module);
    return CORO_ENOMEM;
  }
  for (size_t i = 0; i < count; i++) {
    inputs[i] = modules[i]->llvm;
    module->ran_without_layout |= modules[i]->ran_without_layout;
  }
  LLVMContextRef context = ir_create_context();
  LLVMModuleRef llvm = NULL;
  coro_status status = ir_link_modules_sandboxed(&llvm, context, inputs, count, name, diags);
  free(inputs);
  return own_llvm_module_or_dispose(out, module, context, llvm, status);
}

coro_status coro_module_link(coro_module **out, const coro_module *const *modules, size_t count, const char *name,
                             coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  bool missing = !out || !modules || !count || !name;
  for (size_t i = 0; !missing && i < count; i++)
    missing = !modules[i];
  return missing ? usage_missing("modules, a name and an output pointer for the linked module are required", diags)
                 : link_modules(out, modules, count, name, diags);
}

LLVMModuleRef coro_module_release(coro_module *module)
{
  LLVMModuleRef llvm = module->llvm;
  coro_module_discard_caches(module);
  discard_original_input(module);
  LLVMContextSetDiagnosticHandler(module->context, NULL, NULL);
  free(module);
  return llvm;
}

void coro_module_free(coro_module *module)
{
  if (!module || module->lent)
    return; /* the run owns a lent module */
  LLVMContextRef context = module->context;
  LLVMDisposeModule(coro_module_release(module));
  LLVMContextDispose(context);
}

LLVMModuleRef coro_module_llvm(const coro_module *module)
{
  if (module)
    coro_module_mark_shared(module);
  return module ? module->llvm : NULL;
}

void coro_module_mark_edited(coro_module *module)
{
  if (!module)
    return;
  module->generation++;
  discard_function_list(module);
  discard_original_input(module);
  types_cache_discard_if_layout_changed(module);
  module->edited = true;
}

const char *coro_module_data_layout(const coro_module *module)
{
  return module ? LLVMGetDataLayoutStr(module->llvm) : "";
}

uint64_t coro_module_generation(const coro_module *module)
{
  return module ? module->generation : 0;
}

coro_status coro_module_print(const coro_module *module, char **out)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!module || !out)
    return CORO_EUSAGE;
  *out = ir_print_module_as_ascii(module->llvm); /* malloc'ed, as coro_string_free expects */
  return *out ? CORO_OK : CORO_ENOMEM;
}

coro_status coro_module_interface(const coro_module *module, char **out)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!module || !out)
    return CORO_EUSAGE;
  *out = ir_module_interface(module->llvm); /* malloc'ed, as coro_string_free expects */
  return *out ? CORO_OK : CORO_ENOMEM;
}

coro_status coro_module_bitcode(const coro_module *module, char **out, size_t *size)
{
  USAGE_CLEAR_OUTPUT(out);
  USAGE_CLEAR_OUTPUT(size);
  if (!module || !out || !size)
    return CORO_EUSAGE;
  return ir_write_bitcode_sandboxed(module->llvm, out, size);
}

coro_status coro_module_verify(const coro_module *module, coro_diags *diags)
{
  if (!module)
    return usage_missing("a module is required", diags);
  return ir_verify(module->llvm, diags);
}

coro_status coro_module_emit(const coro_module *module, const coro_emit_options *options, char **out, size_t *size,
                             coro_diags *diags)
{
  static const coro_emit_options defaults = CORO_EMIT_OPTIONS_INIT;
  USAGE_CLEAR_OUTPUT(out);
  USAGE_CLEAR_OUTPUT(size);
  if (!module || !out || !size)
    return usage_missing("a module, and output pointers for its code and its size, are required", diags);
  options = options ? options : &defaults;
  if (options->version != 1)
    return usage_version("start from CORO_EMIT_OPTIONS_INIT", diags);
  return jit_emit_object_file(module->llvm, module->ran_without_layout, options, out, size, diags);
}
