#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plimsoll/campaign/engine.hpp"

namespace plimsoll::campaign {

// What travels between a server and its workers and commands: one JSON object each, told apart by its key
// `is`. docs/formats/campaign-protocol.md describes them for who writes another end.

/// A worker comes, or comes back.
struct RegisterMessage {
    WorkerOffer offer;
    std::int64_t process = 0;  ///< id on its host, so that a server there sees it die
};

/// An attempt that has ended.
struct Ended {
    Lease lease;
    TaskState outcome = TaskState::succeeded;
    AttemptResult result;
};

/// What a worker's tasks did since its last report. Reports are numbered, and kept until they are answered.
struct ReportMessage {
    std::int64_t number = 0;
    std::vector<Lease> started;
    std::vector<Ended> ended;
};

/// A worker lives.
struct HeartbeatMessage {};

/// A worker goes; tasks that it has left go on elsewhere.
struct LeaveMessage {};

/// A command asks; `text` is the question as JSON. The lines of a submission come beside it, since they may
/// be many megabytes, and are quoted once only.
struct AskMessage {
    std::string text;
    std::string lines;
};

/// Answer to a registration.
struct WelcomeMessage {
    WorkerId worker;
    double lease_s = 0.0;
    std::vector<Token> stop;
};

/// Tasks for a worker. Their jobs' specs come with them, since a worker keeps none.
struct TasksMessage {
    struct Task {
        Lease lease;
        std::string entry;  ///< line of the task, where its job has lines
    };
    std::vector<std::pair<JobId, std::string>> specs;
    std::vector<Task> tasks;
};

/// Reports up to this number are stored.
struct StoredMessage {
    std::int64_t number = 0;
};

/// These attempts must end.
struct StopMessage {
    std::vector<Token> tokens;
};

/// To a worker: it shall take no more tasks, end those that it has, and go. From a worker: so it does.
struct DrainMessage {};

/// Answer to a question: a JSON document, or an error's.
struct AnswerMessage {
    std::string text;
};

using Message =
    std::variant<RegisterMessage, ReportMessage, HeartbeatMessage, LeaveMessage, AskMessage, WelcomeMessage,
                 TasksMessage, StoredMessage, StopMessage, DrainMessage, AnswerMessage>;

[[nodiscard]] std::string encode(const Message& message);

/// Throws an input error on what is no message.
[[nodiscard]] Message decode(std::string_view text);

}  // namespace plimsoll::campaign
