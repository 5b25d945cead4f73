// What classes are called in a profile, also those that have been unloaded: by their names, and where several classes have one name, also by
// their loaders: "demo/Plugin@URLClassLoader#2". The number tells loaders of one name apart; they are numbered in the order in which
// they defined the first such class. Classes of the boot loader have their names alone.
//
// Names of hidden classes have a number that differs from run to run. They are called by the place that made them instead
// (vm/jvm/hiddenplace.h), "Main$$Lambda+main:12", and where the place alone does not say which class it is, by a hash of the class as
// well: "LambdaForm$MH+5b1c07d2". What still has one name and one loader is numbered in the order of definition, from the second on:
// "Plug+make:7-0fe52a91~2".
#ifndef CABERNET_VM_CLASSLABELS_H
#define CABERNET_VM_CLASSLABELS_H

#include "vm/model/class.h"

// A class as labels see it, also when it has been unloaded.
typedef struct LabelledClass {
    uint32_t id;              // in the order of definition
    const char *name;         // in internal form; of hidden classes classlabels_base
    uint32_t loader;          // its serial; 0: classes of it are not told apart by their loader
    const char *loader_label;
    bool hidden;              // or an array: it comes from no file
} LabelledClass;

// The name from which a class's label is made, malloc'd; NULL: it is that of the class, or memory is out. Reads the class alone.
char *classlabels_base(const Class *c);
// The facts of a class that is loaded; `base` is what classlabels_base gave, and must last as long as *out.
LabelledClass classlabels_facts(const Class *c, const char *base);

// Looks for names that several classes have. Threads stand still, or this is the copy of a crashed process; malloc only.
// Without memory there are no labels but names.
void classlabels_make(void);

// By class id. In internal form, modified UTF-8; stays until the next classlabels_make. Classes made since then have their names: `name`.
const char *classlabels_of(uint32_t id, const char *name);
// The id of the class that is called so; 0: none, or it comes from no file. As of the last classlabels_make.
uint32_t classlabels_find(const char *label);

#endif
