/* Creates, parses and prints types with checks that LLVM omits: it does not validate element types, and overflows the
   stack on deeply nested types.
   Requires: base, LLVM-C. Guarantees: new types, which live as long as their context. */
#pragma once

#include "ir/size.h"
#include "pycoro.h"

enum { IR_MAX_TYPE_LENGTH = 1 << 20 }; /* maximum number of types in one type's text */

struct ir_types { /* memoized properties of a context's types under one data layout */
  LLVMContextRef context;
  struct coro_arena *arena;
  struct ir_sizes sizes;
  struct coro_map bulk; /* see depth_and_count_of_nested_types */
};

void ir_types_init(struct ir_types *types, struct coro_arena *arena, LLVMContextRef context, LLVMTargetDataRef layout);

/* Creates the type. EUSAGE with a diagnostic if it is invalid. */
coro_status ir_type_make(struct ir_types *types, const coro_type_spec *wanted, LLVMTypeRef *type, coro_diags *diags);
/* Parses LLVM's syntax; named structs must exist in the context. EUSAGE. */
coro_status ir_type_parse(struct ir_types *types, const char *text, LLVMTypeRef *type, coro_diags *diags);
/* Prints the type as at a use: a named struct by its name. Free with coro_string_free. EUSAGE: too long. */
coro_status ir_type_print(struct ir_types *types, LLVMTypeRef type, char **text, coro_diags *diags);
/* False: the size is unknown at compile time, or too large. */
bool ir_type_size_and_alignment(struct ir_types *types, LLVMTypeRef type, uint64_t *size, uint64_t *align);
const char *ir_type_kind_name(LLVMTypeRef type); /* "integer", "pointer": see llvm_types.def */
/* Reports a diagnostic; returns EUSAGE. */
coro_status ir_report_invalid_type(coro_diags *diags, const char *message, const char *hint);
#define IR_TYPE_HINT "write types in LLVM's assembly syntax: i32, ptr, double, { i32, ptr }, [4 x i8]"
