// `cabernet-prof tui`: a profile in the terminal, by ncurses: the report, the calling context tree, the tables, the
// sources. A view is a list of lines; only those on the screen are formatted.
#include <curses.h>
#include <stdlib.h>
#include <unistd.h>

#include "profiler/tool/prof_commands.h"
#include "profiler/tool/prof_list.h"
#include "profiler/tool/report/prof_report.h"

enum { MOST_NODES = 200000, SEARCH = 128 };

typedef enum ViewKind { VIEW_REPORT, VIEW_TREE, VIEW_SOURCE, VIEW_TABLE } ViewKind;  // VIEW_TABLE + n: analysis n

typedef struct TextView {
    char *text;
    char **lines;
    size_t count;
} TextView;

typedef struct Tui {
    const ProfFile *f;
    ProfOptions o;
    TextView report, source;
    ProfTree tree;
    uint64_t *inclusive;  // of the tree's nodes
    ProfView table;       // of the selected analysis
    size_t view, views;
    ProfList list;
    char search[SEARCH];
    const char *message;
    bool leaving;
} Tui;

// ---- texts -------------------------------------------------------------------------------------

static TextView make_text(const ProfFile *f, const ProfOptions *o,
                          int (*report)(const ProfFile *, const ProfOptions *, FILE *), const char *nothing) {
    TextView v = {0};
    size_t size;
    FILE *out = open_memstream(&v.text, &size);
    if (!out || (report && report(f, o, out) < 0)) prof_out_of_memory();
    if (ftell(out) <= 0) fputs(nothing, out);
    if (fclose(out) != 0) prof_out_of_memory();
    for (const char *p = v.text; *p; p++) v.count += *p == '\n';
    v.lines = prof_alloc((v.count + 1) * sizeof *v.lines);
    v.count = 0;
    for (char *p = v.text, *end; *p; p = end + 1) {
        v.lines[v.count++] = p;
        if (!(end = strchr(p, '\n'))) break;
        *end = '\0';
    }
    return v;
}

static void free_text(TextView *v) {
    free(v->text);
    free(v->lines);
}

// ---- tree --------------------------------------------------------------------------------------

static void make_tree(Tui *t) {
    uint32_t *ids = prof_alloc(t->f->method_count * sizeof *ids);
    for (uint32_t i = 0; i < t->f->method_count; i++) ids[i] = i;
    ContextTree tree = prof_context(t->f, 1, &ids, NULL, MOST_NODES);
    free(ids);
    t->inclusive = prof_alloc(tree.count * sizeof *t->inclusive);
    for (size_t i = 0; i < tree.count; i++) t->inclusive[i] = tree.nodes[i].inclusive[0];
    t->tree = prof_tree_make(tree, t->inclusive);
}

static char *tree_line(const Tui *t, size_t line) {
    const ProfTree *v = &t->tree;
    size_t node = v->shown[line];
    const ContextNode *n = &v->tree.nodes[node];
    char *name = prof_method_text(&t->f->methods[n->method]), *text, inclusive[32], count[32];
    if (asprintf(&text, "%15s %5.1f %15s  %*s%c %s", prof_number(inclusive, n->inclusive[0]),
                 prof_percent(n->inclusive[0], v->tree.total[0]), prof_number(count, n->count[0]),
                 prof_tree_indent(v, node), "", prof_tree_mark(v, node), name) < 0)
        prof_out_of_memory();
    free(name);
    return text;
}

// ---- views -------------------------------------------------------------------------------------

static const ProfAnalysis *analysis_of(const Tui *t) { return &t->f->analyses[t->view - VIEW_TABLE]; }

static char *line_text(const void *arg, size_t line) {
    const Tui *t = arg;
    if (t->view == VIEW_TREE) return tree_line(t, line);
    char *text, count[32];
    if (t->view < VIEW_TABLE) {
        text = strdup((t->view == VIEW_REPORT ? &t->report : &t->source)->lines[line]);
        if (!text) prof_out_of_memory();
        return text;
    }
    const ProfAnalysis *a = analysis_of(t);
    const uint64_t *row = prof_row(a, &a->merged, t->table.rows[line]);
    char *name = prof_row_text(t->f, a, row);
    if (asprintf(&text, "%15s %5.1f  %s", prof_number(count, prof_row_count(a, row)),
                 prof_percent(prof_row_count(a, row), t->table.all), name) < 0)
        prof_out_of_memory();
    free(name);
    return text;
}

static void choose_view(Tui *t, size_t view) {
    prof_view_free(&t->table);
    t->view = view;
    t->list = (ProfList){0};
    switch ((ViewKind)(view < VIEW_TABLE ? view : VIEW_TABLE)) {
        case VIEW_REPORT: t->list.lines = t->report.count; break;
        case VIEW_SOURCE: t->list.lines = t->source.count; break;
        case VIEW_TREE:
            prof_tree_lay_out(&t->tree);
            t->list.lines = t->tree.count;
            break;
        case VIEW_TABLE:
            t->table = prof_view(t->f, analysis_of(t), &analysis_of(t)->merged, &t->o);
            t->list.lines = t->table.count;
    }
}

