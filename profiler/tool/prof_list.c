#include "profiler/tool/prof_list.h"

#include <locale.h>
#include <stdlib.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_terminal.h"

enum { TITLE_LINES = 2, STATUS_LINES = 1, DEEPEST_INDENT = 60 };

// ---- screen ------------------------------------------------------------------------------------

SCREEN *prof_list_open(void) {
    setlocale(LC_ALL, "");
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        fputs("cabernet-prof: curses does not know this terminal (TERM)\n", stderr);
        return NULL;
    }
    noecho();
    cbreak();
    keypad(stdscr, TRUE);
    curs_set(0);
    return screen;
}

void prof_list_close(SCREEN *screen) {
    endwin();
    delscreen(screen);
}

static size_t page_of(void) {
    return LINES > TITLE_LINES + STATUS_LINES ? (size_t)(LINES - TITLE_LINES - STATUS_LINES) : 1;
}

void prof_list_put(int y, const char *text, attr_t how) {
    size_t width = COLS > 0 ? (size_t)COLS : 1;
    attrset(how);
    mvhline(y, 0, ' ', COLS);
    mvaddnstr(y, 0, text, (int)prof_cut(text, strlen(text), width));
    attrset(A_NORMAL);
}

void prof_list_draw(ProfList *l, const char *titles, const char *columns, const char *status,
                    char *(*line)(const void *, size_t), const void *arg) {
    size_t page = page_of();
    if (l->cursor >= l->lines) l->cursor = l->lines ? l->lines - 1 : 0;
    if (l->cursor < l->top) l->top = l->cursor;
    if (l->cursor >= l->top + page) l->top = l->cursor - page + 1;
    erase();
    prof_list_put(0, titles, A_BOLD);
    prof_list_put(1, columns, A_UNDERLINE);
    for (size_t i = 0; i < page && l->top + i < l->lines; i++) {
        char *text = line(arg, l->top + i);
        prof_list_put((int)i + TITLE_LINES, text, l->top + i == l->cursor ? A_REVERSE : A_NORMAL);
        free(text);
    }
    prof_list_put(LINES - 1, status, A_BOLD);
    refresh();
}

bool prof_list_move(ProfList *l, int key) {
    size_t page = page_of(), last = l->lines ? l->lines - 1 : 0;
    switch (key) {
        case 'j':
        case KEY_DOWN: l->cursor += l->cursor < last; return true;
        case 'k':
        case KEY_UP: l->cursor -= l->cursor > 0; return true;
        case ' ':
        case KEY_NPAGE: l->cursor = l->cursor + page < last ? l->cursor + page : last; return true;
        case KEY_PPAGE: l->cursor -= l->cursor < page ? l->cursor : page; return true;
        case 'g':
        case KEY_HOME: l->cursor = 0; return true;
        case 'G':
        case KEY_END: l->cursor = last; return true;
        case 'L' - '@': clearok(stdscr, TRUE); return true;  // Ctrl-L: redraws the screen
        default: return false;
    }
}

// ---- tree --------------------------------------------------------------------------------------

static size_t slot_of(const ContextNode *n) { return n->parent == CONTEXT_NONE ? 0 : (size_t)n->parent + 1; }

ProfTree prof_tree_make(ContextTree tree, const uint64_t *weights) {
    size_t n = tree.count;
    ProfTree t = {.tree = tree,
                  .weights = weights,
                  .first = prof_alloc((n + 3) * sizeof *t.first),
                  .children = prof_alloc(n * sizeof *t.children),
                  .open = prof_alloc(n * sizeof *t.open),
                  .depths = prof_alloc(n * sizeof *t.depths),
                  .shown = prof_alloc(n * sizeof *t.shown)};
    ProfRank *sorted = prof_alloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        const ContextNode *node = &tree.nodes[i];
        t.first[slot_of(node) + 2]++;
        t.depths[i] = node->parent == CONTEXT_NONE ? 0 : t.depths[node->parent] + 1;
        sorted[i] = (ProfRank){weights[i], i};
    }
    if (n) qsort(sorted, n, sizeof *sorted, prof_by_weight);
    for (size_t i = 2; i < n + 3; i++) t.first[i] += t.first[i - 1];
    for (size_t i = 0; i < n; i++) t.children[t.first[slot_of(&tree.nodes[sorted[i].item]) + 1]++] = sorted[i].item;
    free(sorted);
    return t;
}

void prof_tree_free(ProfTree *t) {
    prof_context_free(&t->tree);
    free(t->first);
    free(t->children);
    free(t->open);
    free(t->depths);
    free(t->shown);
    *t = (ProfTree){0};
}

static bool has_children(const ProfTree *t, size_t node) { return t->first[node + 1] < t->first[node + 2]; }

void prof_tree_lay_out(ProfTree *t) {
    size_t depth = 0, *stack = prof_alloc((t->tree.count + 1) * sizeof *stack);
    t->count = 0;
    for (size_t i = t->first[1]; i-- > t->first[0];) stack[depth++] = t->children[i];
    while (depth) {
        size_t node = stack[--depth];
        t->shown[t->count++] = node;
        for (size_t i = t->first[node + 2]; t->open[node] && i-- > t->first[node + 1];) stack[depth++] = t->children[i];
    }
    free(stack);
}

int prof_tree_indent(const ProfTree *t, size_t node) {
    return 2 * (int)(t->depths[node] < DEEPEST_INDENT ? t->depths[node] : DEEPEST_INDENT);
}

char prof_tree_mark(const ProfTree *t, size_t node) { return !has_children(t, node) ? ' ' : t->open[node] ? '-' : '+'; }

void prof_tree_open(ProfTree *t, ProfList *l, bool open) {
    if (!l->lines) return;
    size_t node = t->shown[l->cursor];
    if (!open && !t->open[node] && t->tree.nodes[node].parent != CONTEXT_NONE) {
        while (t->shown[l->cursor] != t->tree.nodes[node].parent) l->cursor--;
        return;
    }
    t->open[node] = open && has_children(t, node);
    prof_tree_lay_out(t);
    l->lines = t->count;
}
