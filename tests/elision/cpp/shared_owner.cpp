// Owners are reference-counted, and the last one destroys it.
#include "bare.h"
struct counted {
  bare handle;
  int *owners;
  counted(bare handle, int *owners) : handle(handle), owners(owners) { *owners = 1; }
  counted(const counted &other) : handle(other.handle), owners(other.owners) { ++*owners; }
  ~counted() {
    if (--*owners == 0)
      handle.destroy();
  }
};
static int step(counted of) {
  of.handle.resume();
  return of.handle.promise().value;
}
int main() {
  int owners;
  counted first(count(given(3)), &owners);
  say(step(first) + step(first));
}
