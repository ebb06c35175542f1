/* Public functions of the JIT: validate arguments and forward to csrc/jit.
   Requires: jit. Guarantees: CORO_EUSAGE for a missing argument. */
#include "api/module.h"
#include "api/usage.h"
#include "jit/jit.h"
#include "pycoro.h"

/* A coro_engine is a struct jit. */
static struct jit *jit_of(coro_engine *engine)
{
  return (struct jit *)engine;
}

coro_status coro_engine_create(coro_engine **out, const coro_engine_options *options, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!out)
    return usage_missing("an output pointer for the engine is required", diags);
  if (options && options->version != 1)
    return usage_version("start from CORO_ENGINE_OPTIONS_INIT", diags);
  struct jit *jit = NULL;
  coro_status status = jit_create(&jit, options && options->quick, diags);
  *out = (coro_engine *)jit;
  return status;
}

void coro_engine_free(coro_engine *engine)
{
  jit_free(jit_of(engine));
}

const char *coro_engine_triple(const coro_engine *engine)
{
  return engine ? jit_triple((const struct jit *)engine) : "";
}

const char *coro_engine_data_layout(const coro_engine *engine)
{
  return engine ? jit_data_layout((const struct jit *)engine) : "";
}

coro_status coro_engine_define(coro_engine *engine, const char *name, void *address, coro_diags *diags)
{
  if (!engine || !name || !address)
    return usage_missing("an engine, a name and an address are required", diags);
  return jit_define_symbol(jit_of(engine), name, address, diags);
}

static coro_status call_unless_null(coro_engine *engine, void *pointer, void (*work)(struct jit *, void *))
{
  if (!engine || !pointer)
    return CORO_EUSAGE;
  work(jit_of(engine), pointer);
  return CORO_OK;
}

coro_status coro_engine_add_library(coro_engine *engine, void *library)
{
  return call_unless_null(engine, library, jit_add_library);
}

coro_status coro_engine_undefined_symbols(coro_engine *engine, const coro_module *module,
                                          void (*each)(void *user, const char *name), void *user)
{
  if (!engine || !module || !each)
    return CORO_EUSAGE;
  jit_each_undefined_symbol(jit_of(engine), coro_module_llvm(module), each, user);
  return CORO_OK;
}

coro_status coro_engine_each_clone(const coro_engine *engine,
                                   void (*each)(void *user, const char *owner, const void *address), void *user)
{
  if (!engine || !each)
    return CORO_EUSAGE;
  jit_each_clone_of_last_module((const struct jit *)engine, each, user);
  return CORO_OK;
}

coro_status coro_engine_track_running(coro_engine *engine, const coro_module *module, const char *coroutine,
                                      uint64_t offset, uint32_t size, bool *can)
{
  if (!engine || !module || !coroutine || !can)
    return CORO_EUSAGE;
  return jit_track_running(jit_of(engine), coro_module_llvm(module), coroutine, offset, size, can);
}

coro_status coro_engine_add_sandboxed(coro_engine *engine, const coro_module *module, coro_diags *diags)
{
  if (!engine || !module)
    return usage_missing("an engine and a module are required", diags);
  return jit_add_sandboxed(jit_of(engine), coro_module_llvm(module), diags);
}

coro_status coro_engine_add(coro_engine *engine, const coro_module *module, coro_diags *diags)
{
  if (!engine || !module)
    return usage_missing("an engine and a module are required", diags);
  return jit_add(jit_of(engine), coro_module_llvm(module), diags);
}

coro_status coro_engine_add_owned(coro_engine *engine, coro_module *module, coro_diags *diags)
{
  if (module && module->lent)
    return usage_module_in_use(diags);
  if (engine && module)
    return jit_add_owned(jit_of(engine), coro_module_release(module), diags);
  coro_module_free(module);
  return usage_missing("an engine and a module are required", diags);
}

coro_status coro_engine_run_constructors(coro_engine *engine)
{
  if (!engine)
    return CORO_EUSAGE;
  jit_run_constructors(jit_of(engine));
  return CORO_OK;
}

coro_status coro_engine_lookup(coro_engine *engine, const char *name, void **address, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(address);
  if (!engine || !name || !address)
    return usage_missing("an engine, a name and an output pointer for the address are required", diags);
  return jit_lookup_symbol(jit_of(engine), name, address, diags);
}

coro_status coro_engine_resume(coro_engine *engine, void *handle)
{
  return call_unless_null(engine, handle, jit_resume);
}

coro_status coro_engine_destroy(coro_engine *engine, void *handle)
{
  return call_unless_null(engine, handle, jit_destroy);
}

bool coro_engine_done(const coro_engine *engine, const void *handle)
{
  (void)engine; /* slot 0 of the header tells, even for code compiled elsewhere */
  return !handle || !*(void *const *)handle;
}
