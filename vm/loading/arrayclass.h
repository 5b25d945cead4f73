// Array classes (JVMS 5.3.3), made on demand.
#ifndef CABERNET_VM_LOADING_ARRAYCLASS_H
#define CABERNET_VM_LOADING_ARRAYCLASS_H

#include "vm/model/class.h"

// Array class of `c`. NULL with an exception pending if out of memory or dims > 255.
Class *class_array_of(Thread *self, Class *c);

#endif
