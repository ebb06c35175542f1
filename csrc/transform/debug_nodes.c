/* Builds debug info nodes by printing, editing and parsing IR text (see debug_nodes.h). */
#include "transform/debug_nodes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/starts_with.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/IRReader.h"
#include "llvm_metadata.h"
#include "llvm_printed.h"

static const char node_list_name[] = "made"; /* named metadata of the parsed module that lists all nodes */

void ir_nodes_init(struct ir_nodes *nodes, struct coro_arena *arena, LLVMContextRef context)
{
  *nodes = (struct ir_nodes){.arena = arena, .context = context};
}

static char *reserve_node_text(struct ir_nodes *nodes, size_t more)
{
  if (nodes->length + more + 1 > nodes->capacity) {
    size_t capacity = 2 * (nodes->length + more) + 1024;
    char *text = coro_arena_alloc(nodes->arena, capacity);
    if (!text)
      return NULL;
    if (nodes->length)
      memcpy(text, nodes->text, nodes->length);
    nodes->text = text;
    nodes->capacity = capacity;
  }
  return nodes->text + nodes->length;
}

static void append_node_text(struct ir_nodes *nodes, const char *text, size_t length)
{
  char *to = reserve_node_text(nodes, length);
  if (!to)
    return;
  memcpy(to, text, length);
  nodes->length += length;
}

void ir_nodes_append_formatted(struct ir_nodes *nodes, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  char *to = reserve_node_text(nodes, 0);
  size_t available = nodes->capacity - nodes->length; /* usually enough */
  int length = to ? vsnprintf(to, available, format, arguments) : -1;
  if (length >= 0 && (size_t)length >= available && (to = reserve_node_text(nodes, (size_t)length)))
    vsnprintf(to, (size_t)length + 1, format, again);
  if (length >= 0 && to)
    nodes->length += (size_t)length;
  va_end(again);
  va_end(arguments);
}

void ir_nodes_append_quoted_string(struct ir_nodes *nodes, const char *text, size_t length)
{
  append_node_text(nodes, "\"", 1);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < 32 || c > 126 || c == '"' || c == '\\')
      ir_nodes_append_formatted(nodes, "\\%02X", c);
    else
      append_node_text(nodes, text + i, 1);
  }
  append_node_text(nodes, "\"", 1);
}

/* A unique string is a placeholder until the operand is set; otherwise LLVM would unique nodes that differ only
   there. */
void ir_nodes_append_reference(struct ir_nodes *nodes, uint32_t number, uint32_t operand, LLVMMetadataRef node)
{
  if (!node) {
    append_node_text(nodes, "null", 4);
    return;
  }
  ir_nodes_append_formatted(nodes, "!\"%" PRIu32 "\"", nodes->holes.count);
  (void)coro_vec_push(nodes->arena, &nodes->holes, ((struct ir_node_hole){number, operand, node}));
}

char *ir_node_text(LLVMContextRef context, LLVMMetadataRef node)
{
  return LLVMPrintValueToString(LLVMMetadataAsValue(context, node));
}

bool ir_expression_takes_one_value(LLVMContextRef context, LLVMMetadataRef expression)
{
  char *text = ir_node_text(context, expression);
  bool one = text && !strstr(text, LLVM_PRINTED_ARGUMENT);
  LLVMDisposeMessage(text);
  return one;
}

static LLVMValueRef *operands_of_metadata_node(struct coro_arena *arena, LLVMContextRef context, LLVMMetadataRef node,
                                               unsigned *count)
{
  LLVMValueRef value = LLVMMetadataAsValue(context, node);
  *count = LLVMGetMDNodeNumOperands(value);
  LLVMValueRef *operands = CORO_NEW_ARRAY(arena, LLVMValueRef, *count + 1);
  if (operands)
    LLVMGetMDNodeOperands(value, operands);
  return operands;
}

LLVMMetadataRef ir_node_operand(struct coro_arena *arena, LLVMContextRef context, LLVMMetadataRef node, unsigned index)
{
  unsigned count = 0;
  LLVMValueRef *operands = operands_of_metadata_node(arena, context, node, &count);
  return operands && index < count && operands[index] ? LLVMValueAsMetadata(operands[index]) : NULL;
}

const char *ir_node_string_operand(struct coro_arena *arena, LLVMContextRef context, LLVMMetadataRef node,
                                   unsigned index, unsigned *length)
{
  LLVMMetadataRef text = ir_node_operand(arena, context, node, index);
  *length = 0;
  return text ? LLVMGetMDString(LLVMMetadataAsValue(context, text), length) : NULL;
}

