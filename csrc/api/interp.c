/* Public functions of the interpreter: validate arguments and forward to csrc/interp.
   Requires: interp. Guarantees: CORO_EUSAGE for a missing argument. */
#include "interp/interp.h"

#include "api/usage.h"
#include "pycoro.h"

/* A coro_interp is a struct interp. */
static struct interp *interp_of(coro_interp *interp)
{
  return (struct interp *)interp;
}

coro_status coro_interp_create(coro_interp **out, const coro_module *module, const coro_interp_options *options,
                               coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!out || !module)
    return usage_missing("a module and an output pointer for the interpreter are required", diags);
  if (options && options->version != 1)
    return usage_version("start from CORO_INTERP_OPTIONS_INIT", diags);
  struct interp *interp = NULL;
  coro_status status = interp_create(&interp, coro_module_llvm(module), options, diags);
  *out = (coro_interp *)interp;
  return status;
}

void coro_interp_free(coro_interp *interp)
{
  interp_free(interp_of(interp));
}

coro_status coro_interp_define(coro_interp *interp, const char *name, void *address, coro_diags *diags)
{
  if (!interp || !name || !address)
    return usage_missing("an interpreter, a name and an address are required", diags);
  return interp_define_external_variable(interp_of(interp), name, address, diags);
}

coro_status coro_interp_address(coro_interp *interp, const char *name, void **address, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(address);
  if (!interp || !name || !address)
    return usage_missing("an interpreter, a name and an output pointer for the address are required", diags);
  return interp_address_of_symbol(interp_of(interp), name, address, diags);
}

coro_status coro_interp_call(coro_interp *interp, const void *code, coro_values args, coro_values *results,
                             coro_diags *diags)
{
  if (results)
    *results = (coro_values){NULL, 0};
  if (!interp || !code || (args.count && !args.items))
    return usage_missing("an interpreter, the address of a function and its arguments are required", diags);
  return interp_call(interp_of(interp), code, args, results, diags);
}

coro_status coro_interp_resume(coro_interp *interp, void *handle, coro_diags *diags)
{
  if (!interp || !handle)
    return usage_missing("an interpreter and a handle are required", diags);
  return interp_resume(interp_of(interp), handle, diags);
}

coro_status coro_interp_destroy(coro_interp *interp, void *handle, coro_diags *diags)
{
  if (!interp || !handle)
    return usage_missing("an interpreter and a handle are required", diags);
  return interp_destroy(interp_of(interp), handle, diags);
}

const char *coro_interp_coroutine(coro_interp *interp, const void *handle)
{
  return interp && handle ? interp_coroutine_name_from_header(interp_of(interp), handle) : NULL;
}

const char *coro_interp_coroutine_at(coro_interp *interp, const void *address)
{
  return interp && address ? interp_live_coroutine_name_at(interp_of(interp), address) : NULL;
}

const char *coro_interp_suspend(coro_interp *interp, const void *handle)
{
  return interp && handle ? interp_suspend_name(interp_of(interp), handle) : NULL;
}

size_t coro_interp_value_names(coro_interp *interp, const void *handle, const char *const **names)
{
  const char *const *ignored;
  return interp && handle ? interp_names_of_all_function_values(interp_of(interp), handle, names ? names : &ignored)
                          : 0;
}

coro_values coro_interp_get_value(coro_interp *interp, const void *handle, size_t value)
{
  return interp && handle ? interp_get_value(interp_of(interp), handle, value) : (coro_values){NULL, 0};
}

bool coro_interp_set_value(coro_interp *interp, const void *handle, size_t value, coro_values values)
{
  return interp && handle && (values.items || !values.count) &&
         interp_set_value(interp_of(interp), handle, value, values);
}

bool coro_interp_recompute(coro_interp *interp, const void *handle, size_t changed, const size_t *values, size_t count)
{
  return interp && handle && (values || !count) && interp_recompute(interp_of(interp), handle, changed, values, count);
}

bool coro_interp_is_defined(coro_interp *interp, const void *address, size_t size)
{
  return interp && address && interp_is_memory_defined(interp_of(interp), address, size);
}

void coro_interp_mark_written(coro_interp *interp, const void *address, size_t size)
{
  if (interp && address)
    interp_mark_written(interp_of(interp), address, size);
}

coro_status coro_interp_share(coro_interp *interp, void *address, size_t size, coro_diags *diags)
{
  if (!interp || !address)
    return usage_missing("an interpreter and an address are required", diags);
  return interp_share_host_memory(interp_of(interp), address, size, diags);
}

void coro_interp_unshare(coro_interp *interp, void *address)
{
  if (interp)
    interp_unshare_host_memory(interp_of(interp), address);
}

void coro_interp_allow_all_memory(coro_interp *interp)
{
  if (interp)
    interp_allow_all_memory(interp_of(interp));
}

bool coro_interp_is_accessible(coro_interp *interp, const void *address, size_t size)
{
  return interp && address && interp_is_accessible(interp_of(interp), address, size);
}

uint64_t coro_interp_steps(const coro_interp *interp)
{
  return interp ? interp_executed_steps((const struct interp *)interp) : 0;
}
