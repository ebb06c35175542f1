/* pycoro: lowering of LLVM coroutines, on the LLVM-C API alone. The public C API.
   Requires: LLVM's C headers. Guarantees: no global state; never aborts the process, never prints.
   Ownership: a `T **out` parameter returns an object that the caller owns and frees with the matching `coro_T_free`.
   Every other returned pointer is borrowed from the object it was requested from, and is valid until that object is
   changed or freed.
   Errors: functions that can fail return a coro_status and append details to `diags`, which may be NULL. On failure the
   output parameters are NULL or 0.
   Parameter order: a constructor has its output parameter first; other functions have the object first, then inputs,
   then outputs, then `diags`.
   Memory: if pycoro's own allocations fail, functions return ENOMEM and change no object. If LLVM's fail, LLVM aborts
   the process.
   Arguments: parameters that may be NULL are documented as such. Any other NULL argument, and options of another
   version, are EUSAGE. Functions without a status return 0, NULL or "" then.
   Threads: an object may be used by one thread at a time; different objects may be used concurrently.
   Units: sizes, offsets and alignments are in bytes unless a name says bits. */
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

CORO_API const char *coro_version(void);      /* CORO_VERSION of the linked library */
/* Version of the loaded libLLVM: major.minor.patch. Of an unexpected minor or patch version only "22"; "not 22" for
   another major version. */
CORO_API const char *coro_llvm_version(void);
CORO_API const char *coro_status_text(coro_status status);
CORO_API int coro_status_exit(coro_status status); /* exit status of the command line: 0, 1, 2 or 3 */
CORO_API void coro_string_free(char *string);      /* frees a string returned in `char **out` */

/* ---- Diagnostics: problem, place and fix ---- */

typedef enum coro_severity { CORO_ERROR, CORO_WARNING } coro_severity;

typedef struct coro_diag { /* strings are never NULL; "" means not applicable */
  coro_status status;
  coro_severity severity;
  const char *rule;        /* stable short name of the rule, as "one-final-suspend" */
  const char *function;    /* without the @ */
  const char *block;       /* "%entry", or "%7" for an unnamed block */
  const char *instruction; /* "%s = call i8 @llvm.coro.suspend(...)", as LLVM prints it */
  const char *message;     /* the problem, one sentence */
  const char *hint;        /* the fix, one sentence */
  const char *passes;      /* the invalid pass string */
  uint32_t at, length;     /* position in it: byte offset and length; length 0: something is missing there */
} coro_diag;

CORO_API coro_status coro_diags_create(coro_diags **out);
CORO_API void coro_diags_free(coro_diags *diags); /* accepts NULL */
CORO_API void coro_diags_clear(coro_diags *diags);
CORO_API size_t coro_diags_count(const coro_diags *diags);
CORO_API const coro_diag *coro_diags_get(const coro_diags *diags, size_t index); /* NULL past the end */
/* Appends a copy, for custom passes and ABIs; NULL strings become "". Returns the diagnostic's status, or ENOMEM.
   `diags` may be NULL. */
CORO_API coro_status coro_diags_add(coro_diags *diags, const coro_diag *diag);

/* ---- Modules: each owns its LLVMContext ---- */

/* Reads textual IR or bitcode (recognized by its magic bytes) and verifies it. `name` becomes the module identifier.
   `data` need not be NUL-terminated. EPARSE, EVERIFY, ENOMEM. LLVM trusts well-formed bitcode, and crashes or loops
   on some text too (for example a lexical block that is its own scope): use coro_module_check_sandboxed for untrusted
   input. Invalid debug info is dropped with a warning, as LLVM does; LLVM's reader prints the details to stderr,
   which cannot be prevented. */
CORO_API coro_status coro_module_parse(coro_module **out, const char *data, size_t size, const char *name,
                                       coro_diags *diags);
/* As coro_module_parse, but may abort the process: skips the trial read that detects debug info or bitcode from
   before LLVM 3.9 on which LLVM's reader aborts. */
CORO_API coro_status coro_module_parse_unchecked(coro_module **out, const char *data, size_t size, const char *name,
                                                 coro_diags *diags);
/* Remembers inputs that the sandboxed functions below have read, so that reading one of the last few thousand again
   costs no fork. 32 KiB. Threads may share it. */
typedef struct coro_reader coro_reader;
CORO_API coro_status coro_reader_create(coro_reader **out); /* EUSAGE, ENOMEM */
CORO_API void coro_reader_free(coro_reader *reader);
/* Textual IR is then read in a process that is started once and reused, when the reader has read a few inputs, or at
   once if the host has threads: a fork of a large host takes milliseconds, and copies the locks of its threads.
   `command` is a program and its arguments, and ends with NULL; the program calls coro_reader_serve(0). It is copied.
   Several processes exist while threads read at the same time. The host's wait functions do not see them, and they end
   with the host. Without such a process, or if one crashes, inputs are read in forked children. EUSAGE: the reader has
   a command; ENOMEM. Not while other threads use the reader. */
CORO_API coro_status coro_reader_use_process(coro_reader *reader, const char *const *command);
/* Forks a process that reads inputs from a socket until the host closes it, and exits this process at once. Returns
   only if the fork fails. */
CORO_API void coro_reader_serve(int socket);

/* Reads the input in a child process, to test whether LLVM's reader terminates. OK if it does, with a module or an
   error. EPARSE if the child crashes, uses 5 seconds of processor time plus one per MiB of input, or 512 MiB of memory
   plus 64 bytes per byte of input, or blocks for 3 seconds, or if no process can be created; the diagnostic states
   which. `reader`: may be NULL. Costs a fork and a second read unless the reader remembers the input. The child has no
   files of the host open and runs none of its signal or exit handlers; the host may ignore SIGCHLD or reap all
   children itself. */
