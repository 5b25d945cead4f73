// Natives of Jni_functions.java: call every function of the JNI table and return the results as text. tests/run/jni
// runs them on several JVMs and compares the texts.
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT JNIEXPORT

static char text[1 << 16];
static size_t used;

static void begin(void) {
    used = 0;
    text[0] = '\0';
}
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
}
static jstring end(JNIEnv *env) { return (*env)->NewStringUTF(env, text); }

static void say_string(JNIEnv *env, const char *what, jstring s) {
    if (!s) {
        say("%s=null\n", what);
        return;
    }
    const char *utf = (*env)->GetStringUTFChars(env, s, NULL);
    say("%s=%s\n", what, utf);
    (*env)->ReleaseStringUTFChars(env, s, utf);
}

// Appends and clears the pending exception.
static void say_exception(JNIEnv *env, const char *what) {
    jthrowable t = (*env)->ExceptionOccurred(env);
    if (!t) {
        say("%s: no exception\n", what);
        return;
    }
    (*env)->ExceptionClear(env);
    jclass c = (*env)->FindClass(env, "java/lang/Throwable");
    jmethodID m = (*env)->GetMethodID(env, c, "toString", "()Ljava/lang/String;");
    say_string(env, what, (*env)->CallObjectMethod(env, t, m));
}

static jclass probe(JNIEnv *env) { return (*env)->FindClass(env, "Jni_functions"); }

// ---- calls -----------------------------------------------------------------------------------

typedef struct Ids {
    jmethodID z, b, c, s, i, j, f, d, o, v;
} Ids;

static Ids ids_of(JNIEnv *env, jclass c, const char *prefix, int is_static) {
    static const char *const descs[] = {"(Z)Z",
                                        "(B)B",
                                        "(C)C",
                                        "(S)S",
                                        "(I)I",
                                        "(J)J",
                                        "(F)F",
                                        "(D)D",
                                        "(Ljava/lang/String;)Ljava/lang/String;",
                                        "(Ljava/lang/StringBuilder;)V"};
    jmethodID id[10];
    for (int k = 0; k < 10; k++) {
        char name[16];
        snprintf(name, sizeof name, "%s%c", prefix, "ZBCSIJFDOV"[k]);
        id[k] = is_static ? (*env)->GetStaticMethodID(env, c, name, descs[k])
                          : (*env)->GetMethodID(env, c, name, descs[k]);
    }
    return (Ids){id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9]};
}

#define V_FORM(ret, Kind, PARAM, ARG)                                                     \
    static ret virtual_##Kind##V(JNIEnv *env, jobject o, jmethodID m, ...) {              \
        va_list a;                                                                        \
        va_start(a, m);                                                                   \
        ret r = (*env)->Call##Kind##MethodV(env, o, m, a);                                \
        va_end(a);                                                                        \
        return r;                                                                         \
    }                                                                                     \
    static ret nonvirtual_##Kind##V(JNIEnv *env, jobject o, jclass c, jmethodID m, ...) { \
        va_list a;                                                                        \
        va_start(a, m);                                                                   \
        ret r = (*env)->CallNonvirtual##Kind##MethodV(env, o, c, m, a);                   \
        va_end(a);                                                                        \
        return r;                                                                         \
    }                                                                                     \
    static ret static_##Kind##V(JNIEnv *env, jclass c, jmethodID m, ...) {                \
        va_list a;                                                                        \
        va_start(a, m);                                                                   \
        ret r = (*env)->CallStatic##Kind##MethodV(env, c, m, a);                          \
        va_end(a);                                                                        \
        return r;                                                                         \
    }
// clang-format off
V_FORM(jboolean, Boolean, , ) V_FORM(jbyte, Byte, , ) V_FORM(jchar, Char, , )
V_FORM(jshort, Short, , ) V_FORM(jint, Int, , ) V_FORM(jlong, Long, , )
V_FORM(jfloat, Float, , ) V_FORM(jdouble, Double, , ) V_FORM(jobject, Object, , )
    // clang-format on

    static void void_v(JNIEnv *env, int how, jobject o, jclass c, jmethodID m, ...) {
    va_list a;
    va_start(a, m);
    if (how == 0) (*env)->CallVoidMethodV(env, o, m, a);
    if (how == 1) (*env)->CallNonvirtualVoidMethodV(env, o, c, m, a);
    if (how == 2) (*env)->CallStaticVoidMethodV(env, c, m, a);
    va_end(a);
}

// clang-format off
#define EACH(X)                                                                              \
    X(Boolean, z, z, JNI_TRUE, "%d") X(Byte, b, b, 127, "%d") X(Char, c, c, 65535, "%d")     \
    X(Short, s, s, 32767, "%d") X(Int, i, i, 2147483647, "%d") X(Long, j, j, 5000000000, "%ld") \
    X(Float, f, f, 0.5f, "%g") X(Double, d, d, 0.25, "%g")
// clang-format on

