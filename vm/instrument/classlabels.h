// What classes are called in a profile: by their names, and where several classes have one name, also by their loaders:
// "demo/Plugin@URLClassLoader#2". The number tells loaders of one name apart; they are numbered in the order in which
// they defined the first such class. Classes of the boot loader have their names alone.
#ifndef CABERNET_VM_CLASSLABELS_H
#define CABERNET_VM_CLASSLABELS_H

#include "vm/model/class.h"

// Looks for names that several classes have. Threads stand still, or this is the copy of a crashed process; malloc only.
// Without memory there are no labels but names.
void classlabels_make(void);

// In internal form, modified UTF-8; stays until the next classlabels_make. Classes made since then have their names.
const char *classlabels_of(const Class *c);

#endif
