#include "counting.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "plimsoll/checkpoint.h"

enum { count = 100000 };

static int failed(int code, const char* call) {
    if (code < 0) fprintf(stderr, "%s: %d: %s\n", call, code, plimsoll_checkpoint_message());
    return code < 0;
}

int count_and_save(int argc, char** argv, int (*begin)(const char* folder), int rank) {
    static double field[count];
    int step = 0;
    const int steps = argc > 2 ? atoi(argv[2]) : 0;
    const int kill_at = argc > 3 ? atoi(argv[3]) : -1;
    if (failed(begin(argc > 1 ? argv[1] : NULL), "init") ||
        failed(plimsoll_mem_protect(0, field, count, sizeof field[0]), "protect") ||
        failed(plimsoll_mem_protect_as(1, "step", &step, 1, PLIMSOLL_INT32), "protect"))
        return 1;
    const int version = plimsoll_restart_test("run", 0);
    if (version != PLIMSOLL_NOT_FOUND) {
        if (failed(version, "test") || failed(plimsoll_restart("run", version), "restart")) return 1;
        if (step != version) return 2;
    }
    while (step < steps) {
        for (int i = 0; i < count; ++i) field[i] += (i + rank) % 7 + step;
        ++step;
        if (step % 10 == 0 && failed(plimsoll_checkpoint("run", step), "checkpoint")) return 1;
        if (step == kill_at) {
            if (failed(plimsoll_checkpoint_wait(), "wait")) return 1;
            raise(SIGKILL);
        }
    }
    if (failed(plimsoll_checkpoint_finalize(1), "finalize")) return 1;
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += field[i];
    printf("%d %d %.0f\n", rank, version < 0 ? -1 : version, sum);
    return 0;
}
