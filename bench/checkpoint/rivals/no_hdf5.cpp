#include "bench/checkpoint/rivals/method.hpp"

namespace plimsoll::bench {

std::vector<NamedMethod> hdf5_methods() { return {}; }

}  // namespace plimsoll::bench
