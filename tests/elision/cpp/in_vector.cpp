// Generators are in a vector on the heap.
#include <vector>
#include "generator.h"
#include "quiet.h"
int main() {
  std::vector<generator<int>, quiet<generator<int>>> all;
  for (int i = 0, n = given(4); i < n; i++)
    all.push_back(upto(i + 1));
  int sum = 0;
  for (auto &values : all)
    while (values.next())
      sum += values.value();
  say(sum);
}
