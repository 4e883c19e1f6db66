/* The C half of the program under test, in strict C99. */

#include "plimsoll/region.hpp"

void part_in_c(void);
void part_in_c(void) {
    PLIMSOLL_REGION_BEGIN("in_c");
    PLIMSOLL_REGION_BEGIN("shared");
    PLIMSOLL_REGION_END();
    PLIMSOLL_REGION_END();
}
