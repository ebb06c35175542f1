// The owner is linked into a list whose nodes are on the stack.
#include "generator.h"
struct node {
  generator<int> values;
  node *next;
};
int main() {
  node first{upto(given(3)), nullptr}, second{upto(given(4)), &first};
  int sum = 0;
  for (node *at = &second; at; at = at->next)
    while (at->values.next())
      sum += at->values.value();
  say(sum);
}
