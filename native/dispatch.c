/*
 * dispatch: stdin to the daemon's socket, its answer to stdout and stderr, its exit code as ours.
 *
 * It parses no JSON and knows no policy. Without a usable daemon it runs the same engine in a Python child, with the
 * same frame and the same call id. Only when Python cannot start does the fail policy of the `engine` file decide: open
 * (exit 0) or closed (exit 2), always with one line on stderr. An engine that runs and does not answer in time is a
 * guard that has not spoken: before a tool runs the call is refused, in the words of its agent.
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
    START_MS = 3000,       /* how long a starting daemon is waited for */
    SILENCE_MS = 5000,     /* a living daemon sends a byte each second */
    CHILD_SILENCE_MS = 20000, /* Python on a crowded machine takes its time to start */
    REFUSAL_MS = 4000,
    CHANGED_EXIT = 114,    /* what `start.py` ends with when the engine's files are not as they were installed */
    EXIT_MS = 500,         /* how long a child that has closed its output may take to end */
    /* A daemon's silence, a child's and a refusal take less than the shortest patience before a tool runs, 30 s. */
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
    const char *python, *fail, *daemon;
} engine = {"", "open", "true"};

static void read_engine(void) {
    static char text[8 * KIB], path[PATH_MAX];
    static int done;
    if (done++) return;
    int fd = join(path, sizeof path, home, "/engine", NULL) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) return;
    for (char *line = text, *end = text; end < text + n; line = ++end) {
        while (*end && *end != '\n') end++;
        *end = 0;
        if (!strncmp(line, "python=", 7)) engine.python = line + 7;
        if (!strncmp(line, "fail=", 5)) engine.fail = line + 5;
        if (!strncmp(line, "daemon=", 7)) engine.daemon = line + 7;
    }
}

static void refuse_or_go_on(int closed, const char *why, const char *detail) {
    static char line[PATH_MAX + 512];
    const char *said = closed ? "synaptic: blocked, because it could not be checked: "
                              : "synaptic: this call was NOT checked: ";
    size_t n = join(line, sizeof line, said, why, detail, "; type: synaptic doctor\n", NULL);
    struct iovec v = {line, n};
    write_all(STDERR_FILENO, &v, 1, SILENCE_MS);
    _exit(closed ? 2 : 0);
}

static int fails_closed(void) {
    read_engine();
    return !strcmp(engine.fail, "closed") && !asks_to_stop();
}

static void give_up(const char *why, const char *detail) {
    refuse_or_go_on(fails_closed(), why, detail);
}

/* An engine that is there and cannot be believed or heard: before a tool runs this is no question of `fail`. */
static void refuse_act(const char *why, const char *detail) {
    refuse_or_go_on(comes_before_act() || fails_closed(), why, detail);
}

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
    char digits[12], *p = digits + sizeof digits;
    *--p = 0;
    for (int n = folder; p == digits + sizeof digits - 1 || n; n /= 10) *--p = (char)('0' + n % 10);
    join(to->sun_path, sizeof to->sun_path, "/proc/self/fd/", p, "/daemon.sock", NULL);
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

static int open_lock(const char *name, int flags) {
    static char path[PATH_MAX];
    if (!join(path, sizeof path, home, "/run", name, NULL)) return -1;
    return open(path, flags | O_CLOEXEC, 0600);
}

/* Held means that a daemon lives or is being started. */
static int daemon_held(void) {
    int fd = open_lock("/daemon.lock", O_RDONLY);
    if (fd < 0) return 0;
    int held = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    close(fd);
    return held;
}

/* One caller at a time runs Python and starts the daemon; the others wait for that daemon. The lock lives on in the
 * child until the daemon holds its own. -1: somebody else has it. -2: it cannot be had. */
static int take_gate(void) {
    int fd = open_lock("/start.lock", O_RDWR | O_CREAT);
    if (fd < 0 && errno == ENOENT) {
        static char run[PATH_MAX];
        join(run, sizeof run, home, "/run", NULL);
        if (!mkdir(run, 0700)) fd = open_lock("/start.lock", O_RDWR | O_CREAT);
    }
    if (fd < 0) return -2;
    if (!flock(fd, LOCK_EX | LOCK_NB)) return fd;
    close(fd);
    return -1;
}

