// Private to the linker and resolution.
#ifndef CABERNET_VM_LINK_INTERNAL_H
#define CABERNET_VM_LINK_INTERNAL_H

#include "vm/loading/loader.h"

// Do two loaders agree on all classes named in a method descriptor (JVMS 5.3.4)? Records that they
// must. False: *bad is the class they disagree on.
bool link_constrain_method(Loader *a, Loader *b, const Symbol *desc, Symbol **bad);

#endif
