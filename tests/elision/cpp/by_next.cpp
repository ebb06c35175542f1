// Values are taken by a member function that resumes and asks whether it is done.
#include "generator.h"
int main() {
  auto values = upto(given(4));
  int sum = 0;
  while (values.next())
    sum = sum * 10 + values.value();
  say(sum);
}
