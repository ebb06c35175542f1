/* pycoro: lowering of LLVM coroutines, on the LLVM-C API alone. The public C API.
   Needs: LLVM 22's C headers. Leaves: no global state; the process is never aborted, nothing is ever printed.

   Ownership: `T **out` hands an object to the caller, who frees it with the matching `coro_T_free`. Every other
   pointer returned is borrowed from the object it was asked of, and lives as long as that object is neither
   changed nor freed.
   Errors: functions that can fail return a coro_status; details are appended to `diags`, which may be NULL. What a
   place was given for is NULL or 0 then.
   Order: a function that makes what it is named after has the place for it first; any other has the object first, then
   what it is given, then places for what it finds out, then `diags`.
   Memory: where the engine finds none it returns ENOMEM, all objects as they were. LLVM itself ends the process then.
   Arguments: what may be NULL says so; anything else that is NULL, and options of another version, are EUSAGE, and
   where no status is returned, what there is of nothing: 0, NULL, "".
   Threads: an object is used by one thread at a time; different objects may be used in parallel.
   Units: sizes, offsets and alignments are bytes unless a name says bits. */
#ifndef PYCORO_H
#define PYCORO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "llvm-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CORO_API __attribute__((visibility("default")))
#define CORO_VERSION "0.1.0"
#define CORO_NONE UINT32_MAX /* "no index" wherever an index is reported */

typedef enum coro_status {
#define CORO_STATUS(name, value, exit, text) CORO_##name = value,
#include "status.def"
} coro_status;

typedef struct coro_module coro_module;
typedef struct coro_report coro_report;
typedef struct coro_diags coro_diags;
typedef struct coro_engine coro_engine;
typedef struct coro_interp coro_interp;

CORO_API const char *coro_version(void);      /* CORO_VERSION of the library that was linked */
CORO_API const char *coro_llvm_version(void); /* "22.1.8": of the libLLVM that is loaded */
CORO_API const char *coro_status_text(coro_status status);
CORO_API int coro_status_exit(coro_status status); /* exit status of the command line: 0, 1, 2 or 3 */
CORO_API void coro_string_free(char *string);      /* frees what a `char **out` gave */

/* ---- Diagnostics: what is wrong, where, and how to mend it ---- */

typedef enum coro_severity { CORO_ERROR, CORO_WARNING } coro_severity;

typedef struct coro_diag { /* every string is non-NULL; "" is "does not apply" */
  coro_status status;
  coro_severity severity;
  const char *rule;        /* stable short name of the rule, as "one-final-suspend" */
  const char *function;    /* without the @ */
  const char *block;       /* "%entry", or "%7" for one without a name */
  const char *instruction; /* "%s = call i8 @llvm.coro.suspend(...)", as LLVM prints it */
  const char *message;     /* what is wrong, one sentence */
  const char *hint;        /* how to mend it, one sentence */
  const char *passes;      /* the pass string that is wrong */
  uint32_t at, length;     /* where in it: bytes from its start; 0 bytes where something is missing there */
} coro_diag;

CORO_API coro_status coro_diags_create(coro_diags **out);
CORO_API void coro_diags_free(coro_diags *diags); /* NULL is fine */
CORO_API void coro_diags_clear(coro_diags *diags);
CORO_API size_t coro_diags_count(const coro_diags *diags);
CORO_API const coro_diag *coro_diags_get(const coro_diags *diags, size_t index); /* NULL past the end */
/* Appends a copy, for a pass or an ABI of the caller's that says what is wrong; strings that are NULL are "". Returns
   the diagnostic's status, or ENOMEM. `diags` may be NULL. */
CORO_API coro_status coro_diags_add(coro_diags *diags, const coro_diag *diag);

/* ---- Modules: each owns an LLVMContext of its own ---- */

/* Reads textual IR or bitcode (told apart by bitcode's magic bytes) and verifies it. `name` becomes the module's
   identifier. `data` need not end in a NUL. EPARSE, EVERIFY, ENOMEM. LLVM trusts what well-formed bitcode says, and
   does not survive some text either (an overload of llvm.coro.suspend.retcon by token ends the process, a lexical
   block that is its own scope is verified without end): rehearse what nobody answers for. Debug info that is wrong in
   itself is dropped with a warning, as LLVM does; LLVM's reader tells the details on stderr, which nothing can stop. */
CORO_API coro_status coro_module_parse(coro_module **out, const char *data, size_t size, const char *name,
                                       coro_diags *diags);
/* As coro_module_parse, where the process may be lost: nothing is read twice to find out whether LLVM's reader ends the
   process for debug info that does not verify, or for bitcode from before LLVM 3.9. */
CORO_API coro_status coro_module_parse_at_risk(coro_module **out, const char *data, size_t size, const char *name,
                                               coro_diags *diags);
/* Reads the input in a child process, to see whether the reader comes to an end. OK whether or not the input is a
   module; EPARSE if the child crashed, used 5 seconds of processor time and one more for each MiB, or 512 MiB of memory
   and 64 bytes more for each byte, or waited for something 3 seconds long; also where no process could be made. The
   diagnostic says which. It costs a fork and a second read. The child has no file of the host's open, and runs none of
   its handlers; the host may ignore SIGCHLD or reap all children itself. */
