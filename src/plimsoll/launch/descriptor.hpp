#pragma once

namespace plimsoll::launch {

/// One end of a pipe or another descriptor, closed at the end of its life. -1 where there is none.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { close(); }

    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] int release();
    void close();

  private:
    int number_ = -1;
};

}  // namespace plimsoll::launch
