// A runtime for WebAssembly that is as small as wasm_loops.cpp needs: memory, and the C++ ABI's calls for exceptions.
typedef __SIZE_TYPE__ size_t;

asm(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");
static char heap[1 << 20];
static size_t used;
void *operator new(size_t size)
{
  size = (size + 15) & ~size_t(15);
  used = used + size > sizeof heap ? 0 : used;
  void *at = heap + used;
  used += size;
  return at;
}
void operator delete(void *) noexcept {}
void operator delete(void *, size_t) noexcept {}
struct LandingPad {
  size_t index;
  const void *data;
  size_t selector;
};
static char thrown[64];
extern "C" {
LandingPad __wasm_lpad_context;
int _Unwind_CallPersonality(void *)
{
  __wasm_lpad_context.selector = 1; // every exception is a Wrong, and functions catch nothing else by `catch`
  return 0;
}
void *__gxx_wasm_personality_v0;
void *__cxa_allocate_exception(size_t) noexcept { return thrown; }
void __cxa_throw(void *object, void *, void *(*)(void *)) { __builtin_wasm_throw(0, object); }
void *__cxa_begin_catch(void *object) noexcept { return object; }
void __cxa_end_catch() {}
void __cxa_rethrow() { __builtin_wasm_throw(0, thrown); }
void _ZSt9terminatev() { __builtin_trap(); }
void __clang_call_terminate(void *) { __builtin_trap(); }
void *_ZTVN10__cxxabiv117__class_type_infoE[4];
}
