/* Starts each command of a plan in turn, round after round, and reports how long each one took.
 *
 * spawn ROUNDS WARM_UP < plan > samples        rounds to warm up come first and are not reported
 * plan:    per command, NUL-terminated fields: stride, stdin file, argc, argv..., envc, env...
 * samples: one line per run: command number, nanoseconds, exit code, bytes printed
 *
 * A run is timed as an agent sees it: from the start of the process until its stdout is closed and it is reaped.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 64 };

struct command {
    long stride;
    char *input;
    char **argv;
    char **env;
};

struct sample {
    int command;
    int exit;
    int64_t nanos;
    long bytes;
};

static void die(const char *what) {
    perror(what);
    exit(1);
}

static char *slurp(size_t *size) {
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room);
    for (ssize_t got; (got = read(0, text + used, room - used)) > 0;) {
        used += (size_t)got;
        if (used == room) text = realloc(text, room *= 2);
    }
    *size = used;
    return text;
}

static char *field(char **at) {
    char *start = *at;
    *at += strlen(start) + 1;
    return start;
}

static char **list(char **at) {
    long count = atol(field(at));
    char **items = calloc((size_t)count + 1, sizeof *items);
    for (long i = 0; i < count; i++) items[i] = field(at);
    return items;
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct sample run(const struct command *command) {
    static char buffer[1 << 16];
    struct sample sample = {0};
    posix_spawn_file_actions_t actions;
    int out[2], in = open(command->input, O_RDONLY | O_CLOEXEC), status;
    pid_t pid;
    if (in < 0) die(command->input);
    if (pipe2(out, O_CLOEXEC)) die("pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int64_t start = now();
    if (posix_spawn(&pid, command->argv[0], &actions, NULL, command->argv, command->env)) die(command->argv[0]);
    close(out[1]);
    for (ssize_t got; (got = read(out[0], buffer, sizeof buffer)) > 0;) sample.bytes += got;
    waitpid(pid, &status, 0);
    sample.nanos = now() - start;
    sample.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    posix_spawn_file_actions_destroy(&actions);
    close(out[0]);
    close(in);
    return sample;
}

int main(int argc, char **argv) {
    if (argc != 3) return fputs("usage: spawn ROUNDS WARM_UP < plan > samples\n", stderr), 2;
    long warm_up = atol(argv[2]), rounds = atol(argv[1]) + warm_up, used = 0;
    struct command commands[MAX_COMMANDS];
    int count = 0;
    size_t size;
    char *plan = slurp(&size);
    for (char *at = plan; at < plan + size && count < MAX_COMMANDS; count++) {
        commands[count].stride = atol(field(&at));
        commands[count].input = field(&at);
        commands[count].argv = list(&at);
        commands[count].env = list(&at);
    }
    struct sample *samples = calloc((size_t)rounds * (size_t)(count ? count : 1), sizeof *samples);
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            if (round % commands[i].stride) continue;
            struct sample sample = run(&commands[i]);
            sample.command = i;
            if (round >= warm_up) samples[used++] = sample;
        }
    for (long i = 0; i < used; i++)
        printf("%d %lld %d %ld\n", samples[i].command, (long long)samples[i].nanos, samples[i].exit, samples[i].bytes);
    return 0;
}