CORO_API coro_status coro_module_rehearse(const char *data, size_t size, const char *name, coro_diags *diags);
/* coro_module_rehearse, then coro_module_parse, which leaves out what the child has found out. */
CORO_API coro_status coro_module_parse_rehearsed(coro_module **out, const char *data, size_t size, const char *name,
                                                 coro_diags *diags);
/* Takes over a module and the context it was made in; both are disposed of with *out. On failure they stay the
   caller's. */
CORO_API coro_status coro_module_adopt(coro_module **out, LLVMModuleRef module, coro_diags *diags);
CORO_API coro_status coro_module_clone(coro_module **out, const coro_module *module, coro_diags *diags);
/* One module of several, which are left as they are; `name` becomes its identifier. What they define comes in their
   order. LLVM's linker is tried in a child process first, under 10 seconds of processor time and two for each module,
   and 1 GiB of memory. ELINK: two define the same, are of different machines, or LLVM has something else against one,
   which the diagnostic names; EVERIFY, EUSAGE for none, ENOMEM. */
CORO_API coro_status coro_module_link(coro_module **out, const coro_module *const *modules, size_t count,
                                      const char *name, coro_diags *diags);
CORO_API void coro_module_free(coro_module *module); /* NULL is fine */
CORO_API LLVMModuleRef coro_module_llvm(const coro_module *module); /* borrowed until the next coro_run */
/* Reads textual IR or bitcode in the place of what the module holds; `name` may be NULL, and is the module's then. As
   coro_module_parse; whatever the error, the module is as it was. A module that is lent to a pass may be told so. */
CORO_API coro_status coro_module_set(coro_module *module, const char *data, size_t size, const char *name,
                                     coro_diags *diags);
/* To be said after a change through coro_module_llvm, so that nothing that was found out before is still believed. */
CORO_API void coro_module_edited(coro_module *module);
CORO_API uint64_t coro_module_generation(const coro_module *module); /* grows whenever the module changes */
CORO_API coro_status coro_module_print(const coro_module *module, char **out); /* NUL-terminated */
/* IR that says what the module looks like from outside: its target, the variables that it does not define, its
   functions (no intrinsics) with calling conventions, types and the attributes of parameters and results. The body of
   one that it defines is `unreachable`. Costs what the headers are long, not the bodies. NUL-terminated. */
CORO_API coro_status coro_module_outline(const coro_module *module, char **out);
/* Bitcode lists the symbols of a module's assembly: LLVM's assembler looks for them in a child process, under limits of
   time and memory. EJIT: it does not come to an end. The bytes are freed by coro_string_free. */
CORO_API coro_status coro_module_bitcode(const coro_module *module, char **out, size_t *size);

typedef struct coro_emit_options {
  uint32_t version; /* 1 */
  bool assembly; /* text, in the place of an object file */
  unsigned level; /* of code generation: 0 to 3 */
  const char *triple; /* NULL: the module's; another's data layout takes the place of the module's */
  const char *cpu, *features; /* "x86-64-v3", "+avx2,-sse4a"; NULL: what the triple says */
  const char *relocation_model; /* "static", "pic", ...: facts/codegen.def; NULL: pic by "PIC Level", or the target's */
  const char *code_model; /* "small", "large", ...: likewise */
} coro_emit_options;
#define CORO_EMIT_OPTIONS_INIT {1, false, 0, NULL, NULL, NULL, NULL, NULL}

/* Code of a module without coroutines that are still to be lowered, by LLVM's target machine, in a child process: what
   LLVM's code generator does not survive is EJIT. `options` may be NULL. EUSAGE: no such target, processor, feature or
   model. The bytes are freed by coro_string_free. */
CORO_API coro_status coro_module_emit(const coro_module *module, const coro_emit_options *options, char **out,
                                      size_t *size, coro_diags *diags);
CORO_API coro_status coro_module_verify(const coro_module *module, coro_diags *diags);

typedef struct coro_function_info {
  const char *name;
  const char *type; /* "ptr (i32)" */
  bool declaration;
  bool intrinsic;
  bool presplit; /* has a body and the attribute presplitcoroutine: it is still to be split */
  bool coroutine; /* presplit, or calls an llvm.coro.id* of its own */
  bool local; /* internal or private: no other module can name it */
  const char *sret; /* what its sret parameter, the first, points at, "{ ptr, i32 }"; "" where it has none */
} coro_function_info;

/* Functions in module order. Borrowed until the module changes. */
CORO_API coro_status coro_module_functions(coro_module *module, const coro_function_info **out, size_t *count);
/* One function of the module, at a cost that does not grow with the others. Borrowed until the module changes or
   another one is asked for. EUSAGE: it is none of the module's. */
CORO_API coro_status coro_module_function(coro_module *module, LLVMValueRef function, const coro_function_info **out);

/* ---- Types, where LLVM itself trusts that it is asked for what there is ---- */

