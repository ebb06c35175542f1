/* Tables that convert the engine's descriptions of coroutines to dicts.
   Requires: values.c.
   Guarantees: new references, independent of the engine's memory. */
#include "state.h"

/* indexed by coro_abi_kind */
static const char *const abi_names[] = {"switch", "retcon", "retcon-once", "async", "retcon-dynamic"};
static const char *const kind_names[] = {"resume", "destroy", "promise", "index", "header", "alloca", "spill"};
static const char *const type_kinds[] = {"opaque",  "integer",     "boolean", "character", "float",
                                         "pointer", "enumeration", "record",  "union",     "array"};

static PyObject *make_range_tuple(const void *ranges, size_t index)
{
  const coro_suspend_range *info = &((const coro_suspend_range *)ranges)[index];
  return Py_BuildValue("(kk)", (unsigned long)info->first, (unsigned long)info->end);
}

static PyObject *make_source_part_tuple(const void *parts, size_t index)
{
  const coro_source_part *part = &((const coro_source_part *)parts)[index];
  PyObject *type = part->type == CORO_NONE ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(part->type);
  return Py_BuildValue("(NNKKL)", core_make_str(part->name), type, (unsigned long long)part->offset,
                       (unsigned long long)part->bits, (long long)part->value);
}

static PyObject *make_attribute_pair(const void *attributes, size_t index)
{
  const coro_attribute_info *info = &((const coro_attribute_info *)attributes)[index];
  return Py_BuildValue("(NN)", core_make_str(info->name), core_make_str(info->value));
}

static PyObject *make_parameter_pair(const void *parameters, size_t index)
{
  const coro_parameter_info *info = &((const coro_parameter_info *)parameters)[index];
  return Py_BuildValue("(NN)", core_make_str(info->name), core_make_str(info->type));
}

static const struct core_member source_members[] = {
    CORE_MEMBERS(coro_source_info, TEXT, name, file, directory),
    CORE_MEMBERS(coro_source_info, U32, line, column),
    CORE_LAST,
};

static const struct core_member field_members[] = {
    CORE_NAMED(coro_field_info, kind, kind_names),
    CORE_MEMBERS(coro_field_info, TEXT, name, type, value, def_block, use_block, use, spelled, why),
    CORE_MEMBERS(coro_field_info, U64, realign, offset, size, align),
    CORE_MEMBERS(coro_field_info, INDEX, suspend, source_type),
    CORE_ITEMS(coro_field_info, live, live_count, make_range_tuple),
    CORE_NESTED(coro_field_info, source, source_members),
    CORE_NESTED(coro_field_info, def_source, source_members),
    CORE_NESTED(coro_field_info, use_source, source_members),
    CORE_LAST,
};

static const struct core_member source_type_members[] = {
    CORE_NAMED(coro_source_type, kind, type_kinds),
    CORE_MEMBERS(coro_source_type, TEXT, name),
    CORE_MEMBERS(coro_source_type, U64, size),
    CORE_MEMBERS(coro_source_type, BOOL, is_signed),
    CORE_MEMBERS(coro_source_type, INDEX, element),
    CORE_MEMBERS(coro_source_type, U64, count),
    CORE_ITEMS(coro_source_type, parts, part_count, make_source_part_tuple),
    CORE_LAST,
};

static const struct core_member suspend_members[] = {
    CORE_MEMBERS(coro_suspend_info, TEXT, name, block, save_block, suspend_block, resume_block, destroy_block),
    CORE_MEMBERS(coro_suspend_info, BOOL, is_final, is_first_value),
    CORE_MEMBER_AS("has_separate_save", coro_suspend_info, is_saved_apart, BOOL),
    CORE_MEMBERS(coro_suspend_info, U32, index, live_count),
    CORE_MEMBERS(coro_suspend_info, U64, live_bytes),
    CORE_NESTED(coro_suspend_info, source, source_members),
    CORE_LAST,
};

