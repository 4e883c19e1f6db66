#include "kernels/output_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "kernels/failure.hpp"

namespace plimsoll::kernels {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    if (path_ == "-") {
        return;
    }
    std::error_code ignored;
    const auto status = std::filesystem::status(path_, ignored);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
        temporary_ = path_ + ".tmp";
    }
    file_.reset(std::fopen(temporary_.empty() ? path_.c_str() : temporary_.c_str(), "w"));
    if (!file_) {
        temporary_.clear();
        fail();
    }
}

OutputFile::~OutputFile() {
    if (!temporary_.empty()) {
        std::error_code ignored;
        std::filesystem::remove(temporary_, ignored);
    }
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stream()) != text.size() || std::fflush(stream()) != 0) {
        fail();
    }
}

void OutputFile::finish() {
    if (temporary_.empty()) {
        return;
    }
    if (fsync(fileno(file_.get())) != 0 || std::fclose(file_.release()) != 0 ||
        std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        fail();
    }
    temporary_.clear();
}

void OutputFile::fail() const {
    const std::string reason = std::generic_category().message(errno);
    throw Failure(FailureKind::environment,
                  fmt::format("cannot write {}: {}", path_ == "-" ? "stdout" : '\'' + path_ + '\'', reason),
                  "choose another file with -o, or make room there");
}

}  // namespace plimsoll::kernels