static void make_texts(Tui *t) {
    ProfOptions o = t->o;
    o.all = !t->o.application;
    t->report = make_text(t->f, &o, prof_report, "nothing\n");
    bool lines = t->o.source != NULL;
    t->source = make_text(t->f, &o, lines ? prof_report_source : NULL,
                          lines ? "no analysis of this profile knows lines\n"
                                : "name the sources' folders: cabernet-prof tui --source DIR FILE\n");
}

// ---- screen ------------------------------------------------------------------------------------

static void draw(Tui *t) {
    static const char *const names[] = {"report", "call tree", "sources"};
    char *titles = NULL, status[256];
    size_t size;
    FILE *out = open_memstream(&titles, &size);
    if (!out) prof_out_of_memory();
    for (size_t i = 0; i < t->views; i++)
        fprintf(out, i == t->view ? "[%s] " : " %s  ", i < VIEW_TABLE ? names[i] : t->f->analyses[i - VIEW_TABLE].name);
    if (fclose(out) != 0) prof_out_of_memory();
    const char *columns = t->view == VIEW_TREE
        ? (t->tree.tree.exact[0] ? "      inclusive     %           count  call"
                                 : "      inclusive     %           count  call (approximated from call edges)")
        : t->view >= VIEW_TABLE ? "          count     %"
                                : "";
    size_t line = t->list.cursor < t->list.lines ? t->list.cursor + 1 : t->list.lines;
    snprintf(status, sizeof status, "%s  %zu of %zu  %s", t->message ? t->message : "h: keys", line, t->list.lines,
             t->o.application ? "the program" : "all");
    prof_list_draw(&t->list, titles, columns, status, line_text, t);
    free(titles);
    t->message = NULL;
}

// ---- keys --------------------------------------------------------------------------------------

static const char keys[] =
    "q leave  TAB views  arrows, PgUp, PgDn, Home, End  Enter open  / search  n next  a all or the program";

static void search_on(Tui *t) {
    for (size_t i = 1; *t->search && i <= t->list.lines; i++) {
        size_t line = (t->list.cursor + i) % t->list.lines;
        char *text = line_text(t, line);
        bool found = strcasestr(text, t->search);
        free(text);
        if (!found) continue;
        t->list.cursor = line;
        return;
    }
    t->message = "not found";
}

static void ask_search(Tui *t) {
    prof_list_put(LINES - 1, "/", A_BOLD);
    move(LINES - 1, 1);
    echo();
    curs_set(1);
    if (getnstr(t->search, SEARCH - 1) == ERR) *t->search = '\0';
    noecho();
    curs_set(0);
    if (*t->search) search_on(t);
}

static void take_key(Tui *t, int key) {
    if (prof_list_move(&t->list, key)) return;
    switch (key) {
        case 'q': t->leaving = true; break;
        case 'h':
        case '?': t->message = keys; break;
        case '\t': choose_view(t, (t->view + 1) % t->views); break;
        case KEY_BTAB: choose_view(t, (t->view + t->views - 1) % t->views); break;
        case KEY_RIGHT:
        case KEY_LEFT:
            if (t->view == VIEW_TREE) prof_tree_open(&t->tree, &t->list, key == KEY_RIGHT);
            break;
        case '\n':
        case '\r':
        case KEY_ENTER:
            if (t->view == VIEW_TREE && t->list.lines)
                prof_tree_open(&t->tree, &t->list, !t->tree.open[t->tree.shown[t->list.cursor]]);
            break;
        case '/': ask_search(t); break;
        case 'n': search_on(t); break;
        case 'a':
            t->o.application = !t->o.application && prof_has_application(t->f);
            free_text(&t->report);
            free_text(&t->source);
            make_texts(t);
            choose_view(t, t->view);
            break;
        case ERR: t->leaving = true; break;  // the terminal has gone away
        default: break;
    }
}

int prof_tui(const ProfFile *f, const ProfOptions *o, FILE *out) {
    (void)out;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        fputs("cabernet-prof: tui needs a terminal; report and html do not\n", stderr);
        return 1;
    }
    Tui t = {.f = f, .o = *o, .views = VIEW_TABLE + f->analysis_count};
    t.o.application = !o->all && prof_has_application(f);
    make_texts(&t);
    make_tree(&t);
    SCREEN *screen = prof_list_open();
    if (screen) {
        choose_view(&t, VIEW_REPORT);
        while (!t.leaving) {
            draw(&t);
            take_key(&t, getch());
        }
        prof_list_close(screen);
    }
    free_text(&t.report);
    free_text(&t.source);
    prof_tree_free(&t.tree);
    free(t.inclusive);
    prof_view_free(&t.table);
    return screen ? 0 : 2;
}
