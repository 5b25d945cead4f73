// The build id that the linker stores in a library or program (note NT_GNU_BUILD_ID). Equal ids mean that both were
// linked from the same objects.
#ifndef CABERNET_BASE_BUILDID_H
#define CABERNET_BASE_BUILDID_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BUILD_ID_DIGITS = 40 };  // of SHA-1

typedef struct BuildId {
    uintptr_t within;  // an address in the library
    char digits[BUILD_ID_DIGITS + 1];
} BuildId;

// Reads the notes of one segment: each has a header, a name and a value, the latter two padded to four bytes.
static inline void buildid_read(BuildId *id, const char *at, const char *end) {
    ElfW(Nhdr) head;
    while (end - at >= (ptrdiff_t)sizeof head) {
        memcpy(&head, at, sizeof head);
        const char *name = at + sizeof head, *value = name + ((head.n_namesz + 3) & ~3u);
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            for (uint32_t i = 0; i < head.n_descsz && 2 * i < BUILD_ID_DIGITS; i++)
                snprintf(&id->digits[2 * i], 3, "%02x", (uint8_t)value[i]);
            return;
        }
        at = value + ((head.n_descsz + 3) & ~3u);
    }
}

static inline int buildid_visit(struct dl_phdr_info *info, size_t size, void *arg) {
    BuildId *id = arg;
    (void)size;
    bool within = false;
    for (int i = 0; i < info->dlpi_phnum && !within; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        within = p->p_type == PT_LOAD && id->within - info->dlpi_addr - p->p_vaddr < p->p_memsz;
    }
    for (int i = 0; i < info->dlpi_phnum && within; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + p->p_vaddr);
        if (p->p_type == PT_NOTE && p->p_align <= 4) buildid_read(id, at, at + p->p_memsz);
    }
    return within;
}

// The build id of the library or program that contains this address: 40 hexadecimal digits, "0" if it was linked
// without one. Any thread; takes the dynamic linker's lock.
static inline BuildId buildid_of(const void *address) {
    BuildId id = {.within = (uintptr_t)address, .digits = "0"};
    dl_iterate_phdr(buildid_visit, &id);
    return id;
}

#endif