typedef enum coro_type_making {
  CORO_TYPE_PLAIN, /* by its name: void, half, bfloat, float, double, x86_fp80, fp128, ppc_fp128, label, token, ... */
  CORO_TYPE_INTEGER, /* of `number` bits */
  CORO_TYPE_POINTER, /* into the address space `number` */
  CORO_TYPE_STRUCT, /* of parts, packed where `flag` says so; with a name where one is given */
  CORO_TYPE_ARRAY, /* `number` times its one part */
  CORO_TYPE_VECTOR, /* likewise; times vscale where `flag` says so */
  CORO_TYPE_FUNCTION /* of its result and then its parameters; variadic where `flag` says so */
} coro_type_making;

typedef struct coro_type_wanted {
  coro_type_making kind;
  LLVMTypeRef *parts; /* of this context */
  size_t count;
  uint64_t number;
  bool flag;
  const char *name; /* may be NULL */
} coro_type_wanted;

/* A type lives as long as the module's context: until the module is freed. EUSAGE where LLVM has no such type, or where
   it would be too long or nested too deeply for LLVM to come back from. */
CORO_API coro_status coro_type_make(coro_module *module, const coro_type_wanted *wanted, LLVMTypeRef *type,
                                    coro_diags *diags);
/* The type that LLVM spells so: "{ i32, ptr }", "i32 (ptr, ...)", "%pair" where the module has a struct of the name.
   EUSAGE; types of targets are not read. */
CORO_API coro_status coro_type_read(coro_module *module, const char *text, LLVMTypeRef *type, coro_diags *diags);
/* As LLVM spells it where it is used. The caller's, by coro_string_free. EUSAGE: too long, nested too deeply. */
CORO_API coro_status coro_type_print(coro_module *module, LLVMTypeRef type, char **text, coro_diags *diags);
/* The bytes from one value of the type in memory to the next, and what its address is a multiple of, by the layout that
   the module's coroutines are lowered by. Both 0 where neither is known before the program runs (scalable and opaque
   types, functions), and where they are more than any memory. */
CORO_API coro_status coro_type_layout(coro_module *module, LLVMTypeRef type, uint64_t *size, uint64_t *align);
/* Of an element of a struct that has a layout, in bytes. EUSAGE where there is none such. */
CORO_API coro_status coro_type_offset(coro_module *module, LLVMTypeRef type, size_t index, uint64_t *offset);
/* "integer", "float", "pointer", "struct", "array", "vector", "function", "void", "label", "metadata", "token",
   "x86_amx", "target". */
CORO_API const char *coro_type_kind(LLVMTypeRef type);

/* ---- What a coroutine looks like ---- */

typedef enum coro_abi_kind { CORO_ABI_SWITCH, CORO_ABI_RETCON, CORO_ABI_RETCON_ONCE, CORO_ABI_ASYNC } coro_abi_kind;

typedef enum coro_field_kind {
  CORO_FIELD_RESUME, /* address of f.resume; null when the coroutine is done */
  CORO_FIELD_DESTROY, /* address of f.destroy or f.cleanup */
  CORO_FIELD_PROMISE,
  CORO_FIELD_INDEX, /* which suspend point the coroutine is suspended at */
  CORO_FIELD_HEADER, /* what the hooks of a custom ABI keep: its abi.header */
  CORO_FIELD_ALLOCA, /* a variable whose address or content is needed after a suspend */
  CORO_FIELD_SPILL /* an SSA value that is needed after a suspend */
} coro_field_kind;

typedef struct coro_suspend_range { /* places in suspends: [first, end) */
  uint32_t first, end;
} coro_suspend_range;

typedef struct coro_source_info { /* of a function, a variable or a suspend, by debug information; "" and 0: it does
                                     not say */
  const char *name; /* as the source has it; "" of a suspend */
  const char *file; /* as the compiler was given it */
  const char *directory; /* what `file` is relative to */
  uint32_t line; /* from 1 on */
  uint32_t column; /* from 1 on; 0: the whole line, as of functions and variables */
} coro_source_info;

typedef enum coro_source_type_kind {
  CORO_SOURCE_OPAQUE, /* bytes: no more is known of it, or no more is told */
  CORO_SOURCE_INTEGER,
  CORO_SOURCE_BOOLEAN,
  CORO_SOURCE_CHARACTER,
  CORO_SOURCE_FLOAT,
  CORO_SOURCE_POINTER, /* or a reference */
  CORO_SOURCE_ENUMERATION, /* an integer; its parts have names and values */
  CORO_SOURCE_RECORD, /* a struct or class: its parts are the bases and members */
  CORO_SOURCE_UNION, /* likewise */
  CORO_SOURCE_ARRAY
} coro_source_type_kind;

typedef struct coro_source_part {
  const char *name; /* "" of a member without one */
  uint32_t type; /* of a member: a place in source_types; CORO_NONE: nothing is known of it */
  uint64_t offset; /* of a member, in bits */
  uint64_t bits; /* of a bit-field; 0: it is none */
  int64_t value; /* of an enumerator; of what is unsigned, the same 64 bits */
} coro_source_part;