CORO_API coro_status coro_module_check_sandboxed(coro_reader *reader, const char *data, size_t size, const char *name,
                                                 coro_diags *diags);
/* coro_module_check_sandboxed, then coro_module_parse without the checks that the child has done. */
CORO_API coro_status coro_module_parse_sandboxed(coro_module **out, coro_reader *reader, const char *data, size_t size,
                                                 const char *name, coro_diags *diags);
/* Takes ownership of a module and its context, which are disposed of with `*out`. On failure the caller keeps them. */
CORO_API coro_status coro_module_adopt(coro_module **out, LLVMModuleRef module, coro_diags *diags);
/* As coro_module_adopt, but does not verify the module: an invalid one may abort the process. */
CORO_API coro_status coro_module_adopt_unchecked(coro_module **out, LLVMModuleRef module, coro_diags *diags);
/* Copies a module into a new context. The copy keeps the data layout: nothing is upgraded. */
CORO_API coro_status coro_module_clone(coro_module **out, const coro_module *module, coro_diags *diags);
/* Links modules, which do not change, into a new one with identifier `name`, in the given order. LLVM's linker first
   runs in a child process with 10 seconds of processor time plus two per module, and 1 GiB of memory. ELINK: a
   symbol is defined twice, targets differ, or LLVM rejects a module, which the diagnostic names; EVERIFY; EUSAGE for
   zero modules; ENOMEM. */
CORO_API coro_status coro_module_link(coro_module **out, const coro_module *const *modules, size_t count,
                                      const char *name, coro_diags *diags);
CORO_API void coro_module_free(coro_module *module); /* accepts NULL */
CORO_API LLVMModuleRef coro_module_llvm(const coro_module *module); /* borrowed until the next coro_run */
/* Replaces the contents by textual IR or bitcode; if `name` is NULL the identifier stays. Errors as
   coro_module_parse; on error the module does not change. Also valid for a module that is lent to a pass. */
CORO_API coro_status coro_module_set(coro_module *module, const char *data, size_t size, const char *name,
                                     coro_diags *diags);
/* Must be called after changes through coro_module_llvm: it discards cached analysis results. */
CORO_API void coro_module_mark_edited(coro_module *module);
/* The data layout string of the module, "" for none. Borrowed until the module changes. */
CORO_API const char *coro_module_data_layout(const coro_module *module);
CORO_API uint64_t coro_module_generation(const coro_module *module); /* increases with every change of the module */
CORO_API coro_status coro_module_print(const coro_module *module, char **out); /* NUL-terminated */
/* Prints the module's interface as IR: target, external variables, and functions (without intrinsics) with calling
   conventions, types, and attributes of parameters and results. A defined function has the body `unreachable`. The
   cost depends on the declarations, not on the bodies. NUL-terminated. */
CORO_API coro_status coro_module_interface(const coro_module *module, char **out);
/* Writes bitcode. Its symbol table includes the symbols of module-level assembly; LLVM's assembler reads that in a
   child process with limits on time and memory. EJIT: the child failed. Free the bytes with coro_string_free. */
CORO_API coro_status coro_module_bitcode(const coro_module *module, char **out, size_t *size);

typedef struct coro_emit_options {
  uint32_t version; /* 1 */
  bool assembly; /* text, in the place of an object file */
  unsigned level; /* optimization level of the code generator: 0 to 3; llc's default is 2 */
  const char *triple; /* NULL: the module's; another's data layout replaces the module's, see below */
  const char *cpu, *features; /* "x86-64-v3", "+avx2,-sse4a"; NULL: what the triple says */
  const char *relocation_model; /* "static", "pic", ...: llvm_codegen.def; NULL: pic on Linux, or "PIC Level" */
  const char *code_model; /* "small", "large", ...: likewise */
} coro_emit_options;
#define CORO_EMIT_OPTIONS_INIT {1, false, 2, NULL, NULL, NULL, NULL, NULL}

/* Generates code for a module with LLVM's code generator in a child process. EREJECTED if the module still calls
   coroutine intrinsics. EJIT if the child crashes, or if a struct or array in memory has another size on the target
   than in the module's data layout. EUSAGE: unknown target, processor, feature or model; or passes have run on a module
   without target, so that offsets are those of LLVM's default layout. `options` may be NULL. Free the bytes with
   coro_string_free. */
CORO_API coro_status coro_module_emit(const coro_module *module, const coro_emit_options *options, char **out,
                                      size_t *size, coro_diags *diags);
CORO_API coro_status coro_module_verify(const coro_module *module, coro_diags *diags);

typedef struct coro_function_info {
  const char *name;
  const char *type; /* "ptr (i32)" */
  bool declaration;
  bool intrinsic;
  bool presplit; /* a coroutine that is not split: it has the attribute presplitcoroutine, or coro-early will add it
                    because it calls the id of another ABI than switched-resume */
  bool coroutine; /* presplit, or contains a call of llvm.coro.id* */
  bool local; /* internal or private linkage */
  const char *sret; /* pointee type of the sret parameter, "{ ptr, i32 }"; "" if none */
} coro_function_info;

/* All functions in module order. Borrowed until the module changes. */
CORO_API coro_status coro_module_functions(coro_module *module, const coro_function_info **out, size_t *count);
/* One function of the module, at a cost independent of the others. Borrowed until the module changes or the next
   call. EUSAGE: not a function of the module. */
CORO_API coro_status coro_module_function(coro_module *module, LLVMValueRef function, const coro_function_info **out);

/* ---- Types, with checks that LLVM omits ---- */