const char *ir_variable_name_or_function_of_frame(struct coro_arena *arena, LLVMContextRef context,
                                                  LLVMMetadataRef variable, unsigned *length)
{
  enum { VARIABLE_SCOPE = 0, VARIABLE_NAME = 1 };
  const char *name = ir_node_string_operand(arena, context, variable, VARIABLE_NAME, length);
  if (!name || strcmp(name, FRAME_VARIABLE))
    return name;
  LLVMMetadataRef scope = ir_node_operand(arena, context, variable, VARIABLE_SCOPE);
  unsigned function_length = 0;
  const char *function =
      scope ? ir_node_string_operand(arena, context, scope, NODE_SUBPROGRAM_NAME, &function_length) : NULL;
  if (!function)
    return name;
  *length = function_length;
  return function;
}

struct copy {
  struct ir_nodes *nodes;
  const struct coro_map *numbers;
  uint32_t number;
  LLVMValueRef *operands; /* operands not yet referenced in the text; else NULL */
  unsigned operand_count;
};

static void write_node_reference(struct copy *c, LLVMMetadataRef node)
{
  uint64_t number = UINT32_MAX;
  if (coro_map_get(c->numbers, coro_map_key(node), &number) && number != UINT32_MAX) {
    ir_nodes_append_formatted(c->nodes, "!%" PRIu64, number);
    return;
  }
  for (unsigned i = 0; i < c->operand_count; i++)
    if (c->operands[i] && LLVMValueAsMetadata(c->operands[i]) == node) {
      c->operands[i] = NULL;
      ir_nodes_append_reference(c->nodes, c->number, i, node);
      return;
    }
  append_node_text(c->nodes, "null", 4);
}

/* An inlined-at location is printed in full instead of as a reference. */
static const char *write_reference_and_skip_location(struct copy *c, const char *at)
{
  for (unsigned i = 0; i < c->operand_count; i++)
    if (c->operands[i] && LLVMGetMetadataKind(LLVMValueAsMetadata(c->operands[i])) == LLVMDILocationMetadataKind) {
      write_node_reference(c, LLVMValueAsMetadata(c->operands[i]));
      break;
    }
  unsigned depth = 0;
  do {
    depth += *at == '(';
    depth -= *at == ')';
    at++;
  } while (*at && (*at != ')' || depth != 1));
  return *at ? at + 1 : at;
}

static void write_linkage_name_and_scope_line(struct copy *c, const struct ir_node_change *change)
{
  ir_nodes_append_formatted(c->nodes, LLVM_PRINTED_LINKAGE_NAME);
  ir_nodes_append_quoted_string(c->nodes, change->linkage_name, strlen(change->linkage_name));
  ir_nodes_append_formatted(c->nodes, ", ");
  if (change->scope_line)
    ir_nodes_append_formatted(c->nodes, LLVM_PRINTED_SCOPE_LINE "%u, ", change->scope_line);
}

static const char *skip_quoted_string(const char *quote)
{
  const char *end = strchr(quote + 1, '"'); /* a quote inside a string is printed as \22 */
  return end ? end + 1 : quote + strlen(quote);
}

/* Skips the comma after a field. */
static const char *skip_field_separator(const char *end)
{
  return end + (coro_starts_with(end, ", ") ? 2 : 0);
}

static void copy_printed_node_fields(struct copy *c, const char *at, const struct ir_node_change *change)
{
  static const char linkage[] = LLVM_PRINTED_LINKAGE_NAME, line[] = LLVM_PRINTED_SCOPE_LINE;
  bool inside = false; /* after the first parenthesis */
  while (*at) {
    const char *next = at + 1;
    if (*at == '"')
      next = skip_quoted_string(at);
    if (at[0] == '<' && at[1] == '0') {
      char *end;
      write_node_reference(c, (LLVMMetadataRef)(uintptr_t)strtoull(at + 1, &end, 16));
      next = *end ? end + 1 : end;
    } else if (inside && coro_starts_with(at, LLVM_PRINTED_LOCATION)) {
      next = write_reference_and_skip_location(c, at);
    } else if (inside && change && coro_starts_with(at, linkage)) {
      next = skip_field_separator(skip_quoted_string(at + strlen(linkage)));
    } else if (inside && change && change->scope_line && coro_starts_with(at, line)) {
      next = skip_field_separator(at + strlen(line) + strspn(at + strlen(line), "0123456789"));
    } else {
      append_node_text(c->nodes, at, (size_t)(next - at));
      if (*at == '(' && !inside && change)
        write_linkage_name_and_scope_line(c, change);
      inside |= *at == '(' || *at == '{';
    }
    at = next;
  }
}