typedef struct coro_source_type { /* of variables of the source, by debug information */
  coro_source_type_kind kind;
  const char *name; /* as the source has it, `const char *`; "" where it has none */
  uint64_t size; /* bytes; 0: not known */
  bool is_signed; /* of a number, a character, an enumeration */
  uint32_t element; /* of an array: a place in source_types */
  uint64_t count; /* of an array: its elements */
  const coro_source_part *parts;
  size_t part_count;
} coro_source_type;

typedef struct coro_field_info {
  coro_field_kind kind;
  const char *name; /* of the source value, without the %, or of the header slot: "resume", "destroy", ... */
  const char *type; /* as LLVM prints it */
  const char *spelled; /* without names of structs, "{ i32, ptr }"; "" where it is too long, or of no known size */
  const char *value; /* the defining instruction or argument as LLVM prints it, "" for header slots */
  const char *def_block; /* where it is defined, "%entry" */
  const char *use_block; /* of the first use after a suspend, "" for header slots */
  const char *use; /* the instruction of that use as LLVM prints it */
  const char *why; /* one sentence */
  uint64_t offset;
  uint64_t size;
  uint64_t align;
  uint64_t realign; /* 0, or what the variable's address is a multiple of, somewhere in the field: more than `align` */
  uint32_t suspend; /* index in suspends of the one that forced the field, CORO_NONE for header slots */
  /* The suspends that it must survive, in order. All of them for the promise, which the outside may look at; none for
     header slots, which are the lowering's own and always there. */
  const coro_suspend_range *live;
  size_t live_count;
  coro_source_info source; /* the variable that it is, or whose value it holds */
  uint32_t
      source_type; /* of that variable, a place in source_types of the coroutine; CORO_NONE where it is not known */
} coro_field_info;

typedef struct coro_suspend_info {
  const char *name; /* of the suspend's result, "%s0" */
  const char *block; /* holding the suspend */
  const char *save_block; /* holding its coro.save, the same block where there is none */
  const char *suspend_block; /* where control goes when it suspends; "" where not known statically */
  const char *resume_block;
  const char *destroy_block;
  bool is_final;
  bool is_first_value; /* a ramp that stops here has made the first value; see Handle of the Python API */
  bool is_saved_apart; /* a call is between its coro.save and it: that may resume the coroutine before it suspends */
  uint32_t index; /* the number stored in the frame while suspended here */
  uint32_t live_count; /* of fields that must survive it */
  uint64_t live_bytes; /* of these */
  coro_source_info source; /* where it is: the co_await or co_yield of C++ */
} coro_suspend_info;

typedef struct coro_block_info { /* the CFG of the presplit function */
  const char *name;
  const uint32_t *successors; /* indices into blocks */
  size_t successor_count;
} coro_block_info;

typedef struct coro_coroutine_info {
  const char *function;
  bool local; /* internal or private: no other module can name it */
  coro_source_info source; /* the function */
  coro_abi_kind abi;
  const char *custom_abi; /* name of the caller's ABI that lowers it, "ABI 0" of one that has none; "" for LLVM's own */
  const char *id; /* the coro.id instruction as LLVM prints it */
  const char *promise; /* name of the promise alloca, "" where there is none */
  uint64_t promise_offset;
  const char *promise_type; /* without names of structs, "{ i32, ptr }"; "" where there is none, or it is too long */
  uint64_t frame_size; /* 0 where there is no suspend and no frame */
  uint64_t frame_align;
  uint64_t lower_bound; /* no layout can be smaller: the widest set of fields live at one place, rounded up */
  const coro_field_info *fields; /* by offset */
  size_t field_count;
  const coro_source_type *source_types; /* of the fields' variables, and what these are made of; each once */
  size_t source_type_count;
  const char *const *again; /* names of the values that are computed again behind a suspend instead of being kept */
  size_t again_count;
  const coro_suspend_info *suspends; /* in program order, the final one last */
  size_t suspend_count;
  size_t end_count;
  const coro_block_info *blocks;
  size_t block_count;
  const char *const
      *clones; /* names of the functions made: f.resume, f.destroy, f.cleanup; or f.resume.N, by suspend */
  size_t clone_count;
  /* Memory that the caller gives: the buffer of returned continuations, the context of an async function. 0 and "" for
     the switch ABI. */
  uint64_t storage_size; /* bytes */
  uint64_t storage_align; /* bytes */
  uint32_t storage_argument; /* which argument it is; CORO_NONE where it is not an argument */
  bool frame_in_storage; /* the frame lies in it; else it holds the frame's address */
  uint64_t frame_offset; /* of the frame in a context, in bytes; 0 for other ABIs */
  const char *function_pointer; /* name of the async function pointer, "" for other ABIs */
  const char *prototype; /* name of a function that the id names */
  const char *allocator; /* likewise */
  const char *deallocator; /* likewise */
  const char *ramp_type; /* how it is called, in LLVM's words: "cc 0 ptr (ptr, i1 zeroext)" */
  const char *resume_type; /* how a continuation is */
} coro_coroutine_info;

#include "pycoro_custom.h" /* ABIs and passes of the caller's */

/* ---- Running passes ---- */