typedef enum coro_type_form {
  CORO_TYPE_PLAIN, /* by name: void, half, bfloat, float, double, x86_fp80, fp128, ppc_fp128, label, token, ... */
  CORO_TYPE_INTEGER, /* an integer of `number` bits */
  CORO_TYPE_POINTER, /* in address space `number` */
  CORO_TYPE_STRUCT, /* a struct of `parts`; `flag`: packed; `name`: a named struct */
  CORO_TYPE_ARRAY, /* `number` elements of the one part */
  CORO_TYPE_VECTOR, /* likewise; `flag`: scalable (vscale) */
  CORO_TYPE_FUNCTION /* `parts`: the result, then the parameters; `flag`: variadic */
} coro_type_form;

typedef struct coro_type_spec {
  coro_type_form kind;
  LLVMTypeRef *parts; /* component types, of the module's context */
  size_t count;
  uint64_t number;
  bool flag;
  const char *name; /* may be NULL */
} coro_type_spec;

/* Creates a type, which lives as long as the module. EUSAGE if it is invalid, or so long or deeply nested that LLVM
   would overflow the stack. */
CORO_API coro_status coro_type_create(coro_module *module, const coro_type_spec *wanted, LLVMTypeRef *type,
                                      coro_diags *diags);
/* Parses LLVM's syntax: "{ i32, ptr }", "i32 (ptr, ...)", "%pair" for an existing named struct. EUSAGE; target
   extension types are not supported. */
CORO_API coro_status coro_type_parse(coro_module *module, const char *text, LLVMTypeRef *type, coro_diags *diags);
/* Prints the type as LLVM does at a use. Free with coro_string_free. EUSAGE: too long or nested too deeply. */
CORO_API coro_status coro_type_print(coro_module *module, LLVMTypeRef type, char **text, coro_diags *diags);
/* The ABI allocation size and alignment under the data layout that coroutines are lowered with. Both 0 if unknown at
   compile time (scalable and opaque types, functions) or too large. */
CORO_API coro_status coro_type_layout(coro_module *module, LLVMTypeRef type, uint64_t *size, uint64_t *align);
/* The byte offset of a struct element. EUSAGE if it has none. */
CORO_API coro_status coro_type_offset(coro_module *module, LLVMTypeRef type, size_t index, uint64_t *offset);
/* "integer", "float", "pointer", "struct", "array", "vector", "function", "void", "label", "metadata", "token",
   "x86_amx", "target". */
CORO_API const char *coro_type_kind(LLVMTypeRef type);

/* ---- Coroutine skeletons, for frontends that build functions with LLVM-C ---- */

/* Builds the intrinsics of a coroutine of the switch ABI into a function of the caller's own LLVM module, so that
   the caller needs neither token types nor C++: the id, the allocation of the frame, begin, suspends, the final
   suspend, the release of the frame, and end. The caller builds everything else with LLVM-C and the same
   LLVMBuilderRef. Ownership: the function, its module and the builder remain the caller's. The skeleton borrows the
   function until coro_skeleton_free, which changes no IR. Values and blocks that these functions return belong to
   the function. Errors: EUSAGE, with the function and block in the diagnostics; the function does not change then.
   ENOMEM. Threads: a skeleton uses the LLVMContext of its function, which one thread at a time may use. */
typedef struct coro_skeleton coro_skeleton;

typedef struct coro_skeleton_options {
  uint32_t version; /* 1 */
  LLVMTypeRef
      promise; /* type of the promise, through which the coroutine and its callers exchange values; NULL: none */
  LLVMValueRef allocate; /* ptr (iN size) or ptr (iN size, iN align); NULL: malloc, declared if it is missing */
  LLVMValueRef deallocate; /* void (ptr); NULL: free. Neither is called if the frame is elided */
  bool may_fail; /* `allocate` may return null, and the function then returns null */
  bool no_final_suspend; /* the coroutine frees its frame at its end; otherwise the caller destroys it */
} coro_skeleton_options;

#define CORO_SKELETON_OPTIONS_INIT {1, NULL, NULL, NULL, false, false}

/* Starts a coroutine in a function without blocks that returns ptr, the handle, or void. Set the data layout of its
   module first. Adds the attribute presplitcoroutine and the blocks up to llvm.coro.begin, and positions `builder` at
   the start of the coroutine's own code. `options` may be NULL: defaults. */
CORO_API coro_status coro_skeleton_create(coro_skeleton **out, LLVMValueRef function, LLVMBuilderRef builder,
                                          const coro_skeleton_options *options, coro_diags *diags);
CORO_API void coro_skeleton_free(coro_skeleton *skeleton); /* accepts NULL */
CORO_API LLVMValueRef coro_skeleton_handle(const coro_skeleton *skeleton); /* a ptr, valid in the whole coroutine */
CORO_API LLVMValueRef coro_skeleton_promise(const coro_skeleton *skeleton); /* its address; NULL without a promise */
/* The block that frees the frame. A cleanup of the caller ends with a branch to it. */
CORO_API LLVMBasicBlockRef coro_skeleton_destroy_block(const coro_skeleton *skeleton);
/* Builds llvm.coro.save. After it other threads may receive the handle and resume the coroutine; pass `*save` to the
   following suspend. */
CORO_API coro_status coro_skeleton_save(coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef *save,
                                        coro_diags *diags);
/* Builds a suspend at the end of the builder's block, and positions the builder in a new block, where the coroutine
   continues when it is resumed. `save` may be NULL. `destroyed` is the block where it continues when it is destroyed:
   cleanups of the caller, or NULL for the destroy block. */
CORO_API coro_status coro_skeleton_suspend(coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef save,
                                           LLVMBasicBlockRef destroyed, coro_diags *diags);
/* Stores a value of the promise's type in the promise, and suspends. */
CORO_API coro_status coro_skeleton_yield(coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef value,
                                         LLVMBasicBlockRef destroyed, coro_diags *diags);
