/* Declarations of the functions that a coroutine is split into.
   Needs: a coroutine with its frame decided. Leaves: functions without bodies that carry what the coroutine's own
   function carries, as far as it holds for them too. */
#ifndef CORO_EMIT_DECLARE_H
#define CORO_EMIT_DECLARE_H

#include "coro/lowering.h"

/* `f.suffix`, internal, with the surroundings of the coroutine's function: section, personality, metadata and so on,
   but no attributes. */
LLVMValueRef declare_function(const struct coro_lowering *low, const char *suffix, LLVMTypeRef type);
/* Likewise, of any function. */
LLVMValueRef declare_beside(struct coro_arena *arena, LLVMModuleRef module, LLVMValueRef function, const char *suffix,
                            LLVMTypeRef type);
/* Those attributes of `from` that hold; all of them where `holds` is NULL. */
void declare_copy_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex at,
                             bool (*holds)(LLVMAttributeRef));
/* What an attribute of the coroutine says is true of the functions it is split into too. */
bool declare_holds_for_clone(LLVMAttributeRef attribute);
/* Likewise of a function that does a clone's errands: as little is known of what the two may do as can be. */
bool declare_holds_for_helper(LLVMAttributeRef attribute);
/* Likewise of a prototype of continuations, and of its first parameter, which is the buffer that the frame is in: what
   the program says of that memory it cannot know. */
bool declare_holds_for_continuation(LLVMAttributeRef attribute);
bool declare_holds_for_buffer(LLVMAttributeRef attribute);
/* Takes from `function` what cannot stand beside an attribute of `other`, which it is to have too. */
void declare_make_way(LLVMValueRef function, LLVMValueRef other);
bool declare_only_coroutines_have(LLVMAttributeRef attribute);
void declare_attribute(LLVMValueRef function, LLVMAttributeIndex at, const char *name, uint64_t value);
/* What modules tell each other of a coroutine: a frontend, or whoever reads a summary, says by the first attribute that
   others shall know its frame; by the second, of a declaration, what they do know: version, size, align; by the third
   what becomes of its handle: version, and words that pass/told.c knows. */
#define DECLARE_PUBLISH "coro-publish"
#define DECLARE_FRAME "coro-frame"
#define DECLARE_HANDLE "coro-handle"
enum { DECLARE_MOST_ALIGN = 1 << 20 };
/* What a coroutine is given it may keep in its frame beyond the call of its ramp. */
void declare_forget_captures(LLVMValueRef ramp);
/* Whether f.noalloc can take the address of a frame last. */
bool declare_has_room(LLVMValueRef function);
/* The type of f.noalloc: what the coroutine takes and, last, the address of the frame. NULL: memory ran out. */
LLVMTypeRef declare_noalloc_type(struct coro_arena *arena, LLVMValueRef function);
/* "f.noalloc.v1.24.8": what f.noalloc is called where others know it by the frame it takes. NULL: memory ran out. */
const char *declare_published_name(struct coro_arena *arena, LLVMValueRef function, uint64_t size, uint64_t align);
/* "f.noalloc.v1.24.8.h1.r.ramp": likewise where they also rely on "1,r,ramp". */
const char *declare_told_name(struct coro_arena *arena, const char *published, const char *told);
/* What others know f.noalloc by: another name of it, as visible as f. */
void declare_alias(LLVMValueRef function, LLVMValueRef noalloc, const char *name);
/* A parameter points to `size` bytes of memory that is there. */
void declare_memory(LLVMValueRef function, LLVMAttributeIndex parameter, uint64_t align, uint64_t size);

#endif
