// A campaign: configurations x programs x invocations x iterations, as its description defines them.
//
// The description is a JSON object (docs/MEASURING.md has all keys). Command line options change it before it is read,
// so that the copy kept with the results is complete.
#ifndef CABERNET_BENCHMARKS_HARNESS_CAMPAIGN_H
#define CABERNET_BENCHMARKS_HARNESS_CAMPAIGN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Configuration {
    const char *name, *command;  // owned by the description
    const char *callback;        // class of Repeat.Callback, or NULL
    char **words;
    bool replays;  // the command names {plan}
} Configuration;

typedef struct Subject {
    const char *name, *run, *stands_for, *expected;  // owned by the description; the last two may be NULL
    char **words;
    bool process;  // a whole process is one iteration; else the driver calls the program repeatedly
    int repeat;    // calls that make one iteration
} Subject;

typedef struct Campaign {
    json_t *description;
    Configuration *configurations;
    Subject *subjects;
    size_t n_configurations, n_subjects;
    size_t baseline, oracle;  // configurations: ratios refer to the first, outputs must equal the second's
    int invocations, iterations, measured_from;
    bool turns;          // all configurations alive, taking turns by the iteration; else one after the other
    bool wall;           // wall time is measured rather than processor time
    bool check;          // outputs are compared
    int plans;           // number of plans per program for {plan}, which invocations use in rotation; 0: none
    json_t *plan_files;  // their file names, or NULL: they are recorded by
    const char *plan_command;
    char **plan_words;     // this command, with an option appended
    double heap, limit_s;  // heap: multiple of the smallest sufficient one; 0: each VM's default
    int cpu;
    uint64_t seed;
    const char *driver;
} Campaign;

// Makes a campaign from an object, to which it refers. Ends the process with a message when something in it is wrong or
// unknown.
Campaign campaign_of(json_t *description);
void campaign_free(Campaign *c);
size_t campaign_configuration(const Campaign *c, const char *name);  // n_configurations if there is none of that name
size_t campaign_subject(const Campaign *c, const char *name);
// The file with plan `number`, counted from 0, of a program, for results in the directory `out`. The caller frees it.
char *campaign_plan(const Campaign *c, const char *out, size_t subject, int number);

// Reads a description file. Ends the process with the position of the first error.
json_t *campaign_read(const char *path);

// Options of `run` and `jobs` apart from the description.
typedef struct CampaignOptions {
    json_t *description;
    const char *out;   // directory
    const char *form;  // jobs: "parallel" or "slurm"
    double within_s;   // 0: all invocations
    int from, to;      // invocations, counted from 0; to is -1: all
    bool quiet;
} CampaignOptions;

// Parses [DESCRIPTION.json] and options. Ends the process on errors.
CampaignOptions campaign_options(int argc, char **argv);
void campaign_usage(FILE *to);

// Subcommands; argv[0] is their name. They return the exit code.
int campaign_run(int argc, char **argv);      // measures, or continues a measurement, and reports
int campaign_report(int argc, char **argv);   // tables, JSON and HTML of results
int campaign_compare(int argc, char **argv);  // two results
int campaign_jobs(int argc, char **argv);     // job list of a campaign for several machines
int campaign_merge(int argc, char **argv);    // results of several machines into one file

#endif
