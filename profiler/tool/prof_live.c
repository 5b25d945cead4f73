// `cabernet-prof live PID`: where a running program spends its time, as a list of methods and as a tree of calls, since
// the previous look and in all. Each look has the VM write its present profile. The profile is started here, unless the
// process has one and -e asks for no other.
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_process.h"
#include "profiler/tool/base/prof_terminal.h"
#include "profiler/tool/prof_commands.h"
#include "profiler/tool/prof_list.h"
#include "profiler/tool/view/prof_calls.h"

enum { DEFAULT_EVERY = 2, DEFAULT_ROWS = 20, MOST_NODES = 100000, ROW_PERMILLE = 10, OPEN_PERMILLE = 100 };
enum { NOW, BEFORE };  // files of the context tree

typedef enum LiveView { LIVE_METHODS, LIVE_TREE, LIVE_VIEWS } LiveView;

typedef struct MethodTime {
    uint32_t method;
    uint64_t self[2], total[2];  // since the previous look, and in all
} MethodTime;

// A node that the user has opened or closed.
typedef struct Choice {
    uint64_t path;  // hash of the names from the root
    bool open;
} Choice;

typedef struct Live {
    ProfProcess process;
    const ProfOptions *o;
    bool started;  // the profile is ours
    bool all;      // list the class library's methods too
    bool leaving;
    ProfFile now, before;
    bool has_now, has_before;
    const char *what;  // the name of the analysis
    ProfTree tree;
    uint64_t *fresh;  // by node: its inclusive count since the previous look
    uint64_t *paths;  // by node
    uint64_t fresh_total, total;
    MethodTime *methods;  // those listed, most self time first
    size_t method_count;
    double seconds, all_seconds;  // since the previous look, and of the whole recording
    int64_t at;
    LiveView view;
    ProfList lists[LIVE_VIEWS];
    Choice *choices;
    size_t choice_count;
    const char *message;
} Live;

// ---- counts ------------------------------------------------------------------------------------

// The numbers of the earlier profile's methods in the present one. NULL: a method is missing, so it is another profile.
static uint32_t *numbers_before(const Live *l) {
    const ProfFile *f = &l->now;
    ProfRank *hashes = prof_alloc(f->method_count * sizeof *hashes);
    uint32_t *ids = prof_alloc(l->before.method_count * sizeof *ids);
    for (size_t i = 0; i < f->method_count; i++) hashes[i] = (ProfRank){f->methods[i].hash, i};
    if (f->method_count) qsort(hashes, f->method_count, sizeof *hashes, prof_by_number);
    for (size_t i = 0; i < l->before.method_count; i++) {
        ProfRank key = {l->before.methods[i].hash, 0},
                 *same = f->method_count ? bsearch(&key, hashes, f->method_count, sizeof key, prof_by_number) : NULL;
        if (same) {
            ids[i] = (uint32_t)same->item;
            continue;
        }
        free(ids);
        ids = NULL;
        break;
    }
    free(hashes);
    return ids;
}

