/*
 * dispatch: stdin to the daemon's socket, its answer to stdout and stderr, its exit code as ours.
 *
 * It parses no JSON and knows no policy. Without a usable daemon callers take turns: one runs the same engine in a Python
 * child, with the same frame and the same call id, the others wait for the daemon that it starts. Only when Python cannot
 * start does the fail policy of the `engine` file decide: open (exit 0) or closed (a refusal), always with one line on
 * stderr. An engine that runs and does not answer in time is a guard that has not spoken: before a tool runs the call is
 * refused, in the words of its agent.
 *
 *   dispatch [AGENT] [EVENT] [--entry=TOKEN]
 */
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <sys/random.h>
#endif

#ifndef SYNAPTIC_VERSION
#define SYNAPTIC_VERSION "0"
#endif

enum {
    KIB = 1024,
    STDIN_LIMIT = 64 * KIB * KIB,
    ANSWER_LIMIT = 64 * KIB * KIB,
    DRAIN_LIMIT = 1024 * KIB * KIB,
    WORD_LIMIT = 255,      /* an agent's or event's name; nothing longer is known to anybody */
    REQUEST_HEAD = 16,
    ANSWER_HEAD = 14,
    NAP_MS = 10,
    LONG_NAP_MS = 100,
    START_MS = 3000,       /* how long a starting daemon is waited for */
    SILENCE_MS = 5000,     /* a living daemon sends a byte each second */
    AGAIN_MS = 3000,       /* after which one that had no answer is asked once more: it may have a successor by then */
    SHORT_SILENCE_MS = 1500, /* for those later times */
    TURN_MS = 25000,       /* how long a turn is waited for where many calls have lost their daemon */
    CHILD_SILENCE_MS = 20000, /* Python on a crowded machine takes its time to start */
    ALL_MS = 28000,        /* for turn and child; the shortest patience before a tool runs is 30 s */
    LEAST_MS = 2000,
    NOT_FOUND_EXIT = 113,  /* what `start.py` ends with when the engine is not there */
    BUSY_EXIT = 115,       /* when it is there and could not be started */
    CHANGED_EXIT = 114,    /* and when its files are not as they were installed */
    EXIT_MS = 500,         /* how long a child that has closed its output may take to end */
};

#ifdef SYNAPTIC_BARE
#include "bare.h"
#else
extern char **environ;
#endif
#include "io.h"

static char home[PATH_MAX];
static const char *agent = "claude", *event = "";
#include "events.h"

/* ---- the install: <home>/engine says which Python, and what a failure means ---- */

static struct {
    const char *python, *fail;
} engine = {"", ""};

static void read_engine(void) {
    static char text[8 * KIB], path[PATH_MAX];
    static int done;
    if (done++ || !*home) return;
    ssize_t n = join(path, sizeof path, home, "/engine", NULL) ? read_small(path, text, sizeof text - 1) : -1;
    if (n <= 0) return;
    for (char *line = text, *end = text; end < text + n; line = ++end) {
        while (*end && *end != '\n') end++;
        *end = 0;
        if (!strncmp(line, "python=", 7)) engine.python = line + 7;
        if (!strncmp(line, "fail=", 5)) engine.fail = line + 5;
    }
}

#include "refusal.h"

/* ---- where we are: from our own path, since a repository can set a hook's environment ---- */

static int own_path(char *to, size_t cap) {
#ifdef __APPLE__
    char raw[PATH_MAX];
    uint32_t size = sizeof raw;
    return cap >= PATH_MAX && !_NSGetExecutablePath(raw, &size) && realpath(raw, to);
#else
    ssize_t n = readlink("/proc/self/exe", to, cap - 1);
    if (n <= 0 || (size_t)n >= cap - 1) return 0;
    to[n] = 0;
    return 1;
#endif
}

static void find_home(void) {
    if (own_path(home, sizeof home)) {
        char *name = strrchr(home, '/');
        if (name) *name = 0;
        char *folder = strrchr(home, '/');
        if (folder && !strcmp(folder, "/bin")) {
            *folder = 0;
            return;
        }
    }
    const char *set = getenv("SYNAPTIC_HOME"), *user = getenv("HOME");
    if (set && *set == '/' && join(home, sizeof home, set, NULL)) return;
    if (user && *user == '/' && join(home, sizeof home, user, "/.synaptic", NULL)) return;
    home[0] = 0;
    give_up("neither SYNAPTIC_HOME nor HOME names a folder", "");
}

#include "frame.h"

/* ---- the daemon ---- */

static int new_socket(void) {
#ifdef SOCK_NONBLOCK
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
#else
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC), fcntl(fd, F_SETFL, O_NONBLOCK);
#endif
    return fd;
}

/* A path longer than sun_path is reached through its folder. */
static int connect_long(int fd, struct sockaddr_un *to) {
    static char run[PATH_MAX];
    int folder = join(run, sizeof run, home, "/run", NULL) ? open(run, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder < 0) return -1;
#ifdef __APPLE__
    join(to->sun_path, sizeof to->sun_path, "daemon.sock", NULL);
    int here = open(".", O_RDONLY | O_CLOEXEC);
    int done = fchdir(folder) ? -1 : connect(fd, (struct sockaddr *)to, sizeof *to);
    int why = errno;
    if (here < 0 || fchdir(here)) why = why ? why : errno;
    if (here >= 0) close(here);
#else
    char digits[12];
    join(to->sun_path, sizeof to->sun_path, "/proc/self/fd/", print_number(digits, folder), "/daemon.sock", NULL);
    int done = connect(fd, (struct sockaddr *)to, sizeof *to);
    int why = errno;
#endif
    close(folder);
    errno = why;
    return done;
}