typedef struct coro_options {
  uint32_t version; /* 1 */
  bool verify_each; /* verify the module, and read its text back, after every pass; EVERIFY or EBUG names it */
  /* Called after every pass with the IR of the whole module; non-zero stops the run with ECALLBACK. May be NULL. */
  int (*after_pass)(void *user, const char *pass, const char *target, const char *ir);
  /* Called often, between LLVM's steps; non-zero stops the run with ECALLBACK, the module unchanged. May be NULL. */
  int (*interrupted)(void *user);
  void *user;
  const coro_custom_abi *abis; /* of abi_count, may be NULL where that is 0; read during the run only */
  size_t abi_count;
  bool in_place; /* there is no way back: after an error the module is good for nothing but to be freed */
  uint64_t fail_allocation; /* for tests: 0, or n: the run's n-th allocation fails, its report's among them */
  const coro_custom_pass *passes; /* of pass_count, may be NULL where that is 0; read during the call only */
  size_t pass_count;
  bool snapshots; /* the report keeps the IR of the whole module before and after each pass: printed after each */
  /* Where it can be found out later, by another run on what the module was read from, the report tells of coroutines
     only after coro_report_describe. Describing them is to print them, and may take as long as to lower them. */
  bool describe_later;
  bool expand_levels; /* the canonical spelling has the passes of default<O2> and its like, and not their names */
  /* `passes` use nothing of LLVM's that they have seen once the run is over: where it fails the module may be read
     again in another context, and no copy of it is made for them beforehand. */
  bool passes_let_go;
  /* What pycoro's passes and LLVM's leave is not verified before others go on from it, nor at the end, as with opt's
     -disable-verify: about a third of what lowering takes. What passes of the caller's leave is verified all the same,
     and so is the module before its next run. verify_each has its way where both are asked for. */
  bool unverified;
} coro_options;

#define CORO_OPTIONS_INIT {1, false, NULL, NULL, NULL, NULL, 0, false, 0, NULL, 0, false, false, false, false, false}

typedef enum coro_change { CORO_UNCHANGED, CORO_CHANGED, CORO_MAY_HAVE_CHANGED } coro_change;

typedef struct coro_pass_info {
  const char *name; /* "coro-split", or LLVM's own pass string */
  const char *target; /* "[module]", "[N functions]" of a round, or the function's name */
  double seconds;
  bool ours; /* false: run by LLVM, or a pass of the caller's */
  /* Whether the module is another than before. LLVM does not tell of its passes, nor of those that a pass of the
     caller's has run: MAY_HAVE without snapshots, by which it is known. */
  coro_change changed;
  const char *before, *after; /* the IR of the module with snapshots, one text where it has not changed; else NULL */
} coro_pass_info;

typedef struct coro_stage_info { /* of coro-split, and of explaining */
  const char *name; /* as in csrc/coro/stages.def */
  double seconds; /* of all coroutines together */
} coro_stage_info;

typedef struct coro_remark {
  const char *pass; /* "coro-split" */
  const char *name; /* LLVM's remark name: "CoroSplit", "CoroElide", ... */
  const char *function; /* the function it is about */
  const char *message; /* one sentence, with the reason where something was refused */
  bool done; /* true: a transformation was made; false: it was refused */
  const char *file; /* where in the source, by debug information; "" where that is not known. NULL is "" */
  uint32_t line, column; /* from 1; 0: not known */
} coro_remark;

/* A start of a coroutine in a function, and whether its frame is that function's own memory. */
typedef struct coro_elision {
  const char *caller; /* the function that starts it, without the @ */
  const char *callee; /* the coroutine */
  const char *pass; /* "coro-elide", "coro-annotation-elide" */
  bool done;
  uint64_t bytes; /* of the frame; 0: not known */
  uint64_t align; /* bytes */
  const char *reason; /* the proof, or what stands in its way: "%h is stored to @global in %then" */
  const char *block; /* where the proof ended: "%then"; where it is done, where the coroutine is started */
  /* That instruction, as LLVM prints it. It costs as much as the module is large: behind the first 256 decisions of a
     run it is "", as is the block where it has no name. */
  const char *instruction;
  const char *file; /* its place in the source, by debug information; "" where that is not known */
  uint32_t line, column; /* from 1; 0: not known */
} coro_elision;

/* Runs a pass string as LLVM's `opt -passes=` does: the names of csrc/pass/passes.def are pycoro's own passes, every
   other name is handed to LLVM in its place in the order. `report` may be NULL. Whatever the error, the module is as
   it was before the call, unless the options want it changed in place. */
CORO_API coro_status coro_run(coro_module *module, const char *passes, const coro_options *options,
                              coro_report **report, coro_diags *diags);
/* Parses a pass string without running it; *out, if not NULL, is the canonical spelling. Of the options, which may be
   NULL, the caller's passes and expand_levels count. EPIPELINE. */
CORO_API coro_status coro_pipeline_check(const char *passes, const coro_options *options, char **out,
                                         coro_diags *diags);

/* Whether the passes do nothing but change a module: EPIPELINE for those of LLVM's that write or read files, start
   programs or print. For pass strings that somebody else has written. EUSAGE, ENOMEM. */