static uint64_t difference(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

static uint64_t permille(uint64_t part, uint64_t whole) { return whole ? part * 1000 / whole : 0; }

static bool is_below_itself(const ContextTree *t, size_t node) {
    for (uint32_t i = t->nodes[node].parent; i != CONTEXT_NONE; i = t->nodes[i].parent)
        if (t->nodes[i].method == t->nodes[node].method) return true;
    return false;
}

static int by_self(const void *a, const void *b) {
    const MethodTime *x = a, *y = b;
    for (int i = 0; i < 2; i++) {
        if (x->self[i] != y->self[i]) return x->self[i] < y->self[i] ? 1 : -1;
        if (x->total[i] != y->total[i]) return x->total[i] < y->total[i] ? 1 : -1;
    }
    return (x->method > y->method) - (x->method < y->method);
}

// A method's total has each sample once, also when the method calls itself.
static void add_up_methods(Live *l) {
    const ContextTree *t = &l->tree.tree;
    free(l->methods);
    l->methods = prof_alloc(l->now.method_count * sizeof *l->methods);
    for (uint32_t i = 0; i < l->now.method_count; i++) l->methods[i].method = i;
    for (size_t i = 0; i < t->count; i++) {
        const ContextNode *n = &t->nodes[i];
        MethodTime *m = &l->methods[n->method];
        m->self[0] += difference(n->count[NOW], n->count[BEFORE]);
        m->self[1] += n->count[NOW];
        if (is_below_itself(t, i)) continue;
        m->total[0] += l->fresh[i];
        m->total[1] += n->inclusive[NOW];
    }
    bool all = l->all || !prof_has_application(&l->now);
    size_t kept = 0;
    for (size_t i = 0; i < l->now.method_count; i++)
        if (l->methods[i].total[1] && (all || prof_is_application(&l->now.methods[i])))
            l->methods[kept++] = l->methods[i];
    l->method_count = kept;
    if (kept) qsort(l->methods, kept, sizeof *l->methods, by_self);
}

static const Choice *choice_of(const Live *l, uint64_t path) {
    for (size_t i = 0; i < l->choice_count; i++)
        if (l->choices[i].path == path) return &l->choices[i];
    return NULL;
}

// The tree of both profiles. The user's choices stay; other nodes are open if much of the time is below them.
static void make_tree(Live *l) {
    uint32_t *ids[2] = {prof_alloc(l->now.method_count * sizeof **ids), l->has_before ? numbers_before(l) : NULL};
    for (uint32_t i = 0; i < l->now.method_count; i++) ids[NOW][i] = i;
    ProfFile files[2] = {l->now, l->before};
    ContextTree t = prof_context(files, ids[BEFORE] ? 2 : 1, ids, NULL, MOST_NODES);
    free(ids[NOW]);
    free(ids[BEFORE]);
    prof_tree_free(&l->tree);
    free(l->fresh);
    free(l->paths);
    l->fresh = prof_alloc(t.count * sizeof *l->fresh);
    l->paths = prof_alloc(t.count * sizeof *l->paths);
    l->total = t.total[NOW];
    l->fresh_total = difference(t.total[NOW], t.total[BEFORE]);
    for (size_t i = 0; i < t.count; i++) {
        const ContextNode *n = &t.nodes[i];
        l->fresh[i] = difference(n->inclusive[NOW], n->inclusive[BEFORE]);
        l->paths[i] = ((n->parent == CONTEXT_NONE ? 0 : l->paths[n->parent]) + l->now.methods[n->method].hash) *
            UINT64_C(0x9E3779B97F4A7C15);
    }
    l->tree = prof_tree_make(t, l->fresh);
    for (size_t i = 0; i < t.count; i++) {
        const Choice *chosen = choice_of(l, l->paths[i]);
        bool open = chosen ? chosen->open : permille(l->fresh[i], l->fresh_total) >= OPEN_PERMILLE;
        l->tree.open[i] = open && prof_tree_mark(&l->tree, i) != ' ';
    }
    prof_tree_lay_out(&l->tree);
}

// ---- looks -------------------------------------------------------------------------------------

// Reads the VM's present profile. False: there is nothing to show (with a message), or the process has ended.
static bool look(Live *l) {
    char answer[PROCESS_ANSWER];
    ProfFile f;
    if (!prof_process_dump(&l->process, answer)) {
        if (prof_process_ended(&l->process)) return false;
        l->message = "no answer";
        if (!l->has_now) fprintf(stderr, "cabernet-prof: %s\n", answer);
        return l->has_now && l->process.silent;
    }
    prof_file_open(&f, l->process.path);
    bool has_calls = f.complete && (prof_stack_tree(&f, NULL) || prof_analysis(&f, "call-edge"));
    if (!has_calls) {
        if (!f.complete) fprintf(stderr, "cabernet-prof: %s\n", f.problem);
        else
            fputs("cabernet-prof: the profile has no stacks or calls; cpu, wall, call-tree and call-edge have; "
                  "cabernet-prof top shows other counts\n",
                  stderr);
        prof_file_close(&f);
        return false;
    }
    if (l->has_before) prof_file_close(&l->before);
    l->has_before = l->has_now;
    l->before = l->now;
    l->now = f;
    l->has_now = true;
    int64_t at = clock_monotonic_ns();
    l->all_seconds = (double)prof_meta_number(&f, "duration-ns") / 1e9;
    l->seconds = l->has_before ? (double)(at - l->at) / 1e9 : l->all_seconds;
    l->at = at;
    const ProfAnalysis *tree = prof_stack_tree(&l->now, NULL);
    l->what = tree ? tree->name : "call-edge";
    make_tree(l);
    add_up_methods(l);
    return true;
}

// ---- lines -------------------------------------------------------------------------------------

static const char method_columns[] = " self %  total %  all: self %  total %  method";
static const char tree_columns[] = "total %   self %  all: total %  call";

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static char *method_line(const Live *l, const MethodTime *m) {
    char *name = prof_method_text(&l->now.methods[m->method]), *text;
    if (asprintf(&text, "%7.1f  %7.1f  %11.1f  %7.1f  %s", percent(m->self[0], l->fresh_total),
                 percent(m->total[0], l->fresh_total), percent(m->self[1], l->total), percent(m->total[1], l->total),
                 name) < 0)
        prof_out_of_memory();
    free(name);
    return text;
}

static char *tree_line(const Live *l, size_t node) {
    const ContextNode *n = &l->tree.tree.nodes[node];
    char *name = prof_method_text(&l->now.methods[n->method]), *text;
    if (asprintf(&text, "%7.1f  %7.1f  %12.1f  %*s%c %s", percent(l->fresh[node], l->fresh_total),
                 percent(difference(n->count[NOW], n->count[BEFORE]), l->fresh_total),
                 percent(n->inclusive[NOW], l->total), prof_tree_indent(&l->tree, node), "",
                 prof_tree_mark(&l->tree, node), name) < 0)
        prof_out_of_memory();
    free(name);
    return text;
}

static char *line_of(const void *arg, size_t line) {
    const Live *l = arg;
    return l->view == LIVE_METHODS ? method_line(l, &l->methods[line]) : tree_line(l, l->tree.shown[line]);
}

// "process 17: cpu, 1,998 samples in 2.0 s, 8,120 in 8.1 s"
static void print_head(const Live *l, FILE *out) {
    char fresh[32], all[32];
    const ProfAnalysis *tree = prof_stack_tree(&l->now, NULL);
    fprintf(out, "process %ld: %s, %s %s in %.1f s, %s in %.1f s", l->process.pid, l->what,
            prof_number(fresh, l->fresh_total), tree && prof_tick_ns(&l->now, tree) ? "samples" : "calls", l->seconds,
            prof_number(all, l->total), l->all_seconds);
}

// ---- without a terminal ------------------------------------------------------------------------

static void print_rows(const Live *l, FILE *out) {
    size_t most = !l->o->top_given ? DEFAULT_ROWS : l->o->top ? l->o->top : SIZE_MAX, shown = 0;
    fprintf(out, "\n%s\n", method_columns);
    for (size_t i = 0; i < l->method_count && shown < most; i++) {
        if (permille(l->methods[i].total[0], l->fresh_total) < ROW_PERMILLE) continue;
        char *text = method_line(l, &l->methods[i]);
        fprintf(out, "%s\n", text);
        free(text);
        shown++;
    }
    fprintf(out, "\n%s\n", tree_columns);
    for (size_t i = 0, rows = 0; i < l->tree.count && rows < most; i++) {
        size_t node = l->tree.shown[i];
        if (permille(l->fresh[node], l->fresh_total) < ROW_PERMILLE) continue;
        char *text = tree_line(l, node);
        fprintf(out, "%s\n", text);
        free(text);
        rows++;
    }
}

static void print_block(const Live *l) {
    ProfScreen screen = prof_screen(l->o->width);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) prof_out_of_memory();
    print_head(l, out);
    putc('\n', out);
    print_rows(l, out);
    putc('\n', out);
    if (fclose(out) != 0) prof_out_of_memory();
    prof_screen_write(&screen, text, size, stdout);
    fflush(stdout);
    free(text);
}

