#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/document.hpp"

namespace {

plimsoll::model::FitDocument read(std::string_view text) {
    plimsoll::Input input("fuzz", text);
    return plimsoll::model::read_document(input);
}

}  // namespace

/// Arbitrary bytes are refused with an input error, or make a document that predicts, is written, and is the
/// same when it is written again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    plimsoll::model::FitDocument document;
    try {
        document = read(std::string_view(reinterpret_cast<const char*>(data), size));
    } catch (const plimsoll::Error& error) {
        if (error.kind() != plimsoll::ErrorKind::input) throw;
        return 0;
    }
    plimsoll::model::predict(document, std::vector<double>(document.parameters.size(), 2.0));
    const std::string written = to_json(read(to_json(document)));
    PLIMSOLL_EXPECT(to_json(read(written)) == written);
    return 0;
}
