#include "plimsoll/checkpoint/detail/writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/detail/background_thread.hpp"
#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/checkpoint/detail/folder_files.hpp"
#include "plimsoll/checkpoint/detail/folder_setup.hpp"
#include "plimsoll/checkpoint/detail/lazy_copy.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

constexpr std::uint64_t longest_record = std::uint64_t{1} << 30;  ///< bytes of a part
constexpr std::uint64_t longest_reason = 1 << 16;                 ///< bytes of another rank's reason

std::string now_text() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// Writes a file that other ranks find whole or not at all.
void write_whole(Storage& storage, const std::string& path, std::string_view content) {
    write_small(storage, path + ".new", content);
    storage.rename(path + ".new", path);
}

}  // namespace

std::string part_name(std::uint64_t rank) { return fmt::format("part-{:04}.json", rank); }
std::string pack_name(std::uint64_t rank, std::uint64_t number) {
    return fmt::format("pack-{:04}.{}.safetensors", rank, number);
}
std::string failure_name(std::uint64_t rank) { return fmt::format("failed-{:04}", rank); }

void check_pieces(const std::vector<Part>& parts) {
    std::map<std::string_view, std::vector<const StoredArray*>> arrays;
    for (const Part& part : parts) {
        for (const StoredArray& array : part.arrays) arrays[array.name].push_back(&array);
    }
    for (const auto& [name, pieces] : arrays) {
        const StoredArray& first = *pieces.front();
        const bool are_alike = std::all_of(pieces.begin(), pieces.end(), [&](const StoredArray* piece) {
            return piece->type == first.type && piece->owner.has_value() == first.owner.has_value();
        });
        if (!are_alike) {
            throw Error(ErrorKind::usage,
                        fmt::format("array '{}' is not of the same kind on all ranks", name),
                        "protect it with the same type and layout everywhere");
        }
        const bool is_whole = pieces.size() == 1 && first.block.shape == first.block.global;
        if (first.owner || is_whole) continue;
        std::vector<Block> blocks;
        blocks.reserve(pieces.size());
        for (const StoredArray* piece : pieces) blocks.push_back(piece->block);
        if (const auto wrong = gap_or_overlap(blocks)) {
            throw Error(ErrorKind::usage, fmt::format("array '{}': {}", name, *wrong),
                        "protect boxes that make up the whole array, each element once");
        }
    }
}

namespace {

WriterOptions with_members(WriterOptions options) {
    for (std::uint64_t rank = 0; options.members.size() < options.ranks && rank < options.ranks; ++rank)
        options.members.push_back(rank);
    return options;
}

}  // namespace

Writer::Writer(Storage& storage, StagingPool& pool, WriterOptions options)
    : storage_(&storage),
      pool_(&pool),
      options_(options.members.empty() ? with_members(std::move(options)) : std::move(options)),
      thread_([this] { run(); }) {}

Writer::~Writer() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Writer::submit(SaveJob job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
}

void Writer::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty() && !is_busy_; });
}

void Writer::wait_for_room(std::size_t most) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.size() <= most; });
}

