// An echo server and its clients on asio's coroutines, all in one process and one thread, over the loopback: eight
// clients exchange ten thousand messages with the server, each checked by its sender; one is disconnected and gets
// the error in its coroutine; a watch coroutine awaits the end of all with asio's operators. Exits at the end, or at the
// deadline with status 3.
#include <array>
#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;
using namespace asio::experimental::awaitable_operators;

static constexpr int clients = 8, messages = 1250;
static int served = 0, echoed = 0, cut_off = 0;

struct Totals {
  int sent = 0;
  long bytes = 0;
  unsigned long checksum = 0;
};

// Each message is its length in two bytes, then that many characters.
static awaitable<std::string> receive(tcp::socket &socket) {
  std::array<unsigned char, 2> head{};
  co_await asio::async_read(socket, asio::buffer(head), use_awaitable);
  std::string text(head[0] * 256u + head[1], '\0');
  co_await asio::async_read(socket, asio::buffer(text), use_awaitable);
  co_return text;
}

static awaitable<void> send(tcp::socket &socket, std::string text) {
  std::array<unsigned char, 2> head{static_cast<unsigned char>(text.size() / 256),
                                    static_cast<unsigned char>(text.size() % 256)};
  std::array<asio::const_buffer, 2> both{asio::buffer(head), asio::buffer(text)};
  co_await asio::async_write(socket, both, use_awaitable);
}

static awaitable<void> serve(tcp::socket socket) {
  try {
    for (;;) {
      std::string text = co_await receive(socket);
      if (text == "cut me off") {
        break;
      }
      ++echoed;
      co_await send(socket, std::move(text));
    }
  } catch (const std::system_error &error) {
    if (error.code() != asio::error::eof) {
      std::printf("server: %s\n", error.what());
    }
  }
  ++served;
}

static awaitable<void> listen(tcp::acceptor acceptor, int expected) {
  auto executor = co_await asio::this_coro::executor;
  for (int i = 0; i < expected; ++i) {
    tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
    asio::co_spawn(executor, serve(std::move(socket)), asio::detached);
  }
}

static std::string message(int client, int number) {
  std::string text = "client " + std::to_string(client) + " message " + std::to_string(number) + " ";
  text.append(static_cast<std::size_t>((client * 31 + number * 17) % 300), static_cast<char>('a' + number % 26));
  return text;
}

static awaitable<Totals> talk(tcp::endpoint server, int client) {
  Totals totals;
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  for (int number = 0; number < messages; ++number) {
    std::string text = message(client, number);
    co_await send(socket, text);
    std::string back = co_await receive(socket);
    if (back != text) {
      throw std::runtime_error("another message came back than was sent");
    }
    ++totals.sent;
    totals.bytes += static_cast<long>(back.size());
    for (unsigned char c : back) {
      totals.checksum = totals.checksum * 131 + c;
    }
  }
  co_return totals;
}

static awaitable<void> is_cut_off(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  co_await send(socket, "cut me off");
  try {
    co_await receive(socket);
  } catch (const std::system_error &error) {
    cut_off += error.code() == asio::error::eof;
  }
}

static awaitable<Totals> pair(tcp::endpoint server, int first) {
  auto [left, right] = co_await (talk(server, first) && talk(server, first + 1));
  co_return Totals{left.sent + right.sent, left.bytes + right.bytes, left.checksum ^ right.checksum};
}

static awaitable<void> watch(tcp::endpoint server, asio::steady_timer &deadline) {
  auto [a, b, c, d] = co_await (pair(server, 0) && pair(server, 2) && pair(server, 4) && pair(server, 6));
  for (const Totals &totals : {a, b, c, d}) {
    std::printf("%d messages, %ld bytes, checksum %016lx\n", totals.sent, totals.bytes, totals.checksum);
  }
  co_await is_cut_off(server);
  deadline.cancel();
}

int main() {
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  tcp::endpoint server = acceptor.local_endpoint();
  asio::steady_timer deadline(context, 600s); // ends a deadlock; a busy machine is slow
  deadline.async_wait([](const asio::error_code &error) {
    if (!error) {
      std::puts("too late");
      std::exit(3);
    }
  });
  asio::co_spawn(context, listen(std::move(acceptor), clients + 1), asio::detached);
  asio::co_spawn(context, watch(server, deadline), [](const std::exception_ptr &error) {
    if (error) {
      std::rethrow_exception(error);
    }
  });
  context.run();
  std::printf("%d connections served, %d messages echoed, %d cut off\n", served, echoed, cut_off);
}
