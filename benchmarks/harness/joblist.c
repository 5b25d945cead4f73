// cabernet-bench jobs: a campaign as a list of commands for several machines. A job is one invocation of everything, so
// that compared values are measured on one machine, minutes apart.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/campaign.h"
#include "benchmarks/harness/run.h"

static FILE *create(const char *dir, const char *name) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *out = fopen(path, "we");
    if (!out) run_die("cannot write ", path);
    return out;
}

static void put_quoted(FILE *out, const char *text) {
    putc('\'', out);
    for (; *text; text++) fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, out);
    putc('\'', out);
}

static void put_slurm(FILE *out, const char *dir, int jobs) {
    fprintf(out,
            "#!/bin/bash\n"
            "# An array job of cabernet-bench: sbatch this file, from the directory in which the commands of the "
            "campaign work.\n"
            "#SBATCH --job-name=cabernet-bench\n#SBATCH --array=0-%d\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH "
            "--exclusive\n"
            "#SBATCH --requeue\n#SBATCH --open-mode=append\n",
            jobs - 1);
    fputs("command=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ", out);
    put_quoted(out, dir);
    fputs("/jobs.txt)\nexec bash -c \"$command\"\n", out);
}

static void advise(const CampaignOptions *o, const char *dir, bool slurm) {
    if (slurm) printf("run it:   sbatch %s/jobs.sbatch\n", dir);
    else
        printf("run it:   parallel --jobs 1 --sshlogin one,two --workdir . --joblog %s/joblog --resume < %s/jobs.txt\n",
               dir, dir);
    printf("together: cabernet-bench merge --out %s/result.json %s/part-*\n"
           "the directories must be the same for all machines, and %s one that they share\n",
           o->out, o->out, o->out);
}

int campaign_jobs(int argc, char **argv) {
    CampaignOptions o = campaign_options(argc, argv);
    Campaign c = campaign_of(o.description);
    if (c.plan_command)
        run_die("jobs need files of plans that all machines can read: let cabernet-bench run record them, and name "
                "DIR/plans/...: ",
                c.plan_command);
    char self[4096], dir[4096], path[4200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    bool slurm = o.form && strcmp(o.form, "slurm") == 0;
    if (!slurm && !(o.form && strcmp(o.form, "parallel") == 0)) run_die("--form is parallel or slurm", "");
    if (n < 0 || (mkdir(o.out, 0777) != 0 && errno != EEXIST) || !realpath(o.out, dir))
        run_die("cannot make the directory ", o.out);
    self[n] = 0;
    snprintf(path, sizeof path, "%s/campaign.json", dir);
    if (json_dump_file(o.description, path, JSON_INDENT(1)) != 0) run_die("cannot write ", path);
    FILE *jobs = create(dir, "jobs.txt");
    for (int i = 0; i < c.invocations; i++) {
        put_quoted(jobs, self);
        fputs(" run ", jobs);
        put_quoted(jobs, dir);
        fprintf(jobs, "/campaign.json --quiet --invocations-from %d --invocations-to %d --out ", i, i + 1);
        put_quoted(jobs, dir);
        fprintf(jobs, "/part-%d\n", i);
    }
    fclose(jobs);
    if (slurm) {
        FILE *script = create(dir, "jobs.sbatch");
        put_slurm(script, dir, c.invocations);
        fclose(script);
    }
    advise(&o, dir, slurm);
    campaign_free(&c);
    json_decref(o.description);
    return 0;
}
