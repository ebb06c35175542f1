/* pycoro: ABIs and passes of the caller's, a part of the public C API.
   Needs: nothing; pycoro.h includes it, and is included by it. Leaves: what coro_options and coro_explain_options name.
   The rules of pycoro.h hold: who owns what, what is NULL, which thread, which units. */
#ifndef PYCORO_H
#include "pycoro.h"
#elif !defined(PYCORO_CUSTOM_H)
#define PYCORO_CUSTOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ABIs of the caller's ---- */

typedef struct coro_attribute_info { /* of a function */
  const char *name; /* "noinline", "memory", or any text of a frontend's */
  const char *value; /* "read" of memory(read), of a text what it is set to; "" where it has none */
} coro_attribute_info;

typedef struct coro_parameter_info {
  const char *name; /* without the %; its number where it has none */
  const char *type; /* as LLVM prints it */
} coro_parameter_info;

typedef struct coro_candidate_suspend {
  const char *name; /* of the suspend's result, "%s0" */
  const char *block; /* holding the suspend */
  bool is_final;
} coro_candidate_suspend;

typedef struct coro_candidate_info { /* a coroutine whose ABI is being chosen: its frame is not known yet */
  const char *function;
  const char *type; /* of the function, "ptr (i32)" */
  coro_abi_kind abi; /* that its llvm.coro.id belongs to */
  const char *id; /* the coro.id instruction as LLVM prints it */
  uint32_t index; /* that llvm.coro.begin.custom.abi asks for; CORO_NONE where the coroutine asks for none */
  const char *promise; /* name of the promise alloca, "" where there is none */
  const char *promise_type; /* without names of structs; "" where there is none, or it is too long */
  const coro_parameter_info *parameters;
  size_t parameter_count;
  const coro_attribute_info *attributes; /* of the function itself */
  size_t attribute_count;
  const coro_candidate_suspend *suspends; /* in program order, the final one last */
  size_t suspend_count;
} coro_candidate_info;

typedef enum coro_keep { CORO_KEEP_DEFAULT, CORO_KEEP_ALWAYS, CORO_KEEP_NEVER } coro_keep;

typedef struct coro_keepable_info { /* a variable, or a value that is needed behind a suspend */
  const char *name; /* without the % */
  const char *type; /* as LLVM prints it; of a variable that of its content */
  const char *value; /* the instruction or argument as LLVM prints it */
  const char *def_block; /* where it stands, "%entry" */
  const char *use_block; /* of the first use behind a suspend; "" where there is none */
  uint64_t size; /* bytes */
  bool is_variable; /* memory: an alloca, or a byval parameter; else a value */
  bool is_kept; /* in the frame, if pycoro may decide */
  const char *why; /* one sentence, of that */
  const char *obstacle; /* why it cannot be otherwise, one sentence; "" where it can */
} coro_keepable_info;

/* What an ABI has against a coroutine. The texts are copied: a sentence that says what is wrong, one that says how to
   mend it (may be NULL). The last one counts. */
typedef struct coro_refusal coro_refusal;
CORO_API void coro_refuse(coro_refusal *refusal, const char *message, const char *hint);

/* What elements of an ABI's header hold in the frames of one coroutine (`element` 0 of a header that is no struct): an
   integer, cut to the element's width; the address of a constant with the text, which ends in a NUL; that of what the
   module or the ABI's template calls so. Texts are copied. The last one counts. */
typedef struct coro_header coro_header;
CORO_API void coro_header_number(coro_header *header, uint32_t element, uint64_t number);
CORO_API void coro_header_text(coro_header *header, uint32_t element, const char *text);
CORO_API void coro_header_address(coro_header *header, uint32_t element, const char *name);

typedef struct coro_value_info { /* an instruction whose value is needed behind a suspend */
  const char *name; /* "sum", without the % */
  const char *type; /* as LLVM prints it */
  const char *value; /* the instruction as LLVM prints it */
  const char *def_block; /* where it stands, "%entry" */
  const char *use_block; /* of the first use behind a suspend; "" for an operand of such a value */
} coro_value_info;

/* One of LLVM's ABIs with decisions of the caller's own. A coroutine asks for it by llvm.coro.begin.custom.abi,
   whose third argument is the index in coro_options.abis, or is selected. A function that is NULL leaves the decision
   to pycoro; one that returns non-zero stops the run with ECALLBACK, the module unchanged. What they are given is
   theirs until they return. They are called by the thread of the run, in the order of the members, once for each
   coroutine, value or frame. */