CORO_API coro_status coro_passes_confined(const char *passes, coro_diags *diags);

/* Adds to the report of the run what a pass has done, or refused to do. `module` is the one that it was lent. EUSAGE
   for any other, ENOMEM. */
CORO_API coro_status coro_pass_remark(coro_module *module, const coro_remark *remark);

typedef struct coro_explain_options {
  uint32_t version; /* 1 */
  bool reuse_storage; /* frames as coro-split<reuse-storage> lays them out */
  const coro_custom_abi *abis; /* of abi_count, as in coro_options; read during the call only */
  size_t abi_count;
  int (*interrupted)(void *user); /* called often; non-zero ends the call with ECALLBACK. May be NULL */
  void *user;
} coro_explain_options;

#define CORO_EXPLAIN_OPTIONS_INIT {1, false, NULL, 0, NULL, NULL}

/* Shape and frame of every presplit coroutine (or of one: `function` not NULL), as coro-split would find them in the
   module as it stands, which is left so. `options` may be NULL: as INIT. EREJECTED, ECALLBACK, EUSAGE, ENOMEM, and no
   report then. */
CORO_API coro_status coro_explain(const coro_module *module, const char *function, const coro_explain_options *options,
                                  coro_report **report, coro_diags *diags);

/* What the stages of the lowering leave of one presplit coroutine, as text for people, in the words of LLVM's IR: of
   all, or of one (`stage` not NULL) with nothing done behind it. The text is the caller's, by coro_string_free. Options
   and statuses as for coro_explain; EUSAGE too for a stage that is not there, and a function that is no coroutine. */
CORO_API coro_status coro_stage_text(const coro_module *module, const char *function, const char *stage,
                                     const coro_explain_options *options, char **text, coro_diags *diags);
/* The stages in their order, from 0: the name, which lives for ever; NULL behind the last. `leaves` may be NULL; it
   gets a few words on what the stage leaves. */
CORO_API const char *coro_stage(size_t index, const char **leaves);

CORO_API void coro_report_free(coro_report *report); /* NULL is fine */
/* What the run was told to leave for later: to be called before the next two, by one thread. OK, or ENOMEM; then it may
   be called again. Costs nothing where there is nothing to do. */
CORO_API coro_status coro_report_describe(coro_report *report, coro_diags *diags);
CORO_API size_t coro_report_coroutine_count(const coro_report *report);
CORO_API const coro_coroutine_info *coro_report_coroutine(const coro_report *report, size_t index);
CORO_API size_t coro_report_pass_count(const coro_report *report);
CORO_API const coro_pass_info *coro_report_pass(const coro_report *report, size_t index);
CORO_API size_t coro_report_stage_count(const coro_report *report); /* of the road, as far as some coroutine went */
CORO_API const coro_stage_info *coro_report_stage(const coro_report *report, size_t index);
CORO_API size_t coro_report_remark_count(const coro_report *report);
CORO_API const coro_remark *coro_report_remark(const coro_report *report, size_t index);
/* What was elided, in the order of the run, and what was refused when its caller was looked at for the last time. */
CORO_API size_t coro_report_elision_count(const coro_report *report);
CORO_API const coro_elision *coro_report_elision(const coro_report *report, size_t index);

/* ---- JIT: compile a lowered module in this process ---- */

typedef struct coro_engine_options {
  uint32_t version; /* 1 */
  /* Compile as fast as can be, with no regard to how fast the code is. What cannot run is left out. A swifterror
     parameter is passed like any other, a swiftasync one as if it were swiftself: what was compiled elsewhere can
     neither be called with one nor call with one. */
  bool quick;
} coro_engine_options;

#define CORO_ENGINE_OPTIONS_INIT {1, false}

/* `options` may be NULL: as INIT. */
CORO_API coro_status coro_engine_create(coro_engine **out, const coro_engine_options *options, coro_diags *diags);
CORO_API void coro_engine_free(coro_engine *engine); /* code and data of its modules are gone after this */
/* The machine that the engine compiles for, as a module's `target triple` and `target datalayout` name it. A module
   that names none should be given these before it is lowered: frames are laid out by the layout. */
CORO_API const char *coro_engine_triple(const coro_engine *engine);
CORO_API const char *coro_engine_data_layout(const coro_engine *engine);
/* Binds a name to an address before modules that use it are added. */
CORO_API coro_status coro_engine_define(coro_engine *engine, const char *name, void *address, coro_diags *diags);
/* A shared library, as dlopen gives it, in which the modules added afterwards find what code generation makes up
   (_Unwind_Resume), where the process does not define it. It must stay open as long as the engine. */
CORO_API coro_status coro_engine_add_library(coro_engine *engine, void *library);
/* Calls `each` with every name that the module uses, and that nothing defines: neither it, nor what was defined or
   added, nor the process. Functions come first, each kind in module order. A definition that the module only has a copy
   of, available_externally, counts as none; its body is compiled where it is still missing when the module is added. */
CORO_API coro_status coro_engine_missing(coro_engine *engine, const coro_module *module,
                                         void (*each)(void *user, const char *name), void *user);
