#pragma once

/// How trees become lines of the format plimsoll.experiment/1; the part of region.hpp that is off the clock.

// NOLINTBEGIN(misc-definitions-in-headers,modernize-deprecated-headers,modernize-redundant-void-arg,modernize-use-nullptr)
// NOLINTBEGIN(readability-identifier-naming,readability-non-const-parameter)
// This is C as well, and its definitions are weak or inline.

#include <errno.h>

#include "tree.hpp"

#ifdef __cplusplus
extern "C" {
#endif

// ---- text that grows

struct plimsoll_region_text {
    char* data;
    size_t size;
    size_t capacity;
    int failed;  ///< memory was short, and the text is of no use
};

static inline void plimsoll_region_put_bytes(struct plimsoll_region_text* text, const char* bytes,
                                             size_t count) {
    if (text->capacity - text->size < count) {
        const size_t capacity = 2 * (text->size + count) + 4096;
        char* const data = PLIMSOLL_REGION_CAST(char*, realloc(text->data, capacity));
        if (!data) {
            text->failed = 1;
            return;
        }
        text->data = data;
        text->capacity = capacity;
    }
    memcpy(text->data + text->size, bytes, count);
    text->size += count;
}

static inline void plimsoll_region_put(struct plimsoll_region_text* text, const char* words) {
    plimsoll_region_put_bytes(text, words, strlen(words));
}

/// Whole numbers, since printf writes fractions as the program's language has them.
static inline void plimsoll_region_put_number(struct plimsoll_region_text* text, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", PLIMSOLL_REGION_CAST(unsigned long long, number));
    plimsoll_region_put(text, digits);
}

static inline void plimsoll_region_put_seconds(struct plimsoll_region_text* text, uint64_t ns) {
    char digits[40];
    snprintf(digits, sizeof digits, "%llu.%09llu", PLIMSOLL_REGION_CAST(unsigned long long, ns / 1000000000U),
             PLIMSOLL_REGION_CAST(unsigned long long, ns % 1000000000U));
    plimsoll_region_put(text, digits);
}

/// Length of the UTF-8 character that begins here, 0 where there is none.
static inline size_t plimsoll_region_character(const unsigned char* at) {
    const size_t size = at[0] < 0x80   ? 1
                        : at[0] < 0xC2 ? 0
                        : at[0] < 0xE0 ? 2
                        : at[0] < 0xF0 ? 3
                        : at[0] < 0xF5 ? 4
                                       : 0;
    for (size_t i = 1; i < size; ++i)
        if ((at[i] & 0xC0U) != 0x80U) return 0;
    const int is_overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    const int is_no_character = (at[0] == 0xED && at[1] >= 0xA0) || (at[0] == 0xF4 && at[1] >= 0x90);
    return is_overlong || is_no_character ? 0 : size;
}

/// What stands between the quotes of a JSON string.
static inline void plimsoll_region_put_escaped(struct plimsoll_region_text* text, const char* words) {
    for (const char* at = words; *at;) {
        const unsigned char* const byte =
            PLIMSOLL_REGION_CAST(const unsigned char*, PLIMSOLL_REGION_CAST(const void*, at));
        const size_t size = plimsoll_region_character(byte);
        if (size == 0) {
            plimsoll_region_put(text, "?");
        } else if (*byte < 0x20) {
            char code[8];
            snprintf(code, sizeof code, "\\u%04x", PLIMSOLL_REGION_CAST(unsigned, *byte));
            plimsoll_region_put(text, code);
        } else {
            if (*at == '"' || *at == '\\') plimsoll_region_put(text, "\\");
            plimsoll_region_put_bytes(text, at, size);
        }
        at += size ? size : 1;
    }
}

// ---- from the environment

/// The first of these variables that is a number, as MPI's and Slurm's launchers set them.
static inline long plimsoll_region_launcher(const char* const* names, long otherwise) {
    for (; *names; ++names) {
        const char* const text = getenv(*names);
        char* end = NULL;
        const long number = text ? strtol(text, &end, 10) : 0;
        if (text && *text && !*end) return number;
    }
    return otherwise;
}

static inline long plimsoll_region_rank(void) {
    const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                 "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", NULL};
    return plimsoll_region_launcher(names, 0);
}

