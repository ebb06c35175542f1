/* pycoro: custom ABIs and custom passes, a part of the public C API.
   Requires: nothing; pycoro.h and this header include each other. Guarantees: the types of coro_options and
   coro_explain_options. The rules of pycoro.h on ownership, NULL, threads and units apply. */
#ifndef PYCORO_H
#include "pycoro.h"
#elif !defined(PYCORO_CUSTOM_H)
#define PYCORO_CUSTOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Custom ABIs ---- */

typedef struct coro_attribute_info { /* an attribute of a function */
  const char *name; /* "noinline", "memory", or a string attribute of a frontend */
  const char *value; /* "read" for memory(read); the value of a string attribute; "" if it has none */
} coro_attribute_info;

typedef struct coro_parameter_info {
  const char *name; /* without the %; the parameter's number if it is unnamed */
  const char *type; /* as LLVM prints it */
} coro_parameter_info;

typedef struct coro_candidate_suspend {
  const char *name; /* name of the suspend's result, "%s0" */
  const char *block; /* the block of the suspend */
  bool is_final;
} coro_candidate_suspend;

typedef struct coro_candidate_info { /* a coroutine whose ABI is being selected; its frame is not known yet */
  const char *function;
  const char *type; /* type of the function, "ptr (i32)" */
  coro_abi_kind abi; /* the ABI of its llvm.coro.id */
  const char *id; /* the llvm.coro.id call as LLVM prints it */
  uint32_t index; /* the ABI's index, as llvm.coro.begin.custom.abi names it; CORO_NONE if it names none */
  const char *promise; /* name of the promise alloca; "" if none */
  /* the promise's type with named structs expanded; "" if there is no promise, or the text is too long */
  const char *promise_type;
  const coro_parameter_info *parameters;
  size_t parameter_count;
  const coro_attribute_info *attributes; /* attributes of the function itself, not of its parameters */
  size_t attribute_count;
  const coro_candidate_suspend *suspends; /* in program order, the final one last */
  size_t suspend_count;
} coro_candidate_info;

typedef enum coro_spill_choice { CORO_SPILL_DEFAULT, CORO_SPILL_ALWAYS, CORO_SPILL_NEVER } coro_spill_choice;

typedef struct coro_spill_candidate_info { /* an alloca, or a value that is live across a suspend */
  const char *name; /* without the % */
  const char *type; /* as LLVM prints it; for an alloca the allocated type */
  const char *value; /* the instruction or argument as LLVM prints it */
  const char *def_block; /* the defining block, "%entry" */
  const char *use_block; /* the block of the first use after a suspend; "" if none */
  uint64_t size; /* bytes */
  bool is_variable; /* memory (an alloca or a byval parameter) instead of a value */
  bool is_in_frame; /* pycoro's own decision: it lives in the frame */
  const char *why; /* the reason for that decision, one sentence */
  const char *obstacle; /* why the decision cannot be changed, one sentence; "" if it can */
} coro_spill_candidate_info;

/* A rejection of a coroutine by an ABI. Both texts are copied: a sentence that states the problem, and one that
   states the fix (may be NULL). The last call takes effect. */
typedef struct coro_rejection coro_rejection;
CORO_API void coro_reject_coroutine(coro_rejection *rejection, const char *message, const char *hint);

/* Initial values of the ABI's header in the frames of one coroutine, by element (0 if the header is not a struct):
   an integer, truncated to the element's width; the address of a NUL-terminated string constant; or the address of a
   symbol of the module or the ABI's hooks. Texts are copied. The last call for an element takes effect. */
typedef struct coro_header coro_header;
CORO_API void coro_header_set_number(coro_header *header, uint32_t element, uint64_t number);
CORO_API void coro_header_set_text(coro_header *header, uint32_t element, const char *text);
CORO_API void coro_header_set_address(coro_header *header, uint32_t element, const char *name);

typedef struct coro_remat_candidate_info { /* an instruction whose value is live across a suspend */
  const char *name; /* "sum", without the % */
  const char *type; /* as LLVM prints it */
  const char *value; /* the instruction as LLVM prints it */
  const char *def_block; /* the defining block, "%entry" */
  const char *use_block; /* the block of the first use after a suspend; "" for an operand of such a value */
} coro_remat_candidate_info;

/* An ABI derived from one of LLVM's. A coroutine selects it with llvm.coro.begin.custom.abi, whose third argument is
   the index in coro_options.abis, or `select` does. A NULL function leaves its decision to pycoro. A nonzero result
   stops the run with ECALLBACK, the module unchanged. Arguments are valid until the function returns. The thread of
   the run calls the functions in the order of the members, once per coroutine, value or frame. */
