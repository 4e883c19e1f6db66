#include "training/gradient_sum.hpp"

#include <algorithm>

#include "plimsoll/core/error.hpp"

namespace plimsoll::training_workload {

GradientSum::GradientSum(std::span<const std::size_t> sizes, std::size_t bucket_bytes, MPI_Comm comm,
                         Trace& trace)
    : comm_(comm), trace_(&trace), slots_(sizes.size()) {
    std::size_t end = 0;
    for (std::size_t parameter = sizes.size(); parameter-- > 0;) {
        if (buckets_.empty() || buckets_.back().size * sizeof(float) >= bucket_bytes)
            buckets_.push_back({.begin = end});
        Bucket& bucket = buckets_.back();
        slots_[parameter] = {.bucket = buckets_.size() - 1, .begin = end, .size = sizes[parameter]};
        bucket.size += sizes[parameter];
        ++bucket.parameters;
        end += sizes[parameter];
    }
    values_.resize(end);
    requests_.reserve(buckets_.size());
    clear();
}

std::span<float> GradientSum::gradient(std::size_t parameter) {
    const Slot& slot = slots_[parameter];
    return std::span(values_).subspan(slot.begin, slot.size);
}

void GradientSum::clear() {
    PLIMSOLL_EXPECT(requests_.empty());
    std::fill(values_.begin(), values_.end(), 0.0F);
    for (Slot& slot : slots_) slot.is_ready = false;
    for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters;
}

void GradientSum::ready(std::size_t parameter) {
    Slot& slot = slots_[parameter];
    PLIMSOLL_EXPECT(!slot.is_ready);
    slot.is_ready = true;
    --buckets_[slot.bucket].missing;
    while (requests_.size() < buckets_.size() && buckets_[requests_.size()].missing == 0) start_next();
    // Sums go on within calls of MPI alone.
    int are_done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &are_done, MPI_STATUSES_IGNORE);
}

void GradientSum::start_next() {
    const Bucket& bucket = buckets_[requests_.size()];
    const Trace::Time begin = Trace::Clock::now();
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, values_.data() + bucket.begin, static_cast<int>(bucket.size), MPI_FLOAT,
                   MPI_SUM, comm_, &request);
    requests_.push_back(request);
    trace_->add_collective({.name = "allreduce", .elements = bucket.size}, begin, Trace::Clock::now());
}

void GradientSum::finish() {
    while (requests_.size() < buckets_.size()) start_next();
    const Trace::Time begin = Trace::Clock::now();
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    trace_->add_operator("mpi:wait", begin, Trace::Clock::now());
    requests_.clear();
    int ranks = 1;
    MPI_Comm_size(comm_, &ranks);
    const float share = 1.0F / static_cast<float>(ranks);
    if (ranks > 1) std::for_each(values_.begin(), values_.end(), [share](float& value) { value *= share; });
}

}  // namespace plimsoll::training_workload
