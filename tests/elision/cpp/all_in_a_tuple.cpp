// Two tasks are in a tuple of the one that awaits them in turn.
#include <tuple>
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
static task<int> all(std::tuple<task<int>, task<int>> of) { co_return co_await std::get<0>(of) * co_await std::get<1>(of); }
int main() { say(run(all({leaf(given(3)), leaf(given(4))}))); }