/* Ends the coroutine at the end of the builder's block: a branch to the final suspend. */
CORO_API coro_status coro_skeleton_return(coro_skeleton *skeleton, LLVMBuilderRef builder, coro_diags *diags);
/* Completes the function; the other functions then return EUSAGE. Each block must have a terminator. */
CORO_API coro_status coro_skeleton_finish(coro_skeleton *skeleton, coro_diags *diags);

/* ---- Description of a coroutine ---- */

typedef enum coro_abi_kind {
  CORO_ABI_SWITCH,
  CORO_ABI_RETCON,
  CORO_ABI_RETCON_ONCE,
  CORO_ABI_ASYNC,
  CORO_ABI_RETCON_DYNAMIC /* llvm.coro.id.retcon.once.dynamic of Swift's LLVM: the caller allocates the frame */
} coro_abi_kind;

typedef enum coro_field_kind {
  CORO_FIELD_RESUME, /* address of f.resume; null when the coroutine is done */
  CORO_FIELD_DESTROY, /* address of f.destroy or f.cleanup */
  CORO_FIELD_PROMISE,
  CORO_FIELD_INDEX, /* number of the current suspend point */
  CORO_FIELD_HEADER, /* the abi.header of a custom ABI's hooks */
  CORO_FIELD_ALLOCA, /* an alloca with its address or contents live across a suspend */
  CORO_FIELD_SPILL /* an SSA value that is live across a suspend */
} coro_field_kind;

typedef struct coro_suspend_range { /* positions in suspends: [first, end) */
  uint32_t first, end;
} coro_suspend_range;

/* Source location of a function, variable or suspend from debug information; "" and 0 if unknown. */
typedef struct coro_source_info {
  const char *name; /* source name; "" for a suspend */
  const char *file; /* as given to the compiler */
  const char *directory; /* directory that `file` is relative to */
  uint32_t line; /* starting at 1 */
  uint32_t column; /* starting at 1; 0: the whole line, as for functions and variables */
} coro_source_info;

typedef enum coro_source_type_kind {
  CORO_SOURCE_OPAQUE, /* bytes without known structure */
  CORO_SOURCE_INTEGER,
  CORO_SOURCE_BOOLEAN,
  CORO_SOURCE_CHARACTER,
  CORO_SOURCE_FLOAT,
  CORO_SOURCE_POINTER, /* or a reference */
  CORO_SOURCE_ENUMERATION, /* an integer; parts are the enumerators */
  CORO_SOURCE_RECORD, /* a struct or class; parts are bases and members */
  CORO_SOURCE_UNION, /* parts are the members */
  CORO_SOURCE_ARRAY
} coro_source_type_kind;

typedef struct coro_source_part {
  const char *name; /* "" if unnamed */
  uint32_t type; /* member: index in source_types; CORO_NONE: unknown */
  uint64_t offset; /* member: in bits */
  uint64_t bits; /* width of a bit-field; 0: not a bit-field */
  int64_t value; /* enumerator: value; unsigned ones have the same 64 bits */
} coro_source_part;

typedef struct coro_source_type { /* type of a source variable from debug information */
  coro_source_type_kind kind;
  const char *name; /* spelling in the source, for example "unsigned int"; "" if unnamed */
  uint64_t size; /* bytes; 0: unknown */
  bool is_signed; /* signedness of a number, character or enumeration */
  uint32_t element; /* array: index in source_types */
  uint64_t count; /* array: number of elements */
  const coro_source_part *parts;
  size_t part_count;
} coro_source_type;

typedef struct coro_field_info {
  coro_field_kind kind;
  const char *name; /* name of the source value without the %, or of the header slot: "resume", "destroy", ... */
  const char *type; /* as LLVM prints it */
  const char *spelled; /* the type with named structs expanded, "{ i32, ptr }"; "" if too long or unsized */
  const char *value; /* the defining instruction or argument as LLVM prints it; "" for header slots */
  const char *def_block; /* the defining block, "%entry" */
  const char *use_block; /* block of the first use after a suspend; "" for header slots */
  const char *use; /* the instruction of that use as LLVM prints it */
  const char *why; /* the reason that it lives in the frame, one sentence */
  uint64_t offset;
  uint64_t size;
  uint64_t align;
  uint64_t realign; /* 0, or the alignment of the alloca within the field if larger than `align` */
  uint32_t suspend; /* index of the suspend that forced the field; CORO_NONE for header slots */
  /* The suspends across which it is live, in order. All of them for the promise, which clients may access; none for
     header slots, which always exist. */
  const coro_suspend_range *live;
  size_t live_count;
  coro_source_info source; /* the source variable that it holds */
  coro_source_info def_source; /* where the instruction `value` is in the source; it has no name */
  coro_source_info use_source; /* source location of the instruction `use` */
  uint32_t source_type; /* type of that variable, an index in source_types; CORO_NONE: unknown */
} coro_field_info;

typedef struct coro_suspend_info {
  const char *name; /* name of the suspend's result, "%s0" */
  const char *block; /* the block of the suspend */
  const char *save_block; /* the block of its coro.save; the same block if it has none */
  const char *suspend_block; /* successor when it suspends; "" if not known statically */
  const char *resume_block;
  const char *destroy_block;
  bool is_final;
  bool is_first_value; /* a ramp that suspends here has produced the first value; see Handle in the Python API */
  bool is_saved_apart; /* a call separates its coro.save from it and may resume the coroutine before it suspends */
  uint32_t index; /* the number stored in the frame while suspended here */
  uint32_t live_count; /* number of fields live across it */
  uint64_t live_bytes; /* their total size */
  coro_source_info source; /* source location of the co_await or co_yield */
} coro_suspend_info;

typedef struct coro_block_info { /* the CFG of the presplit function */
  const char *name;
  const uint32_t *successors; /* indices into blocks */
  size_t successor_count;
} coro_block_info;