EXPORT jstring Java_Jni_1functions_calls(JNIEnv *env, jobject self, jobject sub) {
    begin();
    jclass c = probe(env);
    Ids m = ids_of(env, c, "get", 0), st = ids_of(env, c, "static", 1);
    jvalue v = {.j = -1};
    jstring s = (*env)->NewStringUTF(env, "arg");
    jclass sbc = (*env)->FindClass(env, "java/lang/StringBuilder");
    jobject sb = (*env)->NewObject(env, sbc, (*env)->GetMethodID(env, sbc, "<init>", "()V"));
#define CALL(Kind, id, member, value, fmt)                                                                             \
    v.j = -1;                                                                                                          \
    v.member = value;                                                                                                  \
    say(#Kind " " fmt " " fmt " " fmt " " fmt "\n", (*env)->Call##Kind##Method(env, self, m.id, value),                \
        (*env)->Call##Kind##Method(env, sub, m.id, value), virtual_##Kind##V(env, sub, m.id, value),                   \
        (*env)->Call##Kind##MethodA(env, sub, m.id, &v));                                                              \
    say("  nonvirtual " fmt " " fmt " " fmt "\n", (*env)->CallNonvirtual##Kind##Method(env, sub, c, m.id, value),      \
        nonvirtual_##Kind##V(env, sub, c, m.id, value), (*env)->CallNonvirtual##Kind##MethodA(env, sub, c, m.id, &v)); \
    say("  static " fmt " " fmt " " fmt "\n", (*env)->CallStatic##Kind##Method(env, c, st.id, value),                  \
        static_##Kind##V(env, c, st.id, value), (*env)->CallStatic##Kind##MethodA(env, c, st.id, &v));
    EACH(CALL)
    v.l = s;
    say_string(env, "o", (*env)->CallObjectMethod(env, sub, m.o, s));
    say_string(env, "o", virtual_ObjectV(env, self, m.o, s));
    say_string(env, "o", (*env)->CallObjectMethodA(env, sub, m.o, &v));
    say_string(env, "o", (*env)->CallNonvirtualObjectMethod(env, sub, c, m.o, s));
    say_string(env, "o", nonvirtual_ObjectV(env, sub, c, m.o, s));
    say_string(env, "o", (*env)->CallNonvirtualObjectMethodA(env, sub, c, m.o, &v));
    say_string(env, "o", (*env)->CallStaticObjectMethod(env, c, st.o, s));
    say_string(env, "o", static_ObjectV(env, c, st.o, s));
    say_string(env, "o", (*env)->CallStaticObjectMethodA(env, c, st.o, &v));
    v.l = sb;
    (*env)->CallVoidMethod(env, sub, m.v, sb);
    void_v(env, 0, self, c, m.v, sb);
    (*env)->CallVoidMethodA(env, sub, m.v, &v);
    (*env)->CallNonvirtualVoidMethod(env, sub, c, m.v, sb);
    void_v(env, 1, sub, c, m.v, sb);
    (*env)->CallNonvirtualVoidMethodA(env, sub, c, m.v, &v);
    (*env)->CallStaticVoidMethod(env, c, st.v, sb);
    void_v(env, 2, NULL, c, st.v, sb);
    (*env)->CallStaticVoidMethodA(env, c, st.v, &v);
    jmethodID to_string = (*env)->GetMethodID(env, sbc, "toString", "()Ljava/lang/String;");
    say_string(env, "sb", (*env)->CallObjectMethod(env, sb, to_string));
    jmethodID mix = (*env)->GetStaticMethodID(env, c, "mix", "(ZBCSIJFDLjava/lang/String;[IJ)Ljava/lang/String;");
    say_string(env, "mix",
               (*env)->CallStaticObjectMethod(env, c, mix, JNI_TRUE, (jbyte)-1, (jchar)'x', (jshort)-2, 3, (jlong)4,
                                              5.5f, 6.5, s, (*env)->NewIntArray(env, 3), (jlong)-9));
    return end(env);
}

// ---- fields ----------------------------------------------------------------------------------

EXPORT jstring Java_Jni_1functions_fields(JNIEnv *env, jclass c, jobject o) {
    begin();
    jfieldID id;
#define FIELD(Kind, name, desc, fmt, value)                          \
    id = (*env)->GetFieldID(env, c, #name, desc);                    \
    say(#name "=" fmt, (*env)->Get##Kind##Field(env, o, id));        \
    (*env)->Set##Kind##Field(env, o, id, value);                     \
    say(" " fmt, (*env)->Get##Kind##Field(env, o, id));              \
    id = (*env)->GetStaticFieldID(env, c, "s" #name, desc);          \
    say(" static=" fmt, (*env)->GetStatic##Kind##Field(env, c, id)); \
    (*env)->SetStatic##Kind##Field(env, c, id, value);               \
    say(" " fmt "\n", (*env)->GetStatic##Kind##Field(env, c, id));
    FIELD(Boolean, z, "Z", "%d", JNI_FALSE)
    FIELD(Byte, b, "B", "%d", 100)
    FIELD(Char, c, "C", "%d", 0xfffe)
    FIELD(Short, s, "S", "%d", -32768)
    FIELD(Int, i, "I", "%d", -5)
    FIELD(Long, j, "J", "%ld", INT64_MIN)
    FIELD(Float, f, "F", "%g", -1.5f)
    FIELD(Double, d, "D", "%g", 1e300)
    id = (*env)->GetFieldID(env, c, "o", "Ljava/lang/String;");
    say_string(env, "o", (*env)->GetObjectField(env, o, id));
    (*env)->SetObjectField(env, o, id, NULL);
    say_string(env, "o", (*env)->GetObjectField(env, o, id));
    id = (*env)->GetStaticFieldID(env, c, "so", "Ljava/lang/String;");
    say_string(env, "so", (*env)->GetStaticObjectField(env, c, id));
    (*env)->SetStaticObjectField(env, c, id, (*env)->NewStringUTF(env, "new"));
    say_string(env, "so", (*env)->GetStaticObjectField(env, c, id));
    id = (*env)->GetFieldID(env, c, "volatileLong", "J");
    (*env)->SetLongField(env, o, id, 77);
    say("volatile %ld\n", (*env)->GetLongField(env, o, id));
    id = (*env)->GetFieldID(env, c, "hidden", "I");
    say("private %d\n", (*env)->GetIntField(env, o, id));
    jclass lazy = (*env)->FindClass(env, "Jni_functions$Lazy");
    id = (*env)->GetStaticFieldID(env, lazy, "value", "I");
    say("lazy %d\n", (*env)->GetStaticIntField(env, lazy, id));
    (*env)->GetFieldID(env, c, "nothing", "I");
    say_exception(env, "no field");
    (*env)->GetFieldID(env, c, "i", "J");
    say_exception(env, "wrong type");
    (*env)->GetFieldID(env, c, "si", "I");
    say_exception(env, "static as instance");
    (*env)->GetStaticFieldID(env, c, "i", "I");
    say_exception(env, "instance as static");
    return end(env);
}

// ---- objects, classes ------------------------------------------------------------------------

static jobject new_v(JNIEnv *env, jclass c, jmethodID m, ...) {
    va_list a;
    va_start(a, m);
    jobject o = (*env)->NewObjectV(env, c, m, a);
    va_end(a);
    return o;
}

EXPORT jstring Java_Jni_1functions_newObjects(JNIEnv *env, jclass c, jclass sub) {
    (void)c;
    begin();
    jmethodID m = (*env)->GetMethodID(env, sub, "<init>", "(Ljava/lang/String;JD)V");
    jfieldID made = (*env)->GetFieldID(env, sub, "made", "Ljava/lang/String;");
    jstring s = (*env)->NewStringUTF(env, "n");
    jvalue v[3] = {{.l = s}, {.j = 7}, {.d = 1.5}};
    say_string(env, "v", (*env)->GetObjectField(env, (*env)->NewObject(env, sub, m, s, (jlong)7, 1.5), made));
    say_string(env, "l", (*env)->GetObjectField(env, new_v(env, sub, m, s, (jlong)7, 1.5), made));
    say_string(env, "a", (*env)->GetObjectField(env, (*env)->NewObjectA(env, sub, m, v), made));
    jobject raw = (*env)->AllocObject(env, sub);
    say_string(env, "raw", (*env)->GetObjectField(env, raw, made));
    (*env)->AllocObject(env, (*env)->FindClass(env, "java/lang/Runnable"));
    say_exception(env, "interface");
    (*env)->AllocObject(env, (*env)->FindClass(env, "Jni_functions$Abstract"));
    say_exception(env, "abstract");
    (*env)->AllocObject(env, (*env)->FindClass(env, "[I"));
    say_exception(env, "array");
    (*env)->GetMethodID(env, sub, "<init>", "(I)V");
    say_exception(env, "no constructor");
    (*env)->GetMethodID(env, sub, "absent", "()V");
    say_exception(env, "no method");
    (*env)->GetMethodID(env, sub, "staticI", "(I)I");
    say_exception(env, "static as instance");
    (*env)->GetStaticMethodID(env, sub, "getI", "(I)I");
    say_exception(env, "instance as static");
    say("inherited static %d\n", (*env)->GetStaticMethodID(env, sub, "staticI", "(I)I") != NULL);
    return end(env);
}

static void say_class(JNIEnv *env, const char *what, jclass c) {
    if (!c) {
        say_exception(env, what);
        return;
    }
    jclass cc = (*env)->FindClass(env, "java/lang/Class");
    jmethodID m = (*env)->GetMethodID(env, cc, "getName", "()Ljava/lang/String;");
    say_string(env, what, (*env)->CallObjectMethod(env, c, m));
}

EXPORT jstring Java_Jni_1functions_classes(JNIEnv *env, jclass c, jobject sub, jobject loader) {
    (void)loader;
    begin();
    say("version %x\n", (*env)->GetVersion(env));
    jclass sc = (*env)->GetObjectClass(env, sub);
    say_class(env, "class", sc);
    say_class(env, "super", (*env)->GetSuperclass(env, sc));
    say("super of Object %d, of interface %d\n",
        (*env)->GetSuperclass(env, (*env)->FindClass(env, "java/lang/Object")) != NULL,
        (*env)->GetSuperclass(env, (*env)->FindClass(env, "java/lang/Runnable")) != NULL);
    say("assignable %d %d\n", (*env)->IsAssignableFrom(env, sc, c), (*env)->IsAssignableFrom(env, c, sc));
    say("instance %d %d %d\n", (*env)->IsInstanceOf(env, sub, c),
        (*env)->IsInstanceOf(env, sub, (*env)->FindClass(env, "java/lang/String")), (*env)->IsInstanceOf(env, NULL, c));
    say_class(env, "array", (*env)->FindClass(env, "[Ljava/lang/String;"));
    say_class(env, "ints", (*env)->FindClass(env, "[[I"));
    say_class(env, "absent", (*env)->FindClass(env, "no/such/Thing"));
    say_class(env, "failing", (*env)->FindClass(env, "Jni_functions$Failing"));
    say_class(env, "failing again", (*env)->FindClass(env, "Jni_functions$Failing"));
    say_class(env, "empty", (*env)->FindClass(env, ""));
    jobject module = (*env)->GetModule(env, (*env)->FindClass(env, "java/lang/String"));
    jclass mc = (*env)->GetObjectClass(env, module);
    jmethodID name = (*env)->GetMethodID(env, mc, "getName", "()Ljava/lang/String;");
    say_string(env, "module", (*env)->CallObjectMethod(env, module, name));
    module = (*env)->GetModule(env, c);
    say_string(env, "module", (*env)->CallObjectMethod(env, module, name));
    JavaVM *vm;
    void *env2;
    say("vm %d\n", (*env)->GetJavaVM(env, &vm));
    say("env %d", (*vm)->GetEnv(vm, &env2, JNI_VERSION_1_6));
    say(" %d\n", env2 == (void *)env);
    say("env %d\n", (*vm)->GetEnv(vm, &env2, 0x00990000));
    say("attached already %d", (*vm)->AttachCurrentThread(vm, &env2, NULL));
    say(" %d\n", env2 == (void *)env);
    say("detach with frames %d\n", (*vm)->DetachCurrentThread(vm));
    JavaVM *vms[2];
    jsize n = 0;
    say("created %d\n", JNI_GetCreatedJavaVMs(vms, 2, &n));
    say("%d %d\n", n, vms[0] == vm);
    return end(env);
}

// ---- strings -----------------------------------------------------------------------------------

static void say_chars(JNIEnv *env, jstring s) {
    jboolean copy = 9;
    jsize n = (*env)->GetStringLength(env, s);
    const jchar *chars = (*env)->GetStringChars(env, s, &copy);
    say("%d chars:", n);
    for (jsize k = 0; k < n; k++) say(" %x", chars[k]);
    (*env)->ReleaseStringChars(env, s, chars);
    const jchar *critical = (*env)->GetStringCritical(env, s, NULL);
    unsigned sum = 0;
    for (jsize k = 0; k < n; k++) sum = sum * 31 + critical[k];
    (*env)->ReleaseStringCritical(env, s, critical);
    say(" hash %d\n", (int)sum);
    jsize bytes = (*env)->GetStringUTFLength(env, s);
    const char *utf = (*env)->GetStringUTFChars(env, s, NULL);
    say("%d bytes:", bytes);
    for (jsize k = 0; k <= bytes; k++) say(" %x", (unsigned char)utf[k]);
    say("\n");
    (*env)->ReleaseStringUTFChars(env, s, utf);
}

EXPORT jstring Java_Jni_1functions_strings(JNIEnv *env, jclass c, jstring latin, jstring wide, jstring empty) {
    (void)c;
    begin();
    say_chars(env, latin);
    say_chars(env, wide);
    say_chars(env, empty);
    jchar chars[] = {'h', 0xe9, 0x20ac, 0xd83d, 0xde00, 0};
    say_chars(env, (*env)->NewString(env, chars, 6));
    say_chars(env, (*env)->NewString(env, chars, 2));
    say_chars(env, (*env)->NewString(env, chars, 0));
    say_chars(env, (*env)->NewStringUTF(env, "a\xc3\xa9\xe2\x82\xac"));
    say("%d\n", !(*env)->NewStringUTF(env, NULL));
    jchar region[4] = {0};
    (*env)->GetStringRegion(env, wide, 5, 3, region);
    say("region %x %x %x\n", region[0], region[1], region[2]);
    char utf[32];
    memset(utf, '#', sizeof utf);
    (*env)->GetStringUTFRegion(env, wide, 3, 3, utf);
    for (int k = 0; k < 8; k++) say(" %x", (unsigned char)utf[k]);
    say("\n");
    (*env)->GetStringRegion(env, empty, 0, 0, region);
    say_exception(env, "empty region");
    (*env)->GetStringRegion(env, latin, 3, 100, region);
    say_exception(env, "region");
    (*env)->GetStringRegion(env, latin, -1, 1, region);
    say_exception(env, "region");
    (*env)->GetStringUTFRegion(env, latin, 9, 1, utf);
    say_exception(env, "utf region");
    return end(env);
}

// ---- arrays ------------------------------------------------------------------------------------

EXPORT jstring Java_Jni_1functions_arrays(JNIEnv *env, jclass c, jintArray ints, jobjectArray objects,
                                          jbooleanArray bits) {
    begin();
    say("%d %d\n", (*env)->GetArrayLength(env, ints), (*env)->GetArrayLength(env, objects));
#define ARRAY(type, Kind, fmt)                                       \
    {                                                                \
        type##Array a = (*env)->New##Kind##Array(env, 5);            \
        type in[3] = {1, 2, 3}, out[5];                              \
        (*env)->Set##Kind##ArrayRegion(env, a, 1, 3, in);            \
        type *e = (*env)->Get##Kind##ArrayElements(env, a, NULL);    \
        e[4] = 1;                                                    \
        (*env)->Release##Kind##ArrayElements(env, a, e, JNI_COMMIT); \
        e[0] = 1;                                                    \
        (*env)->Release##Kind##ArrayElements(env, a, e, 0);          \
        (*env)->Get##Kind##ArrayRegion(env, a, 0, 5, out);           \
        say(#Kind);                                                  \
        for (int k = 0; k < 5; k++) say(" " fmt, out[k]);            \
        say("\n");                                                   \
        (*env)->Get##Kind##ArrayRegion(env, a, 3, 3, out);           \
        say_exception(env, #Kind);                                   \
        (*env)->Set##Kind##ArrayRegion(env, a, -1, 1, in);           \
        say_exception(env, #Kind);                                   \
        (*env)->Get##Kind##ArrayRegion(env, a, 5, 0, out);           \
        say_exception(env, #Kind " nothing");                        \
    }
    // clang-format off
    ARRAY(jboolean, Boolean, "%d") ARRAY(jbyte, Byte, "%d") ARRAY(jchar, Char, "%d")
    ARRAY(jshort, Short, "%d") ARRAY(jint, Int, "%d") ARRAY(jlong, Long, "%ld")
    ARRAY(jfloat, Float, "%g") ARRAY(jdouble, Double, "%g")
        // clang-format on
        jint *critical = (*env)->GetPrimitiveArrayCritical(env, ints, NULL);
    for (int k = 0; k < 4; k++) critical[k] *= 10;
    (*env)->ReleasePrimitiveArrayCritical(env, ints, critical, 0);
    jint out[4];
    (*env)->GetIntArrayRegion(env, ints, 0, 4, out);
    say("critical %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    jboolean *b = (*env)->GetBooleanArrayElements(env, bits, NULL);
    say("bits %d %d\n", b[0], b[1]);
    (*env)->ReleaseBooleanArrayElements(env, bits, b, JNI_ABORT);
    say_string(env, "element", (*env)->GetObjectArrayElement(env, objects, 1));
    (*env)->SetObjectArrayElement(env, objects, 1, (*env)->NewStringUTF(env, "set"));
    say_string(env, "element", (*env)->GetObjectArrayElement(env, objects, 1));
    (*env)->GetObjectArrayElement(env, objects, 2);
    say_exception(env, "index");
    (*env)->SetObjectArrayElement(env, objects, -1, NULL);
    say_exception(env, "index");
    (*env)->SetObjectArrayElement(env, objects, 0, c);
    say_exception(env, "store");
    jstring initial = (*env)->NewStringUTF(env, "init");
    jobjectArray fresh = (*env)->NewObjectArray(env, 2, (*env)->FindClass(env, "java/lang/String"), initial);
    say_string(env, "fresh", (*env)->GetObjectArrayElement(env, fresh, 1));
    say_class(env, "fresh", (*env)->GetObjectClass(env, fresh));
    (*env)->NewObjectArray(env, -1, (*env)->FindClass(env, "java/lang/String"), NULL);
    say_exception(env, "negative");
    (*env)->NewIntArray(env, -5);
    say_exception(env, "negative");
    return end(env);
}

// ---- exceptions --------------------------------------------------------------------------------

EXPORT jstring Java_Jni_1functions_exceptions(JNIEnv *env, jclass c) {
    begin();
    jclass ise = (*env)->FindClass(env, "java/lang/IllegalArgumentException");
    say("%d\n", (*env)->ThrowNew(env, ise, "thrown \xc3\xa9"));
    say("%d\n", (*env)->ExceptionCheck(env));
    say_exception(env, "new");
    say("%d\n", (*env)->ThrowNew(env, ise, NULL));
    say_exception(env, "null message");
    jthrowable t = (*env)->NewObject(env, ise, (*env)->GetMethodID(env, ise, "<init>", "()V"));
    say("%d\n", (*env)->Throw(env, t));
    say("same %d\n", (*env)->IsSameObject(env, t, (*env)->ExceptionOccurred(env)));
    (*env)->ExceptionClear(env);
    say("%d %d\n", (*env)->ExceptionCheck(env), !(*env)->ExceptionOccurred(env));
    jmethodID thrower = (*env)->GetStaticMethodID(env, c, "thrower", "(I)I");
    say("%d\n", (*env)->CallStaticIntMethod(env, c, thrower, 3));
    (*env)->ExceptionDescribe(env);
    say("%d\n", (*env)->ExceptionCheck(env));
    (*env)->ExceptionDescribe(env);
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/io/IOException"), "pending");
    jclass again = (*env)->GetObjectClass(env, t);  // not on JNI's list for a pending exception; the VMs allow it
    (void)again;
    say_exception(env, "pending");
    return end(env);
}

EXPORT void Java_Jni_1functions_throwFromNative(JNIEnv *env, jclass c, jstring message) {
    (void)c;
    const char *utf = (*env)->GetStringUTFChars(env, message, NULL);
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), utf);
    (*env)->ReleaseStringUTFChars(env, message, utf);
}

// ---- references ----------------------------------------------------------------------------------

EXPORT jstring Java_Jni_1functions_references(JNIEnv *env, jclass c, jobject o) {
    begin();
    jobject local = (*env)->NewLocalRef(env, o), global = (*env)->NewGlobalRef(env, o);
    jweak weak = (*env)->NewWeakGlobalRef(env, o);
    say("types %d %d %d %d %d\n", (*env)->GetObjectRefType(env, local), (*env)->GetObjectRefType(env, global),
        (*env)->GetObjectRefType(env, weak), (*env)->GetObjectRefType(env, o), (*env)->GetObjectRefType(env, c));
    say("same %d %d %d %d\n", (*env)->IsSameObject(env, local, global), (*env)->IsSameObject(env, weak, o),
        (*env)->IsSameObject(env, o, NULL), (*env)->IsSameObject(env, NULL, NULL));
    say("null %d %d %d\n", !(*env)->NewLocalRef(env, NULL), !(*env)->NewGlobalRef(env, NULL),
        !(*env)->NewWeakGlobalRef(env, NULL));
    say("capacity %d %d\n", (*env)->EnsureLocalCapacity(env, 500), (*env)->EnsureLocalCapacity(env, -1));
    say("push %d\n", (*env)->PushLocalFrame(env, 10));
    jobject inner = (*env)->NewLocalRef(env, o);
    jobject outer = (*env)->PopLocalFrame(env, inner);
    say("popped %d\n", (*env)->IsSameObject(env, outer, o));
    say("pop null %d\n", ((*env)->PushLocalFrame(env, 1), !(*env)->PopLocalFrame(env, NULL)));
    (*env)->DeleteLocalRef(env, local);
    (*env)->DeleteGlobalRef(env, global);
    (*env)->DeleteLocalRef(env, NULL);
    (*env)->DeleteGlobalRef(env, NULL);
    (*env)->DeleteWeakGlobalRef(env, NULL);
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID gc = (*env)->GetStaticMethodID(env, system, "gc", "()V");
    (*env)->CallStaticVoidMethod(env, system, gc);
    say("weak alive %d\n", !(*env)->IsSameObject(env, weak, NULL));
    (*env)->DeleteWeakGlobalRef(env, weak);
    jobject kept[100];
    for (int k = 0; k < 100; k++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", k);
        jstring s = (*env)->NewStringUTF(env, name);
        kept[k] = (*env)->NewGlobalRef(env, s);
        (*env)->DeleteLocalRef(env, s);
    }
    (*env)->CallStaticVoidMethod(env, system, gc);
    say_string(env, "kept", kept[57]);
    for (int k = 0; k < 100; k++) (*env)->DeleteGlobalRef(env, kept[k]);
    return end(env);
}

EXPORT jstring Java_Jni_1functions_manyLocals(JNIEnv *env, jclass c, jint n) {
    (void)c;
    begin();
    jobject *refs = malloc((size_t)n * sizeof *refs);
    for (int k = 0; k < n; k++) {
        jchar ch = (jchar)k;
        refs[k] = (*env)->NewString(env, &ch, 1);
    }
    int wrong = 0;
    for (int k = 0; k < n; k++) {
        jchar ch;
        (*env)->GetStringRegion(env, refs[k], 0, 1, &ch);
        wrong += ch != (jchar)k;
        (*env)->DeleteLocalRef(env, refs[k]);
    }
    free(refs);
    say("%d locals, %d wrong\n", n, wrong);
    return end(env);
}

// ---- monitors ------------------------------------------------------------------------------------

EXPORT jstring Java_Jni_1functions_monitors(JNIEnv *env, jclass c, jobject lock) {
    (void)c;
    begin();
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID holds = (*env)->GetStaticMethodID(env, thread, "holdsLock", "(Ljava/lang/Object;)Z");
    say("%d", (*env)->CallStaticBooleanMethod(env, thread, holds, lock));
    say(" %d", (*env)->MonitorEnter(env, lock));
    say(" %d", (*env)->MonitorEnter(env, lock));
    say(" %d", (*env)->MonitorExit(env, lock));
    say(" %d", (*env)->CallStaticBooleanMethod(env, thread, holds, lock));
    say(" %d", (*env)->MonitorExit(env, lock));
    say(" %d\n", (*env)->CallStaticBooleanMethod(env, thread, holds, lock));
    say("%d\n", (*env)->MonitorExit(env, lock));
    jboolean thrown = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    say("not owner: %d\n", thrown);
    return end(env);
}

static jboolean holds(JNIEnv *env, jobject lock) {
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID m = (*env)->GetStaticMethodID(env, thread, "holdsLock", "(Ljava/lang/Object;)Z");
    return (*env)->CallStaticBooleanMethod(env, thread, m, lock);
}
EXPORT jboolean Java_Jni_1functions_lockedStatic(JNIEnv *env, jclass c) { return holds(env, c); }
EXPORT jboolean Java_Jni_1functions_lockedInstance(JNIEnv *env, jobject o) { return holds(env, o); }

// ---- buffers, reflection, interfaces ---------------------------------------------------------------

EXPORT jstring Java_Jni_1functions_buffers(JNIEnv *env, jclass c, jobject direct, jobject heap) {
    (void)c;
    begin();
    static char memory[100];
    jobject b = (*env)->NewDirectByteBuffer(env, memory, 100);
    say("mine %d %ld\n", (*env)->GetDirectBufferAddress(env, b) == memory, (*env)->GetDirectBufferCapacity(env, b));
    jmethodID put = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, b), "put", "(IB)Ljava/nio/ByteBuffer;");
    (*env)->CallObjectMethod(env, b, put, 3, (jbyte)77);
    say("put %d\n", memory[3]);
    say("direct %d %ld\n", (*env)->GetDirectBufferAddress(env, direct) != NULL,
        (*env)->GetDirectBufferCapacity(env, direct));
    say("heap %d %ld\n", (*env)->GetDirectBufferAddress(env, heap) != NULL, (*env)->GetDirectBufferCapacity(env, heap));
    return end(env);
}

EXPORT jstring Java_Jni_1functions_reflection(JNIEnv *env, jclass c, jobject m, jobject k, jobject f) {
    begin();
    jmethodID mid = (*env)->FromReflectedMethod(env, m), kid = (*env)->FromReflectedMethod(env, k);
    jfieldID fid = (*env)->FromReflectedField(env, f);
    say("%d %d %d\n", mid == (*env)->GetStaticMethodID(env, c, "staticI", "(I)I"), kid != NULL,
        fid == (*env)->GetStaticFieldID(env, c, "si", "I"));
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jmethodID text_of = (*env)->GetMethodID(env, object, "toString", "()Ljava/lang/String;");
    jmethodID equals = (*env)->GetMethodID(env, object, "equals", "(Ljava/lang/Object;)Z");
    jclass sub = (*env)->FindClass(env, "Jni_functions$Sub");
    jobject back[3] = {(*env)->ToReflectedMethod(env, c, mid, JNI_TRUE),
                       (*env)->ToReflectedMethod(env, sub, kid, JNI_FALSE),
                       (*env)->ToReflectedField(env, c, fid, JNI_TRUE)};
    jobject from[3] = {m, k, f};
    for (int n = 0; n < 3; n++) {
        say_string(env, "text", (*env)->CallObjectMethod(env, back[n], text_of));
        say("equal %d\n", (*env)->CallBooleanMethod(env, back[n], equals, from[n]));
    }
    return end(env);
}

EXPORT jstring Java_Jni_1functions_interfaces(JNIEnv *env, jclass c, jobject shape) {
    (void)c;
    begin();
    jclass i = (*env)->FindClass(env, "Jni_functions$Shape");
    jmethodID area = (*env)->GetMethodID(env, i, "area", "()I");
    jmethodID text_of = (*env)->GetMethodID(env, i, "text", "()Ljava/lang/String;");
    jmethodID unit = (*env)->GetStaticMethodID(env, i, "unit", "()I");
    say("%d %d\n", (*env)->CallIntMethod(env, shape, area), (*env)->CallStaticIntMethod(env, i, unit));
    say_string(env, "default", (*env)->CallObjectMethod(env, shape, text_of));
    jmethodID through = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, shape), "text", "()Ljava/lang/String;");
    say_string(env, "default", (*env)->CallObjectMethod(env, shape, through));
    return end(env);
}

// ---- defining, registering ---------------------------------------------------------------------

EXPORT jbyteArray Java_Jni_1functions_classBytes(JNIEnv *env, jclass c, jbyteArray bytes) {
    (void)c;
    jsize n = (*env)->GetArrayLength(env, bytes);
    jbyte *from = (*env)->GetByteArrayElements(env, bytes, NULL);
    jbyteArray copy = (*env)->NewByteArray(env, n);
    (*env)->SetByteArrayRegion(env, copy, 0, n, from);
    (*env)->ReleaseByteArrayElements(env, bytes, from, JNI_ABORT);
    return copy;
}

EXPORT jstring Java_Jni_1functions_defineClass(JNIEnv *env, jclass c, jobject loader, jbyteArray bytes) {
    (void)c;
    begin();
    jsize n = (*env)->GetArrayLength(env, bytes);
    jbyte *from = (*env)->GetByteArrayElements(env, bytes, NULL);
    say_class(env, "wrong name", (*env)->DefineClass(env, "Other", loader, from, n));
    jclass made = (*env)->DefineClass(env, "Jni_functions$Plain", loader, from, n);
    say_class(env, "defined", made);
    say("another %d\n", !(*env)->IsSameObject(env, made, (*env)->FindClass(env, "Jni_functions$Plain")));
    jclass twice = (*env)->DefineClass(env, NULL, loader, from, n);
    say("twice %d %d\n", !twice, (*env)->ExceptionCheck(env));
    (*env)->ExceptionClear(env);
    say_class(env, "garbage", (*env)->DefineClass(env, NULL, loader, from + 1, n - 1));
    (*env)->ReleaseByteArrayElements(env, bytes, from, JNI_ABORT);
    return end(env);
}

static jlong registered(JNIEnv *env, jclass c, jlong a, jint b) {
    (void)env, (void)c;
    return a + b;
}

EXPORT jstring Java_Jni_1functions_register(JNIEnv *env, jclass c, jclass which) {
    (void)c;
    begin();
    JNINativeMethod good = {"registered", "(JI)J", (void *)registered};
    JNINativeMethod absent = {"absent", "()V", (void *)registered};
    JNINativeMethod wrong = {"registered", "()V", (void *)registered};
    JNINativeMethod bytecode = {"staticI", "(I)I", (void *)registered};
    say("%d\n", (*env)->RegisterNatives(env, which, &good, 1));
    int rc = (*env)->RegisterNatives(env, which, &absent, 1);
    say("%d\n", rc < 0);
    say_exception(env, "absent");
    rc = (*env)->RegisterNatives(env, which, &wrong, 1);
    say("%d\n", rc < 0);
    say_exception(env, "wrong type");
    rc = (*env)->RegisterNatives(env, which, &bytecode, 1);
    say("%d\n", rc < 0);
    say_exception(env, "not native");
    return end(env);
}

EXPORT jint Java_Jni_1functions_overloaded__I(JNIEnv *env, jclass c, jint a) {
    (void)env, (void)c;
    return a;
}
EXPORT jint Java_Jni_1functions_overloaded__J_3Ljava_lang_String_2(JNIEnv *env, jclass c, jlong a, jobjectArray b) {
    (void)c;
    return (jint)a * 10 + (*env)->GetArrayLength(env, b);
}
EXPORT jint Java_Jni_1functions_with_1under_1score_00024dollar(JNIEnv *env, jclass c, jint a) {
    (void)env, (void)c;
    return a + 1;
}
EXPORT jobject Java_Jni_1functions_identity(JNIEnv *env, jclass c, jobject o) {
    (void)env, (void)c;
    return o;
}
EXPORT jdouble Java_Jni_1functions_sum(JNIEnv *env, jclass cls, jdouble a, jfloat b, jdouble c, jfloat d, jdouble e,
                                       jfloat f, jdouble g, jfloat h, jdouble i, jfloat j, jint k, jlong l, jint m,
                                       jlong n, jint o, jlong p, jint q) {
    (void)env, (void)cls;
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * (double)l +
        13 * m + 14 * (double)n + 15 * o + 16 * (double)p + 17 * q;
}

// ---- the library's old verifier, which queries the VM about all that it examines -----------------

typedef jboolean Verify(JNIEnv *, jclass, char *, jint, jint major);

EXPORT jstring Java_Jni_1functions_verify(JNIEnv *env, jclass c, jobjectArray classes) {
    (void)c;
    begin();
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID get = (*env)->GetStaticMethodID(env, system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
    jstring key = (*env)->NewStringUTF(env, "sun.boot.library.path");
    jstring dir = (*env)->CallStaticObjectMethod(env, system, get, key);
    const char *utf = (*env)->GetStringUTFChars(env, dir, NULL);
    char path[4096], message[1024];
    snprintf(path, sizeof path, "%s/libverify.so", utf);
    (*env)->ReleaseStringUTFChars(env, dir, utf);
    void *lib = dlopen(path, RTLD_NOW);
    Verify *verify = lib ? (Verify *)dlsym(lib, "VerifyClassForMajorVersion") : NULL;
    if (!verify) {
        say("no verifier: %s\n", dlerror());
        return end(env);
    }
    for (jsize k = 0; k < (*env)->GetArrayLength(env, classes); k++) {
        jclass which = (*env)->GetObjectArrayElement(env, classes, k);
        message[0] = '\0';
        jboolean good = verify(env, which, message, sizeof message, 52);
        say("%d %d %s ", good, (*env)->ExceptionCheck(env), message);
        (*env)->ExceptionClear(env);
        say_class(env, "class", which);
    }
    return end(env);
}

// ---- threads -----------------------------------------------------------------------------------

typedef struct Foreign {
    JavaVM *vm;
    jobject runnable;
    int daemon, result, detached;
    const char *name;
} Foreign;

static void *foreign_thread(void *arg) {
    Foreign *f = arg;
    JNIEnv *env;
    JavaVMAttachArgs args = {JNI_VERSION_10, (char *)f->name, NULL};
    void *none = NULL;
    if ((*f->vm)->GetEnv(f->vm, &none, JNI_VERSION_1_8) != JNI_EDETACHED) return NULL;
    f->result = f->daemon ? (*f->vm)->AttachCurrentThreadAsDaemon(f->vm, (void **)&env, &args)
                          : (*f->vm)->AttachCurrentThread(f->vm, (void **)&env, &args);
    if (f->result != JNI_OK) return NULL;
    jclass c = (*env)->FindClass(env, "java/lang/Runnable");
    (*env)->CallVoidMethod(env, f->runnable, (*env)->GetMethodID(env, c, "run", "()V"));
    // With no Java frame below, FindClass uses the system loader.
    f->result += !(*env)->FindClass(env, "Jni_functions");
    f->detached = (*f->vm)->DetachCurrentThread(f->vm);
    return NULL;
}

EXPORT jstring Java_Jni_1functions_threads(JNIEnv *env, jclass c, jobject runnable) {
    (void)c;
    begin();
    JavaVM *vm;
    (*env)->GetJavaVM(env, &vm);
    jobject global = (*env)->NewGlobalRef(env, runnable);
    for (int k = 0; k < 3; k++) {
        Foreign f = {vm, global, k == 1, -99, -99, k == 2 ? "third \xc3\xa9" : k ? "second" : "first"};
        pthread_t t;
        pthread_create(&t, NULL, foreign_thread, &f);
        pthread_join(t, NULL);
        say("attached %d detached %d\n", f.result, f.detached);
    }
    (*env)->DeleteGlobalRef(env, global);
    return end(env);
}
