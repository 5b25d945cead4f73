// One ring: its queue, its further readers and its place in the list.
#include "profiler/ring/transport_internal.h"

#include <stdlib.h>
#include <string.h>

enum { FULL_SIZED = 64 };  // rings of the requested size

static RingPart part_of(uint32_t reader) {
    const TransportRequest *r = transports.request;
    return (RingPart){(unsigned)__builtin_ctz(r->line), r->shards, reader};
}

// The more threads there are, the smaller is the ring of the next one, unless its size is part of compiled code.
static bool begin_queue(Ring *r, uint64_t **next) {
    const TransportRequest *request = transports.request;
    uint64_t chunks = request->buffer / request->chunk, bytes = request->chunk;
    pthread_mutex_lock(&transports.lock);
    uint32_t live = request->kind == RING_NWAY || request->kind == RING_LAMPORT ? 0 : transports.live;
    pthread_mutex_unlock(&transports.lock);
    for (uint32_t n = live / FULL_SIZED; n > 0 && bytes / 2 >= transport_least_chunk(); n /= 2) bytes /= 2;
    size_t chunk = bytes / sizeof(uint64_t);
    if (!queue_init(&r->queue, request->kind, chunks * chunk, chunk, next)) return false;
    if (request->sampled) ringsamples_begin(&r->samples, &r->queue.cab, request->rate, request->lines, (uintptr_t)r);
    if (!reader_count()) return true;
    size_t bytes_of_readers = reader_count() * sizeof *r->readers;
    r->readers = aligned_alloc(_Alignof(Reader), bytes_of_readers);
    if (!r->readers) return false;
    memset(r->readers, 0, bytes_of_readers);
    r->part = part_of(0);
    for
        EACH_READER(reader, r)
    follower_begin(&reader->follower, &r->queue.cab, part_of((uint32_t)(reader - r->readers) + 1), &r->cleared);
    return true;
}

void ring_free(Ring *r) {
    if (!r) return;
    ringsamples_end(&r->samples);
    queue_free(&r->queue);
    free(r->readers);
    free(r);
}

Ring *ring_new(uint64_t **next) {
    Ring *r = aligned_alloc(_Alignof(Ring), sizeof *r);
    if (!r) return NULL;
    memset(r, 0, sizeof *r);
    r->analysing = EVENT_COUNT;
    if (begin_queue(r, next)) return r;
    ring_free(r);
    return NULL;
}

void ring_list(Ring *r) {
    transports.live++;
    r->before = transports.last;
    *(r->before ? &r->before->link : &transports.first) = r;
    transports.last = r;
}

void ring_unlist(Ring *r) {
    transports.live--;
    *(r->before ? &r->before->link : &transports.first) = r->link;
    *(r->link ? &r->link->before : &transports.last) = r->before;
}
