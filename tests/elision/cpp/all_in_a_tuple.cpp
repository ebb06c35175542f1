// Two tasks are in a tuple of their awaiter, which awaits one after the other.
#include <tuple>
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
static task<int> all(std::tuple<task<int>, task<int>> of) { co_return co_await std::get<0>(of) * co_await std::get<1>(of); }
int main() { say(run(all({leaf(given(3)), leaf(given(4))}))); }
