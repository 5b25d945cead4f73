// Facts about the measuring machine.
#ifndef CABERNET_BENCHMARKS_HARNESS_MACHINE_H
#define CABERNET_BENCHMARKS_HARNESS_MACHINE_H

#include <jansson.h>

#include "benchmarks/harness/campaign.h"

// Name, processor, memory, kernel, load, frequency governor, and each configuration's version text. Runs every
// configuration with -version. The caller owns the object; its "id" names the machine in records.
json_t *machine_describe(const Campaign *c);

#endif
