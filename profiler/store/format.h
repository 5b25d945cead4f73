// The byte format of profile files, shared by the writer (in the VM) and the reader (in cabernet-prof). docs/FORMATS.md
// describes it. Numbers are little-endian; a varint is LEB128.
#ifndef CABERNET_PROFILER_STORE_FORMAT_H
#define CABERNET_PROFILER_STORE_FORMAT_H

#include <stdint.h>

#define FORMAT_MAGIC "cabprof\n"
// Version 4 has no TIME, version 3 no CLSS either.
enum { FORMAT_VERSION = 5, FORMAT_WITHOUT_TIMES = 4, FORMAT_WITHOUT_CLASSES = 3, FORMAT_HEADER = 16 };

// Chunk header, 32 bytes: type (4 characters), flags u32, stored length u64, length u64,
// CRC-32 of the stored payload u32, CRC-32 of the 28 bytes before u32.
enum { FORMAT_CHUNK_HEADER = 32 };
enum { FORMAT_DEFLATED = 1 };  // flags: the payload is a zlib stream

// Chunks in the order of the file. DATA repeats; the others occur once, TIME at most once.
#define FORMAT_CHUNKS(X) X(META) X(STRS) X(METH) X(FLDS) X(CLSS) X(THRD) X(ANLS) X(SECT) X(DATA) X(TIME) X(DONE)

// THRD flags.
enum { FORMAT_THREAD_SERVICE = 1, FORMAT_THREAD_ENDED = 2, FORMAT_THREAD_FOLDED = 4 };
// METH and FLDS flags above the 16 of the class file. APPLICATION: not of the class library.
enum { FORMAT_METHOD_PSEUDO = 0x10000, FORMAT_METHOD_UNKNOWN = 0x20000, FORMAT_METHOD_APPLICATION = 0x40000 };
// Column kinds in ANLS. SIGNED is zigzag-coded; -1 means none.
enum {
    FORMAT_COLUMN_METHOD = 1,
    FORMAT_COLUMN_SIGNED = 2,
    FORMAT_COLUMN_NUMBER = 3,
    FORMAT_COLUMN_FIELD = 4,
    FORMAT_COLUMN_WORD = 5,
    FORMAT_COLUMN_NODE = 6,
    FORMAT_COLUMN_LAST = FORMAT_COLUMN_NODE
};
enum { FORMAT_MAX_COLUMNS = 12 };

static inline uint64_t format_zigzag(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }
static inline int64_t format_unzigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

#endif