typedef struct coro_custom_abi {
  coro_abi_kind base; /* what it derives from; RETCON and RETCON_ONCE are one ABI */
  const char *name; /* for diagnostics; NULL: its index */
  /* Whether the ABI is for a coroutine that asks for none: EREJECTED where two ABIs are. NULL: for none. It is asked of
     coroutines whose id the base lowers. */
  int (*select)(void *user, const coro_candidate_info *coroutine, bool *selected);
  /* Refuses the coroutine by coro_refuse, before anything else is found out about it: the run ends with EREJECTED. */
  int (*check)(void *user, const coro_candidate_info *coroutine, coro_refusal *refusal);
  /* What the header that the ABI's hooks have in the frame, abi.header, holds at first for this coroutine: what is said
     by coro_header_number and the like, and else what the variable is initialized with. EREJECTED where there is no
     such element, or it is of another type or too narrow, or nothing has the name. */
  int (*header)(void *user, const coro_candidate_info *coroutine, coro_header *header);
  /* Whether the value is computed again behind the suspend instead of kept in the frame; `*again` holds what pycoro
     would do. Computing it there must give the same value: nobody checks that. */
  int (*rematerialise)(void *user, const coro_value_info *value, bool *again);
  /* Whether something is to be in the frame; `*wanted` holds CORO_KEEP_DEFAULT. Asked of each variable of constant size
     but the promise and swifterrors, and of each value that is needed behind a suspend, but for addresses of variables.
     ALWAYS: a value is not computed again; a variable is in the frame though no suspend needs it there. EREJECTED where
     that would be wrong: it is used where the frame may have been freed (behind llvm.coro.free, or between llvm.coro.save and
     where control comes back), or where control comes both with llvm.coro.begin and without; its address is known
     outside then, or given away before llvm.coro.begin; it is made in a loop. NEVER: a value is computed again,
     whatever must be kept instead. EREJECTED for a variable that is needed across a suspend, for an argument, and for a
     value that only `rematerialise` would make again. The message says why. */
  int (*keep)(void *user, const coro_keepable_info *about, coro_keep *wanted);
  /* Where each field goes: `order` holds 0 .. count-1, to be permuted; fields[order[0]] comes right behind the frame's
     header. `fields` stand as pycoro would order them, header excluded. */
  int (*order)(void *user, const coro_field_info *fields, size_t count, uint32_t *order);
  /* Instead of `order`: where each field begins. `fields` are those behind the header, with pycoro's own offsets, which
     `offsets` holds to be overwritten, in bytes from the start of the frame; `start` is the first byte behind the
     header. Not every byte need be used. EREJECTED for an offset before `start`, or that the field's alignment does not
     divide, or beyond what can be addressed, and for two fields that have a byte in common: but where storage is
     reused, and they are never needed at one time. */
  int (*layout)(void *user, const coro_field_info *fields, size_t count, uint64_t start, uint64_t *offsets);
  /* Refuses the frame that the coroutine has in the end, as check refuses the coroutine. */
  int (*check_frame)(void *user, const coro_coroutine_info *coroutine, coro_refusal *refusal);
  void *user;
  /* A module, as text or bitcode, that defines the ABI's hooks: the functions abi.NAME of docs/reference/abi-hooks.md.
     NULL: none. EPARSE, EVERIFY; EUSAGE for what is no hook, or is none of the base. */
  const char *hooks;
  size_t hooks_size;
  /* Of the switched-resume ABI: resumes by a function of its own for each suspend, whose address the frame holds. The
     other ABIs do so anyway. */
  bool part_for_each_suspend;
} coro_custom_abi;

/* ---- Passes of the caller's ---- */

typedef enum coro_pass_level {
  CORO_PASS_MODULE, /* called once */
  CORO_PASS_CGSCC, /* for every function with a body, callees before their callers */
  CORO_PASS_FUNCTION, /* likewise, in module order */
  CORO_PASS_COROUTINE /* in the order of CGSCC passes, for those that are still to be split alone */
} coro_pass_level;

typedef struct coro_pass_call { /* what is given to a pass each time that it is called; valid until it returns */
  const char *name; /* as the pass string has it: "my-pass<depth=3>" */
  const char *parameters; /* what stands between < and >: "depth=3", "" */
  /* The module as the passes before have left it, lent: it may be looked at, changed (coro_module_edited says so), and
     run on, until the pass returns. It is not to be freed, adopted or taken. */
  coro_module *module;
  LLVMValueRef function; /* NULL for a pass on the module */
  const char *function_name; /* "" for a pass on the module, and for a function without a name */
} coro_pass_call;

/* A pass that pass strings may name, alone or with parameters. It stands where any other may, in groups too. A CGSCC or
   COROUTINE pass that has one of pycoro's or another such pass as neighbour goes function by function with it: in
   cgscc(mine,coro-split) a coroutine has been through both when the ones that call it begin. */
typedef struct coro_custom_pass {
  const char *name; /* not one of pycoro's; a pass of LLVM's that is named so is not run */
  coro_pass_level level;
  /* Anything but CORO_OK ends the run with that status, and with what the pass has appended to the diagnostics; the
     module is as it was. What it leaves is verified: EVERIFY. A pass on a function may change others too, as long as
     they verify. */
  coro_status (*run)(void *user, coro_pass_call *call, coro_diags *diags);
  void *user;
} coro_custom_pass;

#ifdef __cplusplus
}
#endif
#endif
