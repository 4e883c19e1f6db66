// A team of two OpenMP threads that works for one region, three times.

#include "plimsoll/region.hpp"

int main() {
    const plimsoll::Region main("main");
    for (int step = 0; step < 3; ++step) {
        const plimsoll::Region solve("solve");
#pragma omp parallel num_threads(2)
        { const plimsoll::Region work("work", solve); }
    }
}
