// Includes the collector library with its thread functions declared, but without the macros that turn pthread_create
// into registration.
#ifndef CABERNET_GC_HEAP_LIBRARY_H
#define CABERNET_GC_HEAP_LIBRARY_H

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_inline.h>
#include <gc/gc_mark.h>

#endif
