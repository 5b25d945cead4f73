// Field order from a profile (prof_layout.h). Greedy, after Chilimbi, Davidson and Larus (PLDI 1999), whose field
// reordering also weighs pairs by their distance.
#include "profiler/tool/advise/prof_layout.h"

#include <stdbool.h>

enum { CACHE_LINE = 64, COLD = 100 };

static double score(const LayoutUse *fields, const uint64_t *together, size_t count, const size_t *order, size_t placed,
                    size_t field) {
    double sum = (double)fields[field].accesses;
    uint32_t distance = 0;
    for (size_t i = placed; i-- > 0 && distance < CACHE_LINE;) {
        distance += fields[order[i]].bytes;
        if (distance >= CACHE_LINE) break;
        sum += (double)together[field * count + order[i]] * (CACHE_LINE - distance) / CACHE_LINE;
    }
    return sum;
}

size_t prof_layout_order(const LayoutUse *fields, const uint64_t *together, size_t count, size_t *order) {
    uint64_t most = 0;
    size_t placed = 0;
    for (size_t i = 0; i < count; i++)
        if (fields[i].accesses > most) most = fields[i].accesses;
    for (;; placed++) {
        size_t best = count;
        double best_score = 0;
        for (size_t i = 0; i < count; i++) {
            size_t at = 0;
            while (at < placed && order[at] != i) at++;
            if (!fields[i].accesses || fields[i].accesses < most / COLD || at < placed) continue;
            double s = score(fields, together, count, order, placed, i);
            if (best < count && s <= best_score) continue;
            best = i;
            best_score = s;
        }
        if (best == count) return placed;
        order[placed] = best;
    }
}
