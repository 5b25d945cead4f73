// See vm/model/barrier.h.
#include "vm/model/barrier.h"

BarrierState barrier;

const BarrierPlace barrier_places[BARRIER_SITES] = {
#define BARRIER(name, tier, kind) {#name, #tier, #kind},
#include "vm/model/barriers.def"
};
