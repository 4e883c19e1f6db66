#include "app/command_line.hpp"

int main(int count, char** arguments) {
    return plimsoll::app::run({const_cast<const char**>(arguments), static_cast<std::size_t>(count)});
}
