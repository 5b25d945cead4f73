// Private to the linker and resolution.
#ifndef CABERNET_VM_LINKING_LINK_INTERNAL_H
#define CABERNET_VM_LINKING_LINK_INTERNAL_H

#include <pthread.h>

#include "vm/loading/loader.h"
#include "vm/threads/lock.h"

// The locks of linking. No Java code or loading runs while one is held; a thread that waits for one of the first two is
// at a safepoint.
typedef struct Linking {
    Lock linking;             // linking states of all classes (link.c)
    Lock initialization;      // initialisation states (classinit.c)
    pthread_mutex_t publish;  // publication of resolution results (resolve.c)
    pthread_mutex_t slots;    // chunks of resolved references (constants.c)
} Linking;
extern Linking linking;  // link.c

// Do two loaders agree on all classes named in a method descriptor (JVMS 5.3.4)? Records the constraints. False: *bad
// is the class on which they disagree.
bool link_constrain_method(Loader *a, Loader *b, const Symbol *desc, Symbol **bad);

#endif
