// The handler of SIGSEGV and similar signals. The VM recovers from one fault: SIGBUS in an Unsafe access (to a buffer)
// when the mapped file was truncated. The access is skipped, and the thread throws InternalError at its next poll. JNI
// code that hits such memory cannot continue: the VM does not know the effect of skipping an instruction there.
//
// Otherwise, unless the signal is SIGABRT, the report names the thread, the place and the running code, as far as they
// can be read. Then hooks run (the profile is written) and the process aborts.
//
// Runs on the thread's signal stack and calls only async-signal-safe functions, except in the steps that look up symbol
// names. A fault inside a step re-enters the handler, which continues with the next step.
#include "vm/services/crash.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/signals.h"
#include "arch_context.h"
#include "arch_frame.h"
#include "arch_insn.h"
#include "vm/instrument/profile.h"
#include "vm/services/hooks.h"
#include "vm/services/signal.h"
#include "vm/threads/thread.h"
#include "vm/threads/ticks.h"

enum { MAX_HOOKS = 4, MAX_FRAMES = 48, GUARD_REACH = 64 * 1024 };

typedef struct Crash {
    int sig;
    const siginfo_t *info;
    const ucontext_t *context;
    const Thread *thread;  // NULL: not a VM thread
} Crash;

static struct CrashReport {
    void (*hooks[MAX_HOOKS])(int sig);
    int hook_count;
    struct sigaction previous[65];
    _Atomic int crashing;  // thread id of the reporting thread
    _Atomic int next_step;
} crash_report = {.hooks = {profile_crash}, .hook_count = 1};

void signal_add_crash_hook(void (*hook)(int sig)) {
    if (crash_report.hook_count < MAX_HOOKS) crash_report.hooks[crash_report.hook_count++] = hook;
}

void crash_remember(int sig, const struct sigaction *old) { crash_report.previous[sig] = *old; }

// ---- output --------------------------------------------------------------------------------

static void put_bytes(const char *text, size_t n) {
    while (n > 0) {
        ssize_t done = write(STDERR_FILENO, text, n);
        if (done <= 0) return;
        text += done;
        n -= (size_t)done;
    }
}

static void put(const char *text) { put_bytes(text, strlen(text)); }

static void put_number(uint64_t value, unsigned base) {
    char digits[24];
    size_t at = sizeof digits;
    do digits[--at] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    put_bytes(digits + at, sizeof digits - at);
}

static void put_hex(uint64_t value) {
    put("0x");
    put_number(value, 16);
}

static void put_symbol(const Symbol *s) {
    for (uint16_t i = 0; i < s->length; i++) {
        char c = s->text[i] == '/' ? '.' : s->text[i];
        put_bytes(&c, 1);
    }
}

// ---- steps ---------------------------------------------------------------------------------

static void report_signal(const Crash *c) {
    const char *name = sigabbrev_np(c->sig);
    put("#\n# A fatal error has been detected by cabernet:\n#\n#  SIG");
    put(name ? name : "?");
    put(" (");
    put_hex((uint64_t)c->sig);
    put(") at pc=");
    put_hex(arch_context_pc(c->context));
    put(", pid=");
    put_number((uint64_t)getpid(), 10);
    put(", tid=");
    put_number((uint64_t)syscall(SYS_gettid), 10);
    if (c->info->si_code > 0) {
        put(", address ");
        put_hex((uintptr_t)c->info->si_addr);
    }
    put("\n#\n");
}

static bool within(const void *address, const void *base, size_t size) {
    return (uintptr_t)address - (uintptr_t)base < size;
}

static void report_thread(const Crash *c) {
    char name[17] = "";
    prctl(PR_GET_NAME, name);
    put(c->thread ? "# Java thread \"" : "# Native thread \"");
    put(name);
    put("\"\n");
    const Thread *t = c->thread;
    if (!t || c->info->si_code <= 0) return;
    const void *at = c->info->si_addr;
    if (t->c_stack_low && within(at, (char *)t->c_stack_low - GUARD_REACH, GUARD_REACH + 4096))
        put("# The C stack of this thread has overflowed\n");
    else if (t->mapping && within(at, t->mapping, t->mapping_size))
        put("# The address is in a guard page of the thread's Java stack\n");
}

static bool frame_ok(const Thread *t, const Frame *f) {
    return f && (uintptr_t)f % sizeof(Slot) == 0 && within(f, t->mapping, t->mapping_size);
}

static void report_java_frames(const Crash *c) {
    if (!c->thread) return;
    put("#\n# Java frames:\n");
    int n = 0;
    const Frame *f = c->thread->frame;
    for (; n < MAX_FRAMES && frame_ok(c->thread, f); n++, f = f->prev) {
        if (!f->method) continue;
        put("#\tat ");
        put_symbol(f->method->cls->name);
        put(".");
        put_symbol(f->method->name);
        put(f->kind == FRAME_NATIVE ? "(Native Method)\n" : "\n");
    }
    if (frame_ok(c->thread, f)) put("#\t...\n");
}

