// JNI: strings. Chars and UTF are copies that native code releases. Only GetStringCritical returns the string's own
// memory, if it is UTF-16 (nothing moves, and the handle keeps it alive).
#include "bytecode/classfile/mutf8.h"
#include "vm/jni/handles.h"
#include "vm/jni/jni_impl.h"

#include <stdlib.h>
#include <string.h>

jstring jni_NewString(JNIEnv *env, const jchar *chars, jsize length) {
    VM_ENTER(env);
    jstring result = handle_local(self, string_from_utf16(self, chars, (size_t)length));
    VM_LEAVE();
    return result;
}

jstring jni_NewStringUTF(JNIEnv *env, const char *utf) {
    if (!utf) return NULL;
    VM_ENTER(env);
    jstring result = handle_local(self, string_from_mutf8(self, utf, strlen(utf)));
    VM_LEAVE();
    return result;
}

jsize jni_GetStringLength(JNIEnv *env, jstring string) {
    VM_ENTER(env);
    jsize length = string_length(handle_get(string));
    VM_LEAVE();
    return length;
}

jsize jni_GetStringUTFLength(JNIEnv *env, jstring string) {
    VM_ENTER(env);
    jsize length = (jsize)string_mutf8_length(handle_get(string));
    VM_LEAVE();
    return length;
}

// malloc'd, with a terminating zero; NULL with OutOfMemoryError.
static jchar *copy_chars(Thread *self, const Object *s) {
    int32_t length = string_length(s);
    jchar *chars = malloc(((size_t)length + 1) * sizeof *chars);
    if (!chars) {
        throw_oom(self, "GetStringChars");
        return NULL;
    }
    string_get_chars(s, 0, length, chars);
    chars[length] = 0;
    return chars;
}

const jchar *jni_GetStringChars(JNIEnv *env, jstring string, jboolean *is_copy) {
    VM_ENTER(env);
    const jchar *chars = copy_chars(self, handle_get(string));
    if (is_copy) *is_copy = JNI_TRUE;
    VM_LEAVE();
    return chars;
}

void jni_ReleaseStringChars(JNIEnv *env, jstring string, const jchar *chars) {
    (void)env, (void)string;
    free((void *)chars);
}

const char *jni_GetStringUTFChars(JNIEnv *env, jstring string, jboolean *is_copy) {
    VM_ENTER(env);
    char *utf = string_to_mutf8(handle_get(string));
    if (!utf) throw_oom(self, "GetStringUTFChars");
    if (is_copy) *is_copy = JNI_TRUE;
    VM_LEAVE();
    return utf;
}

void jni_ReleaseStringUTFChars(JNIEnv *env, jstring string, const char *utf) {
    (void)env, (void)string;
    free((void *)utf);
}

static bool check_region(Thread *self, const Object *s, jsize start, jsize n) {
    int32_t length = string_length(s);
    if (start >= 0 && n >= 0 && start <= length - n) return true;
    throw_wk(self, "java/lang/StringIndexOutOfBoundsException", NULL);
    return false;
}

void jni_GetStringRegion(JNIEnv *env, jstring string, jsize start, jsize n, jchar *buf) {
    VM_ENTER(env);
    const Object *s = handle_get(string);
    if (check_region(self, s, start, n)) string_get_chars(s, start, n, buf);
    VM_LEAVE();
}

void jni_GetStringUTFRegion(JNIEnv *env, jstring string, jsize start, jsize n, char *buf) {
    VM_ENTER(env);
    const Object *s = handle_get(string);
    if (check_region(self, s, start, n) && buf) {
        for (jsize i = 0; i < n; i++) {
            uint16_t c = string_char_at(s, start + i);
            buf += mutf8_from_utf16(&c, 1, (uint8_t *)buf);
        }
        *buf = '\0';  // the C library expects a terminator even for an empty region
    }
    VM_LEAVE();
}

const jchar *jni_GetStringCritical(JNIEnv *env, jstring string, jboolean *is_copy) {
    VM_ENTER(env);
    const Object *s = handle_get(string);
    bool copy = string_is_latin1(s);
    const jchar *chars = copy ? copy_chars(self, s)
                              : ARRAY_DATA(get_ref(s, (size_t)WK_OFF(java_lang_String, value)), const jchar);
    if (is_copy) *is_copy = copy;
    VM_LEAVE();
    return chars;
}

void jni_ReleaseStringCritical(JNIEnv *env, jstring string, const jchar *chars) {
    VM_ENTER(env);
    const Object *s = handle_get(string);
    bool copied = string_is_latin1(s);
    VM_LEAVE();
    if (copied) free((void *)chars);
}
