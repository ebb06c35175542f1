/* The interpreter: executes a module, including presplit coroutines, without lowering. It serves as a reference when
   two lowerings differ, and therefore shares no code with them.
   Requires: ir. Guarantees: the client's module does not change; errors of the program are diagnostics. */
#pragma once

#include "llvm-c/Types.h"
#include "pycoro.h"

struct cell;
struct interp;
struct layout;

/* Copies the module. */
coro_status interp_create(struct interp **out, LLVMModuleRef module, const coro_interp_options *options,
                          coro_diags *diags);
void interp_free(struct interp *interp); /* accepts NULL */
coro_status interp_define_external_variable(struct interp *interp, const char *name, void *address, coro_diags *diags);
coro_status interp_address_of_symbol(struct interp *interp, const char *name, void **address, coro_diags *diags);
/* Calls the code at an address from interp_address_of_symbol or the program. */
coro_status interp_call(struct interp *interp, const void *code, coro_values args, coro_values *results,
                        coro_diags *diags);
coro_status interp_resume(struct interp *interp, void *handle, coro_diags *diags);
coro_status interp_destroy(struct interp *interp, void *handle, coro_diags *diags);
void interp_allow_all_memory(struct interp *interp);
coro_status interp_share_host_memory(struct interp *interp, void *address, size_t size, coro_diags *diags);
void interp_unshare_host_memory(struct interp *interp, void *address);
bool interp_is_accessible(struct interp *interp, const void *address, size_t size);
/* NULL: no frame of a presplit coroutine there. */
const char *interp_coroutine_name_from_header(struct interp *interp, const void *handle);
const char *interp_live_coroutine_name_at(struct interp *interp, const void *address); /* NULL: none */
const char *interp_suspend_name(struct interp *interp, const void *handle);
size_t interp_names_of_all_function_values(struct interp *interp, const void *handle, const char *const **names);
/* The scalars of a value for the host, until the next call. No items: out of memory. `type`: NULL for none. */
coro_values interp_values_of_cells(struct interp *interp, const struct layout *type, const struct cell *cells);
coro_values interp_get_value(struct interp *interp, const void *handle, size_t value);
bool interp_recompute(struct interp *interp, const void *handle, size_t changed, const size_t *values, size_t count);
bool interp_set_value(struct interp *interp, const void *handle, size_t value, coro_values values);
bool interp_is_memory_defined(struct interp *interp, const void *address, size_t size);
void interp_mark_written(struct interp *interp, const void *address, size_t size);
uint64_t interp_executed_steps(const struct interp *interp);
