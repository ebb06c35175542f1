/* The inside of an engine: its units, the plan of each, and what the files of this room do with them.
   Needs: jit.h. Leaves: see each function. */
#ifndef CORO_JIT_INSIDE_H
#define CORO_JIT_INSIDE_H

#include <pthread.h>

#include "base/diag.h"
#include "jit/jit.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"

typedef void jit_thunk(void *handle);
typedef void jit_hook(void);

struct jit_part { /* f.resume, f.destroy or f.cleanup */
  char *owner;    /* "f"; malloc */
  void *address;
};

struct jit_unit { /* one module that was added */
  struct jit_unit *before; /* was added */
  struct jit_unit *next;   /* waits */
  jit_hook *init;          /* runs its constructors */
  jit_hook *fini;          /* runs its destructors; NULL where it has none */
  bool started;            /* its constructors have been called */
  struct jit_part *parts;  /* malloc */
  unsigned part_count;
};

struct jit_plan { /* what is made for one module */
  char init[40], fini[40]; /* the names of its hooks */
  char table[40];          /* of the variable with the addresses of its parts */
  bool has_fini;
  bool has_atexit; /* it may register functions for the end */
};

struct jit_index { /* of the suspend that a coroutine is at: where its frame has it */
  struct jit_index *next;
  uint64_t offset;
  uint32_t size;
  char names[]; /* of its parts, one behind the other: "f.resume", "f.destroy", "f.cleanup" */
};

struct jit {
  LLVMOrcLLJITRef lljit;
  struct jit_unit *last;
  pthread_mutex_t lock;              /* of what waits, as one thread may call while another adds */
  struct jit_unit *waiting, *latest; /* for their constructors to run: the first, the last */
  bool quick;                        /* see pycoro.h */
  bool has_atexit; /* some module registers functions for the end */
  uint64_t units; /* tried so far; makes the names of hooks unique */
  jit_thunk *resume;
  jit_thunk *destroy;
  struct jit_index *indices; /* to be marked in the module that is added next; malloc */
  char *said; /* what LLVM reported since jit_quiet, NULL for nothing; malloc */
};

/* engine.c */
void jit_quiet(struct jit *jit);                  /* forgets what LLVM reported */
void jit_said(struct jit *jit, const char *text); /* keeps the first report */
/* Consumes `error`. Adds a diagnostic of EJIT: `what`, then LLVM's words. */
coro_status jit_failed(struct jit *jit, LLVMErrorRef error, const char *what, const char *hint, coro_diags *diags);
coro_status jit_no_memory(coro_diags *diags);
bool jit_find(struct jit *jit, const char *name, void **address); /* among what was defined or added */

/* compile.c */
void jit_dispose(LLVMModuleRef own); /* with its context */
void jit_listen(struct jit *jit, LLVMContextRef context); /* keeps what LLVM reports of the context's modules */
/* From a module, which is consumed, or from an object, which is too. On failure nothing of it is in the engine. */
coro_status jit_compile(struct jit *jit, LLVMModuleRef own, const struct jit_plan *plan, struct jit_unit *unit,
                        coro_diags *diags);
coro_status jit_link(struct jit *jit, LLVMMemoryBufferRef object, const struct jit_plan *plan, struct jit_unit *unit,
                     coro_diags *diags);

/* guard.c: compiles and links the module in a child process; *object is what was compiled, the caller's. */
coro_status jit_compile_in_child(struct jit *jit, LLVMModuleRef module, const struct jit_plan *plan,
                                 struct jit_unit *unit, LLVMMemoryBufferRef *object, coro_diags *diags);

/* waiting.c */
void jit_let_wait(struct jit *jit, struct jit_unit *unit);

/* compilable.c: what would make LLVM abort, or fail half-way. CORO_OK, or the diagnostics are in `diags`. */
coro_status jit_check_compilable(struct jit *jit, LLVMModuleRef module, coro_diags *diags);

/* symbols.c: whether each name that a module defines is new, and each that it uses known; likewise. */
coro_status jit_check_symbols(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Definitions that are available elsewhere (LLVM's available_externally), and are not, become this module's own. */
void jit_define_here(struct jit *jit, LLVMModuleRef own);
/* Names what the linker of ORC did not find. CORO_OK where that is not what `*error` and jit->said are about; else
   EJIT, and `*error` is consumed. */
coro_status jit_name_missing(struct jit *jit, LLVMErrorRef *error, coro_diags *diags);

/* emutls.c: a thread-local variable of a module that is defined there, and accessed through llvm.threadlocal.address
   alone, is compiled if the process has the runtime for it. */
bool jit_can_emulate(struct jit *jit, LLVMValueRef variable);
void jit_emulate_thread_locals(LLVMModuleRef copy); /* all of them can be */

/* quick.c: for an engine that is quick. */
void jit_make_cheap(LLVMModuleRef copy);

/* empty.c: every function that the module defines has code, and so an address of its own. */
void jit_fill_empty(LLVMModuleRef copy);

/* swift.c: swifterror parameters and variables become plain ones, swiftasync parameters swiftself ones. */
void jit_pass_swift_otherwise(LLVMModuleRef module);

/* layout.c: EJIT where the module names no layout, and the machine's is another than LLVM's default for it. */
coro_status jit_check_layout(LLVMModuleRef module, const char *machine, coro_diags *diags);

/* hooks.c: replaces llvm.global_ctors and llvm.global_dtors of the module by functions of the plan's names. `init` is
   always made. */
coro_status jit_make_hooks(LLVMModuleRef module, const struct jit_plan *plan, coro_diags *diags);

/* parts.c: the parts of the module's coroutines. `list` before it is compiled (false: memory ran out), `make` in what
   is compiled (likewise), `find` afterwards, `forget` at the end. */
bool jit_list_parts(LLVMModuleRef module, struct jit_unit *unit);
bool jit_make_parts(LLVMModuleRef own, const struct jit_plan *plan, const struct jit_unit *unit);
LLVMErrorRef jit_find_parts(struct jit *jit, const struct jit_plan *plan, struct jit_unit *unit);
void jit_forget_parts(struct jit_unit *unit);

/* running.c: the marks of jit->indices, each of which the module was seen to have a place for. */
void jit_mark_running(struct jit *jit, LLVMModuleRef own);
void jit_forget_indices(struct jit *jit);

/* thunk.c: a module with @pycoro.resume and @pycoro.destroy. */
#define JIT_RESUME "pycoro.resume"
#define JIT_DESTROY "pycoro.destroy"
LLVMModuleRef jit_make_thunks(LLVMContextRef context);

#endif
