// The resources of the machine that this process may use.
#ifndef CABERNET_VM_BASE_CONTAINER_H
#define CABERNET_VM_BASE_CONTAINER_H

#include <stdint.h>

// Processors in the affinity mask, or fewer if the control group limits CPU time (version 1 or 2; quota over period,
// rounded up). At least 1. Any thread; no Java objects. Reads files at most every 20 ms.
int container_processors(void);

// Bytes of memory of the machine, regardless of limits. Any thread.
int64_t container_machine_memory(void);

// Bytes of memory that the control group (version 1 or 2) allows; 0: no limit known. Any thread.
int64_t container_memory(void);

#endif
