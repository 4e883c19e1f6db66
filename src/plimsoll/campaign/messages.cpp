#include "plimsoll/campaign/messages.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <iterator>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::campaign {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;

// -------------------------------------------------------------------------------------------------------
// writing

/// Appends to one text; leases and results are arrays, since there are many.
class Writer {
  public:
    explicit Writer(std::string_view kind) : text_(fmt::format("{{\"is\":\"{}\"", kind)) {}

    void member(std::string_view key, std::string_view value) { put(",\"{}\":{}", key, json_quote(value)); }
    void member(std::string_view key, std::int64_t value) { put(",\"{}\":{}", key, value); }
    void member(std::string_view key, double value) { put(",\"{}\":{}", key, json_number(value)); }
    void member(std::string_view key, const std::vector<Token>& tokens) {
        list(key, tokens, [this](const Token& token) { put("{}", token.value); });
    }

    template <class Items, class Write>
    void list(std::string_view key, const Items& items, const Write& write) {
        put(",\"{}\":[", key);
        bool first = true;
        for (const auto& item : items) {
            if (!std::exchange(first, false)) text_ += ',';
            write(item);
        }
        text_ += ']';
    }

    void lease(const Lease& lease) {
        put("{},{},{},{}", lease.task.job.value, lease.task.index, lease.attempt, lease.token.value);
    }

    template <class... Values>
    void put(fmt::format_string<Values...> pattern, Values&&... values) {
        fmt::format_to(std::back_inserter(text_), pattern, std::forward<Values>(values)...);
    }

    std::string take() {
        text_ += '}';
        return std::move(text_);
    }

  private:
    std::string text_;
};

struct Encode {
    std::string operator()(const RegisterMessage& m) const {
        Writer w("register");
        w.member("session", m.offer.session);
        w.member("name", m.offer.name);
        w.member("host", m.offer.host);
        w.member("stream", m.offer.stream);
        w.member("process", m.process);
        w.member("time_left_s", m.offer.time_left_s);
        w.list("resources", m.offer.resources.amounts(), [&](const Resources::Amount& amount) {
            w.put("[{},{}]", json_quote(amount.name), amount.thousandths);
        });
        w.member("drains", std::int64_t{m.offer.drains});
        w.member("has", m.offer.has);
        return w.take();
    }
    std::string operator()(const ReportMessage& m) const {
        Writer w("report");
        w.member("number", m.number);
        w.list("started", m.started, [&](const Lease& lease) {
            w.put("[");
            w.lease(lease);
            w.put("]");
        });
        w.list("ended", m.ended, [&](const Ended& ended) {
            const AttemptResult& r = ended.result;
            w.put("[");
            w.lease(ended.lease);
            w.put(",{},{},{},{},{},{},{},{},{}]", static_cast<int>(ended.outcome), r.exit_code, r.signal,
                  json_number(r.wall_s), json_number(r.user_s), json_number(r.system_s), r.peak_memory_bytes,
                  json_quote(r.reason), r.output_at);
        });
        return w.take();
    }
    std::string operator()(const HeartbeatMessage&) const { return Writer("heartbeat").take(); }
    std::string operator()(const LeaveMessage&) const { return Writer("leave").take(); }
    std::string operator()(const DrainMessage&) const { return Writer("drain").take(); }
    std::string operator()(const AskMessage& m) const {
        Writer w("ask");
        w.member("text", m.text);
        w.member("lines", m.lines);
        return w.take();
    }
    std::string operator()(const AnswerMessage& m) const {
        Writer w("answer");
        w.member("text", m.text);
        return w.take();
    }
    std::string operator()(const WelcomeMessage& m) const {
        Writer w("welcome");
        w.member("worker", m.worker.value);
        w.member("lease_s", m.lease_s);
        w.member("stop", m.stop);
        return w.take();
    }
    std::string operator()(const TasksMessage& m) const {
        Writer w("tasks");
        w.list("specs", m.specs,
               [&](const auto& spec) { w.put("[{},{}]", spec.first.value, json_quote(spec.second)); });
        w.list("tasks", m.tasks, [&](const TasksMessage::Task& task) {
            w.put("[");
            w.lease(task.lease);
            w.put(",{}]", json_quote(task.entry));
        });
        return w.take();
    }
    std::string operator()(const StoredMessage& m) const {
        Writer w("stored");
        w.member("number", m.number);
        return w.take();
    }
    std::string operator()(const StopMessage& m) const {
        Writer w("stop");
        w.member("tokens", m.tokens);
        return w.take();
    }
};

// -------------------------------------------------------------------------------------------------------
// reading

std::string text_of(element value) { return std::string(std::string_view(value)); }

/// The members of an array, one after another.
class Row {
  public:
    explicit Row(element value) : items_(value.get_array()), at_(items_.begin()) {}

