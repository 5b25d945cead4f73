/*
 * Modified UTF-8 conversions. Pure functions; every reader advances by at least one byte and never
 * past the end, whatever the bytes. JVMS 4.4.7.
 */
#include "bytecode/classfile/mutf8.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)

static bool is_tail(uint8_t b) { return (b & 0xc0) == 0x80; }

static size_t ascii_prefix(const uint8_t *s, size_t len) {
    size_t i = 0;
    while (i + 8 <= len) {
        uint64_t w;
        memcpy(&w, s + i, 8);
        /* A byte has its top bit set, or else some byte is zero. */
        if ((w & HIGH_BITS) != 0 || ((w - UINT64_C(0x0101010101010101)) & HIGH_BITS) != 0) break;
        i += 8;
    }
    while (i < len && s[i] != 0 && s[i] < 0x80) i++;
    return i;
}

/* Decodes one char at s[0], len > 0. Returns bytes used; a bad byte decodes to itself. */
static size_t decode(const uint8_t *s, size_t len, uint16_t *out) {
    uint8_t b = s[0];
    if ((b & 0xe0) == 0xc0 && len >= 2 && is_tail(s[1])) {
        *out = (uint16_t)((b & 0x1f) << 6 | (s[1] & 0x3f));
        return 2;
    }
    if ((b & 0xf0) == 0xe0 && len >= 3 && is_tail(s[1]) && is_tail(s[2])) {
        *out = (uint16_t)((b & 0x0f) << 12 | (s[1] & 0x3f) << 6 | (s[2] & 0x3f));
        return 3;
    }
    *out = b;
    return 1;
}

bool mutf8_valid(const uint8_t *s, size_t len, bool overlong_ok) {
    size_t i = 0;
    while ((i += ascii_prefix(s + i, len - i)) < len) {
        uint8_t b = s[i];
        size_t n = (b & 0xe0) == 0xc0 ? 2 : (b & 0xf0) == 0xe0 ? 3 : 0;
        if (n == 0 || len - i < n || !is_tail(s[i + 1]) || (n == 3 && !is_tail(s[i + 2]))) return false;
        uint16_t c;
        decode(s + i, n, &c);
        /* An overlong form, unless it is that of NUL, which has no other. */
        if (!overlong_ok && c < (n == 2 ? 0x80 : 0x800) && !(c == 0 && n == 2)) return false;
        i += n;
    }
    return true;
}

size_t mutf8_length(const uint8_t *s, size_t len, bool *latin1, bool *ascii) {
    size_t chars = 0, i = 0;
    uint16_t all = 0;
    bool plain = true;
    while (i < len) {
        size_t n = ascii_prefix(s + i, len - i);
        chars += n;
        i += n;
        if (i == len) break;
        uint16_t c;
        i += decode(s + i, len - i, &c);
        all |= c;
        chars++;
        plain = false;
    }
    if (latin1) *latin1 = all < 0x100;
    if (ascii) *ascii = plain;
    return chars;
}

size_t mutf8_to_utf16(const uint8_t *s, size_t len, uint16_t *out) {
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        if (s[i] < 0x80) out[n++] = s[i++];
        else i += decode(s + i, len - i, &out[n++]);
    }
    return n;
}

size_t mutf8_to_latin1(const uint8_t *s, size_t len, uint8_t *out) {
    size_t n = ascii_prefix(s, len);
    memcpy(out, s, n);
    for (size_t i = n; i < len;) {
        uint16_t c;
        i += decode(s + i, len - i, &c);
        out[n++] = (uint8_t)c;
    }
    return n;
}

static size_t char_size(uint16_t c) { return c != 0 && c < 0x80 ? 1 : c < 0x800 ? 2 : 3; }

static uint8_t *encode(uint16_t c, uint8_t *p) {
    switch (char_size(c)) {
        case 1: *p++ = (uint8_t)c; break;
        case 2:
            *p++ = (uint8_t)(0xc0 | c >> 6);
            *p++ = (uint8_t)(0x80 | (c & 0x3f));
            break;
        default:
            *p++ = (uint8_t)(0xe0 | c >> 12);
            *p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
            *p++ = (uint8_t)(0x80 | (c & 0x3f));
    }
    return p;
}

size_t mutf8_size_utf16(const uint16_t *s, size_t len) {
    size_t n = 0;
    for (size_t i = 0; i < len; i++) n += char_size(s[i]);
    return n;
}

size_t mutf8_size_latin1(const uint8_t *s, size_t len) {
    size_t n = len;
    for (size_t i = 0; i < len; i++) n += s[i] == 0 || s[i] >= 0x80;
    return n;
}

size_t mutf8_from_utf16(const uint16_t *s, size_t len, uint8_t *out) {
    uint8_t *p = out;
    for (size_t i = 0; i < len; i++) p = encode(s[i], p);
    return (size_t)(p - out);
}

size_t mutf8_from_latin1(const uint8_t *s, size_t len, uint8_t *out) {
    uint8_t *p = out;
    for (size_t i = 0; i < len; i++) p = encode(s[i], p);
    return (size_t)(p - out);
}

static size_t put_utf8(uint32_t c, uint8_t *b) {
    if (c < 0x80) {
        b[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x10000) return (size_t)(encode((uint16_t)c, b) - b);
    b[0] = (uint8_t)(0xf0 | c >> 18);
    b[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
    b[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    b[3] = (uint8_t)(0x80 | (c & 0x3f));
    return 4;
}

size_t mutf8_to_utf8(const uint8_t *s, size_t len, char *out, size_t cap) {
    size_t n = 0;
    if (cap == 0) return 0;
    for (size_t i = 0; i < len;) {
        uint16_t c, low;
        i += decode(s + i, len - i, &c);
        uint32_t full = c;
        if ((c & 0xfc00) == 0xd800 && i < len) { /* a high surrogate, which a low one may follow */
            size_t used = decode(s + i, len - i, &low);
            if ((low & 0xfc00) == 0xdc00) {
                full = 0x10000 + ((uint32_t)(c & 0x3ff) << 10) + (low & 0x3ff);
                i += used;
            }
        }
        if (full == 0 || (full & 0xfffff800) == 0xd800) full = '?';
        uint8_t b[4];
        size_t k = put_utf8(full, b);
        if (n + k >= cap) break;
        memcpy(out + n, b, k);
        n += k;
    }
    out[n] = '\0';
    return n;
}
