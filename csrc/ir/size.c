/* Computes type sizes recursively with saturation, memoized per struct and array type. */
#include "ir/size.h"

#include <stdlib.h>
#include <string.h>

#include "llvm-c/Analysis.h"

void ir_sizes_init(struct ir_sizes *sizes, struct coro_arena *arena, LLVMTargetDataRef layout)
{
  sizes->layout = layout;
  coro_map_init(&sizes->known, arena);
}

/* LLVM-C does not expose the layout type of a target extension type. The verifier rejects global variables of
   scalable types, so it serves as the query. */
static bool is_scalable_target_type(LLVMTypeRef type)
{
  LLVMModuleRef scratch = LLVMModuleCreateWithNameInContext("", LLVMGetTypeContext(type));
  char *message = NULL;
  LLVMAddGlobal(scratch, type, "");
  bool scalable = LLVMVerifyModule(scratch, LLVMReturnStatusAction, &message) && strstr(message, "scalable");
  LLVMDisposeMessage(message);
  LLVMDisposeModule(scratch);
  return scalable;
}

static uint64_t sum_up_to_max_bytes(uint64_t a, uint64_t b)
{
  return a >= IR_MAX_BYTES || b >= IR_MAX_BYTES - a ? IR_MAX_BYTES : a + b;
}

uint64_t ir_size_product_up_to_max_bytes(uint64_t size, uint64_t count)
{
  return size && count > IR_MAX_BYTES / size ? IR_MAX_BYTES : size * count;
}

static bool compute_size(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes);

/* An upper bound of the struct's size in bytes. */
static bool compute_struct_size_bound(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes)
{
  unsigned count = LLVMCountStructElementTypes(type);
  uint64_t padding = 1;
  *bytes = 0;
  for (unsigned i = 0; i < count; i++) {
    LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
    uint64_t more;
    if (!compute_size(sizes, element, depth + 1, &more))
      return false;
    uint64_t align = LLVMABIAlignmentOfType(sizes->layout, element);
    padding = align > padding ? align : padding;
    *bytes = sum_up_to_max_bytes(*bytes, sum_up_to_max_bytes(more, align));
  }
  *bytes = sum_up_to_max_bytes(*bytes, padding);
  return true;
}

static bool compute_aggregate_size(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes)
{
  bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
  uint64_t known = 0;
  if (coro_map_get(&sizes->known, coro_map_key(type), &known)) {
    *bytes = known - 1;
    return known;
  }
  bool fixed =
      depth < IR_MAX_TYPE_DEPTH && (is_struct ? compute_struct_size_bound(sizes, type, depth, bytes)
                                              : compute_size(sizes, LLVMGetElementType(type), depth + 1, bytes));
  if (fixed && !is_struct)
    *bytes = ir_size_product_up_to_max_bytes(*bytes, LLVMGetArrayLength2(type));
  if (fixed && *bytes < IR_MAX_BYTES)
    *bytes = LLVMABISizeOfType(sizes->layout, type);
  (void)coro_map_put(&sizes->known, coro_map_key(type), fixed ? *bytes + 1 : 0); /* the arena records a failure */
  return fixed;
}

static bool compute_size(struct ir_sizes *sizes, LLVMTypeRef type, unsigned depth, uint64_t *bytes)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind: return compute_aggregate_size(sizes, type, depth, bytes);
  case LLVMScalableVectorTypeKind: return false;
  case LLVMTargetExtTypeKind:
    if (is_scalable_target_type(type))
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
  return LLVMTypeIsSized(type) && compute_size(sizes, type, 0, bytes);
}

bool ir_has_fixed_size(struct ir_sizes *sizes, LLVMTypeRef type)
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

/* For "p:64:64" or "p0:64:64" the text after the address space; else NULL. */
static const char *text_after_default_pointer_space(const char *spec)
{
  char *end = NULL;
  bool pointer = *spec == 'p' && strtoul(spec + 1, &end, 10) == 0;
  return pointer && *end == ':' ? end : NULL;
}

/* The next specification of the layout string; NULL at the end. */
static const char *next_data_layout_spec(const char *spec)
{
  const char *dash = strchr(spec, '-');
  return dash ? dash + 1 : NULL;
}

/* The fourth number of "p:64:64:64:32", else the first. */
LLVMTypeRef ir_index_type(LLVMContextRef context, LLVMTargetDataRef layout)
{
  char *text = LLVMCopyStringRepOfTargetData(layout);
  const char *at = NULL;
  for (const char *spec = text; spec; spec = next_data_layout_spec(spec))
    at = text_after_default_pointer_space(spec) ? text_after_default_pointer_space(spec) : at;
  unsigned fields[4] = {at ? 0 : 8 * LLVMPointerSize(layout)};
  for (unsigned i = 0; at && i < 4 && *at == ':'; i++) {
    char *end;
    fields[i] = (unsigned)strtoul(at + 1, &end, 10);
    at = end;
  }
  LLVMDisposeMessage(text);
  return LLVMIntTypeInContext(context, fields[3] ? fields[3] : fields[0]);
}

/* The number in "P1". */
static unsigned address_space_in_data_layout(LLVMTargetDataRef layout, char letter)
{
  char *text = LLVMCopyStringRepOfTargetData(layout);
  unsigned space = 0;
  for (const char *spec = text; spec; spec = next_data_layout_spec(spec))
    if (*spec == letter)
      space = (unsigned)strtoul(spec + 1, NULL, 10);
  LLVMDisposeMessage(text);
  return space;
}

unsigned ir_program_address_space(LLVMTargetDataRef layout)
{
  return address_space_in_data_layout(layout, 'P');
}

unsigned ir_alloca_address_space(LLVMTargetDataRef layout)
{
  return address_space_in_data_layout(layout, 'A');
}