typedef struct coro_coroutine_info {
  const char *function;
  bool local; /* internal or private linkage */
  coro_source_info source; /* the function */
  coro_abi_kind abi;
  const char *custom_abi; /* name of the custom ABI, "ABI 0" for an unnamed one; "" for LLVM's own */
  const char *id; /* the coro.id instruction as LLVM prints it */
  const char *promise; /* name of the promise alloca; "" if none */
  uint64_t promise_offset;
  /* the promise's type with named structs expanded, "{ i32, ptr }"; "" if there is none, or it is too long */
  const char *promise_type;
  uint64_t frame_size; /* 0 if there is neither a suspend nor a frame */
  uint64_t frame_align;
  uint64_t lower_bound; /* of layouts with these live ranges: largest size of fields live at one point, rounded up */
  const coro_field_info *fields; /* by offset */
  size_t field_count;
  const coro_source_type *source_types; /* types of the fields' variables and their component types; each once */
  size_t source_type_count;
  const char *const *rematerialized; /* names of values that are rematerialized after a suspend instead of spilled */
  size_t rematerialized_count;
  const coro_suspend_info *suspends; /* in program order, the final one last */
  size_t suspend_count;
  size_t end_count;
  const coro_block_info *blocks;
  size_t block_count;
  const char *const *clones; /* names of the clones: f.resume, f.destroy, f.cleanup; or f.resume.N, by suspend */
  size_t clone_count;
  /* Storage provided by the caller: the buffer of a returned-continuation coroutine, the context of an async
     function. 0 and "" for the switch ABI. */
  uint64_t storage_size; /* bytes */
  uint64_t storage_align; /* bytes */
  uint32_t storage_argument; /* argument index; CORO_NONE: not an argument */
  bool frame_in_storage; /* the storage holds the frame; otherwise it holds a pointer to the frame */
  uint64_t frame_offset; /* offset of the frame in an async context; 0 for other ABIs */
  const char *function_pointer; /* name of the async function pointer; "" for other ABIs */
  const char *prototype; /* the continuation prototype named by llvm.coro.id.retcon */
  const char *allocator; /* the allocator that it names */
  const char *deallocator; /* the deallocator that it names */
  const char *ramp_type; /* signature of the ramp: "cc 0 ptr (ptr, i1 zeroext)" */
  const char *resume_type; /* signature of the continuations */
} coro_coroutine_info;

#include "pycoro_custom.h" /* ABIs and passes of the caller's */

/* ---- Running passes ---- */

typedef struct coro_options {
  uint32_t version; /* 1 */
  /* Verify the module, and parse its printed text, after every pass; EVERIFY or EBUG names the pass. */
  bool verify_each;
  /* Called after every pass with the IR of the whole module; nonzero stops the run with ECALLBACK. May be NULL. */
  int (*after_pass)(void *user, const char *pass, const char *target, const char *ir);
  /* Polled regularly; nonzero stops the run with ECALLBACK, the module unchanged. May be NULL. */
  int (*interrupted)(void *user);
  void *user;
  const coro_custom_abi *abis; /* abi_count items, may be NULL if that is 0; read only during the run */
  size_t abi_count;
  bool in_place; /* work without a copy: after an error the module can only be freed */
  uint64_t fail_allocation; /* for tests: 0, or n to fail the n-th allocation of the run and its report */
  const coro_custom_pass *passes; /* pass_count items, may be NULL if that is 0; read only during the call */
  size_t pass_count;
  bool snapshots; /* the report keeps the IR of the whole module before and after each pass, printed after each */
  /* If possible, describe coroutines only in coro_report_describe, by another run on the module's original input.
     Descriptions print IR, which may take as long as the lowering. */
  bool describe_later;
  bool expand_levels; /* canonical spelling: replace default<O2> and its kin by their passes */
  /* The custom `passes` keep no references to LLVM objects after the run. Then a failed run can restore the module
     by reading it again in another context, and needs no copy beforehand. */
  bool passes_keep_no_references;
  /* Do not verify the output of pycoro's and LLVM's passes, as opt's -disable-verify; verification is about a third
     of the time. The output of custom passes is still verified, and so is the module before its next run.
     verify_each overrides this option. */
  bool unverified;
  /* Prove for each coroutine that the functions that coro-split created compute what the presplit function computes.
     EBUG if that is refuted; a warning if a construct is not supported by the checker. */
  bool check;
  /* Do not verify the output of LLVM's passes, as clang; functions that pycoro's passes changed are verified, and so
     is the module before its next run. verify_each overrides this option. */
  bool llvm_unverified;
} coro_options;

#define CORO_OPTIONS_INIT                                                                                              \
  {1, false, NULL, NULL, NULL, NULL, 0, false, 0, NULL, 0, false, false, false, false, false, false, false}

typedef enum coro_change { CORO_UNCHANGED, CORO_CHANGED, CORO_MAY_HAVE_CHANGED } coro_change;

typedef struct coro_pass_info {
  const char *name; /* "coro-split", or LLVM's own pass string */
  /* what the pass ran on: "[module]", "[N functions]" for one CGSCC visit, or the function's name */
  const char *target;
  double seconds;
  bool ours; /* false: one of LLVM's passes or a custom pass */
  /* Whether the pass changed the module. Unknown for LLVM's passes, and for LLVM's passes that a custom pass ran:
     MAY_HAVE_CHANGED, unless snapshots tell. */
  coro_change changed;
  const char *before, *after; /* with snapshots: the IR before and after, the same pointer if unchanged; else NULL */
} coro_pass_info;

typedef struct coro_stage_info { /* of coro-split and coro_explain */
  const char *name; /* as in csrc/lowering/stages.def */
  double seconds; /* total over all coroutines */
} coro_stage_info;

