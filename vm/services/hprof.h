// Writing a file in the HPROF binary format 1.0.2 with 64-bit identifiers, which Eclipse MAT and VisualVM read.
//
// The file is written under a temporary name in the same directory and renamed when it is complete, so no incomplete
// file ever has the final name. The first error is kept: everything after it has no effect, and hprof_close reports it.
//
// A file is a sequence of records: tag, time, length, contents. Objects, classes and roots are parts of heap dump
// segments, records whose length is known only at their end. A segment is therefore built in the buffer. A part that is
// larger than the buffer becomes a separate segment, whose length is known.
//
// One thread at a time uses a file. No function allocates Java objects or throws; all but hprof_open write to the disk
// and may block.
#ifndef CABERNET_VM_SERVICES_HPROF_H
#define CABERNET_VM_SERVICES_HPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HPROF_BUFFER = 1 << 20, HPROF_ERROR = 160, HPROF_ID = 8 /* bytes of an identifier */ };

typedef enum HprofTag {
    HPROF_UTF8 = 0x01,
    HPROF_LOAD_CLASS = 0x02,
    HPROF_FRAME = 0x04,
    HPROF_TRACE = 0x05,
    HPROF_SEGMENT = 0x1c,
    HPROF_END = 0x2c,
} HprofTag;

typedef enum HprofPart {
    HPROF_ROOT_JNI_GLOBAL = 0x01,
    HPROF_ROOT_JNI_LOCAL = 0x02,
    HPROF_ROOT_FRAME = 0x03,
    HPROF_ROOT_C_STACK = 0x04,
    HPROF_ROOT_CLASS = 0x05,
    HPROF_ROOT_MONITOR = 0x07,
    HPROF_ROOT_THREAD = 0x08,
    HPROF_CLASS = 0x20,
    HPROF_INSTANCE = 0x21,
    HPROF_OBJECTS = 0x22,
    HPROF_PRIMITIVES = 0x23,
    HPROF_ROOT_UNKNOWN = 0xff,
} HprofPart;

typedef struct Hprof {
    char *path, *temporary;  // final name; name until the file is complete
    int fd;
    bool overwrite;
    struct z_stream_s *deflater;  // NULL: not compressed
    uint8_t *buffer, *packed;     // contents not yet written; compressed output
    size_t used;                  // bytes in the buffer
    size_t segment;               // offset in the buffer of the open segment; SIZE_MAX: none is open
    uint64_t bytes;               // written to the disk
    char error[HPROF_ERROR];      // reason of the first failure; "": none
} Hprof;

// Creates the file and writes its head. `level`: 0, or of gzip's compression, 1 to 9. Without `overwrite` the file must
// not exist. False: hprof_close must be called all the same.
bool hprof_open(Hprof *h, const char *path, int level, bool overwrite);
// Completes and renames the file, or removes it after an error; frees all memory. False: h->error has the reason. Then
// h->bytes is valid.
bool hprof_close(Hprof *h);

void hprof_fail(Hprof *h, const char *reason);
static inline bool hprof_failed(const Hprof *h) { return h->error[0] != '\0'; }

// Begins a record with `length` bytes of contents, which must follow.
void hprof_record(Hprof *h, HprofTag tag, uint32_t length);
// Begins a part of a heap dump, with `length` bytes after its tag, which must follow.
void hprof_part(Hprof *h, HprofPart tag, uint32_t length);

// Writes the buffer, which then is empty. No segment may be open.
void hprof_flush(Hprof *h);

// The place of the next n bytes, at most HPROF_BUFFER.
static inline uint8_t *hprof_room(Hprof *h, size_t n) {
    if (h->used + n > HPROF_BUFFER) hprof_flush(h);
    uint8_t *at = h->buffer + h->used;
    h->used += n;
    return at;
}

// Numbers, in big-endian order.
static inline void hprof_u1(Hprof *h, uint8_t v) { *hprof_room(h, 1) = v; }
static inline void hprof_u2(Hprof *h, uint16_t v) {
    v = __builtin_bswap16(v);
    memcpy(hprof_room(h, sizeof v), &v, sizeof v);
}
static inline void hprof_u4(Hprof *h, uint32_t v) {
    v = __builtin_bswap32(v);
    memcpy(hprof_room(h, sizeof v), &v, sizeof v);
}
static inline void hprof_u8(Hprof *h, uint64_t v) {
    v = __builtin_bswap64(v);
    memcpy(hprof_room(h, sizeof v), &v, sizeof v);
}
static inline void hprof_id(Hprof *h, const void *object) { hprof_u8(h, (uintptr_t)object); }
void hprof_bytes(Hprof *h, const void *from, size_t n);

#endif
