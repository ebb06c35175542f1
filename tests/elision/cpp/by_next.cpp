// A member function resumes and queries whether the coroutine is done.
#include "generator.h"
int main() {
  auto values = upto(given(4));
  int sum = 0;
  while (values.next())
    sum = sum * 10 + values.value();
  say(sum);
}
