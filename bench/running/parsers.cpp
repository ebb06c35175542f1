// A tokenizer as a generator, a push parser that awaits characters, and a parser of recursive tasks.
#include "generator.h"
#include "running.h"
#include "task.h"

#include <string>

static const std::string &text(int count) {
  static std::string made;
  if (int(made.size()) < count + 64)
    for (unsigned i = (made.clear(), 0); int(made.size()) < count * 2 + 64; i++)
      made += std::to_string(i * 2654435761u >> (i % 24)) + (i % 5 ? " + " : " * ");
  return made;
}

struct token {
  char kind;
  int value;
};
static generator<token> tokens(const char *at, const char *end) {
  while (at < end) {
    if (*at == ' ') {
      at++;
    } else if (*at >= '0' && *at <= '9') {
      int value = 0;
      for (; at < end && *at >= '0' && *at <= '9'; at++)
        value = int(unsigned(value) * 10 + unsigned(*at - '0'));
      co_yield {'0', value};
    } else {
      co_yield {*at++, 0};
    }
  }
}
static bool next_token(const char *&at, const char *end, token &found) {
  while (at < end && *at == ' ')
    at++;
  if (at == end)
    return false;
  found = {*at, 0};
  if (*at >= '0' && *at <= '9') {
    found.kind = '0';
    for (; at < end && *at >= '0' && *at <= '9'; at++)
      found.value = int(unsigned(found.value) * 10 + unsigned(*at - '0'));
  } else {
    at++;
  }
  return true;
}
COROUTINES(tokenizer) {
  unsigned sum = 0;
  const char *at = text(count).data();
  for (token found : tokens(at, at + count))
    mix(sum, found.value + found.kind);
  return sum;
}
BY_HAND(tokenizer) {
  unsigned sum = 0;
  const char *at = text(count).data(), *end = at + count;
  for (token found; next_token(at, end, found);)
    mix(sum, found.value + found.kind);
  return sum;
}
COROUTINES(tokenizer_opaque) {
  unsigned sum = 0;
  const char *at = text(count).data();
  for (token found : opaque(tokens)(at, at + count))
    mix(sum, found.value + found.kind);
  return sum;
}
BY_HAND(tokenizer_opaque) {
  unsigned sum = 0;
  const char *at = text(count).data(), *end = at + count;
  for (token found; opaque(next_token)(at, end, found);)
    mix(sum, found.value + found.kind);
  return sum;
}

// The input gives one character at a time, and the parser keeps its place.
struct push_parser {
  struct promise_type {
    char given = 0;
    push_parser get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    struct next_character {
      promise_type &promise;
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<>) noexcept {}
      char await_resume() noexcept { return promise.given; }
    };
    struct next {};
    next_character await_transform(next) { return {*this}; }
  };
  std::coroutine_handle<promise_type> of;
};
static push_parser parse_pushed(unsigned &sum) {
  const push_parser::promise_type::next next;
  for (char c = co_await next; c;) {
    if (c >= '0' && c <= '9') {
      int value = 0;
      for (; c >= '0' && c <= '9'; c = co_await next)
        value = int(unsigned(value) * 10 + unsigned(c - '0'));
      mix(sum, value + '0');
    } else {
      if (c != ' ')
        mix(sum, c);
      c = co_await next;
    }
  }
}
COROUTINES(push_parser) {
  unsigned sum = 0;
  const char *at = text(count).data();
  auto parser = opaque(parse_pushed)(sum);
  for (int i = 0; i < count; i++) {
    parser.of.promise().given = at[i];
    parser.of.resume();
  }
  parser.of.promise().given = 0;
  parser.of.resume();
  parser.of.destroy();
  return sum;
}
struct pushed {
  unsigned &sum;
  int value = 0;
  bool in_number = false;
};
static void push(pushed &state, char c) {
  if (c >= '0' && c <= '9') {
    state.value = int(unsigned(state.value) * 10 + unsigned(c - '0'));
    state.in_number = true;
    return;
  }
  if (state.in_number)
    mix(state.sum, state.value + '0');
  state.value = 0;
  state.in_number = false;
  if (c && c != ' ')
    mix(state.sum, c);
}
BY_HAND(push_parser) {
  unsigned sum = 0;
  const char *at = text(count).data();
  pushed state = {sum};
  for (int i = 0; i < count; i++)
    opaque(push)(state, at[i]);
  opaque(push)(state, 0);
  return sum;
}

// Recursive descent by tasks: an expression is a sum of products of numbers.
struct input {
  const char *at, *end;
  token found = {};
  bool next() { return next_token(at, end, found); }
};
static task<int> number(input &from) {
  int value = from.found.value;
  if (!from.next())
    from.found = {};
  co_return value;
}
static task<int> product(input &from) {
  unsigned value = unsigned(co_await number(from));
  while (from.found.kind == '*' && from.next())
    value *= unsigned(co_await number(from));
  co_return int(value);
}
static task<int> expression(input &from) {
  unsigned value = unsigned(co_await product(from));
  while (from.found.kind == '+' && from.next())
    mix(value, co_await product(from));
  co_return int(value);
}
COROUTINES(parser_of_tasks) {
  const char *at = text(count).data();
  input from = {at, at + count};
  from.next();
  return unsigned(run(expression(from)));
}
static unsigned number_by_hand(input &from) {
  int value = from.found.value;
  if (!from.next())
    from.found = {};
  return unsigned(value);
}
static unsigned product_by_hand(input &from) {
  unsigned value = number_by_hand(from);
  while (from.found.kind == '*' && from.next())
    value *= number_by_hand(from);
  return value;
}
BY_HAND(parser_of_tasks) {
  const char *at = text(count).data();
  input from = {at, at + count};
  from.next();
  unsigned value = product_by_hand(from);
  while (from.found.kind == '+' && from.next())
    mix(value, int(product_by_hand(from)));
  return value;
}
