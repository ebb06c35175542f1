// Recursive generators over a binary tree of nodes.
#include "generator.h"
#include "running.h"

#include <vector>

struct node {
  int value;
  node *left, *right;
};
struct tree {
  std::vector<node> nodes;
  explicit tree(int count) : nodes(std::size_t(count)) {
    for (int i = 0; i < count; i++)
      nodes[std::size_t(i)] = {i * 7, child(2 * i + 1), child(2 * i + 2)};
  }
  node *child(int i) { return i < int(nodes.size()) ? &nodes[std::size_t(i)] : nullptr; }
};
static tree &small() {
  static tree made(255);
  return made;
}

static generator<int> in_order(node *of) {
  if (!of)
    co_return;
  for (int value : in_order(of->left))
    co_yield value;
  co_yield of->value;
  for (int value : in_order(of->right))
    co_yield value;
}
COROUTINES(tree_in_order) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 255)
    for (int value : in_order(small().nodes.data()))
      mix(sum, value);
  return sum;
}
static void visit(node *of, unsigned &sum) {
  if (!of)
    return;
  visit(of->left, sum);
  mix(sum, of->value);
  visit(of->right, sum);
}
BY_HAND(tree_in_order) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 255)
    visit(small().nodes.data(), sum);
  return sum;
}

// Checks before the recursion whether there is a child, so that no frame is made for nothing.
static generator<int> nonempty(node *of) {
  if (of->left)
    for (int value : nonempty(of->left))
      co_yield value;
  co_yield of->value;
  if (of->right)
    for (int value : nonempty(of->right))
      co_yield value;
}
COROUTINES(tree_of_children) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 255)
    for (int value : nonempty(small().nodes.data()))
      mix(sum, value);
  return sum;
}
BY_HAND(tree_of_children) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 255)
    visit(small().nodes.data(), sum);
  return sum;
}

// One frame with an explicit stack.
static generator<int> with_stack(node *of) {
  std::vector<node *> stack;
  while (of || !stack.empty()) {
    for (; of; of = of->left)
      stack.push_back(of);
    of = stack.back();
    stack.pop_back();
    co_yield of->value;
    of = of->right;
  }
}
COROUTINES(tree_with_stack) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 255)
    for (int value : with_stack(small().nodes.data()))
      mix(sum, value);
  return sum;
}
BY_HAND(tree_with_stack) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 255) {
    std::vector<node *> stack;
    for (node *of = small().nodes.data(); of || !stack.empty(); of = of->right) {
      for (; of; of = of->left)
        stack.push_back(of);
      of = stack.back();
      stack.pop_back();
      mix(sum, of->value);
    }
  }
  return sum;
}
