// `cabernet-prof tui`: a profile in the terminal, by ncurses: the report, the calling context tree, the tables, the
// sources. A view is a list of lines; only those on the screen are formatted.
#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_terminal.h"
#include "profiler/tool/prof_commands.h"
#include "profiler/tool/report/prof_report.h"
#include "profiler/tool/view/prof_context.h"

enum { MOST_NODES = 200000, SEARCH = 128, TITLE_LINES = 2, STATUS_LINES = 1, DEEPEST_INDENT = 60 };

typedef enum ViewKind { VIEW_REPORT, VIEW_TREE, VIEW_SOURCE, VIEW_TABLE } ViewKind;  // VIEW_TABLE + n: analysis n

typedef struct TreeView {
    ContextTree tree;
    size_t *first, *children;  // by node + 1 (0: root): its children in `children`, largest work first
    bool *open;
    uint32_t *depths;
    size_t *shown, count;  // the nodes shown, one per line
} TreeView;

typedef struct TextView {
    char *text;
    char **lines;
    size_t count;
} TextView;

typedef struct Tui {
    const ProfFile *f;
    ProfOptions o;
    TextView report, source;
    TreeView tree;
    ProfView table;  // of the selected analysis
    size_t view, views;
    size_t cursor, top, lines;
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

static size_t slot_of(const ContextNode *n) { return n->parent == CONTEXT_NONE ? 0 : (size_t)n->parent + 1; }

static TreeView make_tree(const ProfFile *f) {
    uint32_t *ids = prof_alloc(f->method_count * sizeof *ids);
    for (uint32_t i = 0; i < f->method_count; i++) ids[i] = i;
    TreeView v = {.tree = prof_context(f, 1, &ids, NULL, MOST_NODES)};
    free(ids);
    size_t n = v.tree.count;
    v.first = prof_alloc((n + 3) * sizeof *v.first);
    v.children = prof_alloc(n * sizeof *v.children);
    v.open = prof_alloc(n * sizeof *v.open);
    v.depths = prof_alloc(n * sizeof *v.depths);
    v.shown = prof_alloc(n * sizeof *v.shown);
    ProfRank *sorted = prof_alloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        const ContextNode *node = &v.tree.nodes[i];
        v.first[slot_of(node) + 2]++;
        v.depths[i] = node->parent == CONTEXT_NONE ? 0 : v.depths[node->parent] + 1;
        sorted[i] = (ProfRank){node->inclusive[0], i};
    }
    if (n) qsort(sorted, n, sizeof *sorted, prof_by_weight);
    for (size_t i = 2; i < n + 3; i++) v.first[i] += v.first[i - 1];
    for (size_t i = 0; i < n; i++) v.children[v.first[slot_of(&v.tree.nodes[sorted[i].item]) + 1]++] = sorted[i].item;
    free(sorted);
    return v;
}

static bool has_children(const TreeView *v, size_t node) { return v->first[node + 1] < v->first[node + 2]; }

// The lines: the roots, and the children of open nodes.
static void lay_out(TreeView *v) {
    size_t depth = 0, *stack = prof_alloc((v->tree.count + 1) * sizeof *stack);
    v->count = 0;
    for (size_t i = v->first[1]; i-- > v->first[0];) stack[depth++] = v->children[i];
    while (depth) {
        size_t node = stack[--depth];
        v->shown[v->count++] = node;
        for (size_t i = v->first[node + 2]; v->open[node] && i-- > v->first[node + 1];) stack[depth++] = v->children[i];
    }
    free(stack);
}

static char *tree_line(const Tui *t, size_t line) {
    const TreeView *v = &t->tree;
    size_t node = v->shown[line];
    const ContextNode *n = &v->tree.nodes[node];
    char *name = prof_method_text(&t->f->methods[n->method]), *text, inclusive[32], count[32];
    uint32_t indent = v->depths[node] < DEEPEST_INDENT ? v->depths[node] : DEEPEST_INDENT;
    if (asprintf(&text, "%15s %5.1f %15s  %*s%c %s", prof_number(inclusive, n->inclusive[0]),
                 prof_percent(n->inclusive[0], v->tree.total[0]), prof_number(count, n->count[0]), (int)(2 * indent),
                 "",
                 !has_children(v, node) ? ' '
                     : v->open[node]    ? '-'
                                        : '+',
                 name) < 0)
        prof_out_of_memory();
    free(name);
    return text;
}

// ---- views -------------------------------------------------------------------------------------

static const ProfAnalysis *analysis_of(const Tui *t) { return &t->f->analyses[t->view - VIEW_TABLE]; }

