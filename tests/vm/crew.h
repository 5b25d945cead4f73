// For unit tests: pthreads attached to the VM's thread system without a booted VM. Java objects are malloc'd dummies of
// an empty class.
#ifndef CABERNET_TESTS_VM_CREW_H
#define CABERNET_TESTS_VM_CREW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vm/threads/threadbackend.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

typedef void CrewBody(Thread *self, int number);

typedef struct CrewMember {
    pthread_t thread;
    CrewBody *body;
    int number;
} CrewMember;

static void *crew_main(void *arg) {
    CrewMember *member = arg;
    Thread *self = thread_attach_bare(false);
    if (!self) abort();
    member->body(self, member->number);
    thread_detach(self);
    return NULL;
}

static inline void crew_start(CrewMember *crew, int count, CrewBody *body) {
    for (int i = 0; i < count; i++) {
        crew[i].body = body;
        crew[i].number = i;
        assert_int_equal(pthread_create(&crew[i].thread, NULL, crew_main, &crew[i]), 0);
    }
}

typedef struct CrewJoin {
    CrewMember *crew;
    int count;
} CrewJoin;

static inline void crew_join_all(void *arg) {
    const CrewJoin *j = arg;
    for (int i = 0; i < j->count; i++) pthread_join(j->crew[i].thread, NULL);
}

// The caller is attached; it waits in the native state.
static inline void crew_join(Thread *self, CrewMember *crew, int count) {
    thread_run_safe(self, THREAD_NATIVE, crew_join_all, &(CrewJoin){crew, count});
}

static inline void crew_run(Thread *self, int count, CrewBody *body) {
    CrewMember *crew = calloc((size_t)count, sizeof *crew);
    assert_non_null(crew);
    crew_start(crew, count, body);
    crew_join(self, crew, count);
    free(crew);
}

static inline void crew_sleep(void *arg) { nanosleep(arg, NULL); }

static inline void crew_pause(Thread *self, long micros) {
    struct timespec ts = {.tv_sec = micros / 1000000, .tv_nsec = micros % 1000000 * 1000};
    thread_run_safe(self, THREAD_NATIVE, crew_sleep, &ts);
}

// An object with room for the fields of a java.lang.Thread, whose offsets crew_init sets.
static inline Object *crew_object(void) {
    static Class cls;
    static VTable vt = {.cls = &cls};
    cls.vt = &vt;
    Object *o = calloc(1, 128);
    assert_non_null(o);
    o->vt = &vt;
    return o;
}

static inline Thread *crew_init(void) {
    vm.options.deterministic = true;
    int64_t at = 16;
    vm.wk.java_lang_Thread__eetop = at;
    vm.wk.java_lang_Thread__name = at + 8;
    vm.wk.java_lang_Thread__group = at + 16;
    vm.wk.java_lang_Thread__parkBlocker = at + 24;
    vm.wk.java_lang_Thread__threadStatus = at + 32;
    vm.wk.java_lang_Thread__interrupted = at + 36;
    if (!threads.backend) thread_use_backend(&thread_backend_native, false);
    thread_system_init();
    return thread_attach_bare(false);
}

// Gives the calling thread a dummy as its java.lang.Thread.
static inline Object *crew_identity(Thread *self) {
    Object *o = crew_object();
    set_long(o, (size_t)vm.wk.java_lang_Thread__eetop, (int64_t)(uintptr_t)self);
    self->java_thread = o;
    return o;
}
static inline void crew_forget(Thread *self) {
    set_long(self->java_thread, (size_t)vm.wk.java_lang_Thread__eetop, 0);
    self->java_thread = NULL;
}
static inline void crew_interrupt(Object *java_thread) {
    FIELD_AT(java_thread, vm.wk.java_lang_Thread__interrupted, uint8_t) = 1;
}

#endif
