// jio_*: formatted output for the JDK's libraries.
#include "vm/jvm/jvm.h"

#include <string.h>

#include "vm/model/vm.h"

// -1 when the text was truncated (it is terminated nevertheless).
EXPORT int jio_vsnprintf(char *buf, size_t size, const char *format, va_list args) {
    if (size == 0 || size > INT32_MAX) return -1;
    int n = vsnprintf(buf, size, format, args);
    if (n < 0) buf[0] = '\0';
    return n < 0 || (size_t)n >= size ? -1 : n;
}

EXPORT int jio_snprintf(char *buf, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = jio_vsnprintf(buf, size, format, args);
    va_end(args);
    return n;
}

EXPORT int jio_vfprintf(FILE *file, const char *format, va_list args) {
    if (vm.options.vfprintf_hook) return vm.options.vfprintf_hook(file, format, args);
    return vfprintf(file, format, args);
}

EXPORT int jio_fprintf(FILE *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = jio_vfprintf(file, format, args);
    va_end(args);
    return n;
}