static inline long plimsoll_region_processes(void) {
    const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS",
                                 NULL};
    return plimsoll_region_launcher(names, 1);
}

/// Length of the JSON number that these characters are, else 0.
static inline int plimsoll_region_is_number(const char* at, const char* end) {
    if (at < end && *at == '-') ++at;
    const char* part = at;
    while (at < end && *at >= '0' && *at <= '9') ++at;
    if (at == part || (*part == '0' && at - part > 1)) return 0;
    if (at < end && *at == '.') {
        part = ++at;
        while (at < end && *at >= '0' && *at <= '9') ++at;
        if (at == part) return 0;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at < end && (*at == '+' || *at == '-')) ++at;
        part = at;
        while (at < end && *at >= '0' && *at <= '9') ++at;
        if (at == part) return 0;
    }
    return at == end;
}

/// "p=4,n=1000" as {"p":4,"n":1000}; what is no number is left out. Where nothing is told, p is the number of
/// processes, since a measurement has at least one parameter.
static inline void plimsoll_region_put_parameters(struct plimsoll_region_text* text, const char* pairs,
                                                  long processes) {
    int count = 0;
    plimsoll_region_put(text, "{");
    while (pairs && *pairs) {
        while (*pairs == ' ' || *pairs == ',') ++pairs;
        const char* const end = pairs + strcspn(pairs, ",");
        const char* const equals =
            PLIMSOLL_REGION_CAST(const char*, memchr(pairs, '=', PLIMSOLL_REGION_CAST(size_t, end - pairs)));
        const char* last = end;
        while (last > pairs && last[-1] == ' ') --last;
        if (equals && equals > pairs && plimsoll_region_is_number(equals + 1, last)) {
            struct plimsoll_region_text name = {NULL, 0, 0, 0};
            plimsoll_region_put_bytes(&name, pairs, PLIMSOLL_REGION_CAST(size_t, equals - pairs));
            plimsoll_region_put_bytes(&name, "", 1);
            plimsoll_region_put(text, count++ ? ",\"" : "\"");
            if (!name.failed) plimsoll_region_put_escaped(text, name.data);
            plimsoll_region_put(text, "\":");
            plimsoll_region_put_bytes(text, equals + 1, PLIMSOLL_REGION_CAST(size_t, last - equals - 1));
            free(name.data);
        }
        pairs = end;
    }
    if (!count) {
        plimsoll_region_put(text, "\"p\":");
        plimsoll_region_put_number(text, PLIMSOLL_REGION_CAST(uint64_t, processes));
    }
    plimsoll_region_put(text, "}");
}

/// %p is the process id, %r the rank, %% a per cent sign.
static inline void plimsoll_region_put_path(struct plimsoll_region_text* text, const char* path) {
    for (; *path; ++path) {
        const char kind = path[0] == '%' ? path[1] : '\0';
        if (kind == 'p' || kind == 'r') {
            plimsoll_region_put_number(
                text, PLIMSOLL_REGION_CAST(uint64_t, kind == 'p' ? getpid() : plimsoll_region_rank()));
        } else {
            plimsoll_region_put_bytes(text, path, 1);
        }
        if (kind == 'p' || kind == 'r' || kind == '%') ++path;
    }
    plimsoll_region_put_bytes(text, "", 1);
}

// ---- trees of several threads as one

/// A call path with what each thread counted on it.
struct plimsoll_region_sum {
    const char* name;
    struct plimsoll_region_sum* child;
    struct plimsoll_region_sum* next;
    uint64_t* counted;  ///< [threads x plimsoll_region_counters], since the last report
};