typedef struct coro_custom_abi {
  coro_abi_kind base; /* the base ABI; RETCON and RETCON_ONCE are one ABI; not RETCON_DYNAMIC */
  const char *name; /* name in diagnostics; NULL: the ABI's index is used */
  /* Selects the ABI for a coroutine without an index. EREJECTED if two ABIs select the same coroutine. NULL: selects
     none. Called for coroutines of the base ABI. */
  int (*select)(void *user, const coro_candidate_info *coroutine, bool *selected);
  /* Checks the coroutine before it is analyzed. After coro_reject_coroutine the run ends with EREJECTED. */
  int (*check)(void *user, const coro_candidate_info *coroutine, coro_rejection *rejection);
  /* Sets the initial contents of the header (the hooks' variable abi.header) for this coroutine with
     coro_header_set_number and its kin; other elements keep the variable's initializer. EREJECTED if an element does
     not exist, has another type or is too narrow, or a symbol is undefined. */
  int (*header)(void *user, const coro_candidate_info *coroutine, coro_header *header);
  /* Decides whether to rematerialize the value after the suspend instead of spilling it. `*rematerialized` is pycoro's
     decision, which the function may change. Recomputing must give the same value, which is not checked. */
  int (*rematerialize)(void *user, const coro_remat_candidate_info *value, bool *rematerialized);
  /* Decides whether something lives in the frame; `*wanted` holds CORO_SPILL_DEFAULT. Called for each alloca of
     constant size, except the promise and swifterror slots, and for each value live across a suspend, except addresses
     of allocas. ALWAYS: a value is spilled, not rematerialized; an alloca lives in the frame even if no suspend
     requires it. EREJECTED if that would be incorrect: a use where the frame may not exist (after llvm.coro.free, or
     between llvm.coro.save and resumption) or that is reachable both with and without llvm.coro.begin; its address
     escapes in such a region or before llvm.coro.begin; an alloca in a loop. NEVER: a value is rematerialized, whatever
     must be spilled for that. EREJECTED for an alloca that is live across a suspend, for an argument, and for a value
     that only `rematerialize` would permit to recompute. The message states the reason. */
  int (*keep_in_frame)(void *user, const coro_spill_candidate_info *about, coro_spill_choice *wanted);
  /* Orders the fields: `order` holds 0 .. count-1 and may be permuted; fields[order[0]] follows the frame's header.
     `fields` are in pycoro's order, without the header. */
  int (*order)(void *user, const coro_field_info *fields, size_t count, uint32_t *order);
  /* Replaces `order`: sets the field offsets. `fields` are those after the header; `offsets` holds pycoro's offsets
     in bytes from the start of the frame and may be overwritten; `start` is the first byte after the header. Gaps
     are allowed. EREJECTED for an offset that is below `start`, misaligned or not addressable, and for overlapping
     fields, unless storage is reused and they are never live at the same time. */
  int (*layout)(void *user, const coro_field_info *fields, size_t count, uint64_t start, uint64_t *offsets);
  /* Checks the final frame; rejects as `check` does. */
  int (*check_frame)(void *user, const coro_coroutine_info *coroutine, coro_rejection *rejection);
  void *user;
  /* A module, as text or bitcode, that defines the ABI's hooks: the functions abi.NAME of
     docs/reference/abi-hooks.md. NULL: none. EPARSE, EVERIFY; EUSAGE for a function that is not a hook of the base
     ABI. */
  const char *hook_module;
  size_t hook_module_size;
  /* For the switched-resume ABI: uses a separate resume function for each suspend, whose address the frame stores.
     The other ABIs always do. */
  bool clone_per_suspend;
} coro_custom_abi;

/* ---- Custom passes ---- */

typedef enum coro_pass_level {
  CORO_PASS_MODULE, /* called once */
  CORO_PASS_CGSCC, /* runs on every function definition, callees before callers */
  CORO_PASS_FUNCTION, /* runs on every function definition, in module order */
  CORO_PASS_COROUTINE /* for every unsplit coroutine, in the order of CGSCC passes */
} coro_pass_level;

typedef struct coro_pass_call { /* arguments of a pass invocation; valid until it returns */
  const char *name; /* as in the pass string: "my-pass<depth=3>" */
  const char *parameters; /* the text between < and >: "depth=3", "" */
  /* The current module, borrowed until the pass returns. The pass may inspect and change it (then call
     coro_module_mark_edited) and run passes on it, but must not free, adopt or take it. */
  coro_module *module;
  LLVMValueRef function; /* NULL for a module pass */
  const char *function_name; /* "" for a module pass, and for an unnamed function */
} coro_pass_call;

/* A pass that pass strings may name, with or without parameters, at any position, also in nested pipelines. Adjacent
   CGSCC and COROUTINE passes, pycoro's or custom, run function by function: in cgscc(mine,coro-split) a coroutine
   has been through both before its callers are visited. */
typedef struct coro_custom_pass {
  const char *name; /* must not name a pass of pycoro's; hides a pass of LLVM's with this name */
  coro_pass_level level;
  /* Any result but CORO_OK ends the run with that status and the diagnostics that the pass appended; the module does
     not change. The result is verified: EVERIFY. A function pass may change other functions too, if they verify. */
  coro_status (*run)(void *user, coro_pass_call *call, coro_diags *diags);
  void *user;
} coro_custom_pass;

#ifdef __cplusplus
}
#endif
#endif
