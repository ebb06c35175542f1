/* Creates debug information for functions built in Python: subprograms with line and file, and variables. A DIBuilder
   only accepts compile units that it created itself, so a subprogram is created without a unit, which is set
   afterwards.
   Requires: ir_building.h.
   Guarantees: one compile unit per file. */
#include <string.h>

#include "ir/edit.h"
#include "ir_building.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Target.h"

enum { UNIT_OPERAND = 5 }; /* operand index in a subprogram */
enum { DWARF_ADDRESS = 1, DWARF_BOOLEAN = 2, DWARF_FLOAT = 4, DWARF_SIGNED = 5 };

struct source {
  const char *file, *directory;
  Py_ssize_t file_length, directory_length;
};

static bool is_debug_file_of_name(LLVMMetadataRef file, const struct source *source)
{
  unsigned length, folder_length;
  const char *name = LLVMDIFileGetFilename(file, &length), *folder = LLVMDIFileGetDirectory(file, &folder_length);
  return length == (size_t)source->file_length && !memcmp(name, source->file, length) &&
         folder_length == (size_t)source->directory_length && !memcmp(folder, source->directory, folder_length);
}

/* The module's compile unit for the file, or NULL. Sets *memory_fails if out of memory. */
static LLVMMetadataRef find_compile_unit(LLVMModuleRef module, const struct source *source, bool *memory_fails)
{
  unsigned count = LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu");
  LLVMValueRef *units = PyMem_Malloc((count + 1) * sizeof *units);
  LLVMMetadataRef found = NULL;
  *memory_fails = !units;
  if (units && count)
    LLVMGetNamedMetadataOperands(module, "llvm.dbg.cu", units);
  for (unsigned i = 0; units && i < count && !found; i++) {
    LLVMMetadataRef unit = LLVMValueAsMetadata(units[i]);
    LLVMMetadataRef file = LLVMDIScopeGetFile(unit);
    if (file && is_debug_file_of_name(file, source))
      found = unit;
  }
  PyMem_Free(units);
  return found;
}

static void add_debug_info_version_if_missing(struct build_site *site)
{
  static const char key[] = "Debug Info Version";
  if (LLVMGetModuleFlag(site->llvm, key, strlen(key)))
    return;
  LLVMValueRef version = LLVMConstInt(LLVMInt32TypeInContext(site->context), LLVMDebugMetadataVersion(), false);
  LLVMAddModuleFlag(site->llvm, LLVMModuleFlagBehaviorWarning, key, strlen(key), LLVMValueAsMetadata(version));
}

static bool make_and_set_subprogram(struct build_site *site, LLVMValueRef function, const struct source *source,
                                    const char *name, unsigned line, bool optimized)
{
  static const char producer[] = "pycoro";
  bool memory_fails;
  LLVMMetadataRef unit = find_compile_unit(site->llvm, source, &memory_fails);
  if (memory_fails)
    return PyErr_NoMemory();
  LLVMDIBuilderRef builder = LLVMCreateDIBuilder(site->llvm);
  LLVMMetadataRef file = LLVMDIBuilderCreateFile(builder, source->file, (size_t)source->file_length, source->directory,
                                                 (size_t)source->directory_length);
  if (!unit)
    unit =
        LLVMDIBuilderCreateCompileUnit(builder, LLVMDWARFSourceLanguageC, file, producer, strlen(producer), optimized,
                                       "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
  LLVMMetadataRef nothing = NULL;
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(builder, file, &nothing, 1, LLVMDIFlagZero);
  size_t length;
  const char *linked = LLVMGetValueName2(function, &length);
  LLVMMetadataRef made =
      LLVMDIBuilderCreateFunction(builder, file, name, strlen(name), linked, length, file, line, type,
                                  edit_has_local_linkage(function), true, line, LLVMDIFlagZero, optimized);
  LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(site->context, made), UNIT_OPERAND, unit);
  LLVMDIBuilderFinalize(builder);
  LLVMDisposeDIBuilder(builder);
  LLVMSetSubprogram(function, made);
  add_debug_info_version_if_missing(site);
  return true;
}

bool ir_change_describe_function(struct build_site *site, PyObject *args)
{
  PyObject *object;
  struct source source;
  const char *name;
  unsigned line;
  int optimized;
  if (!PyArg_ParseTuple(args, "Oyy#y#Ip:ir_describe_function", &object, &name, &source.file, &source.file_length,
                        &source.directory, &source.directory_length, &line, &optimized))
    return false;
  if (LLVMValueIsBasicBlock(site->target) || !LLVMIsAFunction(site->target))
    return site_raise_usage_error(site, "only a function can be described as defined at a line of a file");
  if (LLVMGetSubprogram(site->target))
    return site_raise_usage_error(site, "the function already has debug information");
  return make_and_set_subprogram(site, site->target, &source, name, line, optimized);
}

/* ---- Variables ---- */

static unsigned dwarf_encoding_of_type(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind: return DWARF_ADDRESS;
  case LLVMHalfTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind: return DWARF_FLOAT;
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) == 1 ? DWARF_BOOLEAN : DWARF_SIGNED;
  default: return 0;
  }
}

/* NULL for types without a description. */
static LLVMMetadataRef debug_type_of_ir_type(LLVMDIBuilderRef builder, LLVMTypeRef type, LLVMTargetDataRef layout,
                                             const char *name)
{
  unsigned encoding = dwarf_encoding_of_type(type);
  if (!encoding)
    return NULL;
  uint64_t bits = LLVMStoreSizeOfType(layout, type) * 8; /* a scalar type, so it is sized */
  return LLVMDIBuilderCreateBasicType(builder, name, strlen(name), bits, encoding, LLVMDIFlagZero);
}

static bool add_declare_record_of_alloca(struct build_site *site, LLVMValueRef storage, const char *type_name,
                                         unsigned line)
{
  LLVMTypeRef type = LLVMGetAllocatedType(storage);
  LLVMMetadataRef scope = site_subprogram_or_raise(site);
  if (!scope)
    return false;
  LLVMDIBuilderRef builder = LLVMCreateDIBuilder(site->llvm);
  LLVMMetadataRef kind = debug_type_of_ir_type(builder, type, LLVMGetModuleDataLayout(site->llvm), type_name);
  if (kind) {
    LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
    LLVMMetadataRef variable = LLVMDIBuilderCreateAutoVariable(builder, scope, site->name, strlen(site->name), file,
                                                               line, kind, false, LLVMDIFlagZero, 0);
    LLVMMetadataRef whole = LLVMDIBuilderCreateExpression(builder, NULL, 0);
    LLVMMetadataRef where = LLVMDIBuilderCreateDebugLocation(site->context, line, 0, scope, NULL);
    if (site->before)
      LLVMDIBuilderInsertDeclareRecordBefore(builder, storage, variable, whole, where, site->before);
    else
      LLVMDIBuilderInsertDeclareRecordAtEnd(builder, storage, variable, whole, where, site->block);
  }
  LLVMDIBuilderFinalize(builder);
  LLVMDisposeDIBuilder(builder);
  return true;
}

/* The variable has the site's name. */
bool ir_change_describe_variable(struct build_site *site, PyObject *args)
{
  PyObject *where, *object;
  const char *type_name;
  unsigned line;
  if (!PyArg_ParseTuple(args, "OOyI:ir_describe_variable", &where, &object, &type_name, &line))
    return false;
  LLVMValueRef storage = site_pointer(site, object);
  if (storage && !LLVMIsAAllocaInst(storage))
    return site_raise_usage_error(site, "only an alloca can be described as a source variable");
  return storage && add_declare_record_of_alloca(site, storage, type_name, line);
}