static int connect_daemon(void) {
    struct sockaddr_un to;
    to.sun_family = AF_UNIX;
    int fd = new_socket();
    if (fd < 0) return -1;
    size_t n = join(to.sun_path, sizeof to.sun_path, home, "/run/daemon.sock", NULL);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
    if (!(n ? connect(fd, (struct sockaddr *)&to, size) : connect_long(fd, &to))) return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

#include "queue.h"

/* ---- the engine in a child ---- */

/* What a repository could use to change how Python starts (LD_*, PYTHON*, ...) stays outside. */
static char **plain_environ(void) {
    static const char *const kept[] = {"HOME=", "USER=", "LOGNAME=", "PATH=", "SHELL=", "LANG=", "LANGUAGE=",
                                       "LC_", "TZ=", "TMPDIR=", "XDG_"};
    static char *plain[64];
    size_t used = 0;
    for (char **e = environ; e && *e && used < 63; e++)
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (!strncmp(*e, kept[i], strlen(kept[i]))) {
                plain[used++] = *e;
                break;
            }
    return plain;
}

static int request_file(void) {
#ifdef __linux__
    int fd = memfd_create("synaptic-request", MFD_CLOEXEC);
#else
    char path[] = "/tmp/synaptic-request-XXXXXX";
    int fd = mkstemp(path);
    if (fd >= 0) unlink(path), fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    if (fd < 0 || !send_request(fd) || lseek(fd, 0, SEEK_SET)) return -1;
    return fd;
}

static void become_python(char **argv, int in, int out, int turn) {
    int null = open("/dev/null", O_RDWR);
    if (turn >= 0) fcntl(turn, F_SETFD, 0);
    signal(SIGPIPE, SIG_DFL);
    if (null >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2) {
        if (null > 2) close(null);
        execve(engine.python, argv, plain_environ());
        /* Busy, or no memory for it at this moment: it is there, so this is no matter of the fail policy. */
        int is_gone = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP || errno == ENOEXEC;
        if (is_gone) _exit(127);
    }
    _exit(BUSY_EXIT);
}

/* Starts a module of the engine with its words; what it says can be read from `*from`. */
static pid_t start_module(char **words, int in, int turn, int *from) {
    /* `-S` and our own start file: no code of other packages runs first, and the engine's files are looked at. */
    static char start[PATH_MAX];
    char *argv[10] = {(char *)engine.python, "-I", "-m"};
    int used = 3;
    if (join(start, sizeof start, home, "/bin/start.py", NULL) && !access(start, R_OK)) {
        argv[2] = "-S";
        argv[used++] = start;
    }
    while (*words) argv[used++] = *words++;
    int ends[2];
    if (in < 0 || pipe(ends)) refuse_act("no room for its request", "");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pid_t child = fork();
    if (child < 0) refuse_act("no process could be started", "");
    if (!child) become_python(argv, in, ends[1], turn);
    close(ends[1]);
    *from = ends[0];
    return child;
}

/* The exit code of a child that gave no answer; -1 for one that was killed, by us or by somebody else. */
static int wait_for_exit(pid_t child) {
    int state = 0;
    pid_t gone = 0;
    for (int ms = 0; !answer.silent && !gone && ms < EXIT_MS; ms += NAP_MS)
        if (!(gone = waitpid(child, &state, WNOHANG))) nap(NAP_MS);
    if (gone == child) return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return -1;
}

/* How long a child is waited for: an answer that comes after the agent has gone is none. */
static int patience(long long began) {
    long long left = began + (was_silent ? ALL_MS - SILENCE_MS : ALL_MS) - now_ms(CLOCK_MONOTONIC);
    return left < LEAST_MS ? LEAST_MS : left > CHILD_SILENCE_MS ? CHILD_SILENCE_MS : (int)left;
}

static void ask_child(int turn, long long began) {
    int from, in = request_file();
    char digits[12];
    if (!*engine.python) refuse_act("no `python=` line in `engine` under ", home);
    if (access(engine.python, X_OK)) give_up("its Python is missing: ", engine.python);
    char *words[] = {"synaptic.daemon.early", home, turn >= 0 ? print_number(digits, turn) : NULL, NULL};
    pid_t child = start_module(words, in, turn, &from);
    if (read_answer(from, patience(began))) deliver(); /* the child goes on and starts the daemon */
    int code = wait_for_exit(child);
    if (code == CHANGED_EXIT) refuse_act("the engine's files are not as they were installed, under ", home);
    if (code == NOT_FOUND_EXIT || code == 126 || code == 127)
        give_up("the engine cannot be started under ", engine.python);
    refuse_act("the engine gave no answer under ", engine.python);
}

/* With a closed stdin, stdout or stderr, the next file opened would take its place. */
static void fill_standard_files(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0) {
            (void)!open("/dev/null", O_RDWR);
            if (fd == STDOUT_FILENO) is_mute = 1;
        }
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    fill_standard_files();
    read_words(argc, argv);
    find_home();
    make_request();
    int fd = connect_daemon();
    if (fd >= 0) ask_daemon(fd);
    read_engine();
    long long began = now_ms(CLOCK_MONOTONIC);
    ask_child(wait_for_turn(began), began);
    return 0;
}
