#include "training/images.hpp"

#include <cmath>
#include <numbers>

#include "support/random_stream.hpp"

namespace plimsoll::training_workload {

namespace {

constexpr double shortest_wave = 4.0;  // pixels
constexpr double longest_wave = 7.0;   // pixels
constexpr double least_contrast = 0.7;
constexpr double most_contrast = 1.3;
constexpr double patch_width = 0.3;      // standard deviation of the patch, of the image's side
constexpr double noise_deviation = 0.5;  // of each pixel

/// Nearly normal, with mean 0 and variance 1: the sum of four even numbers of 16 bits.
float noise_of(std::uint64_t bits) {
    constexpr std::uint64_t low = 0xffff;
    const std::uint64_t sum =
        (bits & low) + ((bits >> 16U) & low) + ((bits >> 32U) & low) + ((bits >> 48U) & low);
    constexpr double mean = 2.0 * 65535.0;
    const double deviation = 65536.0 * std::sqrt(4.0 / 12.0);
    return static_cast<float>((static_cast<double>(sum) - mean) / deviation);
}

/// exp(-d^2 / 2) along one side, around a centre.
std::vector<float> bell(std::size_t size, double centre) {
    std::vector<float> values(size);
    const double width = patch_width * static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double distance = (static_cast<double>(i) - centre) / width;
        values[i] = static_cast<float>(std::exp(-0.5 * distance * distance));
    }
    return values;
}

}  // namespace

std::int64_t WaveImages::paint(Set set, std::uint64_t number, std::span<float> pixels) const {
    workloads::RandomStream random(seed_, set == Set::training ? "training" : "validation", number);
    const std::uint64_t label = random.below(classes_);
    const auto between = [&random](double low, double high) { return low + (high - low) * random.uniform(); };
    const double side = static_cast<double>(size_);
    const double angle = std::numbers::pi * (static_cast<double>(label) + between(-0.25, 0.25)) /
                         static_cast<double>(classes_);
    const double turn = 2.0 * std::numbers::pi / between(shortest_wave, longest_wave);  // radians a pixel
    const double phase = between(0.0, 2.0 * std::numbers::pi);
    const double contrast = between(least_contrast, most_contrast);
    const std::vector<float> across = bell(size_, between(0.25, 0.75) * side);
    const std::vector<float> down = bell(size_, between(0.25, 0.75) * side);

    // Along a row the wave turns by the same angle from pixel to pixel, which costs no sine each.
    const double turn_x = turn * std::cos(angle);
    const double turn_y = turn * std::sin(angle);
    const auto step_cos = static_cast<float>(std::cos(turn_x));
    const auto step_sin = static_cast<float>(std::sin(turn_x));
    for (std::size_t y = 0; y < size_; ++y) {
        const double begin = phase + turn_y * static_cast<double>(y);
        auto wave_cos = static_cast<float>(contrast * std::cos(begin));
        auto wave_sin = static_cast<float>(contrast * std::sin(begin));
        for (std::size_t x = 0; x < size_; ++x) {
            pixels[y * size_ + x] = wave_cos * across[x] * down[y] +
                                    static_cast<float>(noise_deviation) * noise_of(random.next());
            const float next_cos = wave_cos * step_cos - wave_sin * step_sin;
            wave_sin = wave_sin * step_cos + wave_cos * step_sin;
            wave_cos = next_cos;
        }
    }
    return static_cast<std::int64_t>(label);
}

Batch WaveImages::batch(Set set, std::span<const std::uint64_t> numbers) const {
    Batch batch{.pixels = std::vector<float>(numbers.size() * size_ * size_),
                .labels = std::vector<std::int64_t>(numbers.size()),
                .image_size = size_};
    const std::span<float> pixels(batch.pixels);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        batch.labels[i] = paint(set, numbers[i], pixels.subspan(i * size_ * size_, size_ * size_));
    return batch;
}

}  // namespace plimsoll::training_workload