static int may_come_up(int why) {
    return why == ENOENT || why == ECONNREFUSED || why == EAGAIN;
}

/* The daemon's socket, or -1 when the engine has to run here. */
static int reach_daemon(int *gate) {
    int fd = connect_daemon();
    if (fd >= 0 || !may_come_up(errno)) return fd;
    read_engine();
    if (!strcmp(engine.daemon, "false") && !daemon_held()) return -1;
    for (long long until = now_ms(CLOCK_MONOTONIC) + START_MS; now_ms(CLOCK_MONOTONIC) < until; nap(NAP_MS)) {
        if (*gate == -1 && !daemon_held()) *gate = take_gate();
        if ((fd = connect_daemon()) >= 0 || !may_come_up(errno)) return fd;
        if (*gate != -1 && !daemon_held()) return -1;
    }
    return -1;
}

static void ask_daemon(int *gate) {
    int fd = reach_daemon(gate);
    if (fd < 0) return;
    /* A daemon that answers before it has read everything closes early: its answer still counts. */
    int heard = send_request(fd) || errno == EPIPE || errno == ECONNRESET;
    if (heard && read_answer(fd, SILENCE_MS)) deliver();
    close(fd);
}

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

static void become_python(char **argv, int in, int out, int gate) {
    int null = open("/dev/null", O_RDWR);
    if (gate >= 0) fcntl(gate, F_SETFD, 0);
    signal(SIGPIPE, SIG_DFL);
    if (null >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2) {
        if (null > 2) close(null);
        execve(engine.python, argv, plain_environ());
    }
    _exit(127);
}

/* Starts a module of the engine with its words; what it says can be read from `*from`. */
static pid_t start_module(char **words, int in, int gate, int *from) {
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
    if (in < 0 || pipe(ends)) give_up("no room for its request", "");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pid_t child = fork();
    if (child < 0) give_up("no process could be started", "");
    if (!child) become_python(argv, in, ends[1], gate);
    close(ends[1]);
    *from = ends[0];
    return child;
}

static int engine_changed;

/* Whether a child that gave no answer has ended by itself, as one that cannot start does. */
static int ended_by_itself(pid_t child) {
    int state = 0;
    pid_t gone = 0;
    for (int ms = 0; !answer.silent && !gone && ms < EXIT_MS; ms += NAP_MS)
        if (!(gone = waitpid(child, &state, WNOHANG))) nap(NAP_MS);
    engine_changed = gone == child && WIFEXITED(state) && WEXITSTATUS(state) == CHANGED_EXIT;
    if (gone == child) return WIFEXITED(state);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}

/* The engine ran and gave no answer: what that means before a tool runs is said by a Python that judges nothing. */
static void refuse_unheard(void) {
    char *words[] = {"synaptic.daemon.refuse", home, (char *)agent, (char *)event, NULL};
    int from;
    pid_t child = start_module(words, open("/dev/null", O_RDONLY), -1, &from);
    if (read_answer(from, REFUSAL_MS)) deliver();
    kill(child, SIGKILL);
    refuse_act("the engine gave no answer in time under ", engine.python);
}

static void ask_child(int gate) {
    int from, in = request_file();
    read_engine();
    if (!*engine.python) give_up("no `python=` line in `engine` under ", home);
    if (access(engine.python, X_OK)) give_up("its Python is missing: ", engine.python);
    char *words[] = {"synaptic.daemon.fallback", home, NULL};
    pid_t child = start_module(words, in, gate, &from);
    if (read_answer(from, CHILD_SILENCE_MS)) deliver(); /* the child goes on and starts the daemon */
    if (!ended_by_itself(child)) refuse_unheard();
    if (engine_changed) refuse_act("the engine's files are not as they were installed, under ", home);
    give_up("the engine gave no answer under ", engine.python);
}

/* With a closed stdin, stdout or stderr, the next file opened would take its place. */
static void fill_standard_files(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", O_RDWR);
}

int main(int argc, char **argv) {
    int gate = -1;
    signal(SIGPIPE, SIG_IGN);
    fill_standard_files();
    find_home();
    make_request(argc, argv);
    ask_daemon(&gate);
    ask_child(gate);
    return 0;
}
