// get_return_object is not inlined, and the handle that it returns comes from the address of the promise.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct Task {
  struct promise_type {
    int value = 0;
    static void* operator new(std::size_t n){ void*p=std::malloc(n); return p; }
    static void operator delete(void*p){ std::free(p); }
    __attribute__((noinline)) Task get_return_object() noexcept {return Task{std::coroutine_handle<promise_type>::from_promise(*this)};}
    std::suspend_never initial_suspend() noexcept {return {};}
    std::suspend_always final_suspend() noexcept {return {};}
    void return_value(int v){ value = v; }
    void unhandled_exception(){}
  };
  std::coroutine_handle<promise_type> h;
};
int trace=0;
__attribute__((noinline)) Task f(int a, int b){ int c=a*b; co_await std::suspend_always{}; trace=trace*10+1; co_await std::suspend_always{}; trace=trace*10+2; co_return a*b+c; }
int main(int c,char**){
  void* p[64]; for(auto&q:p){ q=std::malloc(40); std::memset(q,0xff,40);} for(auto q:p) std::free(q);
  Task t=f(c+5,7); t.h.resume(); std::printf("%d\n",trace); t.h.resume(); std::printf("%d %d\n", trace, t.h.promise().value); t.h.destroy(); }
