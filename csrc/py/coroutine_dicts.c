/* Converts the engine's descriptions of coroutines to dicts and tuples.
   Requires: values.c.
   Guarantees: new references, independent of the engine's memory. */
#include "state.h"

/* indexed by coro_abi_kind */
static const char *const abi_names[] = {"switch", "retcon", "retcon-once", "async", "retcon-dynamic"};
static const char *const kind_names[] = {"resume", "destroy", "promise", "index", "header", "alloca", "spill"};

static const struct core_member source_members[] = {
    CORE_MEMBER(coro_source_info, name, TEXT),      CORE_MEMBER(coro_source_info, file, TEXT),
    CORE_MEMBER(coro_source_info, directory, TEXT), CORE_MEMBER(coro_source_info, line, U32),
    CORE_MEMBER(coro_source_info, column, U32),     CORE_LAST,
};

static const struct core_member field_members[] = {
    CORE_NAMED(coro_field_info, kind, kind_names),    CORE_MEMBER(coro_field_info, name, TEXT),
    CORE_MEMBER(coro_field_info, type, TEXT),         CORE_MEMBER(coro_field_info, value, TEXT),
    CORE_MEMBER(coro_field_info, def_block, TEXT),    CORE_MEMBER(coro_field_info, use_block, TEXT),
    CORE_MEMBER(coro_field_info, use, TEXT),          CORE_MEMBER(coro_field_info, spelled, TEXT),
    CORE_MEMBER(coro_field_info, realign, U64),       CORE_MEMBER(coro_field_info, why, TEXT),
    CORE_MEMBER(coro_field_info, offset, U64),        CORE_MEMBER(coro_field_info, size, U64),
    CORE_MEMBER(coro_field_info, align, U64),         CORE_MEMBER(coro_field_info, suspend, INDEX),
    CORE_MEMBER(coro_field_info, source_type, INDEX), CORE_LAST,
};

static const char *const type_kinds[] = {"opaque",  "integer",     "boolean", "character", "float",
                                         "pointer", "enumeration", "record",  "union",     "array"};

static const struct core_member source_type_members[] = {
    CORE_NAMED(coro_source_type, kind, type_kinds),
    CORE_MEMBER(coro_source_type, name, TEXT),
    CORE_MEMBER(coro_source_type, size, U64),
    CORE_MEMBER(coro_source_type, is_signed, BOOL),
    CORE_MEMBER(coro_source_type, element, INDEX),
    CORE_MEMBER(coro_source_type, count, U64),
    CORE_LAST,
};

static const struct core_member suspend_members[] = {
    CORE_MEMBER(coro_suspend_info, name, TEXT),
    CORE_MEMBER(coro_suspend_info, block, TEXT),
    CORE_MEMBER(coro_suspend_info, save_block, TEXT),
    CORE_MEMBER(coro_suspend_info, suspend_block, TEXT),
    CORE_MEMBER(coro_suspend_info, resume_block, TEXT),
    CORE_MEMBER(coro_suspend_info, destroy_block, TEXT),
    CORE_MEMBER(coro_suspend_info, is_final, BOOL),
    CORE_MEMBER(coro_suspend_info, is_first_value, BOOL),
    CORE_MEMBER(coro_suspend_info, index, U32),
    CORE_MEMBER_AS("has_separate_save", coro_suspend_info, is_saved_apart, BOOL),
    CORE_MEMBER(coro_suspend_info, live_count, U32),
    CORE_MEMBER(coro_suspend_info, live_bytes, U64),
    CORE_LAST,
};

static const struct core_member block_members[] = {
    CORE_MEMBER(coro_block_info, name, TEXT),
    CORE_LAST,
};