static void put_code_address(uintptr_t pc) {
    Dl_info info;
    put("#\t");
    put_hex(pc);
    if (dladdr((void *)pc, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        put(" ");
        put(slash ? slash + 1 : info.dli_fname);
        put("+");
        put_hex(pc - (uintptr_t)info.dli_fbase);
        if (info.dli_sname) {
            put(" ");
            put(info.dli_sname);
        }
    }
    put("\n");
}

static bool in_c_stack(const Thread *t, uintptr_t at) {
    return at % 8 == 0 && at >= (uintptr_t)t->c_stack_low && at < (uintptr_t)t->c_stack_base - 16;
}

static bool is_code(uintptr_t pc) {
    Dl_info info;
    return pc && dladdr((void *)pc, &info) != 0;
}

// Do `depth` consecutive frame records begin here?
static bool is_chain(const Thread *t, uintptr_t fp, int depth) {
    for (; depth > 0; depth--) {
        if (!in_c_stack(t, fp)) return false;
        const ArchFrame *frame = (const ArchFrame *)fp;
        if (!is_code((uintptr_t)frame->return_pc) || (uintptr_t)frame->caller <= fp) return false;
        fp = (uintptr_t)frame->caller;
    }
    return true;
}

// The frame pointer, or, in code that uses that register otherwise (the interpreter), the first stack word that looks
// like a frame record.
static uintptr_t find_frame(const Crash *c) {
    enum { REACH = 512, DEPTH = 3 };
    uintptr_t fp = arch_context_fp(c->context);
    if (is_chain(c->thread, fp, DEPTH)) return fp;
    uintptr_t sp = arch_context_sp(c->context) & ~(uintptr_t)7;
    for (int i = 0; i < REACH; i++, sp += 8)
        if (is_chain(c->thread, sp, DEPTH)) return sp;
    return 0;
}

// Follows the frame pointers, which cabernet's code keeps but other code may not.
static void report_c_frames(const Crash *c) {
    put("#\n# C frames:\n");
    put_code_address(arch_context_pc(c->context));
    if (!c->thread) return;
    uintptr_t fp = find_frame(c);
    for (int n = 0; n < MAX_FRAMES && fp && in_c_stack(c->thread, fp); n++) {
        const ArchFrame *frame = (const ArchFrame *)fp;
        uintptr_t next = (uintptr_t)frame->caller, pc = (uintptr_t)frame->return_pc;
        if (!is_code(pc)) break;
        put_code_address(pc);
        if (next <= fp) break;
        fp = next;
    }
}

static void run_hooks(const Crash *c) {
    if (c->sig != SIGABRT) put("#\n");
    for (int i = 0; i < crash_report.hook_count; i++) crash_report.hooks[i](c->sig);
}

static void (*const steps[])(const Crash *c) = {
    report_signal, report_thread, report_java_frames, report_c_frames, run_hooks,
};
enum { STEPS = sizeof steps / sizeof *steps };

// ---- the handler ---------------------------------------------------------------------------

// True if a previously installed handler took the signal of a foreign thread.
static bool chain(int sig, siginfo_t *info, void *context) {
    const struct sigaction *old = &crash_report.previous[sig];
    if (old->sa_flags & SA_SIGINFO) {
        if (!old->sa_sigaction) return false;
        old->sa_sigaction(sig, info, context);
        return true;
    }
    if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) return false;
    old->sa_handler(sig);
    return true;
}

void crash_let_report(void) {
    while (atomic_load(&crash_report.crashing)) pause();
}

void crash_handler(int sig, siginfo_t *info, void *context) {
    if (sig != SIGABRT) ticks_recover();
    Thread *self = thread_current();
    // Only a running thread accesses memory through Unsafe. BUS_ADRERR: the file has no such page.
    if (self && sig == SIGBUS && info->si_code == BUS_ADRERR && thread_is_running(self) &&
        (self->touches_unsafe || service_hooks.may_fault(arch_context_pc(context))) && arch_insn_skip(context)) {
        safepoint_request(self, POLL_FAULT);
        return;
    }
    if (threads.shadow) {  // only its sample is lost
        signals_let_faults_kill();
        return;
    }
    Crash crash = {sig, info, context, self};
    if (!crash.thread && chain(sig, info, context)) return;
    int me = (int)syscall(SYS_gettid), nobody = 0;
    if (!atomic_compare_exchange_strong(&crash_report.crashing, &nobody, me) && nobody != me)
        for (;;) pause();  // another thread is reporting
    // A process that aborts has already printed the reason; HotSpot adds nothing either.
    for (int step; (step = atomic_fetch_add(&crash_report.next_step, 1)) < STEPS;)
        if (sig != SIGABRT || steps[step] == run_hooks) steps[step](&crash);
    signals_let_faults_kill();
    abort();
}