    element next() {
        if (!(at_ != items_.end())) throw simdjson::simdjson_error(simdjson::INDEX_OUT_OF_BOUNDS);
        const element value = *at_;
        ++at_;
        return value;
    }
    template <class Number>
    Number number() {
        const std::int64_t value = next();
        if (!std::in_range<Number>(value)) throw simdjson::simdjson_error(simdjson::NUMBER_OUT_OF_RANGE);
        return static_cast<Number>(value);
    }
    double real() {
        const element value = next();
        return value.is_null() ? 0.0 : double(value);
    }
    std::string text() { return text_of(next()); }

    Lease lease() {
        Lease lease;
        lease.task.job.value = number<std::int64_t>();
        lease.task.index = number<std::uint32_t>();
        lease.attempt = number<std::int32_t>();
        lease.token.value = number<std::int64_t>();
        return lease;
    }

  private:
    array items_;
    array::iterator at_;
};

std::vector<Token> tokens_of(element value) {
    std::vector<Token> tokens;
    for (const element token : array(value.get_array())) tokens.push_back({std::int64_t(token)});
    return tokens;
}

Ended ended_of(element value) {
    Row row(value);
    Ended ended{.lease = row.lease()};
    const auto outcome = row.number<std::uint8_t>();
    ended.outcome = static_cast<TaskState>(outcome);
    if (ended.outcome != TaskState::succeeded && ended.outcome != TaskState::failed &&
        ended.outcome != TaskState::timed_out && ended.outcome != TaskState::preempted)
        throw simdjson::simdjson_error(simdjson::NUMBER_OUT_OF_RANGE);
    ended.result.exit_code = row.number<int>();
    ended.result.signal = row.number<int>();
    ended.result.wall_s = row.real();
    ended.result.user_s = row.real();
    ended.result.system_s = row.real();
    ended.result.peak_memory_bytes = row.number<std::int64_t>();
    ended.result.reason = row.text();
    ended.result.output_at = row.number<std::int64_t>();
    return ended;
}

Message message_of(element root) {
    const std::string_view kind = root["is"];
    if (kind == "register") {
        RegisterMessage m;
        m.offer.session = text_of(root["session"]);
        m.offer.name = text_of(root["name"]);
        m.offer.host = text_of(root["host"]);
        m.offer.stream = text_of(root["stream"]);
        m.process = root["process"];
        m.offer.time_left_s = root["time_left_s"];
        for (const element amount : array(root["resources"].get_array())) {
            Row row(amount);
            const std::string name = row.text();
            m.offer.resources.set_thousandths(name, row.number<std::int64_t>());
        }
        m.offer.drains = std::int64_t(root["drains"]) != 0;
        m.offer.has = tokens_of(root["has"]);
        return m;
    }
    if (kind == "report") {
        ReportMessage m;
        m.number = root["number"];
        for (const element lease : array(root["started"].get_array()))
            m.started.push_back(Row(lease).lease());
        for (const element ended : array(root["ended"].get_array())) m.ended.push_back(ended_of(ended));
        return m;
    }
    if (kind == "heartbeat") return HeartbeatMessage{};
    if (kind == "leave") return LeaveMessage{};
    if (kind == "drain") return DrainMessage{};
    if (kind == "ask") return AskMessage{text_of(root["text"]), text_of(root["lines"])};
    if (kind == "answer") return AnswerMessage{text_of(root["text"])};
    if (kind == "welcome") {
        WelcomeMessage m;
        m.worker.value = root["worker"];
        m.lease_s = root["lease_s"];
        m.stop = tokens_of(root["stop"]);
        return m;
    }
    if (kind == "tasks") {
        TasksMessage m;
        for (const element spec : array(root["specs"].get_array())) {
            Row row(spec);
            const JobId job{row.number<std::int64_t>()};
            m.specs.emplace_back(job, row.text());
        }
        for (const element task : array(root["tasks"].get_array())) {
            Row row(task);
            const Lease lease = row.lease();
            m.tasks.push_back({lease, row.text()});
        }
        return m;
    }
    if (kind == "stored") return StoredMessage{std::int64_t(root["number"])};
    if (kind == "stop") return StopMessage{tokens_of(root["tokens"])};
    throw Error(ErrorKind::input, fmt::format("connection: there is no message '{}'", kind),
                "use one version of plimsoll for a campaign's server, workers and commands");
}

}  // namespace

std::string encode(const Message& message) { return std::visit(Encode{}, message); }

Message decode(std::string_view text) {
    thread_local simdjson::dom::parser parser;
    try {
        const element root = parser.parse(text.data(), text.size());
        return message_of(root);
    } catch (const simdjson::simdjson_error& error) {
        throw Error(ErrorKind::input,
                    fmt::format("connection: this is no message of ours ({})", error.what()),
                    "use one version of plimsoll for a campaign's server, workers and commands");
    }
}

}  // namespace plimsoll::campaign
