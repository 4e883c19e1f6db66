#include "plimsoll/experiment/detail/extrap4_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/json_text.hpp"

namespace plimsoll::experiment::detail {

namespace {

/// The text of a member, character by character.
class MemberText {
  public:
    explicit MemberText(ZipMember& member) : member_(&member) { fill(); }

    [[nodiscard]] bool at_end() const { return size_ == 0; }
    [[nodiscard]] char current() const { return block_[position_]; }
    void advance() {
        if (++position_ == size_) fill();
    }

  private:
    void fill() {
        position_ = 0;
        size_ = member_->read(block_);
    }

    ZipMember* member_;
    std::array<char, 1U << 16U> block_{};
    std::size_t position_ = 0;
    std::size_t size_ = 0;
};

/// The same as an iterator, which is what the parser asks for.
class MemberIterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    MemberIterator() = default;
    explicit MemberIterator(MemberText& text) : text_(&text) {}
    char operator*() const { return text_->current(); }
    MemberIterator& operator++() {
        text_->advance();
        return *this;
    }
    friend bool operator==(const MemberIterator& a, const MemberIterator& b) {
        return a.is_end() == b.is_end();
    }

  private:
    [[nodiscard]] bool is_end() const { return text_ == nullptr || text_->at_end(); }
    MemberText* text_ = nullptr;
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A number that is written as text: a fraction such as 3/4, nan, inf, or -- for a value that was masked.
std::optional<double> number_in(std::string_view text) {
    if (text == "--") return not_a_number;
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        const auto numerator = parse_number(text.substr(0, slash));
        const auto denominator = parse_number(text.substr(slash + 1));
        if (!numerator || !denominator) return std::nullopt;
        return *numerator / *denominator;
    }
    return parse_number(text);
}

/// Receives the pieces of the document and sorts them by where they stand.
class Handler {
  public:
    Handler(const Place& place, Extrap4Listener& listener) : place_(place), listener_(listener) {}

    bool null() { return scalar("null", std::nullopt); }
    bool boolean(bool value) { return scalar(value ? "true" : "false", std::nullopt); }
    bool number_integer(std::int64_t value) {
        return scalar(fmt::format_int(value).c_str(), static_cast<double>(value));
    }
    bool number_unsigned(std::uint64_t value) {
        return scalar(fmt::format_int(value).c_str(), static_cast<double>(value));
    }
    bool number_float(double value, const std::string& text) { return scalar(text, value); }
    bool string(std::string& value) {
        const bool is_kept = mode_ == Mode::capture || begins_part();
        return is_kept ? scalar(json_quote(value), std::nullopt) : scalar(value, number_in(value));
    }
    bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }
    bool start_object(std::size_t /*size*/) { return start('{'); }
    bool start_array(std::size_t /*size*/) { return start('['); }
    bool end_object() { return end('}'); }
    bool end_array() { return end(']'); }
    bool key(std::string& name);
    [[noreturn]] bool parse_error(std::size_t position, const std::string& /*token*/,
                                  const nlohmann::json::exception& /*error*/) {
        throw Error(ErrorKind::input, place_,
                    fmt::format("experiment.json is not valid JSON at byte {}", position),
                    "save the experiment again");
    }

  private:
    enum class Mode {
        walk,     ///< down to the measurements
        capture,  ///< of a part as text
        ignore    ///< a value that nobody asks for
    };
    /// Number of containers that are open in {"measurements": {region: {metric: [{"coordinate": [
    enum Level : std::size_t { top = 1, regions = 2, metrics = 3, list = 4, fields = 5, components = 6 };

    [[nodiscard]] bool begins_part() const;
    void enter(Mode mode) {
        mode_ = mode;
        mode_depth_ = depth_;
    }
    bool start(char bracket);
    bool end(char bracket);
    bool scalar(std::string_view text, std::optional<double> number);
    void measured(std::string_view text, std::optional<double> number);
    void finish_field();
    [[nodiscard]] bool in_list_field() const {
        return keys_.back() == "coordinate" || keys_.back() == "values";
    }
    [[noreturn]] void fail_structure() const;

    const Place& place_;
    Extrap4Listener& listener_;
    std::size_t depth_ = 0;          ///< containers that are open
    std::vector<std::string> keys_;  ///< of each of them, empty for a list; as long as `depth_` behind a key
    bool in_measurements_ = false;
    Mode mode_ = Mode::walk;
    std::size_t mode_depth_ = 0;  ///< at which the mode was entered
    JsonText text_;
    StoredMeasurement stored_;
    std::vector<double> numbers_;  ///< of the list in a field
};

void Handler::fail_structure() const {
    throw Error(ErrorKind::input, place_,
                fmt::format("experiment.json has an unexpected structure at '{}'", join(keys_, "' > '")),
                "save the experiment again with Extra-P 4");
}

