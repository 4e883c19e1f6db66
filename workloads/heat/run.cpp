#include "heat/run.hpp"

#include <fmt/format.h>

#include <chrono>

#include "heat/slab.hpp"
#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/region.hpp"

namespace plimsoll::heat {

namespace {

using Clock = std::chrono::steady_clock;

Slab slab_of(const Settings& settings, const Ranks& ranks) {
    const checkpoint::Block planes = checkpoint::rows_of({settings.size}, ranks.rank(), ranks.size());
    return {settings.size, planes.offset.front(), planes.shape.front()};
}

void exchange(Slab& slab, Ranks& ranks) {
    PLIMSOLL_REGION("exchange");
    const std::size_t plane = slab.n() * slab.n();
    ranks.exchange(slab.values().first(plane), slab.values().last(plane), slab.below(), slab.above());
}

}  // namespace

Result run(const Settings& settings, Ranks& ranks) {
    if (ranks.size() > settings.size) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} ranks cannot share {} planes", ranks.size(), settings.size),
                    "choose a larger --size, or fewer ranks");
    }
    PLIMSOLL_REGION("heat");
    const Clock::time_point begin = Clock::now();
    Result result;
    Slab slab = slab_of(settings, ranks);
    std::uint64_t step = 0;
    std::optional<checkpoint::Session> session;
    if (!settings.folder.empty()) {
        PLIMSOLL_REGION("restore");
        const std::uint64_t n = settings.size;
        session.emplace(
            checkpoint::SessionOptions{
                .folder = settings.folder, .keep = settings.keep, .every_steps = settings.every},
            ranks.communicator());
        session->protect(
            "temperature", slab.values(),
            checkpoint::Layout::distributed({n, n, n}, {slab.first(), 0, 0}, {slab.count(), n, n}));
        session->set_capture("temperature", settings.capture);
        session->protect("step", step);
        if (const auto restored = session->restore()) {
            result.restored = restored->step;
            result.passed_over = restored->passed_over;
        }
    }
    while (step < settings.steps) {
        exchange(slab, ranks);
        {
            PLIMSOLL_REGION("advance");
            slab.advance();
        }
        ++step;
        if (!session || !session->should_save(step)) continue;
        PLIMSOLL_REGION("save");
        const Clock::time_point asked = Clock::now();
        const checkpoint::Save save = session->save(step);
        if (settings.waiting == Waiting::for_durable) static_cast<void>(save.wait());
        result.blocked += Clock::now() - asked;
        ++result.saves;
    }
    if (session) {
        session->finish();
        result.failures = session->failures();
    }
    result.wall = Clock::now() - begin;
    result.checksum = ranks.sum(slab.checksum());
    result.largest_error = ranks.largest(slab.largest_error(settings.steps));
    return result;
}

std::string json_line(const Settings& settings, std::uint64_t ranks, const Result& result) {
    return fmt::format(
        R"({{"size": {}, "steps": {}, "ranks": {}, "restored_step": {}, "saves": {}, "checksum": "{:016x}", )"
        R"("largest_error": {}, "wall_s": {}, "blocked_s": {}}})"
        "\n",
        settings.size, settings.steps, ranks,
        result.restored ? fmt::format("{}", *result.restored) : std::string("null"), result.saves,
        result.checksum, json_number(result.largest_error), json_number(result.wall.count()),
        json_number(result.blocked.count()));
}

}  // namespace plimsoll::heat
