/* Internal interfaces of the JIT: units, compilation plans and the functions of each file.
   Requires: jit.h. Guarantees: see each function. */
#pragma once

#include <pthread.h>

#include "base/diag.h"
#include "jit/jit.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"

typedef void jit_thunk(void *handle);
typedef void jit_hook(void);

struct jit_clone { /* a clone: f.resume, f.destroy, f.cleanup, or f.resume.N, which is its own owner */
  char *owner; /* "f"; malloc'ed */
  void *address;
};

struct jit_unit { /* an added module */
  struct jit_unit *before; /* previously added unit */
  struct jit_unit *next; /* next unit in the constructor queue */
  jit_hook *init; /* runs its constructors */
  jit_hook *fini; /* runs its destructors; may be NULL */
  bool started; /* constructors have run */
  struct jit_clone *clone_list; /* malloc'ed */
  unsigned clone_count;
};

struct jit_plan { /* symbols generated for one module */
  char init[40], fini[40]; /* names of its init and fini functions */
  char table[40];          /* name of the table of its clones' addresses */
  bool has_fini;
  bool has_atexit; /* it may register atexit functions */
};

struct jit_index { /* location of a coroutine's suspend index in its frame */
  struct jit_index *next;
  uint64_t offset;
  uint32_t size;
  char names[]; /* names of its clones, consecutively: "f.resume", "f.destroy", "f.cleanup" */
};

struct jit {
  LLVMOrcLLJITRef lljit;
  struct jit_unit *last;
  pthread_mutex_t lock; /* protects the constructor queue: one thread may call while another adds */
  struct jit_unit *waiting, *latest; /* constructor queue: first, last */
  bool quick; /* see pycoro.h */
  bool has_atexit; /* some module registers atexit functions */
  uint64_t units; /* number of units so far; makes symbol names unique */
  jit_thunk *resume;
  jit_thunk *destroy;
  struct jit_index *indices; /* coroutines to instrument in the next module; malloc'ed */
  char *error_text; /* LLVM's first error since jit_clear_error, or NULL; malloc'ed */
};

/* engine.c */
void jit_clear_error(struct jit *jit);                  /* discards LLVM's error */
void jit_record_first_error(struct jit *jit, const char *text); /* stores LLVM's first error */
/* Reports EJIT: `what`, then LLVM's message. Consumes `error`. */
coro_status jit_report_error(struct jit *jit, LLVMErrorRef error, const char *what, const char *hint,
                             coro_diags *diags);
coro_status jit_report_no_memory(coro_diags *diags);
bool jit_find_symbol(struct jit *jit, const char *name, void **address); /* looks up a defined or added symbol */

/* compile.c */
void jit_dispose_module_and_context(LLVMModuleRef own);
void jit_record_context_errors(struct jit *jit, LLVMContextRef context); /* stores errors of the context */
/* Compile a module, or link an object; both are consumed. On failure the engine does not change. */
coro_status jit_compile(struct jit *jit, LLVMModuleRef own, const struct jit_plan *plan, struct jit_unit *unit,
                        coro_diags *diags);
coro_status jit_link(struct jit *jit, LLVMMemoryBufferRef object, const struct jit_plan *plan, struct jit_unit *unit,
                     coro_diags *diags);

/* compile_sandboxed.c: compiles and links in a child process; the caller owns *object. */
coro_status jit_compile_in_child(struct jit *jit, LLVMModuleRef module, const struct jit_plan *plan,
                                 struct jit_unit *unit, LLVMMemoryBufferRef *object, coro_diags *diags);

/* constructors.c: appends to the constructor queue */
void jit_queue_constructors(struct jit *jit, struct jit_unit *unit);

/* compilable.c: rejects modules on which LLVM's code generator would abort. */
/* EREJECTED: a coroutine intrinsic is still called. */
coro_status jit_check_coroutines_are_lowered(LLVMModuleRef module, coro_diags *diags);
coro_status jit_check_compilable(struct jit *jit, LLVMModuleRef module, coro_diags *diags);

/* symbols.c: rejects duplicate definitions and undefined symbols. */
coro_status jit_check_symbols(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Turns available_externally definitions into definitions if the symbol is undefined otherwise. */
void jit_define_available_externally(struct jit *jit, LLVMModuleRef own);
/* Reports symbols that ORC's linker did not find: EJIT, `*error` consumed. CORO_OK if the error is another one. */
coro_status jit_report_missing_symbols(struct jit *jit, LLVMErrorRef *error, coro_diags *diags);

/* emutls.c: true if the variable is defined in the module, is accessed only through llvm.threadlocal.address, and
   the runtime function exists. */
bool jit_can_emulate_tls(struct jit *jit, LLVMValueRef variable);
void jit_emulate_thread_locals(LLVMModuleRef copy); /* for a module that passed jit_can_emulate_tls */

/* simplify_for_fast_isel.c: transformations for a quick engine. */
void jit_simplify_for_fast_isel(LLVMModuleRef copy);

/* fill_empty_functions.c: gives every defined function code, and so a unique address. */
void jit_fill_empty_functions(LLVMModuleRef copy);

/* swift_attributes.c: removes swifterror, and turns swiftasync into swiftself. */
void jit_lower_swift_attributes(LLVMModuleRef module);

/* layout.c: EJIT if a struct or array that an instruction accesses has another size, or other offsets of elements, in
   the machine's layout than in the module's. */
coro_status jit_check_memory_type_layouts(LLVMModuleRef module, const char *machine_layout, coro_diags *diags);

/* constructors.c: replaces llvm.global_ctors and llvm.global_dtors by functions with the plan's names. `init` is always
   created. */
coro_status jit_replace_constructor_lists(LLVMModuleRef module, const struct jit_plan *plan, coro_diags *diags);

/* clone_table.c: the table of clones. It is listed before compilation, created in the compiled copy, and found in the
   code. False: out of memory. */
bool jit_list_clones(LLVMModuleRef module, struct jit_unit *unit);
bool jit_make_clone_table(LLVMModuleRef own, const struct jit_plan *plan, const struct jit_unit *unit);
LLVMErrorRef jit_look_up_clone_addresses(struct jit *jit, const struct jit_plan *plan, struct jit_unit *unit);
void jit_free_clones(struct jit_unit *unit);

/* track_running.c: instruments the coroutines of jit->indices. */
void jit_instrument_running(struct jit *jit, LLVMModuleRef own);
void jit_free_indices(struct jit *jit);

/* thunks.c: a module with @pycoro.resume and @pycoro.destroy. */
#define JIT_RESUME "pycoro.resume"
#define JIT_DESTROY "pycoro.destroy"
LLVMModuleRef jit_make_thunks(LLVMContextRef context);
