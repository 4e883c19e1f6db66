/* Adds up steps in a field, saves it every hundred of them, and goes on where it was. */
#include <plimsoll/checkpoint.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 1000000 };

int main(int argc, char** argv) {
    static double field[count];
    const int steps = argc > 1 ? atoi(argv[1]) : 1000;
    int step = 0;

    plimsoll_checkpoint_init("saves");
    plimsoll_mem_protect_as(0, "field", field, count, PLIMSOLL_FLOAT64);
    plimsoll_mem_protect_as(1, "step", &step, 1, PLIMSOLL_INT32);
    const int found = plimsoll_restart_newest("run");
    if (found < 0 && found != PLIMSOLL_NOT_FOUND) {
        fprintf(stderr, "%s\n", plimsoll_checkpoint_message());
        return 1;
    }
    while (step < steps) {
        for (int i = 0; i < count; ++i) field[i] += step + i % 10;
        ++step;
        if (step % 100 == 0) plimsoll_checkpoint("run", step);
    }
    if (plimsoll_checkpoint_finalize(1) != PLIMSOLL_SUCCESS) {
        fprintf(stderr, "%s\n", plimsoll_checkpoint_message());
        return 1;
    }
    printf("from step %d: %.0f\n", found < 0 ? 0 : found, field[count - 1]);
    return 0;
}
