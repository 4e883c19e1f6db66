#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::training_workload {

enum class Set : std::uint8_t { training, validation };

/// Images and what they show, ready for a step.
struct Batch {
    std::vector<float> pixels;         ///< [images x size x size]
    std::vector<std::int64_t> labels;  ///< [images]
    std::size_t image_size = 0;

    [[nodiscard]] std::size_t images() const { return labels.size(); }
};

/// Generated images: a patch of waves somewhere in noise, whose direction is the class.
///
/// Position, phase, wavelength and contrast are random, so that no pixel alone tells anything of the class,
/// and the mean image of each class is zero. Small filters that are moved over the image, and whose answers
/// are made positive, tell it; so a convolution network learns it. Each image depends on seed, set and number
/// alone, so that any rank can make any of them, in any order.
class WaveImages {
  public:
    WaveImages(std::size_t size, std::size_t classes, std::uint64_t seed)
        : size_(size), classes_(classes), seed_(seed) {}

    /// Makes image `number` of a set into `pixels` [size x size] and returns its class.
    std::int64_t paint(Set set, std::uint64_t number, std::span<float> pixels) const;

    /// The images with these numbers.
    [[nodiscard]] Batch batch(Set set, std::span<const std::uint64_t> numbers) const;

  private:
    std::size_t size_;
    std::size_t classes_;
    std::uint64_t seed_;
};

}  // namespace plimsoll::training_workload
