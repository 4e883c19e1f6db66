#include "plimsoll/core/progress.hpp"

namespace plimsoll {

namespace {

class Silent final : public Progress {
  public:
    void begin(std::string_view /*what*/, std::int64_t /*total*/) override {}
    void advance(std::int64_t /*done*/) override {}
    void end() override {}
};

}  // namespace

Progress& silent() {
    static Silent instance;
    return instance;
}

}  // namespace plimsoll
