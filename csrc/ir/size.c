/* Sizes of types and of addresses.
   Needs: base, LLVM-C. Leaves: nothing changed. */
#include "ir/size.h"

#include <stdlib.h>
#include <string.h>

#include "llvm-c/Analysis.h"

void ir_sizes_init(struct ir_sizes *sizes, struct coro_arena *arena, LLVMTargetDataRef layout)
{
  sizes->layout = layout;
  coro_map_init(&sizes->known, arena);
}

/* LLVM's C API does not tell what a target's type is made of. Its verifier knows: it takes no variable of such a
   type. */
static bool is_scalable(LLVMTypeRef type)
{
  LLVMModuleRef scratch = LLVMModuleCreateWithNameInContext("", LLVMGetTypeContext(type));
  char *message = NULL;
  LLVMAddGlobal(scratch, type, "");
  bool scalable = LLVMVerifyModule(scratch, LLVMReturnStatusAction, &message) && strstr(message, "scalable");
  LLVMDisposeMessage(message);
  LLVMDisposeModule(scratch);
  return scalable;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
  return a >= IR_MOST_BYTES || b >= IR_MOST_BYTES - a ? IR_MOST_BYTES : a + b;
}

static uint64_t product(uint64_t a, uint64_t b)
{
  return a && b >= IR_MOST_BYTES / a ? IR_MOST_BYTES : a * b;
}

static bool measure(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes);

/* At least as many bytes as it takes. */
static bool bound_struct(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes)
{
  unsigned count = LLVMCountStructElementTypes(type);
  uint64_t padding = 1;
  *bytes = 0;
  for (unsigned i = 0; i < count; i++) {
    LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
    uint64_t more;
    if (!measure(sizes, element, depth + 1, &more))
      return false;
    uint64_t align = LLVMABIAlignmentOfType(sizes->layout, element);
    padding = align > padding ? align : padding;
    *bytes = sum(*bytes, sum(more, align));
  }
  *bytes = sum(*bytes, padding);
  return true;
}

static bool measure_aggregate(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes)
{
  bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
  uint64_t known = 0;
  if (coro_map_get(&sizes->known, coro_map_key(type), &known)) {
    *bytes = known - 1;
    return known;
  }
  bool fixed = depth < IR_DEEPEST_TYPE && (is_struct ? bound_struct(sizes, type, depth, bytes)
                                                     : measure(sizes, LLVMGetElementType(type), depth + 1, bytes));
  if (fixed && !is_struct)
    *bytes = product(*bytes, LLVMGetArrayLength2(type));
  if (fixed && *bytes < IR_MOST_BYTES)
    *bytes = LLVMABISizeOfType(sizes->layout, type);
  (void)coro_map_put(&sizes->known, coro_map_key(type), fixed ? *bytes + 1 : 0); /* the arena remembers */
  return fixed;
}

static bool measure(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind: return measure_aggregate(sizes, type, depth, bytes);
  case LLVMScalableVectorTypeKind: return false;
  case LLVMTargetExtTypeKind:
    if (is_scalable(type))
      return false;
    break;
  default: break;
  }
  *bytes = LLVMABISizeOfType(sizes->layout, type);
  return true;
}

bool ir_size_of(struct ir_sizes *sizes, LLVMTypeRef type, uint64_t *bytes)
{
  *bytes = 0;
  return LLVMTypeIsSized(type) && measure(sizes, type, 0, bytes);
}

bool ir_is_sized(struct ir_sizes *sizes, LLVMTypeRef type)
{
  uint64_t bytes;
  return ir_size_of(sizes, type, &bytes);
}

uint64_t ir_pointer_size(LLVMContextRef context, LLVMTargetDataRef layout)
{
  return LLVMABISizeOfType(layout, LLVMPointerTypeInContext(context, 0));
}

uint64_t ir_pointer_align(LLVMContextRef context, LLVMTargetDataRef layout)
{
  return LLVMABIAlignmentOfType(layout, LLVMPointerTypeInContext(context, 0));
}

uint64_t ir_malloc_align(LLVMContextRef context, LLVMTargetDataRef layout)
{
  uint64_t size = ir_pointer_size(context, layout), align = ir_pointer_align(context, layout);
  while (align <= size)
    align *= 2;
  return align;
}

/* "p:64:64" or "p0:64:64": behind the number of the address space, 0. */
static const char *plain_pointer(const char *spec)
{
  char *end = NULL;
  bool pointer = *spec == 'p' && strtoul(spec + 1, &end, 10) == 0;
  return pointer && *end == ':' ? end : NULL;
}

/* The spec that follows in the layout's text, NULL at its end. */
static const char *next_spec(const char *spec)
{
  const char *dash = strchr(spec, '-');
  return dash ? dash + 1 : NULL;
}

/* Of "p:64:64:64:32" the fourth number, or else the first. */
LLVMTypeRef ir_index_type(LLVMContextRef context, LLVMTargetDataRef layout)
{
  char *text = LLVMCopyStringRepOfTargetData(layout);
  const char *at = NULL;
  for (const char *spec = text; spec; spec = next_spec(spec))
    at = plain_pointer(spec) ? plain_pointer(spec) : at;
  unsigned fields[4] = {at ? 0 : 8 * LLVMPointerSize(layout)};
  for (unsigned i = 0; at && i < 4 && *at == ':'; i++) {
    char *end;
    fields[i] = (unsigned)strtoul(at + 1, &end, 10);
    at = end;
  }
  LLVMDisposeMessage(text);
  return LLVMIntTypeInContext(context, fields[3] ? fields[3] : fields[0]);
}

/* Of "P1" the number. */
unsigned ir_code_space(LLVMTargetDataRef layout)
{
  char *text = LLVMCopyStringRepOfTargetData(layout);
  unsigned space = 0;
  for (const char *spec = text; spec; spec = next_spec(spec))
    if (*spec == 'P')
      space = (unsigned)strtoul(spec + 1, NULL, 10);
  LLVMDisposeMessage(text);
  return space;
}