static inline struct plimsoll_region_sum* plimsoll_region_new_sum(const char* name, size_t threads) {
    struct plimsoll_region_sum* const sum =
        PLIMSOLL_REGION_CAST(struct plimsoll_region_sum*, calloc(1, sizeof(struct plimsoll_region_sum)));
    if (!sum) return NULL;
    sum->name = name;
    sum->counted =
        PLIMSOLL_REGION_CAST(uint64_t*, calloc(threads * plimsoll_region_counters + 1, sizeof(uint64_t)));
    if (sum->counted) return sum;
    free(sum);
    return NULL;
}

static inline void plimsoll_region_free_sum(struct plimsoll_region_sum* sum) {
    while (sum) {
        struct plimsoll_region_sum* const next = sum->next;
        plimsoll_region_free_sum(sum->child);
        free(sum->counted);
        free(sum);
        sum = next;
    }
}

/// Adds a thread's node and all below it. `open` is where the thread is, with `running` ticks not yet
/// counted.
static inline int plimsoll_region_sum_up(struct plimsoll_region_sum* sum, struct plimsoll_region_node* node,
                                         size_t thread, size_t threads,
                                         const struct plimsoll_region_node* open, uint64_t running) {
    for (size_t i = 0; i < plimsoll_region_counters; ++i) {
        uint64_t counted = __atomic_load_n(&node->counted[i], __ATOMIC_RELAXED);
        if (node == open && i == plimsoll_region_ticks) counted += running;
        sum->counted[thread * plimsoll_region_counters + i] += counted - node->reported[i];
        node->reported[i] = counted;
    }
    struct plimsoll_region_node* const newest = __atomic_load_n(&node->newest, __ATOMIC_ACQUIRE);
    struct plimsoll_region_node* child = newest;
    while (child) {
        child = __atomic_load_n(&child->next, __ATOMIC_ACQUIRE);
        struct plimsoll_region_sum** place = &sum->child;
        while (*place && strcmp((*place)->name, child->name) != 0) place = &(*place)->next;
        if (!*place) *place = plimsoll_region_new_sum(child->name, threads);
        if (!*place || plimsoll_region_sum_up(*place, child, thread, threads, open, running)) return 1;
        if (child == newest) break;
    }
    return 0;
}

/// The trees of all threads as one, in the order in which the threads began; null where memory is short. To
/// be called with the lock held.
static inline struct plimsoll_region_sum* plimsoll_region_collect(struct plimsoll_region_state* state,
                                                                  size_t* threads) {
    struct plimsoll_region_thread* const newest = __atomic_load_n(&state->threads, __ATOMIC_ACQUIRE);
    *threads = 0;
    for (struct plimsoll_region_thread* thread = newest; thread; thread = thread->next) ++*threads;
    struct plimsoll_region_sum* const root = plimsoll_region_new_sum("", *threads);
    size_t index = *threads;
    for (struct plimsoll_region_thread* thread = newest; root && thread; thread = thread->next) {
        const struct plimsoll_region_node* const open = __atomic_load_n(&thread->current, __ATOMIC_RELAXED);
        const uint64_t last = __atomic_load_n(&thread->last, __ATOMIC_RELAXED);
        const uint64_t now = plimsoll_region_now(state->by_counter);
        if (plimsoll_region_sum_up(root, &thread->root, --index, *threads, open,
                                   now > last ? now - last : 0)) {
            plimsoll_region_free_sum(root);
            return NULL;
        }
    }
    return root;
}

/// Nanoseconds of a tick, by the time since the first region. Waits until that is a millisecond, so that
/// reading two clocks one after the other makes an error below 0.01 %.
static inline double plimsoll_region_tick_ns(const struct plimsoll_region_state* state) {
    if (!state->by_counter) return 1;
    uint64_t ns = 0;
    uint64_t ticks = 0;
    do {
        ns = plimsoll_region_now_ns() - state->start_ns;
        ticks = plimsoll_region_now(1) - state->start_ticks;
    } while (ns < 1000000);
    return PLIMSOLL_REGION_CAST(double, ns) / PLIMSOLL_REGION_CAST(double, ticks);
}