static const struct core_member block_members[] = {
    CORE_MEMBERS(coro_block_info, TEXT, name),
    CORE_ITEMS(coro_block_info, successors, successor_count, core_make_int_item),
    CORE_LAST,
};

const struct core_member core_coroutine_members[] = {
    CORE_MEMBERS(coro_coroutine_info, TEXT, function),
    CORE_MEMBER_AS("is_local", coro_coroutine_info, local, BOOL),
    CORE_NAMED(coro_coroutine_info, abi, abi_names),
    CORE_MEMBERS(coro_coroutine_info, TEXT, custom_abi, id, promise, promise_type),
    CORE_MEMBERS(coro_coroutine_info, TEXT, function_pointer, prototype, allocator, deallocator, ramp_type,
                 resume_type),
    CORE_MEMBERS(coro_coroutine_info, U64, promise_offset, frame_size, frame_align, frame_offset, lower_bound),
    CORE_MEMBERS(coro_coroutine_info, U64, storage_size, storage_align),
    CORE_MEMBERS(coro_coroutine_info, INDEX, storage_argument),
    CORE_MEMBERS(coro_coroutine_info, BOOL, frame_in_storage),
    CORE_MEMBERS(coro_coroutine_info, SIZE, end_count),
    CORE_NESTED(coro_coroutine_info, source, source_members),
    CORE_STRUCTS(coro_coroutine_info, fields, field_count, field_members),
    CORE_STRUCTS(coro_coroutine_info, source_types, source_type_count, source_type_members),
    CORE_STRUCTS(coro_coroutine_info, suspends, suspend_count, suspend_members),
    CORE_STRUCTS(coro_coroutine_info, blocks, block_count, block_members),
    CORE_ITEMS(coro_coroutine_info, rematerialized, rematerialized_count, core_make_str_item),
    CORE_ITEMS(coro_coroutine_info, clones, clone_count, core_make_str_item),
    CORE_LAST,
};

static const struct core_member candidate_suspend_members[] = {
    CORE_MEMBERS(coro_candidate_suspend, TEXT, name, block),
    CORE_MEMBERS(coro_candidate_suspend, BOOL, is_final),
    CORE_LAST,
};

const struct core_member core_candidate_members[] = {
    CORE_MEMBER_AS("name", coro_candidate_info, function, TEXT),
    CORE_MEMBERS(coro_candidate_info, TEXT, type, id, promise, promise_type),
    CORE_NAMED(coro_candidate_info, abi, abi_names),
    CORE_MEMBERS(coro_candidate_info, INDEX, index),
    CORE_ITEMS(coro_candidate_info, parameters, parameter_count, make_parameter_pair),
    CORE_ITEMS(coro_candidate_info, attributes, attribute_count, make_attribute_pair),
    CORE_STRUCTS(coro_candidate_info, suspends, suspend_count, candidate_suspend_members),
    CORE_LAST,
};

const struct core_member core_remat_candidate_members[] = {
    CORE_MEMBERS(coro_remat_candidate_info, TEXT, name, type, value, def_block, use_block),
    CORE_LAST,
};

const struct core_member core_spill_candidate_members[] = {
    CORE_MEMBERS(coro_spill_candidate_info, TEXT, name, type, value, def_block, use_block),
    CORE_MEMBERS(coro_spill_candidate_info, U64, size),
    CORE_MEMBERS(coro_spill_candidate_info, BOOL, is_variable, is_in_frame),
    CORE_MEMBERS(coro_spill_candidate_info, TEXT, why, obstacle),
    CORE_LAST,
};

static PyObject *make_field_dict(const void *fields, size_t index)
{
  return core_make_dict(&((const coro_field_info *)fields)[index], field_members);
}

PyObject *core_tuple_of_field_dicts(const coro_field_info *fields, size_t count)
{
  return core_make_tuple(count, make_field_dict, fields);
}