/* Calls `each` with the parts of the coroutines of the module that was added last: the address of f.resume, f.destroy
   or f.cleanup, and "f". The first two pointers of a frame are such addresses, and so tell whose it is. Of a
   continuation the owner is its own name, "f.resume.0". `owner` lives as long as the engine. */
CORO_API coro_status coro_engine_each_part(const coro_engine *engine,
                                           void (*each)(void *user, const char *owner, const void *address),
                                           void *user);
/* Has a coroutine of the switch ABI tell whether it runs, from the next module on that is added, which has to be this
   one: where its ramp makes the frame, and where its resume part has read the index of its suspend (`size` bytes at
   `offset` in the frame), the index gets its highest bit, until a save stores the index again; its parts read the index
   without that bit, which no index of a suspend may have. `*can` is false where the parts are not such that they can.
   For a module as the lowering left it: a pass that ran later may have left out the store of an index that was the same
   before. */
CORO_API coro_status coro_engine_ask_running(coro_engine *engine, const coro_module *module, const char *coroutine,
                                             uint64_t offset, uint32_t size, bool *can);
/* Compiles the module in a child process, which hands what it made back: LLVM's code generator and linker end the
   process that they run in on modules that ask for what the machine, or LLVM for it, does not have. EJIT then, or where
   the child used 5 seconds of processor time and one more for each thousand instructions, 512 MiB of memory and 16 KiB
   more for each instruction, waited for something 3 seconds long, or could not be made. It costs a fork, and linking
   twice; the module is not copied. Else as coro_engine_add. */
CORO_API coro_status coro_engine_add_guarded(coro_engine *engine, const coro_module *module, coro_diags *diags);
/* Compiles a copy of the module in this process, for modules that you answer for. EREJECTED if an llvm.coro.* call is
   left in it. Undefined functions are looked for among the definitions, then in the process; one that is found nowhere
   is EJIT, named. A module without a data layout that this machine lays out otherwise than LLVM does by default is
   EJIT. */
CORO_API coro_status coro_engine_add(coro_engine *engine, const coro_module *module, coro_diags *diags);
/* Likewise, but compiles the module itself, which is freed, whatever the status: no copy is made. */
CORO_API coro_status coro_engine_take(coro_engine *engine, coro_module *module, coro_diags *diags);
/* Runs llvm.global_ctors of the modules whose have not run, in the order in which they were added. No code of a module
   runs before; call it before you call, resume or destroy, or read a variable. Another thread may add a module
   meanwhile. What has not been constructed is not destructed when the engine is freed. */
CORO_API coro_status coro_engine_run_constructors(coro_engine *engine);
CORO_API coro_status coro_engine_lookup(coro_engine *engine, const char *name, void **address, coro_diags *diags);
/* The switch ABI's operations on a handle, compiled by the engine. The caller sees to it that the handle is live. */
CORO_API coro_status coro_engine_resume(coro_engine *engine, void *handle);
CORO_API coro_status coro_engine_destroy(coro_engine *engine, void *handle);
CORO_API bool coro_engine_done(const coro_engine *engine, const void *handle);

/* ---- Interpreter: executes a module as it stands, presplit coroutines included ---- */

typedef enum coro_value_kind { CORO_VALUE_INT, CORO_VALUE_FLOAT, CORO_VALUE_POINTER } coro_value_kind;

typedef struct coro_value { /* a scalar; aggregates and vectors are several of them, in order */
  coro_value_kind kind;
  uint32_t bits; /* width of the type; 0: there is no value */
  uint64_t words[2]; /* the bits, the low ones first; those beyond the width are 0. A double as it lies in memory */
  bool defined; /* false: it depends on undef, poison, or memory that nobody has written */
} coro_value;

typedef struct coro_values { /* several scalars in a row */
  const coro_value *items;
  size_t count;
} coro_values;

typedef struct coro_external { /* a call of what the module does not define */
  const char *name; /* "" where it is called by an address of the host's */
  const void *address;
  const char *type; /* "i32 (ptr)" */
  const coro_value *args;
  size_t arg_count;
  coro_value result; /* kind and bits are set, the words are for the callback to set */
  bool thrown; /* set by the callback: the call ends by this exception, whose type is the address of its */
  void *exception; /* type information, NULL for one that only catch-all clauses catch */
  const void *exception_type;
} coro_external;

#define CORO_EXTERNAL_UNKNOWN 2 /* a callback's answer: nobody defines it, which is EUNSUPPORTED */

typedef struct coro_interp_options {
  uint32_t version; /* 1 */
  uint32_t depth; /* most calls that may nest; 0: any number */
  uint64_t steps; /* most operations for one call from outside; 0: any number */
  /* Defines the functions that the module only declares. 0: done; else the call ends with ECALLBACK. It may call the
     same interpreter. May be NULL: there are none. */
  int (*external)(void *user, coro_external *call);
  /* Called now and then; non-zero ends the call with ECALLBACK. May be NULL. */
  int (*interrupted)(void *user);
  void *user;
} coro_interp_options;

#define CORO_INTERP_OPTIONS_INIT {1, 1u << 20, UINT64_C(100000000), NULL, NULL, NULL}

