/* Computes the layout of types recursively, memoized: their size and the scalars that they consist of. */
#include "interp/layout.h"

#include "interp/execution_error.h"

enum { MAX_LEAVES = 1 << 16, MAX_DEPTH = 256 };
#define MAX_SIZE (UINT64_C(1) << 48) /* maximum type size; LLVM's own sums wrap */

/* Width of a supported scalar type; 0: unsupported. */
static unsigned scalar_bit_width(const struct interp *in, LLVMTypeRef type, enum leaf_kind *kind)
{
  *kind = LEAF_FLOAT;
  switch (LLVMGetTypeKind(type)) {
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind: return 16;
  case LLVMFloatTypeKind: return 32;
  case LLVMDoubleTypeKind: return 64;
  case LLVMX86_FP80TypeKind: return 80;
  case LLVMFP128TypeKind: return 128;
  case LLVMIntegerTypeKind: *kind = LEAF_INT; return LLVMGetIntTypeWidth(type) <= 128 ? LLVMGetIntTypeWidth(type) : 0;
  case LLVMPointerTypeKind:
    *kind = LEAF_POINTER;
    return LLVMPointerSizeForAS(in->target, LLVMGetPointerAddressSpace(type)) == 8 ? 64 : 0;
  case LLVMTokenTypeKind: *kind = LEAF_TOKEN; return 64;
  default: return 0;
  }
}

uint64_t layout_element_count(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
  case LLVMArrayTypeKind: return LLVMGetArrayLength2(type);
  case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
  default: return 0;
  }
}

static bool is_struct(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMStructTypeKind;
}

static bool is_struct_array_or_vector(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind;
}

static const struct layout *element_layout(struct interp *in, LLVMTypeRef type, unsigned index)
{
  return layout_of_llvm_type(in, is_struct(type) ? LLVMStructGetTypeAtIndex(type, index) : LLVMGetElementType(type));
}

/* Offset of element `index`; in bits for vectors whose elements do not fill bytes. */
static uint64_t element_offset(struct interp *in, LLVMTypeRef type, unsigned index, const struct layout *child,
                               bool packed)
{
  if (is_struct(type))
    return LLVMOffsetOfElement(in->target, type, index);
  if (packed)
    return (uint64_t)index * child->leaves[0].bits;
  return index * (LLVMGetTypeKind(type) == LLVMVectorTypeKind ? child->store_size : child->size);
}

/* True if LLVM can compute the size; otherwise its query aborts. Elements were visited before, once each, because
   types may contain each other exponentially often. */
static bool has_computable_size(struct interp *in, LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMScalableVectorTypeKind || kind == LLVMTargetExtTypeKind || kind == LLVMTokenTypeKind)
    return false;
  if (!is_struct_array_or_vector(type))
    return LLVMTypeIsSized(type);
  if (!is_struct(type)) {
    const struct layout *child = element_layout(in, type, 0);
    return child->sized && (!child->size || layout_element_count(type) <= MAX_SIZE / child->size);
  }
  uint64_t sum = 0;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && sum <= MAX_SIZE; i++) {
    if (!element_layout(in, type, i)->sized)
      return false;
    sum += element_layout(in, type, i)->size;
  }
  return !LLVMIsOpaqueStruct(type) && sum <= MAX_SIZE;
}

/* Total number of leaves, saturated. */
static uint64_t count_leaves_and_set_unsupported(struct interp *in, struct layout *layout, LLVMTypeRef type)
{
  uint64_t elements = layout_element_count(type), leaves = 0;
  if (!is_struct(type)) {
    const struct layout *child = element_layout(in, type, 0);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    layout->unsupported |= child->unsupported || child->packed;
    layout->packed = vector && child->count && child->leaves[0].bits % 8;
    return __builtin_mul_overflow(child->count, elements, &leaves) ? UINT64_MAX : leaves;
  }
  for (unsigned i = 0; i < elements; i++) {
    const struct layout *child = element_layout(in, type, i);
    layout->unsupported |= child->unsupported || child->packed;
    leaves += child->count;
  }
  return leaves;
}

static bool flatten_type_into_leaves(struct interp *in, struct layout *layout, LLVMTypeRef type)
{
  uint64_t leaves = count_leaves_and_set_unsupported(in, layout, type);
  layout->unsupported |= !layout->sized || leaves > MAX_LEAVES || (layout->packed && layout->store_size > 16);
  if (layout->unsupported)
    return true;
  layout->leaves = CORO_NEW_ARRAY(in->arena, struct leaf, leaves + 1);
  if (!layout->leaves)
    return false;
  for (unsigned i = 0; layout->count < leaves; i++) {
    const struct layout *child = element_layout(in, type, i);
    uint64_t offset = element_offset(in, type, i, child, layout->packed);
    for (uint32_t k = 0; k < child->count; k++) {
      struct leaf leaf = child->leaves[k];
      leaf.offset += offset;
      layout->leaves[layout->count++] = leaf;
    }
  }
  return true;
}

/* Computes the layouts of all element types; unsupported ones have one, too. False: out of memory. */
static bool compute_element_layouts_unless_out_of_memory(struct interp *in, LLVMTypeRef type)
{
  unsigned parts = !is_struct_array_or_vector(type) ? 0 : is_struct(type) ? LLVMCountStructElementTypes(type) : 1;
  for (unsigned i = 0; i < parts; i++)
    if (!element_layout(in, type, i))
      return false;
  return true;
}

static bool compute_layout(struct interp *in, struct layout *layout, LLVMTypeRef type)
{
  enum leaf_kind kind;
  unsigned bits = scalar_bit_width(in, type, &kind);
  if (!compute_element_layouts_unless_out_of_memory(in, type))
    return false;
  layout->type = type;
  layout->sized = has_computable_size(in, type);
  layout->unsupported = !bits && !is_struct_array_or_vector(type) && LLVMGetTypeKind(type) != LLVMVoidTypeKind;
  if (layout->sized) {
    layout->size = LLVMABISizeOfType(in->target, type);
    layout->store_size = LLVMStoreSizeOfType(in->target, type);
    layout->align = LLVMABIAlignmentOfType(in->target, type);
  }
  if (layout->unsupported || LLVMGetTypeKind(type) == LLVMVoidTypeKind)
    return true;
  if (!bits)
    return flatten_type_into_leaves(in, layout, type);
  layout->leaves = CORO_NEW(in->arena, struct leaf);
  if (!layout->leaves)
    return false;
  layout->leaves[0] = (struct leaf){0, (unsigned char)bits, (unsigned char)kind};
  layout->count = 1;
  return true;
}

/* Bounds recursion: deeper types count as unsupported. */
static const struct layout too_deep = {.unsupported = true};

const struct layout *layout_of_llvm_type(struct interp *in, LLVMTypeRef type)
{
  uint64_t found;
  if (coro_map_get(&in->layouts, (uintptr_t)type, &found))
    return (const struct layout *)(uintptr_t)found;
  if (in->type_depth >= MAX_DEPTH)
    return &too_deep;
  struct layout *layout = CORO_NEW(in->arena, struct layout);
  in->type_depth++;
  bool filled = layout && compute_layout(in, layout, type);
  in->type_depth--;
  if (filled && coro_map_put(&in->layouts, (uintptr_t)type, (uintptr_t)layout))
    return layout;
  return interp_stop_out_of_memory(in);
}

const struct layout *layout_of_pointer(struct interp *in)
{
  return layout_of_llvm_type(in, LLVMPointerTypeInContext(in->context, 0));
}