// Prints a block for each look, until the limit. Returns the number of looks.
static size_t print_looks(Live *l, double every) {
    size_t looks = 0;
    bool more = prof_process_wait(&l->process, l->started ? every : 0);
    while (more && !prof_interrupted() && look(l)) {
        print_block(l);
        looks++;
        more = !ferror(stdout) && (!l->o->times || looks < l->o->times) && prof_process_wait(&l->process, every);
    }
    return looks;
}

// ---- in a terminal -----------------------------------------------------------------------------

static const char keys[] =
    "q leave  TAB methods or tree  arrows, PgUp, PgDn, Home, End  Enter open  a all or the program";

static void draw(Live *l) {
    char *titles = NULL, status[256];
    size_t size;
    FILE *out = open_memstream(&titles, &size);
    if (!out) prof_out_of_memory();
    fputs(l->view == LIVE_METHODS ? "[methods]  call tree   " : " methods  [call tree]  ", out);
    print_head(l, out);
    if (fclose(out) != 0) prof_out_of_memory();
    l->lists[LIVE_METHODS].lines = l->method_count;
    l->lists[LIVE_TREE].lines = l->tree.count;
    snprintf(status, sizeof status, "%s  %s", l->message ? l->message : "h: keys", l->all ? "all" : "the program");
    prof_list_draw(&l->lists[l->view], titles, l->view == LIVE_METHODS ? method_columns : tree_columns, status, line_of,
                   l);
    free(titles);
    l->message = NULL;
}

