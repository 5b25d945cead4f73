// See jit/backend/objectcache.h.
#include "jit/backend/objectcache.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/BitWriter.h>

#include "base/buildid.h"
#include "jit/backend/backend.h"
#include "jit/backend/elfobject.h"
#include "jit/backend/objectpack.h"

static_assert(sizeof((Unit){0}.key) == OBJECTPACK_KEY && OBJECTPACK_KEY == SHA256_DIGEST_SIZE, "keys are SHA-256");

static struct ObjectCache {
    ObjectPack *pack;  // NULL: nothing is kept
    bool verify;
    struct sha256_ctx begun;  // the part that is the same for all objects of this run
} cache;                      // constant from objectcache_start on

static void hash_bytes_of(struct sha256_ctx *h, const void *bytes, size_t count) {
    uint64_t length = count;  // so that different lists of parts never hash the same bytes
    sha256_update(h, sizeof length, (const uint8_t *)&length);
    sha256_update(h, count, bytes);
}

static void hash_text(struct sha256_ctx *h, const char *text) { hash_bytes_of(h, text, strlen(text)); }

// False: the linker has not added a build id.
static bool hash_build(struct sha256_ctx *h, const void *address) {
    BuildId id = buildid_of(address);
    hash_text(h, id.digits);
    return strcmp(id.digits, "0") != 0;
}

void objectcache_start(const CompilerOptions *options) {
    if (!options->object_cache) return;
    cache.verify = options->object_cache_verify;
    sha256_init(&cache.begun);
    if (!hash_build(&cache.begun, &cache) || !hash_build(&cache.begun, (const void *)(uintptr_t)LLVMContextCreate)) {
        compiler_log("cabernet: -Xjit:object-cache: the compiler or LLVM has no build id, so nothing is kept");
        return;
    }
    const BackendMachine machine = backend_machine();
    hash_text(&cache.begun, machine.triple);
    hash_text(&cache.begun, machine.cpu);
    hash_text(&cache.begun, machine.features);
    cache.pack = objectpack_open(options->object_cache, (uint64_t)options->object_cache_size);
}

bool objectcache_find(Unit *unit) {
    // If the optimised IR is dumped, it has to be made, so the cache is bypassed.
    if (!cache.pack || (unit->options->dump && strchr(unit->options->dump, 'o'))) return true;
    struct sha256_ctx h = cache.begun;
    hash_text(&h, backend_passes(unit));
    LLVMMemoryBufferRef module = LLVMWriteBitcodeToMemoryBuffer(unit->module);
    hash_bytes_of(&h, LLVMGetBufferStart(module), LLVMGetBufferSize(module));
    LLVMDisposeMemoryBuffer(module);
    sha256_digest(&h, sizeof unit->key, unit->key);
    size_t size;
    void *bytes = objectpack_find(cache.pack, unit->key, &size);
    unit->cached = bytes ? CACHED_HIT : CACHED_MISS;
    if (!bytes) return true;
    LLVMMemoryBufferRef object = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "cabernet");
    free(bytes);
    if (cache.verify) {
        unit->kept = object;
    } else {
        unit->object = object;
        unit->hash = elfobject_hash(unit);
    }
    return true;
}

bool objectcache_keep(Unit *unit) {
    const char *made = LLVMGetBufferStart(unit->object);
    size_t size = LLVMGetBufferSize(unit->object);
    bool same = !unit->kept ||
        (LLVMGetBufferSize(unit->kept) == size && memcmp(LLVMGetBufferStart(unit->kept), made, size) == 0);
    if (!same) {
        unit->cached = CACHED_DIFFERS;
        char line[1024];
        const Method *m = unit->task->method;
        snprintf(line, sizeof line,
                 "cabernet: -Xjit:object-cache: %.300s.%.200s%.300s: the object that was kept is another one",
                 m->cls->name->text, m->name->text, m->desc->text);
        compiler_log(line);
    }
    if (unit->cached == CACHED_MISS) objectpack_add(cache.pack, unit->key, made, size);
    return true;
}

void objectcache_finish(void) {
    if (cache.pack) objectpack_finish(cache.pack);
}
