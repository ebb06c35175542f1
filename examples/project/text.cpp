// A unit without coroutines: clang compiles it alone.
#include <string>

std::string row(const std::string &title, const std::string &cells) { return title + ":" + cells; }