void Writer::run() {
    let_the_waking_thread_go_on();
    for (;;) {
        std::unique_lock lock(mutex_);
        is_busy_ = false;
        changed_.notify_all();
        changed_.wait(lock, [&] { return is_ending_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        SaveJob job = std::move(jobs_.front());
        jobs_.pop_front();
        is_busy_ = true;
        lock.unlock();
        process(job);
    }
}

void Writer::process(SaveJob& job) {
    try {
        begin(job);
        if (!job.failure.empty()) throw Error(ErrorKind::environment, job.failure);
        write_share(job);
        options_.written(job);
        if (is_first()) {
            commit(job);
        } else {
            await_commit(job);
        }
    } catch (const std::exception& error) {
        if (job.lazy) job.lazy->copy_all();  // into what is given back
        give_up(job, error.what());
        options_.done(job, error.what());
        pool_->give_back(std::exchange(job.images, {}));
        return;
    }
    pool_->give_back(std::exchange(job.images, {}));
    options_.done(job, "");
    if (is_first()) remove_outdated();
}

std::string Writer::unfinished_folder(const SaveJob& job) const {
    return fmt::format("{}/{}{}-{}", options_.folder, unfinished_prefix, job.step, job.save);
}

void Writer::wait_until(const std::function<bool()>& condition,
                        const std::function<std::string()>& what) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(options_.patience);
    auto pause = std::chrono::microseconds(200);
    constexpr auto longest_pause = std::chrono::microseconds(20'000);
    while (!condition()) {
        if (Clock::now() > end) {
            throw Error(ErrorKind::environment,
                        fmt::format("{} after {} s", what(), shortest(options_.patience.count())),
                        "check that all ranks run, save in the same order and see the same folder");
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, longest_pause);
    }
}

void Writer::begin(const SaveJob& job) {
    const std::string folder = unfinished_folder(job);
    if (is_first()) {
        storage_->make_folder(folder);
        storage_->sync_folder(options_.folder);
    } else {
        wait_until([&] { return storage_->exists(folder); },
                   [this] { return fmt::format("rank {} has not begun to save", options_.members.front()); });
    }
}

void Writer::write_share(SaveJob& job) {
    Part part{.save = job.save, .step = job.step, .rank = options_.rank, .ranks = options_.ranks};
    for (std::size_t number = 0; number < job.packs.size(); ++number)
        part.packs.push_back(write_pack(job, number));
    part.arrays = job.arrays;
    write_part(job, part);
    job.part = std::move(part);
}

PackRecord Writer::write_pack(const SaveJob& job, std::size_t number) {
    const SaveJob::Pack& pack = job.packs[number];
    PackRecord record{
        .file = pack_name(options_.rank, number), .bytes = pack.plan.bytes, .chunk_bytes = chunk_bytes};
    const std::string path = unfinished_folder(job) + "/" + record.file;
    const auto file = storage_->create(path, record.bytes);
    AlignedBuffer slice(job.images.empty() ? std::min(chunk_bytes, record.bytes) : 0);
    for (std::uint64_t begin = 0; begin < record.bytes; begin += chunk_bytes) {
        const std::uint64_t count = std::min(chunk_bytes, record.bytes - begin);
        std::span<const std::byte> bytes;
        if (job.images.empty()) {
            file->drain();  // the slice is still being written
            if (job.read) {
                job.read(number, begin, slice.bytes().first(count));
            } else {
                copy_pack(pack, begin, slice.bytes().first(count));
            }
            bytes = slice.bytes().first(count);
        } else {
            bytes = job.images[number].bytes().subspan(begin, count);
            if (job.lazy) job.lazy->copy_into(bytes);
        }
        // Before the bytes leave memory, so that whatever happens to them later is found.
        record.checksums.push_back(pack.checksums.empty() ? checksum(bytes)
                                                          : pack.checksums[begin / chunk_bytes]);
        file->write(begin, bytes);
    }
    file->sync();
    const auto written = storage_->open(path);
    if (!written || written->size() != record.bytes) {
        throw Error(
            ErrorKind::environment, Place{.file = path},
            fmt::format("has {} bytes after {} were written", written ? written->size() : 0, record.bytes),
            "check the file system");
    }
    return record;
}

void Writer::write_part(const SaveJob& job, const Part& part) {
    const std::string folder = unfinished_folder(job);
    // The names of the packs first: whoever sees the part may rely on them.
    storage_->sync_folder(folder);
    write_whole(*storage_, folder + "/" + part_name(options_.rank), to_json(part));
}

Manifest Writer::gather_parts(const SaveJob& job) {
    const std::string folder = unfinished_folder(job);
    std::vector<std::uint64_t> missing = options_.members;
    const auto are_there = [&] {
        const std::vector<std::string> names = storage_->list(folder);
        const auto has = [&](const std::string& name) {
            return std::binary_search(names.begin(), names.end(), name);
        };
        for (const std::uint64_t rank : missing) {
            if (!has(failure_name(rank))) continue;
            const std::string why = read_small(*storage_, folder + "/" + failure_name(rank), longest_reason);
            throw Error(ErrorKind::environment, fmt::format("rank {}: {}", rank, why));
        }
        std::erase_if(missing, [&](std::uint64_t rank) { return has(part_name(rank)); });
        return missing.empty();
    };
    wait_until(are_there, [&] { return fmt::format("rank {} has not saved", missing.front()); });

    Manifest manifest{.save = job.save, .step = job.step, .sequence = job.sequence, .written = now_text()};
    std::vector<Part> parts;
    for (const std::uint64_t rank : options_.members) {
        const std::string text = read_small(*storage_, folder + "/" + part_name(rank), longest_record);
        parts.push_back(rank == options_.rank && job.part ? *job.part
                                                          : read_part(text, folder + "/" + part_name(rank)));
        const Part& part = parts.back();
        if (part.save != job.save || part.step != job.step || part.rank != rank ||
            part.ranks != options_.ranks)
            throw Error(ErrorKind::environment,
                        fmt::format("rank {} has saved step {} in place of {}", rank, part.step, job.step));
        manifest.parts.push_back({.file = part_name(rank), .bytes = text.size(), .checksum = checksum(text)});
    }
    // Those of one node are no whole arrays; a restore sees whether those of all nodes are.
    if (options_.members.size() == options_.ranks) check_pieces(parts);
    return manifest;
}

void Writer::commit(const SaveJob& job) {
    const std::string folder = unfinished_folder(job);
    const std::string manifest = to_json(gather_parts(job));
    write_small(*storage_, folder + "/" + manifest_file, manifest);
    // All names but that of the record itself, so that the record never stands beside less than it promises.
    storage_->sync_folder(folder);
    write_small(*storage_, folder + "/" + commit_file,
                to_text(CommitRecord{.save = job.save,
                                     .step = job.step,
                                     .sequence = job.sequence,
                                     .manifest_bytes = manifest.size(),
                                     .manifest_checksum = checksum(manifest)}));
    storage_->sync_folder(folder);
    publish_save(*storage_, options_.folder, folder, job.step);
}

void Writer::await_commit(const SaveJob& job) {
    const std::string folder = unfinished_folder(job);
    wait_until([&] { return !storage_->exists(folder); },
               [this] { return fmt::format("rank {} has not committed", options_.members.front()); });
    for (const SaveEntry& entry : read_catalog(*storage_, options_.folder).saves) {
        if (entry.commit.save == job.save) return;
    }
    const std::uint64_t first = options_.members.front();
    throw Error(ErrorKind::environment, fmt::format("rank {} has given the save up", first),
                fmt::format("see why on rank {}", first));
}

void Writer::give_up(const SaveJob& job, const std::string& why) noexcept {
    const std::string folder = unfinished_folder(job);
    try {
        if (!is_first()) {
            // The first rank waits for it; where even this fails, its patience ends.
            if (storage_->exists(folder))
                write_whole(*storage_, folder + "/" + failure_name(options_.rank), why);
            return;
        }
        // Out of the way at once, for ranks that wait; a full disk allows that.
        const std::string lost = fmt::format("{}/{}{}-{}", options_.folder, lost_prefix, job.step, job.save);
        if (!storage_->exists(folder)) return;
        storage_->rename(folder, lost);
        remove_with_files(*storage_, lost);
    } catch (const std::exception&) {
        // The next session clears it away.
    }
}

void Writer::remove_outdated() noexcept {
    try {
        const Catalog catalog = read_catalog(*storage_, options_.folder);
        for (const SaveEntry& entry : beyond_retention(catalog, options_.keep))
            if (options_.may_remove(entry)) remove_save(*storage_, options_.folder, entry.name);
    } catch (const std::exception&) {
        // The save itself is committed; the next one tries again.
    }
}

}  // namespace plimsoll::checkpoint::detail