/* Works on a copy of the module; nothing is executed yet. EUNSUPPORTED for a module of a machine that this one cannot
   stand in for, EVERIFY, ENOMEM. Memory of the program is memory of the process: its pointers are addresses. It may use
   its variables, what it allocates, and what the host shares with it; anything else is EUNDEFINED. malloc, free and
   their kin of C and C++ are here where the host does not define them; what they give where it does is shared. */
CORO_API coro_status coro_interp_create(coro_interp **out, const coro_module *module,
                                        const coro_interp_options *options, coro_diags *diags);
CORO_API void coro_interp_free(coro_interp *interp); /* NULL is fine; not from a callback */
/* Says where a variable is that the module only declares, before the first call; it is shared. EUSAGE. */
CORO_API coro_status coro_interp_define(coro_interp *interp, const char *name, void *address, coro_diags *diags);
/* The address that the program knows a function or variable by; a function's is for coro_interp_call alone. EUSAGE. */
CORO_API coro_status coro_interp_address(coro_interp *interp, const char *name, void **address, coro_diags *diags);
/* Calls a function at an address that the interpreter or the program gave. `results` may be NULL; they are borrowed
   until the next call.
   EUNDEFINED: what the program does, or what the outside would see of it, is undefined; EUNSUPPORTED; ELIMIT;
   ECALLBACK; EUSAGE. The interpreter can be used on after any of them. */
CORO_API coro_status coro_interp_call(coro_interp *interp, const void *code, coro_values args, coro_values *results,
                                      coro_diags *diags);
/* The switch ABI's operations on a handle, with the errors of coro_interp_call. What is no handle is EUNDEFINED. */
CORO_API coro_status coro_interp_resume(coro_interp *interp, void *handle, coro_diags *diags);
CORO_API coro_status coro_interp_destroy(coro_interp *interp, void *handle, coro_diags *diags);
/* The ramp of the coroutine whose frame is there, without the @; NULL where no frame of a presplit coroutine is. It
   lives as long as the interpreter. */
CORO_API const char *coro_interp_coroutine(coro_interp *interp, const void *handle);
/* The ramp of the coroutine that is known by this address and has not ended: by its frame, by the buffer where it
   returns its continuations, by the context where it is async. NULL where none is. */
CORO_API const char *coro_interp_known(coro_interp *interp, const void *address);
/* The suspend that such a coroutine stands at, by its result as LLVM prints it, "%s", from its save on. "" where it
   runs, or an exception has ended it and left no suspend to destroy it from; NULL where no coroutine is. */
CORO_API const char *coro_interp_suspend(coro_interp *interp, const void *handle);
/* The names of the values of its function, its arguments first, as LLVM prints them without the %; they live as long as
   the interpreter. 0 where no coroutine is. */
CORO_API size_t coro_interp_names(coro_interp *interp, const void *handle, const char *const **names);
/* What it keeps of the value of this index while it stands at a suspend; of a variable that is its address. They are
   borrowed until the next call. None where it runs, or the value has no scalars. */
CORO_API coro_values coro_interp_kept(coro_interp *interp, const void *handle, size_t value);
/* Has it go on with another value. False where it runs, or there are not as many scalars. */
CORO_API bool coro_interp_keep(coro_interp *interp, const void *handle, size_t value, coro_values values);
/* Has it compute those of the values of these indices again that were computed of `changed`, or of one of them, as a
   lowered coroutine does that keeps `changed` alone. False where it runs, or memory runs out. */
CORO_API bool coro_interp_again(coro_interp *interp, const void *handle, size_t changed, const size_t *values,
                                size_t count);
/* Whether the program has written each of the bytes with something that is defined. */
CORO_API bool coro_interp_defined(coro_interp *interp, const void *address, size_t size);
/* Says that the host has written these bytes: where it writes what the program then reads, as a result it gives. It is
   noticed without, but for bytes that happen to be as undefined ones are. */
CORO_API void coro_interp_wrote(coro_interp *interp, const void *address, size_t size);
/* Lets the program use memory of the host's until coro_interp_unshare of the same address, or the end. EUSAGE. */
CORO_API coro_status coro_interp_share(coro_interp *interp, void *address, size_t size, coro_diags *diags);
CORO_API void coro_interp_unshare(coro_interp *interp, void *address);
/* Lets it use all memory of the process, as it must where it calls native functions: wild pointers are found only where
   the system can tell. Not for a program that somebody else has written. */
CORO_API void coro_interp_trust(coro_interp *interp);
/* Whether the program may use these bytes. */
CORO_API bool coro_interp_owns(coro_interp *interp, const void *address, size_t size);
CORO_API uint64_t coro_interp_steps(const coro_interp *interp); /* operations executed so far */

/* ---- For oracles and tests: a program has no use for these, nor for coro_options.fail_allocation ---- */

/* Runs LLVM's own passes, its coroutine passes among them, on the module in place: to compare with, in a child process.
   On coroutines that they do not accept they end the process. EPIPELINE where LLVM does not know a pass; the module may
   then have changed. */
CORO_API coro_status coro_run_llvm(coro_module *module, const char *passes, coro_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
