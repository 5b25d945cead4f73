/*
 * Modified UTF-8 (JVMS 4.4.7): NUL as C0 80, supplementary characters as two three-byte surrogates,
 * never four-byte forms. Conversions to and from UTF-16 and Latin-1. Pure functions, any thread, no
 * allocation; buffers and capacities are the caller's.
 *
 * Functions that read mutf8 never read past `len`. On malformed input (possible only for bytes that
 * mutf8_valid() rejects) each bad byte counts as one char with its value.
 */
#ifndef CABERNET_BYTECODE_CLASSFILE_MUTF8_H
#define CABERNET_BYTECODE_CLASSFILE_MUTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Valid as a class-file utf8 constant? `overlong_ok`: as in class files up to version 47, overlong forms pass. */
bool mutf8_valid(const uint8_t *s, size_t len, bool overlong_ok);

/*
 * Number of UTF-16 chars in s. *latin1 (may be NULL): are all of them below 256? *ascii: are all in
 * 1..127 (then the bytes are the chars)?
 */
size_t mutf8_length(const uint8_t *s, size_t len, bool *latin1, bool *ascii);

/* Decodes into out, which has room for mutf8_length() units. Returns the number written. */
size_t mutf8_to_utf16(const uint8_t *s, size_t len, uint16_t *out);
/* The same for input whose chars are all below 256 (others are truncated to 8 bits). */
size_t mutf8_to_latin1(const uint8_t *s, size_t len, uint8_t *out);

/* Bytes that the encoded form needs. */
size_t mutf8_size_utf16(const uint16_t *s, size_t len);
size_t mutf8_size_latin1(const uint8_t *s, size_t len);

/* Encodes into out, which has room for mutf8_size_*() bytes; writes no terminator. Returns bytes.
 */
size_t mutf8_from_utf16(const uint16_t *s, size_t len, uint8_t *out);
size_t mutf8_from_latin1(const uint8_t *s, size_t len, uint8_t *out);

/*
 * Modified UTF-8 to standard UTF-8, for messages and reports: surrogate pairs become one four-byte
 * character, lone surrogates and NUL become '?'. Writes at most cap-1 bytes, never part of a
 * character, and a terminator. Returns the bytes written without the terminator.
 */
size_t mutf8_to_utf8(const uint8_t *s, size_t len, char *out, size_t cap);

#endif
