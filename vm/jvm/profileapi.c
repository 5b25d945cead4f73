#include "vm/jvm/profileapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/jni/handles.h"
#include "vm/loading/loader.h"
#include "vm/jvm/management.h"
#include "vm/instrument/profilecontrol.h"
#include "vm/instrument/vmevents.h"

enum { STATUS = PROFILE_END + 1 };  // the numbers of Profile.java: those of ProfileCommand, plus this one

static Object *status(Thread *self) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        throw_oom(self, "status of the profile");
        return NULL;
    }
    profilecontrol_status(self, out);
    fclose(out);
    if (size > 0 && text[size - 1] == '\n') text[size - 1] = '\0';
    Object *result = string_from_utf8(self, text);
    free(text);
    return result;
}

static jstring profile_control(JNIEnv *env, jclass cls, jint command, jstring name, jstring argument) {
    (void)cls;
    VM_ENTER(env);
    char error[512];
    Object *given = handle_get(argument), *named = handle_get(name), *answer = NULL;
    char *text = given ? string_to_utf8(given) : NULL, *which = named ? string_to_utf8(named) : NULL;
    if (command == STATUS) answer = status(self);
    else if (!profilecontrol(self, (ProfileCommand)command, which, text, error, sizeof error))
        answer = string_from_utf8(self, error);
    free(text);
    free(which);
    jstring result = handle_local(self, answer);
    VM_LEAVE();
    return result;
}

static void profile_mark(JNIEnv *env, jclass cls, jstring name, jlong key) {
    (void)cls;
    VM_ENTER(env);
    Object *given = handle_get(name);
    char *text = given ? string_to_utf8(given) : NULL;
    if (text) vmevents_mark(self, text, (uint64_t)key);
    free(text);
    VM_LEAVE();
}

void *profileapi_native(const Method *m) {
    bool ours = !m->cls->loader->java_loader && strcmp(m->cls->name->text, "cabernet/Profile") == 0;
    if (ours && strcmp(m->name->text, "control") == 0) return (void *)(uintptr_t)profile_control;
    return ours && strcmp(m->name->text, "mark") == 0 ? (void *)(uintptr_t)profile_mark : NULL;
}
