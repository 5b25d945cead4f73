// VM options from the environment.
#ifndef CABERNET_VM_BASE_ENVOPTIONS_H
#define CABERNET_VM_BASE_ENVOPTIONS_H

#include <stdbool.h>

// A list of options. extras[i] is the extra of option i, or NULL.
typedef struct OptionList {
    char **strings;
    void **extras;
    int count, capacity, extra_capacity;
} OptionList;

// Appends the words of environment variable `name`, and reports that on stderr. Words end at white space; quotes of
// either kind protect it and are removed. Ignored for a program that runs with more privileges than its user. False
// with a message when a quote is not closed or when out of memory.
bool envoptions_append(OptionList *list, const char *name);

// Appends the words of a file, split in the same manner. False with a message when it cannot be read.
bool envoptions_append_file(OptionList *list, const char *path);

// Appends one option; the string is borrowed. False when out of memory.
bool envoptions_add(OptionList *list, char *string, void *extra);

#endif
