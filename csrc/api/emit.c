/* Implements coro_module_emit, which compiles a module to object code or assembly.
   Requires: jit/emit_object.
   Guarantees: the module does not change. */
#include "api/module.h"
#include "api/usage.h"
#include "jit/emit_object.h"

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