static void choose(Live *l, bool open) {
    ProfList *list = &l->lists[LIVE_TREE];
    if (l->view != LIVE_TREE || !list->lines) return;
    size_t node = l->tree.shown[list->cursor];
    Choice *old = (Choice *)choice_of(l, l->paths[node]);
    if (!old) {
        Choice *more = realloc(l->choices, (l->choice_count + 1) * sizeof *more);
        if (!more) prof_out_of_memory();
        l->choices = more;
        old = &l->choices[l->choice_count++];
        old->path = l->paths[node];
    }
    old->open = open;
    prof_tree_open(&l->tree, list, open);
}

static void take_key(Live *l, int key) {
    if (prof_list_move(&l->lists[l->view], key)) return;
    switch (key) {
        case 'q':
        case ERR: l->leaving = true; break;  // ERR: the terminal has gone away
        case 'h':
        case '?': l->message = keys; break;
        case '\t':
        case KEY_BTAB: l->view = l->view == LIVE_METHODS ? LIVE_TREE : LIVE_METHODS; break;
        case KEY_RIGHT: choose(l, true); break;
        case KEY_LEFT: choose(l, false); break;
        case '\n':
        case '\r':
        case KEY_ENTER:
            if (l->view == LIVE_TREE && l->tree.count)
                choose(l, !l->tree.open[l->tree.shown[l->lists[LIVE_TREE].cursor]]);
            break;
        case 'a':
            l->all = !l->all;
            add_up_methods(l);
            break;
        default: break;
    }
}

// Waits for a key, the next look or the end of the process. False: the process has ended.
static bool wait_for_keys(Live *l, double every) {
    int64_t next = l->at + (int64_t)(every * 1e9);
    while (!l->leaving && !prof_interrupted()) {
        draw(l);
        int64_t left = (next - clock_monotonic_ns()) / 1000000;
        if (left <= 0) break;
        struct pollfd events[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = l->process.watch, .events = POLLIN}};
        int n = poll(events, 2, left < 200 ? (int)left : 200);
        if (n > 0 && events[1].revents) return false;
        if (n > 0 && events[0].revents) take_key(l, getch());
    }
    return true;
}

static size_t show_looks(Live *l, double every) {
    // The first look has little to show, but comes at once.
    if (!prof_process_wait(&l->process, l->started ? 0.5 : 0) || !look(l)) return 0;
    SCREEN *screen = prof_list_open();
    if (!screen) return 0;
    while (!l->leaving && !prof_interrupted() && wait_for_keys(l, every) && !l->leaving && look(l))
        ;
    prof_list_close(screen);
    if (prof_process_ended(&l->process)) fprintf(stderr, "cabernet-prof: process %ld has ended\n", l->process.pid);
    return 1;
}

// ---- the command -------------------------------------------------------------------------------

// Starts a profile, unless one of the process is named. A process with one that keeps ours from starting keeps it, and
// it is shown, unless -e asks for another.
static bool begin(Live *l) {
    char answer[PROCESS_ANSWER];
    if (l->o->name) {
        snprintf(l->process.name, sizeof l->process.name, "%s", l->o->name);
        return true;
    }
    l->started = prof_process_start(&l->process, l->o->events ? l->o->events : "cpu", answer);
    if (l->started) return true;
    char why[PROCESS_ANSWER];
    if (!l->o->events && !l->process.silent && prof_process_dump(&l->process, why)) return true;
    fprintf(stderr, "cabernet-prof: no recording: %s\n", answer);
    return false;
}

int prof_live(const ProfOptions *o) {
    Live l = {.o = o, .all = o->all};
    double every = o->every ? (double)o->every : DEFAULT_EVERY;
    prof_catch_interrupts();
    int code = prof_process_open(&l.process, "live", o->files[0]);
    if (!code && !begin(&l)) code = 2;
    bool on_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!code && !(on_terminal ? show_looks(&l, every) : print_looks(&l, every)) && !prof_interrupted()) code = 2;
    char answer[PROCESS_ANSWER];
    if (l.started && !prof_process_end(&l.process, answer) && !prof_process_ended(&l.process))
        fprintf(stderr, "cabernet-prof: the profile continues: %s\n", answer);
    if (l.has_now) prof_file_close(&l.now);
    if (l.has_before) prof_file_close(&l.before);
    prof_tree_free(&l.tree);
    free(l.fresh);
    free(l.paths);
    free(l.methods);
    free(l.choices);
    prof_process_close(&l.process);
    return code;
}