/// Whether the value that begins now is passed on as text.
bool Handler::begins_part() const {
    if (mode_ != Mode::walk || depth_ == 0 || keys_.size() != depth_) return false;
    const std::string& first = keys_[0];
    if (depth_ == 1) return first == "parameters" || first == "scaling" || first == "modelers";
    if (depth_ == 2) return first == "plimsoll" && keys_[1] != "metadata";
    if (depth_ == 3)
        return first == "plimsoll" || ((first == "callpaths" || first == "metrics") && keys_[2] == "tags");
    return false;
}

bool Handler::key(std::string& name) {
    if (mode_ == Mode::capture) text_.key(name);
    if (mode_ != Mode::walk) return true;
    if (depth_ == top) in_measurements_ = name == "measurements";
    keys_.resize(depth_);
    keys_[depth_ - 1] = std::move(name);
    return true;
}

bool Handler::start(char bracket) {
    constexpr std::size_t deepest = 500;
    if (depth_ == deepest || (depth_ == 0 && bracket != '{')) fail_structure();
    if (mode_ == Mode::walk && depth_ > 0) {
        if (begins_part()) {
            enter(Mode::capture);
        } else if (in_measurements_) {
            if (depth_ == fields && !in_list_field()) {
                enter(Mode::ignore);
            } else if (depth_ > fields || (bracket == '[') != (depth_ == metrics || depth_ == fields)) {
                fail_structure();
            }
            numbers_.clear();
            if (depth_ == list) {
                stored_ = {.coordinate = std::move(stored_.coordinate)};
                stored_.coordinate.clear();
            }
        } else if (depth_ > 2 || bracket == '[') {
            enter(Mode::ignore);
        }
    }
    if (mode_ == Mode::capture) text_.open(bracket);
    ++depth_;
    return true;
}

bool Handler::end(char bracket) {
    --depth_;
    if (mode_ == Mode::capture) text_.close(bracket);
    if (mode_ != Mode::walk) {
        if (depth_ > mode_depth_) return true;
        if (std::exchange(mode_, Mode::walk) == Mode::capture) {
            listener_.part(keys_, text_.take());
            text_ = {};
        }
        return true;
    }
    if (in_measurements_ && depth_ == fields) finish_field();
    keys_.resize(std::min(keys_.size(), depth_));
    if (in_measurements_ && depth_ == list) {
        keys_.resize(metrics);
        listener_.measurement(keys_[regions - 1], keys_[metrics - 1], stored_);
    }
    return true;
}

/// Takes the list that ends now into the measurement.
void Handler::finish_field() {
    if (keys_.back() == "coordinate") {
        stored_.coordinate.swap(numbers_);
        return;
    }
    constexpr double highest = 1e15;
    const auto is_index = [](double number) { return number >= 0.0 && number < highest; };
    if (numbers_.size() != 2 || !is_index(numbers_[0]) || !is_index(numbers_[1])) fail_structure();
    stored_.values = {.chunk = static_cast<std::uint64_t>(numbers_[0]),
                      .index = static_cast<std::uint64_t>(numbers_[1])};
}

bool Handler::scalar(std::string_view text, std::optional<double> number) {
    if (depth_ == 0) fail_structure();
    if (mode_ == Mode::capture) {
        text_.value(text);
    } else if (begins_part()) {
        listener_.part(keys_, std::string(text));
    } else if (mode_ == Mode::walk && in_measurements_) {
        measured(text, number);
    }
    return true;
}

void Handler::measured(std::string_view text, std::optional<double> number) {
    constexpr std::size_t most_components = 4096;
    if (depth_ == components) {
        if (!number || numbers_.size() == most_components) fail_structure();
        numbers_.push_back(*number);
        return;
    }
    if (depth_ != fields) fail_structure();
    const std::string& field = keys_.back();
    std::optional<double>* const target = field == "mean"      ? &stored_.mean
                                          : field == "median"  ? &stored_.median
                                          : field == "minimum" ? &stored_.minimum
                                          : field == "maximum" ? &stored_.maximum
                                          : field == "std"     ? &stored_.deviation
                                                               : nullptr;
    constexpr double most_repetitions = 4e9;
    if (target != nullptr) {
        if (!number && text != "null") fail_structure();
        *target = number;
    } else if (field == "coordinate") {
        fail_structure();
    } else if (field == "repetitions" && number && *number >= 0 && *number < most_repetitions) {
        stored_.repetitions = static_cast<std::uint32_t>(*number);
    }
}

}  // namespace

void read_extrap4_json(ZipMember& member, const Place& place, Extrap4Listener& listener) {
    MemberText text(member);
    Handler handler(place, listener);
    (void)nlohmann::json::sax_parse(MemberIterator(text), MemberIterator(), &handler);
}

}  // namespace plimsoll::experiment::detail
