/* Declares the functions that a coroutine is split into, and selects the attributes of the presplit function that
   they inherit.
   Requires: the frame of a coroutine.
   Guarantees: functions without bodies, with the properties of the presplit function that still hold. */
#pragma once

#include "lowering/lowering.h"

/* Declares the internal function `f.suffix` with the section, personality, metadata and so on of the presplit
   function, but without attributes. */
LLVMValueRef declare_function(const struct coro_lowering *low, const char *suffix, LLVMTypeRef type);
/* As declare_function, for any function. */
LLVMValueRef declare_function_like(struct coro_arena *arena, LLVMModuleRef module, LLVMValueRef function,
                                   const char *suffix, LLVMTypeRef type);
/* Declares a clone with the calling convention and attributes of a prototype, which is all that callers know, and with
   the presplit function's codegen attributes (target features, stack protection). `holds` filters the attributes of the
   first parameter; NULL: it has all. */
LLVMValueRef declare_clone_of_prototype(const struct coro_lowering *low, const char *suffix, LLVMValueRef prototype,
                                        bool (*holds)(LLVMAttributeRef));
/* Whether an attribute of the presplit function also holds for its clones. */
bool declare_attribute_holds_for_clone(LLVMAttributeRef attribute);
/* Whether it also holds for helper functions that clones call, which have the fewest guarantees. */
bool declare_attribute_holds_for_helper(LLVMAttributeRef attribute);
/* Whether an attribute of its buffer parameter holds. Those about memory accesses do not: the frontend did not know
   that continuations access the frame in the buffer. */
bool declare_attribute_holds_for_buffer(LLVMAttributeRef attribute);
/* Whether it is presplitcoroutine, which only the presplit function has. */
bool declare_is_presplitcoroutine(LLVMAttributeRef attribute);
/* Adds an enum attribute. */
void declare_add_enum_attribute(LLVMValueRef function, LLVMAttributeIndex at, const char *name, uint64_t value);
/* Attributes that describe coroutines across modules. DECLARE_PUBLISH, on a definition, requests that f.noalloc is
   exported; frontends set it, and `--export-summary`. DECLARE_FRAME, on a declaration, gives the frame of the imported
   coroutine: version, size, alignment. DECLARE_HANDLE, on a declaration, gives its handle summary: see
   handles/handle_summary.h. */
#define DECLARE_PUBLISH "coro-publish"
#define DECLARE_FRAME "coro-frame"
#define DECLARE_HANDLE "coro-handle"
enum { DECLARE_MOST_ALIGN = 1 << 20 }; /* maximum alignment of an imported frame */
/* Drops captures attributes of the ramp: a coroutine may hold its arguments in the frame after the ramp returns. */
void declare_drop_captures_attributes(LLVMValueRef ramp);
/* Whether f.noalloc can take the frame's address as last parameter. */
bool declare_can_append_frame_parameter(LLVMValueRef function);
/* The type of f.noalloc: the coroutine's parameters and the frame's address. NULL: out of memory. */
LLVMTypeRef declare_noalloc_type(struct coro_arena *arena, LLVMValueRef function);
/* "f.noalloc.v1.24.8": the exported name of f.noalloc, with the frame's size and alignment. NULL: out of memory. */
const char *exported_noalloc_name(struct coro_arena *arena, LLVMValueRef function, uint64_t size, uint64_t align);
/* "f.noalloc.v1.24.8.h1.r.ramp": the exported name if importers also rely on the handle summary "1,r,ramp". */
const char *exported_name_with_summary(struct coro_arena *arena, const char *published, const char *summary);
/* Adds an alias of f.noalloc under its exported name, with the visibility of f. */
void declare_exported_noalloc_alias(LLVMValueRef function, LLVMValueRef noalloc, const char *name);
/* Marks a parameter as a pointer to `size` bytes with this alignment. */
void declare_mark_dereferenceable_pointer(LLVMValueRef function, LLVMAttributeIndex parameter, uint64_t align,
                                          uint64_t size);
