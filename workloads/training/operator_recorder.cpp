#include "training/operator_recorder.hpp"

#include <ATen/record_function.h>

#include <memory>

#include "plimsoll/core/error.hpp"

namespace plimsoll::training_workload {

namespace {

/// libtorch's callbacks are plain functions.
Trace* current = nullptr;

struct Began : at::ObserverContext {
    Trace::Time at = Trace::Clock::now();
};

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& /*function*/) {
    return current->is_on() ? std::make_unique<Began>() : nullptr;
}

void end(const at::RecordFunction& function, at::ObserverContext* context) {
    const auto* const began = dynamic_cast<const Began*>(context);
    if (began != nullptr) current->add_operator(function.name(), began->at, Trace::Clock::now());
}

}  // namespace

OperatorRecorder::OperatorRecorder(Trace& trace) {
    PLIMSOLL_EXPECT(current == nullptr);
    current = &trace;
    handle_ = at::addGlobalCallback(at::RecordFunctionCallback(begin, end));
}

OperatorRecorder::~OperatorRecorder() {
    at::removeCallback(handle_);
    current = nullptr;
}

}  // namespace plimsoll::training_workload
