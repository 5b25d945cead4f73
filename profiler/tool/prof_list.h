// Curses screens of the commands tui and live: a list of lines with a cursor, of which only the visible ones are
// formatted, and a tree of calls as such a list.
#ifndef CABERNET_PROFILER_TOOL_PROF_LIST_H
#define CABERNET_PROFILER_TOOL_PROF_LIST_H

#include <curses.h>
#include <stdbool.h>
#include <stddef.h>

#include "profiler/tool/view/prof_context.h"

typedef struct ProfList {
    size_t cursor, top, lines;
} ProfList;

// Opens the terminal's screen. NULL, with a message: curses does not know the terminal.
SCREEN *prof_list_open(void);
void prof_list_close(SCREEN *screen);
// Draws two lines of titles, the list and the line of status. `line` returns the malloc'd text of a line.
void prof_list_draw(ProfList *l, const char *titles, const char *columns, const char *status,
                    char *(*line)(const void *arg, size_t line), const void *arg);
// A line of the screen, filled with blanks.
void prof_list_put(int y, const char *text, attr_t how);
// Moves the cursor if the key does that. False: another key.
bool prof_list_move(ProfList *l, int key);

// A tree of calls, of which open nodes show their children.
typedef struct ProfTree {
    ContextTree tree;
    const uint64_t *weights;   // of nodes: the order of children
    size_t *first, *children;  // by node + 1 (0: root): its children in `children`, largest weight first
    bool *open;
    uint32_t *depths;
    size_t *shown, count;  // the nodes shown, one per line
} ProfTree;

// Takes over `tree`; `weights` by node. All nodes are closed, and nothing is laid out.
ProfTree prof_tree_make(ContextTree tree, const uint64_t *weights);
void prof_tree_free(ProfTree *t);
// The lines: the roots, and the children of open nodes.
void prof_tree_lay_out(ProfTree *t);
// The columns of a node's name: indentation, and whether it is open (-), closed (+) or has no children.
int prof_tree_indent(const ProfTree *t, size_t node);
char prof_tree_mark(const ProfTree *t, size_t node);
// Opens or closes the node at the cursor, and lays out; closing a closed node moves to its parent.
void prof_tree_open(ProfTree *t, ProfList *l, bool open);

#endif