static char *line_text(const Tui *t, size_t line) {
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
    t->cursor = t->top = 0;
    switch ((ViewKind)(view < VIEW_TABLE ? view : VIEW_TABLE)) {
        case VIEW_REPORT: t->lines = t->report.count; break;
        case VIEW_SOURCE: t->lines = t->source.count; break;
        case VIEW_TREE:
            lay_out(&t->tree);
            t->lines = t->tree.count;
            break;
        case VIEW_TABLE:
            t->table = prof_view(t->f, analysis_of(t), &analysis_of(t)->merged, &t->o);
            t->lines = t->table.count;
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

static size_t page_of(void) {
    return LINES > TITLE_LINES + STATUS_LINES ? (size_t)(LINES - TITLE_LINES - STATUS_LINES) : 1;
}

static void put_line(int y, const char *text, attr_t how) {
    size_t width = COLS > 0 ? (size_t)COLS : 1;
    attrset(how);
    mvhline(y, 0, ' ', COLS);
    mvaddnstr(y, 0, text, (int)prof_cut(text, strlen(text), width));
    attrset(A_NORMAL);
}

static void draw_titles(const Tui *t) {
    static const char *const names[] = {"report", "call tree", "sources"};
    char *titles = NULL;
    size_t size;
    FILE *out = open_memstream(&titles, &size);
    if (!out) prof_out_of_memory();
    for (size_t i = 0; i < t->views; i++)
        fprintf(out, i == t->view ? "[%s] " : " %s  ", i < VIEW_TABLE ? names[i] : t->f->analyses[i - VIEW_TABLE].name);
    if (fclose(out) != 0) prof_out_of_memory();
    put_line(0, titles, A_BOLD);
    free(titles);
    put_line(1,
             t->view == VIEW_TREE        ? (t->tree.tree.exact[0]
                                                ? "      inclusive     %           count  call"
                                                : "      inclusive     %           count  call (approximated from call edges)")
                 : t->view >= VIEW_TABLE ? "          count     %"
                                         : "",
             A_UNDERLINE);
}

static void draw(Tui *t) {
    size_t page = page_of();
    if (t->cursor >= t->lines) t->cursor = t->lines ? t->lines - 1 : 0;
    if (t->cursor < t->top) t->top = t->cursor;
    if (t->cursor >= t->top + page) t->top = t->cursor - page + 1;
    erase();
    draw_titles(t);
    for (size_t i = 0; i < page && t->top + i < t->lines; i++) {
        char *text = line_text(t, t->top + i);
        put_line((int)i + TITLE_LINES, text, t->top + i == t->cursor ? A_REVERSE : A_NORMAL);
        free(text);
    }
    char status[256];
    snprintf(status, sizeof status, "%s  %zu of %zu  %s", t->message ? t->message : "h: keys",
             t->lines ? t->cursor + 1 : 0, t->lines, t->o.application ? "the program" : "all");
    put_line(LINES - 1, status, A_BOLD);
    t->message = NULL;
    refresh();
}

// ---- keys --------------------------------------------------------------------------------------

static const char keys[] =
    "q leave  TAB views  arrows, PgUp, PgDn, Home, End  Enter open  / search  n next  a all or the program";

static void search_on(Tui *t) {
    for (size_t i = 1; *t->search && i <= t->lines; i++) {
        size_t line = (t->cursor + i) % t->lines;
        char *text = line_text(t, line);
        bool found = strcasestr(text, t->search);
        free(text);
        if (!found) continue;
        t->cursor = line;
        return;
    }
    t->message = "not found";
}

static void ask_search(Tui *t) {
    put_line(LINES - 1, "/", A_BOLD);
    move(LINES - 1, 1);
    echo();
    curs_set(1);
    if (getnstr(t->search, SEARCH - 1) == ERR) *t->search = '\0';
    noecho();
    curs_set(0);
    if (*t->search) search_on(t);
}

// Opens or closes the node at the cursor; closing a closed node moves to its parent.
static void open_or_close(Tui *t, bool open) {
    TreeView *v = &t->tree;
    if (t->view != VIEW_TREE || !t->lines) return;
    size_t node = v->shown[t->cursor];
    if (!open && !v->open[node] && v->tree.nodes[node].parent != CONTEXT_NONE) {
        while (v->shown[t->cursor] != v->tree.nodes[node].parent) t->cursor--;
        return;
    }
    v->open[node] = open && has_children(v, node);
    lay_out(v);
    t->lines = v->count;
}

static void take_key(Tui *t, int key) {
    size_t page = page_of();
    switch (key) {
        case 'q': t->leaving = true; break;
        case 'h':
        case '?': t->message = keys; break;
        case '\t': choose_view(t, (t->view + 1) % t->views); break;
        case KEY_BTAB: choose_view(t, (t->view + t->views - 1) % t->views); break;
        case 'j':
        case KEY_DOWN: t->cursor += t->cursor + 1 < t->lines; break;
        case 'k':
        case KEY_UP: t->cursor -= t->cursor > 0; break;
        case ' ':
        case KEY_NPAGE: t->cursor = t->cursor + page < t->lines ? t->cursor + page : t->lines ? t->lines - 1 : 0; break;
        case KEY_PPAGE: t->cursor -= t->cursor < page ? t->cursor : page; break;
        case 'g':
        case KEY_HOME: t->cursor = 0; break;
        case 'G':
        case KEY_END: t->cursor = t->lines ? t->lines - 1 : 0; break;
        case KEY_RIGHT: open_or_close(t, true); break;
        case KEY_LEFT: open_or_close(t, false); break;
        case '\n':
        case '\r':
        case KEY_ENTER:
            if (t->view == VIEW_TREE && t->lines) open_or_close(t, !t->tree.open[t->tree.shown[t->cursor]]);
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
        case 'L' - '@': clearok(stdscr, TRUE); break;  // Ctrl-L: redraws the screen
        case ERR: t->leaving = true; break;            // the terminal has gone away
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
    t.tree = make_tree(f);
    setlocale(LC_ALL, "");
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen) fputs("cabernet-prof: curses does not know this terminal (TERM)\n", stderr);
    else {
        noecho();
        cbreak();
        keypad(stdscr, TRUE);
        curs_set(0);
        choose_view(&t, VIEW_REPORT);
        while (!t.leaving) {
            draw(&t);
            take_key(&t, getch());
        }
        endwin();
        delscreen(screen);
    }
    free_text(&t.report);
    free_text(&t.source);
    prof_context_free(&t.tree.tree);
    free(t.tree.first);
    free(t.tree.children);
    free(t.tree.open);
    free(t.tree.depths);
    free(t.tree.shown);
    prof_view_free(&t.table);
    return screen ? 0 : 2;
}