typedef struct coro_remark {
  const char *pass; /* "coro-split" */
  const char *name; /* LLVM's remark name: "CoroSplit", "CoroElide", ... */
  const char *function; /* the function that the remark concerns */
  const char *message; /* one sentence, with the reason if nothing was done */
  bool done; /* true: the transformation was done; false: it was not */
  const char *file; /* source location from debug information; "" if unknown. NULL counts as "" */
  uint32_t line, column; /* starting at 1; 0: unknown */
} coro_remark;

/* A call that creates a coroutine, and whether its frame was elided (placed in the caller's memory). */
typedef struct coro_elision {
  const char *caller; /* the calling function, without the @ */
  const char *callee; /* the coroutine */
  const char *pass; /* "coro-elide", "coro-annotation-elide" */
  bool done;
  uint64_t bytes; /* frame size; 0: unknown */
  uint64_t align; /* bytes */
  const char *reason; /* the proof, or the obstacle: "%h is stored to @global in %then" */
  const char *block; /* block of the obstacle, "%then"; if done, the block of the call */
  /* That instruction as LLVM prints it. Printing costs time proportional to the module: after the first 256
     decisions of a run it is "", as is the block if unnamed. */
  const char *instruction;
  const char *file; /* its source location from debug information, also in inlined code; "" if unknown */
  uint32_t line, column; /* starting at 1; 0: unknown */
  const char *creation_file; /* source location of the creating call, in the caller's own code; "" if unknown */
  uint32_t creation_line, creation_column;
} coro_elision;

/* Runs a pass string as LLVM's `opt -passes=` does. The names in csrc/run/passes.def are pycoro's passes; LLVM runs
   all others at their position. `report` may be NULL. On any error the module does not change, unless `in_place` is
   set. */
CORO_API coro_status coro_run(coro_module *module, const char *passes, const coro_options *options,
                              coro_report **report, coro_diags *diags);
/* Parses a pass string without running it; `*out`, if `out` is not NULL, is the canonical spelling. Of the options,
   which may be NULL, it uses `passes` and expand_levels. EPIPELINE. */
CORO_API coro_status coro_pipeline_check(const char *passes, const coro_options *options, char **out,
                                         coro_diags *diags);

/* Checks a pass string from an untrusted source: EPIPELINE for LLVM passes that write or read files, start programs
   or print. EUSAGE, ENOMEM. */
CORO_API coro_status coro_pipeline_check_confined(const char *passes, coro_diags *diags);

/* Adds a remark to the report of the run. `module` is the one lent to the pass. EUSAGE for any other, ENOMEM. */
CORO_API coro_status coro_pass_remark(coro_module *module, const coro_remark *remark);

typedef struct coro_explain_options {
  uint32_t version; /* 1 */
  bool reuse_storage; /* lay out frames as coro-split<reuse-storage> does */
  const coro_custom_abi *abis; /* abi_count items, as in coro_options; read only during the call */
  size_t abi_count;
  int (*interrupted)(void *user); /* polled regularly; nonzero ends the call with ECALLBACK. May be NULL */
  void *user;
} coro_explain_options;

#define CORO_EXPLAIN_OPTIONS_INIT {1, false, NULL, 0, NULL, NULL}

/* Shape and frame of every presplit coroutine, or of `function` if not NULL, as coro-split would compute them now.
   The module does not change. `options` may be NULL: defaults. EREJECTED, ECALLBACK, EUSAGE, ENOMEM; no report then. */
CORO_API coro_status coro_explain(const coro_module *module, const char *function, const coro_explain_options *options,
                                  coro_report **report, coro_diags *diags);

/* Prints the results of the lowering stages of one presplit coroutine: of all stages, or of `stage` if not NULL,
   without running later ones. Free with coro_string_free. Options and statuses as coro_explain; also EUSAGE for an
   unknown stage or a function that is not a coroutine. */
CORO_API coro_status coro_stage_text(const coro_module *module, const char *function, const char *stage,
                                     const coro_explain_options *options, char **text, coro_diags *diags);
/* Names of the stages in order, from 0; static strings. NULL after the last. `*leaves`, if `leaves` is not NULL,
   briefly describes the stage's result. */
CORO_API const char *coro_stage_name(size_t index, const char **leaves);

CORO_API void coro_report_free(coro_report *report); /* accepts NULL */
/* Computes deferred descriptions. Call it before the next two functions, in one thread. OK or ENOMEM; may be
   repeated. Costs nothing if there is nothing to do. */
CORO_API coro_status coro_report_describe(coro_report *report, coro_diags *diags);
CORO_API size_t coro_report_coroutine_count(const coro_report *report);
CORO_API const coro_coroutine_info *coro_report_coroutine(const coro_report *report, size_t index);
CORO_API size_t coro_report_pass_count(const coro_report *report);
CORO_API const coro_pass_info *coro_report_pass(const coro_report *report, size_t index);
CORO_API size_t coro_report_stage_count(const coro_report *report); /* stages that at least one coroutine reached */
CORO_API const coro_stage_info *coro_report_stage(const coro_report *report, size_t index);
CORO_API size_t coro_report_remark_count(const coro_report *report);
CORO_API const coro_remark *coro_report_remark(const coro_report *report, size_t index);
/* Elided calls in the order of the run, and calls that were not elided when their caller was last visited. */
CORO_API size_t coro_report_elision_count(const coro_report *report);
CORO_API const coro_elision *coro_report_elision(const coro_report *report, size_t index);

/* ---- JIT: compiles a lowered module in this process ---- */

typedef struct coro_engine_options {
  uint32_t version; /* 1 */
  /* Compile as fast as possible, without optimizing the code, and omit unreachable functions. swifterror parameters
     are passed like any other and swiftasync ones like swiftself, so that calls between this code and code compiled
     elsewhere cannot have them. */
  bool quick;
} coro_engine_options;

#define CORO_ENGINE_OPTIONS_INIT {1, false}