/// One line; of the threads, those that took part.
static inline void plimsoll_region_put_line(struct plimsoll_region_text* lines, const char* parameters,
                                            const char* path, const struct plimsoll_region_sum* sum,
                                            size_t threads, double tick_ns, int counter) {
    plimsoll_region_put(lines, "{\"params\":");
    plimsoll_region_put(lines, parameters);
    plimsoll_region_put(lines, ",\"region\":\"");
    plimsoll_region_put(lines, path);
    plimsoll_region_put(lines, counter == plimsoll_region_ticks
                                   ? "\",\"metric\":\"time\",\"unit\":\"s\",\"value\":[["
                                   : "\",\"metric\":\"visits\",\"value\":[[");
    int count = 0;
    for (size_t i = 0; i < threads; ++i) {
        const uint64_t* const counted = sum->counted + i * plimsoll_region_counters;
        if (!counted[plimsoll_region_visits] && !counted[plimsoll_region_ticks]) continue;
        if (count++) plimsoll_region_put(lines, ",");
        if (counter == plimsoll_region_ticks)
            plimsoll_region_put_seconds(
                lines,
                PLIMSOLL_REGION_CAST(uint64_t, PLIMSOLL_REGION_CAST(double, counted[counter]) * tick_ns));
        else
            plimsoll_region_put_number(lines, counted[counter]);
    }
    plimsoll_region_put(lines, "]]}\n");
}

/// The lines of all paths below; `path` is the text of this one's, without an end.
static inline void plimsoll_region_put_lines(struct plimsoll_region_text* lines, const char* parameters,
                                             struct plimsoll_region_text* path,
                                             const struct plimsoll_region_sum* parent, size_t threads,
                                             double tick_ns) {
    const size_t size = path->size;
    for (const struct plimsoll_region_sum* sum = parent->child; sum; sum = sum->next) {
        path->size = size;
        if (size) plimsoll_region_put(path, "->");
        plimsoll_region_put_escaped(path, *sum->name ? sum->name : "unnamed");
        const size_t end = path->size;
        plimsoll_region_put_bytes(path, "", 1);
        if (path->failed) {
            lines->failed = 1;
            return;
        }
        uint64_t seen = 0;
        for (size_t i = 0; i < threads; ++i)
            seen |= sum->counted[i * plimsoll_region_counters + plimsoll_region_visits] |
                    sum->counted[i * plimsoll_region_counters + plimsoll_region_ticks];
        if (seen) {
            plimsoll_region_put_line(lines, parameters, path->data, sum, threads, tick_ns,
                                     plimsoll_region_ticks);
            plimsoll_region_put_line(lines, parameters, path->data, sum, threads, tick_ns,
                                     plimsoll_region_visits);
        }
        path->size = end;
        plimsoll_region_put_lines(lines, parameters, path, sum, threads, tick_ns);
    }
    path->size = size;
}

/// Appends to a file by one write, so that processes which end together do not mix their lines.
static inline int plimsoll_region_append(const char* path, const struct plimsoll_region_text* lines) {
    int flags = O_WRONLY | O_CREAT | O_APPEND;
#ifdef O_CLOEXEC
    flags |= O_CLOEXEC;
#endif
    const int file = open(path, flags, 0666);
    if (file < 0) return errno;
    int problem = 0;
    for (size_t done = 0; done < lines->size && !problem;) {
        const ssize_t count = write(file, lines->data + done, lines->size - done);
        if (count >= 0)
            done += PLIMSOLL_REGION_CAST(size_t, count);
        else if (errno != EINTR)
            problem = errno;
    }
    if (close(file) && !problem) problem = errno;
    return problem;
}

// ---- begin and end of the measurement

