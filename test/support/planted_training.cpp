#include "test/support/planted_training.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <vector>

#include "plimsoll/core/sqlite.hpp"

namespace plimsoll::test {

namespace {

/// Something that ran, in nanoseconds.
struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// What a step consists of.
struct StepSpans {
    Span step;
    Span copy, forward, backward, reduce;  // on the device
    Span host_forward, host_backward, host_optimizer;
    bool is_validation = false;
    double bytes = 0.0;
};

std::int64_t nanoseconds(double seconds) { return std::llround(1e9 * seconds); }

struct Epoch {
    Span epoch;
    std::vector<StepSpans> steps;
};

/// The whole run on one clock: host and device begin a step together.
std::vector<Epoch> timeline_of(const PlantedTraining& training) {
    std::mt19937_64 random(training.seed * 1000 + static_cast<std::uint64_t>(training.rank));
    std::uniform_real_distribution<double> error(-training.noise, training.noise);
    std::vector<Epoch> epochs;
    std::int64_t now = 1'000'000;
    for (int e = 0; e < training.epochs; ++e) {
        const double slowness = training.epochs > 1 && e == 0 ? 2.0 : 1.0;
        const auto noisy = [&](double seconds) {
            return nanoseconds(slowness * seconds * (1.0 + error(random)));
        };
        Epoch& epoch = epochs.emplace_back();
        epoch.epoch.begin = now;
        const auto add_step = [&](const PlantedStep& planted, bool is_validation) {
            StepSpans spans{.is_validation = is_validation, .bytes = planted.copied_bytes};
            std::int64_t at = now;
            const auto next = [&](double seconds) {
                const Span span{at, at + noisy(seconds)};
                at = span.end;
                return span;
            };
            spans.copy = next(planted.copy);
            spans.forward = next(planted.forward);
            spans.backward = next(planted.backward);
            const std::int64_t reduce = noisy(planted.reduce);
            const std::int64_t begin = at - std::llround(planted.hidden * static_cast<double>(reduce));
            spans.reduce = {begin, begin + reduce};
            at = std::max(at, spans.reduce.end) + noisy(planted.idle);
            spans.step = {now, at};
            // The host runs ahead of the device, within the first half of the step.
            const std::int64_t half = (at - now) / 2;
            spans.host_forward = {now + half / 10, now + 4 * half / 10};
            spans.host_backward = {now + 5 * half / 10, now + 8 * half / 10};
            spans.host_optimizer = {now + 85 * half / 100, now + 95 * half / 100};
            epoch.steps.push_back(spans);
            now = at + 1000;
        };
        for (int s = 0; s < training.steps; ++s) add_step(training.step, false);
        if (training.validation.forward > 0.0)
            for (int s = 0; s < training.steps; ++s) add_step(training.validation, true);
        epoch.epoch.end = now;
        now += 1'000'000;
    }
    return epochs;
}

class NsightWriter {
  public:
    NsightWriter(const std::string& path, const PlantedTraining& training, NsightSchema schema)
        : training_(&training),
          has_strings_(schema == NsightSchema::strings),
          database_(path, sqlite::Access::create, "") {
        database_.execute("begin");
        database_.execute("create table StringIds (id integer primary key, value text not null)");
        database_.execute(
            "create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer not null, end integer not null, "
            "eventClass integer, globalTid integer, correlationId integer, nameId integer, returnValue "
            "integer)");
        database_.execute(
            has_strings_ ? "create table CUPTI_ACTIVITY_KIND_KERNEL (start integer not null, end integer not "
                           "null, deviceId integer, streamId integer, correlationId integer, demangledName "
                           "integer, shortName integer, globalPid integer)"
                         : "create table CUPTI_ACTIVITY_KIND_KERNEL (start integer not null, end integer not "
                           "null, deviceId integer, streamId integer, correlationId integer, demangledName "
                           "integer, shortName integer)");
        database_.execute(
            "create table CUPTI_ACTIVITY_KIND_MEMCPY (start integer not null, end integer not null, deviceId "
            "integer, streamId integer, correlationId integer, bytes integer, copyKind integer, globalPid "
            "integer)");
        database_.execute(
            "create table CUBLAS_EVENTS (start integer not null, end integer, globalTid integer, nameId "
            "integer)");
        database_.execute(
            "create table OSRT_API (start integer not null, end integer, globalTid integer, nameId integer)");
        database_.execute(
            "create table SCHED_EVENTS (start integer not null, cpu integer, globalTid integer)");
        database_.execute("create table TARGET_INFO_GPU (id integer, name text)");
        database_.execute("create table TARGET_INFO_SYSTEM_ENV (name text, value text)");
        database_.execute(
            has_strings_
                ? "create table NVTX_EVENTS (start integer, end integer, eventType integer, category "
                  "integer, text text, textId integer, domainId integer, globalTid integer, "
                  "uint64Value integer)"
                : "create table NVTX_EVENTS (start integer, end integer, eventType integer, category "
                  "integer, text text, globalTid integer)");
        if (has_strings_) {
            database_.execute(
                "create table MPI_COLLECTIVES_EVENTS (start integer not null, end integer, globalTid "
                "integer, textId "
                "integer, size integer)");
            database_.execute("create table MPI_RANKS (globalTid integer, rank integer)");
        }
    }