/* `options` may be NULL: defaults. */
CORO_API coro_status coro_engine_create(coro_engine **out, const coro_engine_options *options, coro_diags *diags);
CORO_API void coro_engine_free(coro_engine *engine); /* frees the code and data of its modules */
/* The engine's target, in the format of `target triple` and `target datalayout`. Set both in a module that has none
   before lowering it: the data layout determines the frame layout. */
CORO_API const char *coro_engine_triple(const coro_engine *engine);
CORO_API const char *coro_engine_data_layout(const coro_engine *engine);
/* Binds a name to an address, for modules that are added later. */
CORO_API coro_status coro_engine_define(coro_engine *engine, const char *name, void *address, coro_diags *diags);
/* Adds a library handle from dlopen, in which modules added later find runtime symbols that code generation
   references (_Unwind_Resume) and the process does not define. It must stay open as long as the engine. */
CORO_API coro_status coro_engine_add_library(coro_engine *engine, void *library);
/* Calls `each` with every undefined symbol of the module: not defined by it, by coro_engine_define, by added modules
   or by the process. Functions come first, each kind in module order. An available_externally definition does not
   count; its body is compiled if the symbol is still undefined when the module is added. */
CORO_API coro_status coro_engine_undefined_symbols(coro_engine *engine, const coro_module *module,
                                                   void (*each)(void *user, const char *name), void *user);
/* Calls `each` with the clones of the coroutines of the module added last: the address of f.resume, f.destroy or
   f.cleanup, and "f". The first two pointers of a frame are such addresses and identify its coroutine. For a
   continuation `owner` is its own name, "f.resume.0". `owner` lives as long as the engine. */
CORO_API coro_status coro_engine_each_clone(const coro_engine *engine,
                                            void (*each)(void *user, const char *owner, const void *address),
                                            void *user);
/* Instruments a switch-ABI coroutine so that its frame tells whether it is running. Applies to the next module
   added, which must be this one. The highest bit of the suspend index (`size` bytes at `offset` in the frame) is set
   when the ramp creates the frame and when the resume function loads the index, and cleared by the next save. The
   clones mask the bit, which no suspend index may use. `*can` is false if the clones have an unsuitable form. Only
   for modules directly after lowering: later passes may remove index stores that appear redundant. */
CORO_API coro_status coro_engine_track_running(coro_engine *engine, const coro_module *module, const char *coroutine,
                                               uint64_t offset, uint32_t size, bool *can);
/* Compiles the module in a child process and loads the resulting object: LLVM's code generator and linker abort on
   modules that use unsupported features. EJIT then, or if the child uses 5 seconds of processor time plus one per
   thousand instructions, 512 MiB of memory plus 16 KiB per instruction, blocks for 3 seconds, or cannot be created.
   Costs a fork and a second link; the module is not copied. Otherwise as coro_engine_add. */
CORO_API coro_status coro_engine_add_sandboxed(coro_engine *engine, const coro_module *module, coro_diags *diags);
/* Compiles a copy of a trusted module in this process. EREJECTED if it contains an llvm.coro.* call. Undefined
   functions are resolved among the definitions, then in the process; EJIT names one that is not found. A module
   without a data layout is EJIT if this target's layout differs from LLVM's default in a way that matters for it. */
CORO_API coro_status coro_engine_add(coro_engine *engine, const coro_module *module, coro_diags *diags);
/* As coro_engine_add, but compiles the module itself and frees it, whatever the status: no copy is made. */
CORO_API coro_status coro_engine_add_owned(coro_engine *engine, coro_module *module, coro_diags *diags);
/* Runs the llvm.global_ctors of modules that have not run yet, in the order of addition. No code of a module runs
   before; call it before you call, resume, destroy or read a variable. Another thread may add a module at the same
   time. Freeing the engine runs destructors only for constructed modules. */
CORO_API coro_status coro_engine_run_constructors(coro_engine *engine);
CORO_API coro_status coro_engine_lookup(coro_engine *engine, const char *name, void **address, coro_diags *diags);
/* Operations of the switch ABI on a handle, compiled by the engine. The handle must be valid. */
CORO_API coro_status coro_engine_resume(coro_engine *engine, void *handle);
CORO_API coro_status coro_engine_destroy(coro_engine *engine, void *handle);
CORO_API bool coro_engine_done(const coro_engine *engine, const void *handle);

/* ---- Interpreter: executes modules, including presplit coroutines ---- */

typedef enum coro_value_kind { CORO_VALUE_INT, CORO_VALUE_FLOAT, CORO_VALUE_POINTER } coro_value_kind;

typedef struct coro_value { /* a scalar; aggregates and vectors are flattened to several scalars */
  coro_value_kind kind;
  uint32_t bits; /* width of the type; 0: no value */
  uint64_t words[2]; /* the bits, low word first; bits beyond the width are 0. A double has its memory representation */
  bool defined; /* false: depends on undef, poison or uninitialized memory */
} coro_value;

typedef struct coro_values { /* a sequence of scalars */
  const coro_value *items;
  size_t count;
} coro_values;

typedef struct coro_external { /* a call of a function that the module does not define */
  const char *name; /* "" if it is called by a host address */
  const void *address;
  const char *type; /* "i32 (ptr)" */
  const coro_value *args;
  size_t arg_count;
  coro_value result; /* kind and bits are set; the callback sets the words */
  bool thrown; /* set by the callback: the call throws `exception` */
  void *exception;
  const void *exception_type; /* address of its type information; NULL: only catch-all clauses catch it */
} coro_external;

#define CORO_EXTERNAL_UNKNOWN 2 /* callback result: the function is undefined, which gives EUNSUPPORTED */

