/* Layouts: how a type lies in memory, and of which scalars its values are made.
   Needs: the module's data layout. Leaves: one struct layout for each type, kept as long as the interpreter. */
#include "interp/room.h"

enum { MOST_LEAVES = 1 << 16 };

/* Bits of a scalar type, 0 where it is none that has values here. */
static unsigned scalar_bits(const struct interp *in, LLVMTypeRef type, enum leaf_kind *kind)
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

static uint64_t element_count(LLVMTypeRef type)
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

static bool is_aggregate(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind;
}

/* Of a size that LLVM can tell; asked for that of another, it ends the process. */
static bool has_size(LLVMTypeRef type)
{
  if (LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind || LLVMGetTypeKind(type) == LLVMTargetExtTypeKind)
    return false;
  if (!LLVMTypeIsSized(type) || !is_aggregate(type))
    return LLVMTypeIsSized(type);
  if (!is_struct(type))
    return has_size(LLVMGetElementType(type));
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    if (!has_size(LLVMStructGetTypeAtIndex(type, i)))
      return false;
  return true;
}

static const struct layout *element(struct interp *in, LLVMTypeRef type, unsigned index)
{
  return layout_of(in, is_struct(type) ? LLVMStructGetTypeAtIndex(type, index) : LLVMGetElementType(type));
}

/* Where element `index` begins; in bits where the elements of a vector do not fill bytes. */
static uint64_t element_offset(struct interp *in, LLVMTypeRef type, unsigned index, const struct layout *part,
                               bool packed)
{
  if (is_struct(type))
    return LLVMOffsetOfElement(in->target, type, index);
  if (packed)
    return (uint64_t)index * part->leaves[0].bits;
  return index * (LLVMGetTypeKind(type) == LLVMVectorTypeKind ? part->store_size : part->size);
}

static bool flatten(struct interp *in, struct layout *layout, LLVMTypeRef type)
{
  uint64_t elements = element_count(type), leaves = 0;
  bool same = !is_struct(type);
  for (uint64_t i = 0; i < elements && leaves <= MOST_LEAVES; i += same ? elements : 1) {
    const struct layout *part = element(in, type, (unsigned)i);
    if (!part)
      return false;
    layout->unsupported |= part->unsupported || part->packed;
    leaves += same ? part->count * elements : part->count;
    layout->packed = LLVMGetTypeKind(type) == LLVMVectorTypeKind && part->count && part->leaves[0].bits % 8;
  }
  layout->unsupported |= leaves > MOST_LEAVES || (layout->packed && layout->store_size > 16);
  if (layout->unsupported)
    return true;
  layout->leaves = CORO_NEW_ARRAY(in->arena, struct leaf, leaves + 1);
  if (!layout->leaves)
    return false;
  for (uint64_t i = 0; i < elements; i++) {
    const struct layout *part = element(in, type, (unsigned)i);
    uint64_t offset = element_offset(in, type, (unsigned)i, part, layout->packed);
    for (uint32_t k = 0; k < part->count; k++) {
      struct leaf leaf = part->leaves[k];
      leaf.offset += offset;
      layout->leaves[layout->count++] = leaf;
    }
  }
  return true;
}

static bool fill(struct interp *in, struct layout *layout, LLVMTypeRef type)
{
  enum leaf_kind kind;
  unsigned bits = scalar_bits(in, type, &kind);
  layout->type = type;
  bool sized = kind != LEAF_TOKEN && has_size(type);
  layout->unsupported = !bits && (!is_aggregate(type) || !sized) && LLVMGetTypeKind(type) != LLVMVoidTypeKind;
  if (sized) {
    layout->size = LLVMABISizeOfType(in->target, type);
    layout->store_size = LLVMStoreSizeOfType(in->target, type);
    layout->align = LLVMABIAlignmentOfType(in->target, type);
  }
  if (layout->unsupported || LLVMGetTypeKind(type) == LLVMVoidTypeKind)
    return true;
  if (!bits)
    return flatten(in, layout, type);
  layout->leaves = CORO_NEW(in->arena, struct leaf);
  if (!layout->leaves)
    return false;
  layout->leaves[0] = (struct leaf){0, (unsigned char)bits, (unsigned char)kind};
  layout->count = 1;
  return true;
}

const struct layout *layout_of(struct interp *in, LLVMTypeRef type)
{
  uint64_t found;
  if (coro_map_get(&in->layouts, (uintptr_t)type, &found))
    return (const struct layout *)(uintptr_t)found;
  struct layout *layout = CORO_NEW(in->arena, struct layout);
  if (layout && fill(in, layout, type) && coro_map_put(&in->layouts, (uintptr_t)type, (uintptr_t)layout))
    return layout;
  interp_no_memory(in);
  return NULL;
}