static const struct core_member coroutine_members[] = {
    CORE_MEMBER(coro_coroutine_info, function, TEXT),
    CORE_MEMBER_AS("is_local", coro_coroutine_info, local, BOOL),
    CORE_NAMED(coro_coroutine_info, abi, abi_names),
    CORE_MEMBER(coro_coroutine_info, custom_abi, TEXT),
    CORE_MEMBER(coro_coroutine_info, id, TEXT),
    CORE_MEMBER(coro_coroutine_info, promise, TEXT),
    CORE_MEMBER(coro_coroutine_info, promise_offset, U64),
    CORE_MEMBER(coro_coroutine_info, promise_type, TEXT),
    CORE_MEMBER(coro_coroutine_info, frame_size, U64),
    CORE_MEMBER(coro_coroutine_info, frame_align, U64),
    CORE_MEMBER(coro_coroutine_info, lower_bound, U64),
    CORE_MEMBER(coro_coroutine_info, end_count, SIZE),
    CORE_MEMBER(coro_coroutine_info, storage_size, U64),
    CORE_MEMBER(coro_coroutine_info, storage_align, U64),
    CORE_MEMBER(coro_coroutine_info, storage_argument, INDEX),
    CORE_MEMBER(coro_coroutine_info, frame_in_storage, BOOL),
    CORE_MEMBER(coro_coroutine_info, frame_offset, U64),
    CORE_MEMBER(coro_coroutine_info, function_pointer, TEXT),
    CORE_MEMBER(coro_coroutine_info, prototype, TEXT),
    CORE_MEMBER(coro_coroutine_info, allocator, TEXT),
    CORE_MEMBER(coro_coroutine_info, deallocator, TEXT),
    CORE_MEMBER(coro_coroutine_info, ramp_type, TEXT),
    CORE_MEMBER(coro_coroutine_info, resume_type, TEXT),
    CORE_LAST,
};

static const struct core_member candidate_members[] = {
    CORE_MEMBER_AS("name", coro_candidate_info, function, TEXT),
    CORE_MEMBER(coro_candidate_info, type, TEXT),
    CORE_NAMED(coro_candidate_info, abi, abi_names),
    CORE_MEMBER(coro_candidate_info, id, TEXT),
    CORE_MEMBER(coro_candidate_info, index, INDEX),
    CORE_MEMBER(coro_candidate_info, promise, TEXT),
    CORE_MEMBER(coro_candidate_info, promise_type, TEXT),
    CORE_LAST,
};

static const struct core_member candidate_suspend_members[] = {
    CORE_MEMBER(coro_candidate_suspend, name, TEXT),
    CORE_MEMBER(coro_candidate_suspend, block, TEXT),
    CORE_MEMBER(coro_candidate_suspend, is_final, BOOL),
    CORE_LAST,
};

static const struct core_member remat_candidate_members[] = {
    CORE_MEMBER(coro_remat_candidate_info, name, TEXT),      CORE_MEMBER(coro_remat_candidate_info, type, TEXT),
    CORE_MEMBER(coro_remat_candidate_info, value, TEXT),     CORE_MEMBER(coro_remat_candidate_info, def_block, TEXT),
    CORE_MEMBER(coro_remat_candidate_info, use_block, TEXT), CORE_LAST,
};

static const struct core_member spill_candidate_members[] = {
    CORE_MEMBER(coro_spill_candidate_info, name, TEXT),
    CORE_MEMBER(coro_spill_candidate_info, type, TEXT),
    CORE_MEMBER(coro_spill_candidate_info, value, TEXT),
    CORE_MEMBER(coro_spill_candidate_info, def_block, TEXT),
    CORE_MEMBER(coro_spill_candidate_info, use_block, TEXT),
    CORE_MEMBER(coro_spill_candidate_info, size, U64),
    CORE_MEMBER(coro_spill_candidate_info, is_variable, BOOL),
    CORE_MEMBER(coro_spill_candidate_info, is_in_frame, BOOL),
    CORE_MEMBER(coro_spill_candidate_info, why, TEXT),
    CORE_MEMBER(coro_spill_candidate_info, obstacle, TEXT),
    CORE_LAST,
};

static PyObject *range_tuple(const void *ranges, size_t index)
{
  const coro_suspend_range *info = &((const coro_suspend_range *)ranges)[index];
  return Py_BuildValue("(kk)", (unsigned long)info->first, (unsigned long)info->end);
}

static PyObject *source_part(const void *parts, size_t index)
{
  const coro_source_part *part = &((const coro_source_part *)parts)[index];
  PyObject *type = part->type == CORO_NONE ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(part->type);
  return Py_BuildValue("(NNKKL)", core_text(part->name), type, (unsigned long long)part->offset,
                       (unsigned long long)part->bits, (long long)part->value);
}