typedef struct coro_interp_options {
  uint32_t version; /* 1 */
  uint32_t depth; /* maximum call depth; 0: unlimited */
  uint64_t steps; /* maximum number of operations per call from outside; 0: unlimited */
  /* Implements functions that the module only declares. 0: done; else the call ends with ECALLBACK. It may reenter
     the interpreter. NULL: no such functions. */
  int (*external)(void *user, coro_external *call);
  /* Polled regularly; nonzero ends the call with ECALLBACK. May be NULL. */
  int (*interrupted)(void *user);
  void *user;
} coro_interp_options;

#define CORO_INTERP_OPTIONS_INIT {1, 1u << 20, UINT64_C(100000000), NULL, NULL, NULL}

/* Copies the module; nothing is executed yet. EUNSUPPORTED for a target that this machine cannot emulate, EVERIFY,
   ENOMEM. Pointers of the program are addresses in this process. It may access its variables, its allocations and
   memory shared by the host; any other access is EUNDEFINED. malloc, free and the other allocation functions of C
   and C++ are built in unless the host defines them; memory from the host's allocator is shared. */
CORO_API coro_status coro_interp_create(coro_interp **out, const coro_module *module,
                                        const coro_interp_options *options, coro_diags *diags);
CORO_API void coro_interp_free(coro_interp *interp); /* accepts NULL; must not be called from a callback */
/* Sets the address of an external variable; its memory is shared. Must precede the first call, which is not checked.
   EUSAGE: there is no such variable, or the memory cannot be shared. */
CORO_API coro_status coro_interp_define(coro_interp *interp, const char *name, void *address, coro_diags *diags);
/* The program's address of a function or variable; a function's is valid only for coro_interp_call. EUSAGE. */
CORO_API coro_status coro_interp_address(coro_interp *interp, const char *name, void **address, coro_diags *diags);
/* Calls the function at an address from the interpreter or the program. `results` may be NULL; they are borrowed until
   the next call.
   EUNDEFINED: the program has undefined behavior, or would expose an undefined value; EUNSUPPORTED; ELIMIT;
   ECALLBACK; EUSAGE. The interpreter stays usable after any of them. */
CORO_API coro_status coro_interp_call(coro_interp *interp, const void *code, coro_values args, coro_values *results,
                                      coro_diags *diags);
/* Operations of the switch ABI on a handle, with the errors of coro_interp_call. An invalid handle is EUNDEFINED. */
CORO_API coro_status coro_interp_resume(coro_interp *interp, void *handle, coro_diags *diags);
CORO_API coro_status coro_interp_destroy(coro_interp *interp, void *handle, coro_diags *diags);
/* Name of the ramp, without the @, of the coroutine with this frame; NULL if it is not a frame of a presplit
   coroutine. Lives as long as the interpreter. */
CORO_API const char *coro_interp_coroutine(coro_interp *interp, const void *handle);
/* Name of the ramp of the unfinished coroutine with this address: its frame, the buffer of returned continuations,
   or its async context. NULL if none. */
CORO_API const char *coro_interp_coroutine_at(coro_interp *interp, const void *address);
/* The suspend at which such a coroutine is suspended, starting at its coro.save, by its result as LLVM prints it,
   "%s". "" if it is running, or if an exception ended it without a suspend to destroy it from; NULL if there is no
   coroutine. */
CORO_API const char *coro_interp_suspend(coro_interp *interp, const void *handle);
/* Names of the values of its function, arguments first, as LLVM prints them without the %; valid as long as the
   interpreter. 0 if there is no coroutine. */
CORO_API size_t coro_interp_value_names(coro_interp *interp, const void *handle, const char *const **names);
/* The value with this index that a suspended coroutine holds; for an alloca its address. Borrowed until the next
   call. Empty if it is running, or the value has no scalars. */
CORO_API coro_values coro_interp_get_value(coro_interp *interp, const void *handle, size_t value);
/* Replaces a value of a suspended coroutine. False if it is running, or the number of scalars differs. */
CORO_API bool coro_interp_set_value(coro_interp *interp, const void *handle, size_t value, coro_values values);
/* Recomputes those of `values` that depend on `changed`, directly or through each other, as a lowered coroutine that
   spills only `changed` would. False if it is running, or memory ran out. */
CORO_API bool coro_interp_recompute(coro_interp *interp, const void *handle, size_t changed, const size_t *values,
                                    size_t count);
/* True if the program has written a defined value to each of the bytes. */
CORO_API bool coro_interp_is_defined(coro_interp *interp, const void *address, size_t size);
/* Marks bytes as written by the host, for memory that the program then reads, such as results. Needed only for bytes
   that happen to equal the pattern of undefined memory; other writes are detected. */
CORO_API void coro_interp_mark_written(coro_interp *interp, const void *address, size_t size);
/* Permits the program to access host memory until coro_interp_unshare of the same address, or the end. EUSAGE. */
CORO_API coro_status coro_interp_share(coro_interp *interp, void *address, size_t size, coro_diags *diags);
CORO_API void coro_interp_unshare(coro_interp *interp, void *address);
/* Permits access to all memory of the process, as calls of native functions require: invalid pointers are then
   detected only by the operating system. Do not use for untrusted programs. */
CORO_API void coro_interp_allow_all_memory(coro_interp *interp);
/* True if the program may access these bytes. */
CORO_API bool coro_interp_is_accessible(coro_interp *interp, const void *address, size_t size);
CORO_API uint64_t coro_interp_steps(const coro_interp *interp); /* operations executed so far */

/* ---- For oracles and tests: programs do not need these, nor coro_options.fail_allocation ---- */

/* Runs LLVM's own passes, including its coroutine passes, on the module in place, for comparison, in a child
   process. They abort the process on coroutines that they do not support. EPIPELINE for unknown passes; the module
   may have changed then. */
CORO_API coro_status coro_run_llvm(coro_module *module, const char *passes, coro_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
