// Frequencies of blocks (jit/analysis/frequency.c): by weights, by guesses, in loops. Any graph has finite results.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "jit/analysis/frequency.h"

enum { MOST = 64, UNKNOWN = -1 };

typedef struct Edge {
    uint32_t from, to;
    int weight;
} Edge;

// The edges must be in the order of their source blocks.
static void estimate(uint32_t blocks, const Edge *edges, uint32_t count, const bool *rare, double *out) {
    uint32_t first[MOST + 1] = {0}, target[4 * MOST], weight[4 * MOST];
    static const bool none[MOST];
    for (uint32_t i = 0; i < count; i++) {
        first[edges[i].from + 1] = i + 1;
        target[i] = edges[i].to;
        weight[i] = edges[i].weight < 0 ? FREQUENCY_UNKNOWN : (uint32_t)edges[i].weight;
    }
    for (uint32_t b = 0; b < blocks; b++)
        if (first[b + 1] < first[b]) first[b + 1] = first[b];
    frequency_estimate(&(FrequencyGraph){blocks, first, target, weight, rare ? rare : none}, out);
}

#define ESTIMATE(blocks, rare, out, ...) \
    estimate(blocks, (const Edge[]){__VA_ARGS__}, sizeof((const Edge[]){__VA_ARGS__}) / sizeof(Edge), rare, out)

static void is_about(double value, double expected) {
    if (fabs(value - expected) > 1e-6 * expected) fail_msg("%g where %g was expected", value, expected);
}

static void by_weights(void **state) {
    (void)state;
    double f[4];
    ESTIMATE(4, NULL, f, {0, 1, 3}, {0, 2, 1}, {1, 3, UNKNOWN}, {2, 3, UNKNOWN});
    is_about(f[0], 1);
    is_about(f[1], 0.75);
    is_about(f[2], 0.25);
    is_about(f[3], 1);
}

static void equal_unless_rare(void **state) {
    (void)state;
    double f[5];
    const bool rare[5] = {[4] = true};
    ESTIMATE(4, NULL, f, {0, 1, UNKNOWN}, {0, 2, UNKNOWN}, {1, 3, UNKNOWN}, {2, 3, UNKNOWN});
    is_about(f[1], 0.5);
    // Block 2 leads only to the rare block.
    ESTIMATE(5, rare, f, {0, 1, UNKNOWN}, {0, 2, UNKNOWN}, {1, 3, UNKNOWN}, {2, 4, UNKNOWN});
    assert_true(f[1] > 0.999 && f[2] < 0.001);
    is_about(f[4], f[2]);
}

// The code after a loop runs as often as the code before it.
static void loops(void **state) {
    (void)state;
    double f[6];
    ESTIMATE(3, NULL, f, {0, 1, UNKNOWN}, {1, 1, 499}, {1, 2, 1});
    is_about(f[1], 500);
    is_about(f[2], 1);
    ESTIMATE(4, NULL, f, {0, 1, UNKNOWN}, {1, 2, UNKNOWN}, {1, 3, UNKNOWN}, {2, 1, UNKNOWN});
    is_about(f[1], 32);
    is_about(f[2], 31);
    is_about(f[3], 1);
    // A loop in another: 10 times 20 iterations.
    ESTIMATE(5, NULL, f, {0, 1, UNKNOWN}, {1, 2, UNKNOWN}, {2, 2, 19}, {2, 3, 1}, {3, 1, 9}, {3, 4, 1});
    is_about(f[1], 10);
    is_about(f[2], 200);
    is_about(f[3], 10);
    is_about(f[4], 1);
    // An endless loop.
    ESTIMATE(2, NULL, f, {0, 1, UNKNOWN}, {1, 1, UNKNOWN});
    is_about(f[1], FREQUENCY_MOST);
}

static void any_graph(void **state) {
    (void)state;
    double f[MOST];
    for (unsigned seed = 0; seed < 2000; seed++) {
        Edge edges[4 * MOST];
        uint32_t blocks = 2 + seed % (MOST - 2), count = 0;
        srand(seed);
        for (uint32_t b = 0; b < blocks; b++) {
            int known = rand() % 2;
            if (b + 1 < blocks) edges[count++] = (Edge){b, b + 1, known ? rand() % 100 : UNKNOWN};
            for (int i = rand() % 3; i > 0; i--)
                edges[count++] = (Edge){b, (uint32_t)rand() % blocks, known && b + 1 < blocks ? rand() % 100 : UNKNOWN};
        }
        estimate(blocks, edges, count, NULL, f);
        for (uint32_t b = 0; b < blocks; b++)
            if (!(f[b] >= 0 && isfinite(f[b]))) fail_msg("seed %u: block %u runs %g times", seed, b, f[b]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_weights),
        cmocka_unit_test(equal_unless_rare),
        cmocka_unit_test(loops),
        cmocka_unit_test(any_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
