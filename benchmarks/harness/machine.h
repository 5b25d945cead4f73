// What is worth knowing of the machine that measured.
#ifndef CABERNET_BENCHMARKS_MACHINE_H
#define CABERNET_BENCHMARKS_MACHINE_H

#include <jansson.h>

#include "benchmarks/harness/campaign.h"

// Name, processor, memory, kernel, load, frequency governor, and what each configuration says about its version. Runs every
// configuration with -version. The caller owns the object; "id" in it names the machine in records.
json_t *machine_describe(const Campaign *c);

#endif