    void write() {
        run("insert into TARGET_INFO_GPU values (0, ?1)", std::string("Planted GPU"));
        run("insert into TARGET_INFO_SYSTEM_ENV values ('CpuCores', ?1)", std::string("8"));
        run("insert into SCHED_EVENTS values (?1, 0, ?2)", std::int64_t{5}, thread(0));
        if (has_strings_) run("insert into MPI_RANKS values (?1, ?2)", thread(0), training_->rank);
        const std::int64_t epoch = 1;
        const std::int64_t training_step = 2;
        const std::int64_t testing_step = 3;
        nvtx(33, {0, 0}, epoch, "epoch");
        nvtx(33, {0, 0}, training_step, "training_step");
        nvtx(33, {0, 0}, testing_step, "testing_step");
        for (const Epoch& e : timeline_of(*training_)) {
            nvtx(59, e.epoch, epoch, "fit");
            for (const StepSpans& spans : e.steps)
                write_step(spans, spans.is_validation ? testing_step : training_step);
        }
        database_.execute("commit");
    }

  private:
    template <class... Values>
    void run(const char* sql, const Values&... values) {
        auto [found, is_new] = statements_.try_emplace(sql, database_, sql);
        found->second.with(values...).run();
    }

    std::int64_t id(const std::string& text) {
        const auto [found, is_new] =
            strings_.try_emplace(text, static_cast<std::int64_t>(strings_.size()) + 1);
        if (is_new) run("insert into StringIds values (?1, ?2)", found->second, text);
        return found->second;
    }

    [[nodiscard]] std::int64_t process() const {
        return (std::int64_t{7} << 48) | (static_cast<std::int64_t>(1000 + training_->rank) << 24);
    }
    [[nodiscard]] std::int64_t thread(int number) const { return process() | (500 + number); }

    void nvtx(int type, const Span& span, std::int64_t category, const std::string& text) {
        if (has_strings_) {
            run("insert into NVTX_EVENTS values (?1, ?2, ?3, ?4, null, ?5, 0, ?6, null)", span.begin,
                span.end, type, category, id(text), thread(0));
        } else {
            run("insert into NVTX_EVENTS values (?1, ?2, ?3, ?4, ?5, ?6)", span.begin, span.end, type,
                category, text, thread(0));
        }
    }

    /// A call within a range of the host, in one of four places.
    std::int64_t call(const Span& within, int place, const std::string& name) {
        const std::int64_t length = (within.end - within.begin) / 10;
        const std::int64_t begin = within.begin + (2 * place + 1) * length;
        run("insert into CUPTI_ACTIVITY_KIND_RUNTIME values (?1, ?2, 0, ?3, ?4, ?5, 0)", begin,
            begin + length, thread(0), ++correlation_, id(name));
        return correlation_;
    }

    void kernel(const Span& span, int stream, std::int64_t correlation, const std::string& name) {
        if (has_strings_) {
            run("insert into CUPTI_ACTIVITY_KIND_KERNEL values (?1, ?2, 0, ?3, ?4, ?5, ?5, ?6)", span.begin,
                span.end, stream, correlation, id(name), process());
        } else {
            run("insert into CUPTI_ACTIVITY_KIND_KERNEL values (?1, ?2, 0, ?3, ?4, ?5, ?5)", span.begin,
                span.end, stream, correlation, id(name));
        }
    }

