// The elements of -Xbootclasspath/a: directories and archives that the boot loader searches for classes outside its
// modules. Archives are read with the JDK's libzip. Classes of the package cabernet, which come with the VM (java/),
// are searched after all of them.
#ifndef CABERNET_VM_LOADING_BOOTPATH_H
#define CABERNET_VM_LOADING_BOOTPATH_H

#include "vm/base/arena.h"
#include "vm/model/class.h"

// Bytes of class `name`, allocated from `arena`, or NULL if no element has it. *source names the element (static).
// Elements that cannot be opened are skipped. Any thread; does not access the Java heap, may wait for the disk.
uint8_t *bootpath_read(Arena *arena, const Symbol *name, size_t *size, const char **source);

#endif