void ir_nodes_copy_with_change(struct ir_nodes *nodes, uint32_t number, LLVMMetadataRef node,
                               const struct coro_map *numbers, const struct ir_node_change *change)
{
  struct copy c = {.nodes = nodes, .numbers = numbers, .number = number};
  c.operands = operands_of_metadata_node(nodes->arena, nodes->context, node, &c.operand_count);
  char *text = ir_node_text(nodes->context, node);
  const char *body = text ? strstr(text, LLVM_PRINTED_EQUALS) : NULL;
  ir_nodes_append_formatted(nodes, "!%" PRIu32 " = ", number);
  if (c.operands && body)
    copy_printed_node_fields(&c, body + strlen(LLVM_PRINTED_EQUALS), change);
  append_node_text(nodes, "\n", 1);
  if (text)
    LLVMDisposeMessage(text);
}

static bool parse_printed_nodes(struct ir_nodes *nodes, LLVMModuleRef *module)
{
  char *message = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(nodes->text, nodes->length, "", true);
  bool ok = !LLVMParseIRInContext2(nodes->context, buffer, module, &message);
  if (message)
    LLVMDisposeMessage(message);
  LLVMDisposeMemoryBuffer(buffer);
  return ok;
}

bool ir_nodes_parse(struct ir_nodes *nodes)
{
  LLVMModuleRef module;
  LLVMValueRef *values = CORO_NEW_ARRAY(nodes->arena, LLVMValueRef, nodes->count);
  nodes->made = CORO_NEW_ARRAY(nodes->arena, LLVMMetadataRef, nodes->count);
  ir_nodes_append_formatted(nodes, "!%s = !{", node_list_name);
  for (uint32_t n = 0; n < nodes->count; n++)
    ir_nodes_append_formatted(nodes, "%s!%" PRIu32, n ? ", " : "", n);
  append_node_text(nodes, "}\n", 3); /* includes the NUL that the parser requires after the text */
  if (coro_arena_failed(nodes->arena))
    return false;
  nodes->length--;
  if (!parse_printed_nodes(nodes, &module))
    return false;
  LLVMGetNamedMetadataOperands(module, node_list_name, values);
  for (uint32_t n = 0; n < nodes->count; n++)
    nodes->made[n] = LLVMValueAsMetadata(values[n]);
  LLVMDisposeModule(module);
  for (uint32_t h = 0; h < nodes->holes.count; h++) {
    const struct ir_node_hole *hole = &nodes->holes.items[h];
    LLVMReplaceMDNodeOperandWith(values[hole->number], hole->operand, hole->node);
  }
  return true;
}

void ir_relocate_loop(struct coro_arena *arena, LLVMContextRef context, LLVMValueRef instruction,
                      LLVMMetadataRef (*locate)(void *user, LLVMMetadataRef at), void *user)
{
  LLVMValueRef old = LLVMGetMetadata(instruction, METADATA_LOOP);
  if (!old)
    return;
  unsigned count = LLVMGetMDNodeNumOperands(old);
  LLVMValueRef *operands = CORO_NEW_ARRAY(arena, LLVMValueRef, count);
  LLVMMetadataRef *copies = CORO_NEW_ARRAY(arena, LLVMMetadataRef, count);
  if (!count || !operands || !copies)
    return;
  LLVMGetMDNodeOperands(old, operands);
  for (unsigned i = 1; i < count; i++) {
    copies[i] = operands[i] ? LLVMValueAsMetadata(operands[i]) : NULL;
    if (copies[i] && LLVMGetMetadataKind(copies[i]) == LLVMDILocationMetadataKind)
      copies[i] = locate(user, copies[i]);
  }
  LLVMMetadataRef self = copies[0] = LLVMTemporaryMDNode(context, NULL, 0); /* the first operand is the node itself */
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, copies, count);
  LLVMMetadataReplaceAllUsesWith(self, node); /* disposes of the temporary node */
  LLVMSetMetadata(instruction, METADATA_LOOP, LLVMMetadataAsValue(context, node));
}