    void write_step(const StepSpans& spans, std::int64_t category) {
        nvtx(59, spans.step, category, "step");
        nvtx(59, spans.host_forward, 0, "forward, seq = " + std::to_string(correlation_));
        run("insert into CUPTI_ACTIVITY_KIND_MEMCPY values (?1, ?2, 0, 7, ?3, ?4, 1, ?5)", spans.copy.begin,
            spans.copy.end, call(spans.host_forward, 0, "cudaMemcpyAsync_v3020"),
            static_cast<std::int64_t>(spans.bytes), process());
        kernel(spans.forward, 7, call(spans.host_forward, 1, "cudaLaunchKernel_v7000"),
               "void gemm<float>(int)");
        const Span blas{spans.host_forward.begin + 1, spans.host_forward.begin + 2};
        run("insert into CUBLAS_EVENTS values (?1, ?2, ?3, ?4)", blas.begin, blas.end, thread(0),
            id("cublasSgemm"));
        run("insert into OSRT_API values (?1, ?2, ?3, ?4)", spans.step.begin + 1, spans.step.begin + 11,
            thread(1), id("poll"));
        if (spans.is_validation) return;
        nvtx(59, spans.host_backward, 0, "backward");
        kernel(spans.backward, 7, call(spans.host_backward, 0, "cudaLaunchKernel_v7000"),
               "void gemm_back<float>(int)");
        nvtx(59, spans.host_optimizer, 0, "optimizer");
        kernel(spans.reduce, 8, call(spans.host_optimizer, 0, "cudaLaunchKernelExC_v11060"),
               "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
        const Span barrier{spans.step.end - 20, spans.step.end - 10};
        if (has_strings_) {
            run("insert into MPI_COLLECTIVES_EVENTS values (?1, ?2, ?3, ?4, 0)", barrier.begin, barrier.end,
                thread(0), id("MPI_Barrier"));
        } else {
            nvtx(59, barrier, 0, "MPI_Barrier");
        }
    }

    const PlantedTraining* training_;
    bool has_strings_;
    sqlite::Database database_;
    std::map<std::string, sqlite::Statement> statements_;
    std::map<std::string, std::int64_t> strings_;
    std::int64_t correlation_ = 0;
};

}  // namespace

void write_nsight(const std::string& path, const PlantedTraining& training, NsightSchema schema) {
    NsightWriter(path, training, schema).write();
}

std::string kineto_trace(const PlantedTraining& training) {
    using nlohmann::json;
    json trace{
        {"schemaVersion", 1},
        {"distributedInfo", {{"backend", "nccl"}, {"rank", training.rank}, {"world_size", training.ranks}}},
        {"deviceProperties", {{{"name", "Planted GPU"}}}}};
    if (training.batch_size > 0.0) trace["batch_size"] = training.batch_size;
    json& events = trace["traceEvents"];
    int correlation = 0;
    const auto add = [&](const char* category, const std::string& name, const Span& span, int thread,
                         json arguments) {
        events.push_back({{"ph", "X"},
                          {"cat", category},
                          {"name", name},
                          {"pid", 1},
                          {"tid", thread},
                          {"ts", 1e-3 * static_cast<double>(span.begin)},
                          {"dur", 1e-3 * static_cast<double>(span.end - span.begin)},
                          {"args", std::move(arguments)}});
    };
    const auto launch = [&](const Span& within, int place) {
        const std::int64_t length = (within.end - within.begin) / 10;
        const std::int64_t begin = within.begin + (2 * place + 1) * length;
        add("cuda_runtime", "cudaLaunchKernel", {begin, begin + length}, 1, {{"correlation", ++correlation}});
        return json{{"correlation", correlation}, {"device", 0}};
    };
    int number = 0;
    for (const Epoch& epoch : timeline_of(training)) {
        for (const StepSpans& spans : epoch.steps) {
            if (spans.is_validation) continue;
            add("user_annotation", fmt::format("ProfilerStep#{}", number++), spans.step, 1, json::object());
            add("cpu_op", "forward", spans.host_forward, 1, json::object());
            json copied = launch(spans.host_forward, 0);
            copied["bytes"] = spans.bytes;
            add("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", spans.copy, 7, copied);
            add("kernel", "gemm", spans.forward, 7, launch(spans.host_forward, 1));
            add("cpu_op", "backward", spans.host_backward, 1, json::object());
            add("kernel", "gemm_back", spans.backward, 7, launch(spans.host_backward, 0));
            add("cpu_op", "optimizer", spans.host_optimizer, 1, json::object());
            json reduced = launch(spans.host_optimizer, 0);
            reduced.update({{"Collective name", "allreduce"},
                            {"dtype", "Float"},
                            {"In msg nelems", training.step.reduced_elements},
                            {"Group size", training.ranks}});
            add("kernel", "ncclDevKernel_AllReduce", spans.reduce, 8, reduced);
        }
    }
    const std::int64_t behind = nanoseconds(1e-3) + static_cast<std::int64_t>(1e12);
    add("kernel", "between", {behind, behind + 3000}, 7, json{{"device", 0}});
    return trace.dump();
}

}  // namespace plimsoll::test
