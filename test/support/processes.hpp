#pragma once

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "plimsoll/core/file.hpp"
#include "plimsoll/launch/process.hpp"

namespace plimsoll::test {

/// A shell, for what takes several processes.
inline launch::Command shell(const std::string& script) { return {.arguments = {"sh", "-c", script}}; }

/// What a command prints.
inline std::string output_of(launch::Command command, const std::string& file) {
    command.streams.out = {.to = launch::Redirection::To::file, .path = file};
    launch::Process process = launch::start(command);
    process.wait();
    return read_file(file);
}

/// Whether a process runs; a zombie does not.
inline bool runs(pid_t id) {
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");
    return name_end != std::string::npos && text[name_end + 2] != 'Z' && text[name_end + 2] != 'X';
}

/// Whether something becomes true within ten seconds.
template <class Condition>
bool soon(const Condition& condition) {
    for (int i = 0; i < 2000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return condition();
}

/// The number that a program writes to a file, once it is there.
inline pid_t number_in(const std::string& file) {
    pid_t number = 0;
    soon([&] { return static_cast<bool>(std::ifstream(file) >> number); });
    return number;
}

}  // namespace plimsoll::test
