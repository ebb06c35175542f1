/* Dominators and loops of a function, computed by csrc/graph.
   Requires: the module locked.
   Guarantees: block numbers in the function's order; the temporary memory is freed. */
#include "base/map.h"
#include "graph/graph.h"
#include "ir.h"

struct search {
  struct coro_arena *arena;
  struct graph graph;
  struct graph_dom dom;
  struct graph_loops loops;
};

/* Lists the CFG edges, in order of their source blocks; `numbers` maps blocks to numbers. False: out of memory. */
static bool list_cfg_edges(const struct coro_map *numbers, LLVMValueRef function, struct graph_edge *edges)
{
  uint32_t from = 0, count = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b), from++) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    unsigned successors = terminator ? LLVMGetNumSuccessors(terminator) : 0;
    for (unsigned i = 0; i < successors; i++) {
      uint64_t to = 0;
      if (!coro_map_get(numbers, coro_map_key(LLVMGetSuccessor(terminator, i)), &to))
        return false;
      edges[count++] = (struct graph_edge){from, (uint32_t)to};
    }
  }
  return true;
}

static bool build_cfg_dominators_and_loops(struct search *search, LLVMValueRef function)
{
  struct coro_map numbers;
  struct graph_rpo rpo;
  uint32_t blocks = 0, edges = 0;
  coro_map_init(&numbers, search->arena);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    edges += terminator ? LLVMGetNumSuccessors(terminator) : 0;
    if (!coro_map_put(&numbers, coro_map_key(b), blocks++))
      return false;
  }
  struct graph_edge *list = CORO_NEW_ARRAY(search->arena, struct graph_edge, edges + 1);
  return list && list_cfg_edges(&numbers, function, list) &&
         graph_build(&search->graph, search->arena, blocks, list, edges) &&
         graph_compute_reverse_postorder(&rpo, search->arena, &search->graph, 0) &&
         graph_compute_dominators(&search->dom, search->arena, &search->graph, &rpo) &&
         graph_find_natural_loops(&search->loops, search->arena, &search->graph, &search->dom);
}

static PyObject *make_node_number(const void *nodes, size_t index)
{
  uint32_t node = ((const uint32_t *)nodes)[index];
  return node == GRAPH_NONE ? PyLong_FromLong(-1) : PyLong_FromUnsignedLong(node);
}

static PyObject *tuple_of_numbers(const uint32_t *nodes, uint32_t count)
{
  return core_make_tuple(count, make_node_number, nodes);
}

/* Packs tuples into one and takes ownership of them; any may be NULL with an exception set. */
static PyObject *pack_tuples(PyObject **tuples, Py_ssize_t count)
{
  PyObject *all = PyTuple_New(count);
  bool whole = all;
  for (Py_ssize_t i = 0; i < count; i++) {
    whole = whole && tuples[i] && PyTuple_SetItem(all, i, Py_NewRef(tuples[i])) == 0;
    Py_XDECREF(tuples[i]);
  }
  if (!whole)
    Py_CLEAR(all);
  return all;
}

PyObject *ir_get_graph(struct value_object *self)
{
  if (!LLVMCountBasicBlocks(self->value))
    return Py_NewRef(Py_None);
  struct search search = {.arena = coro_arena_create()};
  PyObject *result = NULL;
  if (search.arena && build_cfg_dominators_and_loops(&search, self->value)) {
    uint32_t blocks = search.graph.node_count, loops = search.loops.count;
    PyObject *tuples[] = {tuple_of_numbers(search.dom.idom, blocks),    tuple_of_numbers(search.dom.in, blocks),
                          tuple_of_numbers(search.dom.out, blocks),     tuple_of_numbers(search.loops.loop, blocks),
                          tuple_of_numbers(search.loops.header, loops), tuple_of_numbers(search.loops.parent, loops)};
    result = pack_tuples(tuples, sizeof tuples / sizeof *tuples);
  } else
    PyErr_NoMemory();
  coro_arena_free(search.arena);
  return result;
}