static inline void plimsoll_region_lock(struct plimsoll_region_state* state) {
    while (__atomic_exchange_n(&state->lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
}

static inline void plimsoll_region_unlock(struct plimsoll_region_state* state) {
    __atomic_store_n(&state->lock, 0, __ATOMIC_RELEASE);
}

/// Values that the program set, else those of the environment; may be null.
static inline const char* plimsoll_region_setting(const char* set, const char* variable) {
    return set ? set : getenv(variable);
}

PLIMSOLL_REGION_SHARED_COLD int plimsoll_region_write(void) {
    struct plimsoll_region_state* const state = &plimsoll_region_shared;
    // A child made by fork() has its parent's values, which its parent writes.
    if (state->mode != plimsoll_region_on || state->process != getpid()) return 0;
    if (state->host && state->host->writes) return 0;
    struct plimsoll_region_text lines = {NULL, 0, 0, 0};
    struct plimsoll_region_text path = {NULL, 0, 0, 0};
    struct plimsoll_region_text parameters = {NULL, 0, 0, 0};
    size_t threads = 0;
    int problem = ENOMEM;
    plimsoll_region_lock(state);
    const double tick_ns = plimsoll_region_tick_ns(state);
    struct plimsoll_region_sum* const root = plimsoll_region_collect(state, &threads);
    plimsoll_region_put_parameters(&parameters,
                                   plimsoll_region_setting(state->parameters, "PLIMSOLL_PARAMETERS"),
                                   plimsoll_region_processes());
    plimsoll_region_put_bytes(&parameters, "", 1);
    if (root && !parameters.failed)
        plimsoll_region_put_lines(&lines, parameters.data, &path, root, threads, tick_ns);
    const char* const target = plimsoll_region_setting(state->path, "PLIMSOLL_REGIONS");
    path.size = 0;
    plimsoll_region_put_path(&path, target ? target : "");
    if (root && !parameters.failed && !lines.failed && !path.failed)
        problem = lines.size && *path.data ? plimsoll_region_append(path.data, &lines) : 0;
    plimsoll_region_unlock(state);
    plimsoll_region_free_sum(root);
    free(lines.data);
    free(path.data);
    free(parameters.data);
    return problem;
}

static void plimsoll_region_at_exit(void) { plimsoll_region_write(); }

/// A thread ends: its tree waits for another one.
static void plimsoll_region_at_thread_end(void* tree) {
    struct plimsoll_region_thread* const thread = PLIMSOLL_REGION_CAST(struct plimsoll_region_thread*, tree);
    thread->too_deep = 0;
    while (thread->current->outer) plimsoll_region_leave(thread);
    plimsoll_region_own = NULL;
    __atomic_store_n(&thread->in_use, 0, __ATOMIC_RELEASE);
}

/// Whether the processor's counter runs evenly on all cores: it says so, and the kernel tells time by it.
static inline int plimsoll_region_counter_is_even(void) {
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    const unsigned power_management = 0x80000007U;
    const unsigned invariant_counter = 1U << 8U;
    if (!__get_cpuid(power_management, &a, &b, &c, &d) || !(d & invariant_counter)) return 0;
    char source[4] = "";
    const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY);
    if (file < 0) return 0;
    const ssize_t size = read(file, source, sizeof source);
    close(file);
    return size == 4 && memcmp(source, "tsc\n", 4) == 0;
#else
    return 0;
#endif
}

/// Decides whether anything is measured. To be called with the lock held.
static inline void plimsoll_region_decide(struct plimsoll_region_state* state) {
    const char* const path = plimsoll_region_setting(state->path, "PLIMSOLL_REGIONS");
    if (!path || !*path) {
        __atomic_store_n(&state->mode, plimsoll_region_off, __ATOMIC_RELEASE);
        return;
    }
    state->process = getpid();
    state->by_counter = plimsoll_region_counter_is_even();
    state->start_ns = plimsoll_region_now_ns();
    state->start_ticks = plimsoll_region_now(state->by_counter);
    state->has_key = plimsoll_region_key_create && plimsoll_region_key_set &&
                     !plimsoll_region_key_create(&state->key, plimsoll_region_at_thread_end);
    struct plimsoll_region_meeting* const meeting =
        plimsoll_region_dlsym ? PLIMSOLL_REGION_CAST(struct plimsoll_region_meeting*,
                                                     plimsoll_region_dlsym(NULL, "plimsoll_region_host"))
                              : NULL;
    if (meeting && meeting->layout == plimsoll_region_layout) {
        state->host = meeting;
        if (meeting->library != state && !meeting->program) {
            meeting->program = state;
            __atomic_store_n(&meeting->this_thread, &plimsoll_region_join, __ATOMIC_RELEASE);
        }
    }
    atexit(plimsoll_region_at_exit);
    __atomic_store_n(&state->mode, plimsoll_region_on, __ATOMIC_RELEASE);
}

PLIMSOLL_REGION_SHARED_COLD struct plimsoll_region_thread* plimsoll_region_join(void) {
    struct plimsoll_region_state* const state = &plimsoll_region_shared;
    if (plimsoll_region_own) return plimsoll_region_own;
    plimsoll_region_lock(state);
    if (state->mode == plimsoll_region_undecided) plimsoll_region_decide(state);
    struct plimsoll_region_thread* thread = NULL;
    if (state->mode == plimsoll_region_on) {
        thread = state->threads;
        while (thread && __atomic_load_n(&thread->in_use, __ATOMIC_ACQUIRE)) thread = thread->next;
        if (!thread) {
            thread = PLIMSOLL_REGION_CAST(struct plimsoll_region_thread*,
                                          plimsoll_region_memory(sizeof(struct plimsoll_region_thread)));
            if (thread) {
                thread->current = &thread->root;
                thread->next = state->threads;
                thread->by_counter = state->by_counter;
                __atomic_store_n(&thread->last, plimsoll_region_now(state->by_counter), __ATOMIC_RELAXED);
                __atomic_store_n(&state->threads, thread, __ATOMIC_RELEASE);
            }
        }
        if (thread) {
            thread->in_use = 1;
            __atomic_store_n(&thread->last, plimsoll_region_now(state->by_counter), __ATOMIC_RELAXED);
            plimsoll_region_own = thread;
            if (state->has_key) plimsoll_region_key_set(state->key, thread);
        }
    }
    plimsoll_region_unlock(state);
    return thread;
}

/// A copy in place of the old one. To be called with the lock held.
static inline void plimsoll_region_replace(char** place, const char* text) {
    const size_t size = strlen(text) + 1;
    char* const copy = PLIMSOLL_REGION_CAST(char*, malloc(size));
    if (!copy) return;
    free(*place);
    *place = PLIMSOLL_REGION_CAST(char*, memcpy(copy, text, size));
}

PLIMSOLL_REGION_SHARED_COLD void plimsoll_region_output(const char* path) {
    struct plimsoll_region_state* const state = &plimsoll_region_shared;
    plimsoll_region_lock(state);
    plimsoll_region_replace(&state->path, path ? path : "");
    if (state->mode == plimsoll_region_off)
        __atomic_store_n(&state->mode, plimsoll_region_undecided, __ATOMIC_RELEASE);
    plimsoll_region_unlock(state);
}

PLIMSOLL_REGION_SHARED_COLD void plimsoll_region_parameters(const char* parameters) {
    struct plimsoll_region_state* const state = &plimsoll_region_shared;
    plimsoll_region_lock(state);
    plimsoll_region_replace(&state->parameters, parameters ? parameters : "");
    plimsoll_region_unlock(state);
}

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming,readability-non-const-parameter)
// NOLINTEND(misc-definitions-in-headers,modernize-deprecated-headers,modernize-redundant-void-arg,modernize-use-nullptr)
