// The native side of cabernet.Profile (java/cabernet/Profile.java).
#ifndef CABERNET_VM_JVM_PROFILEAPI_H
#define CABERNET_VM_JVM_PROFILEAPI_H

#include "vm/model/class.h"

// The function of native method m if m belongs to cabernet.Profile, else NULL.
void *profileapi_native(const Method *m);

#endif
