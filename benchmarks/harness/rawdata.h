// The raw data of a campaign: records, which are JSON objects, one per line in records.jsonl of its directory, each
// written at once.
//
// Kinds of records: "campaign" (description and machine; one for each start of the harness), "expected" (checksum of a
// program's output), "heap" (smallest heap of a program on a configuration), "plan" (one recorded plan file of a
// program), "job" (results of one invocation of a program). Every kind but the first has "seconds", its duration. A
// line truncated by a kill is not a record.
#ifndef CABERNET_BENCHMARKS_HARNESS_RAWDATA_H
#define CABERNET_BENCHMARKS_HARNESS_RAWDATA_H

#include <jansson.h>
#include <stdbool.h>

#include "benchmarks/harness/campaign.h"

typedef struct Records {
    json_t *list;         // array of all records
    json_t *description;  // of the campaign, or NULL; belongs to the list
    int fd;               // where new ones are written; -1: none
} Records;

// Opens DIR/records.jsonl, which is created if missing, removes an unfinished last line, and reads it. Ends the process
// when another process has it open, or when it belongs to another campaign than `description`.
Records records_open(const char *dir, json_t *description);
// Appends the record to file and list; takes ownership of it.
void records_add(Records *r, json_t *record);
void records_close(Records *r);

// Results to report: a directory, a records.jsonl, or a JSON file with "records". Several are merged; all must have the
// same configurations and programs. Ends the process when they cannot be read.
Records records_load(char *const *paths, int n);
// Writes {"version", "description", "records", "summary"} as one JSON file, through a temporary file. Takes ownership
// of the summary.
void records_save(const Records *r, const char *path, json_t *summary);

#endif
