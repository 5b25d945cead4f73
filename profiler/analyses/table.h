// Rows of counts under keys: the form in which every analysis hands over what it collected, and in
// which threads are added up. Not thread-safe; malloc only.
#ifndef CABERNET_PROFILER_TABLE_H
#define CABERNET_PROFILER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_KEYS = 6 };

typedef struct TableRow {
    uint64_t key[TABLE_KEYS];  // the unused ones are 0
    uint64_t count;
} TableRow;

typedef struct Table {
    TableRow *rows;
    size_t count, capacity;
    bool failed;      // a row could not be added: out of memory
    bool keep_empty;  // rows with count 0 stay
} Table;

// Adds a row; equal keys are allowed until table_combine. Remembers a failure in t->failed.
void table_add(Table *t, const TableRow *row);
void table_add_all(Table *t, const Table *other);
// Makes room for just so many rows: without it a table that grows by single rows has up to twice the room that it needs.
void table_reserve(Table *t, size_t count);
// Sorts by keys and adds up rows with equal keys. What adds up to 0, because counts were taken back, goes, but for keep_empty. Room that
// is not used afterwards is given back.
void table_combine(Table *t);
// Adds the rows of one combined table to another. The work is that of finding them, while there are no new ones. `to` must have room
// for all rows of both (table_reserve), so it cannot fail but for the memory that table_combine may need.
void table_merge(Table *to, const Table *from);
uint64_t table_total(const Table *t);
void table_free(Table *t);  // leaves an empty table

#endif