static PyObject *source_type(const void *types, size_t index)
{
  const coro_source_type *type = &((const coro_source_type *)types)[index];
  PyObject *dict = core_dict(type, source_type_members);
  if (dict && core_dict_set_owned(dict, "parts", core_tuple(type->part_count, source_part, type->parts)) < 0)
    Py_CLEAR(dict);
  return dict;
}

static PyObject *field_dict(const void *fields, size_t index)
{
  const coro_field_info *info = &((const coro_field_info *)fields)[index];
  PyObject *dict = core_dict(info, field_members);
  if (dict && (core_dict_set_owned(dict, "live", core_tuple(info->live_count, range_tuple, info->live)) < 0 ||
               core_dict_set_owned(dict, "source", core_dict(&info->source, source_members)) < 0))
    Py_CLEAR(dict);
  return dict;
}

PyObject *core_fields(const coro_field_info *fields, size_t count)
{
  return core_tuple(count, field_dict, fields);
}

static PyObject *suspend_dict(const void *coroutine, size_t index)
{
  const coro_suspend_info *info = &((const coro_coroutine_info *)coroutine)->suspends[index];
  PyObject *dict = core_dict(info, suspend_members);
  if (dict && core_dict_set_owned(dict, "source", core_dict(&info->source, source_members)) < 0)
    Py_CLEAR(dict);
  return dict;
}

static PyObject *block_dict(const void *coroutine, size_t index)
{
  const coro_block_info *info = &((const coro_coroutine_info *)coroutine)->blocks[index];
  PyObject *dict = core_dict(info, block_members);
  if (dict && core_dict_set_owned(dict, "successors",
                                  core_tuple(info->successor_count, core_number_item, info->successors)) < 0)
    Py_CLEAR(dict);
  return dict;
}

PyObject *core_coroutine(const coro_coroutine_info *info)
{
  PyObject *dict = core_dict(info, coroutine_members);
  if (dict && (core_dict_set_owned(dict, "source", core_dict(&info->source, source_members)) < 0 ||
               core_dict_set_owned(dict, "fields", core_fields(info->fields, info->field_count)) < 0 ||
               core_dict_set_owned(dict, "source_types",
                                   core_tuple(info->source_type_count, source_type, info->source_types)) < 0 ||
               core_dict_set_owned(dict, "suspends", core_tuple(info->suspend_count, suspend_dict, info)) < 0 ||
               core_dict_set_owned(dict, "blocks", core_tuple(info->block_count, block_dict, info)) < 0 ||
               core_dict_set_owned(dict, "rematerialized",
                                   core_tuple(info->rematerialized_count, core_text_item, info->rematerialized)) < 0 ||
               core_dict_set_owned(dict, "clones", core_tuple(info->clone_count, core_text_item, info->clones)) < 0))
    Py_CLEAR(dict);
  return dict;
}

static PyObject *attribute_dict(const void *attributes, size_t index)
{
  const coro_attribute_info *info = &((const coro_attribute_info *)attributes)[index];
  return Py_BuildValue("(NN)", core_text(info->name), core_text(info->value));
}

static PyObject *parameter_dict(const void *parameters, size_t index)
{
  const coro_parameter_info *info = &((const coro_parameter_info *)parameters)[index];
  return Py_BuildValue("(NN)", core_text(info->name), core_text(info->type));
}

static PyObject *candidate_suspend(const void *suspends, size_t index)
{
  return core_dict(&((const coro_candidate_suspend *)suspends)[index], candidate_suspend_members);
}

PyObject *core_candidate(const coro_candidate_info *info)
{
  PyObject *dict = core_dict(info, candidate_members);
  if (dict &&
      (core_dict_set_owned(dict, "parameters", core_tuple(info->parameter_count, parameter_dict, info->parameters)) <
           0 ||
       core_dict_set_owned(dict, "attributes", core_tuple(info->attribute_count, attribute_dict, info->attributes)) <
           0 ||
       core_dict_set_owned(dict, "suspends", core_tuple(info->suspend_count, candidate_suspend, info->suspends)) < 0))
    Py_CLEAR(dict);
  return dict;
}

PyObject *core_remat_candidate(const coro_remat_candidate_info *info)
{
  return core_dict(info, remat_candidate_members);
}

PyObject *core_spill_candidate(const coro_spill_candidate_info *info)
{
  return core_dict(info, spill_candidate_members);
}
