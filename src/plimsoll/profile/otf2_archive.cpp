#include "plimsoll/profile/detail/otf2_archive.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::profile::detail {

Otf2Complaints::Otf2Complaints() : before_(OTF2_Error_RegisterCallback(&take, this)) {}

Otf2Complaints::~Otf2Complaints() { OTF2_Error_RegisterCallback(before_, nullptr); }

OTF2_ErrorCode Otf2Complaints::take(void* self, const char* /*file*/, std::uint64_t /*line*/,
                                    const char* /*function*/, OTF2_ErrorCode code, const char* format,
                                    va_list arguments) {
    auto& complaints = *static_cast<Otf2Complaints*>(self);
    if (!complaints.first_.empty() || code == OTF2_WARNING || code == OTF2_DEPRECATED) return code;
    std::array<char, 300> text{};
    if (format != nullptr) (void)std::vsnprintf(text.data(), text.size(), format, arguments);
    const std::string_view detail = trim(text.data());
    complaints.first_ = OTF2_Error_GetDescription(code);
    if (!detail.empty()) complaints.first_ += fmt::format(": {}", detail);
    return code;
}

Otf2Archive::Otf2Archive(const Input& anchor) : anchor_(&anchor) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(anchor.name(), none)) {
        throw Error(ErrorKind::input, Place{.file = anchor.name()},
                    "is the anchor of a trace whose other files are not here",
                    "name the anchor file where it stands, such as traces.otf2");
    }
    reader_.reset(OTF2_Reader_Open(anchor.name().c_str()));
    if (!reader_) fail("cannot be opened");
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()), "cannot be opened");
}

void Otf2Archive::fail(const std::string& what) const {
    throw Error(ErrorKind::input, Place{.file = anchor_->name()},
                complaints_.first().empty() ? what : fmt::format("{}: {}", what, complaints_.first()),
                "copy the whole archive again; a program that was killed leaves a part of it");
}

void Otf2Archive::check(OTF2_ErrorCode code, const std::string& what) const {
    if (thrown_) std::rethrow_exception(thrown_);
    if (code != OTF2_SUCCESS) fail(what);
}

}  // namespace plimsoll::profile::detail
