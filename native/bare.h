/*
 * The few libc functions that dispatch needs, straight on the kernel, for a start without a C library.
 *
 * On a virtual machine a static program that does nothing took three times as long to start with glibc as without
 * (0.42 and 0.14 ms). About half of the difference are questions to the processor about its features, each of which
 * traps into the hypervisor. Linux on x86-64 and arm64; every other system builds dispatch against its own libc.
 */
#include <sys/syscall.h>

int main(int argc, char **argv);
char **environ;

int *__errno_location(void) {
    static int number;
    return &number;
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp,%ebp\n mov %rsp,%rdi\n and $-16,%rsp\n call bare_start\n");

static long raw(long n, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x29,#0\n mov x30,#0\n mov x0,sp\n bl bare_start\n");

static long raw(long n, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                  x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
#else
#error "no bare start for this processor"
#endif

static long call(long n, long a, long b, long c, long d, long e, long f) {
    long result = raw(n, a, b, c, d, e, f);
    if (result >= 0 || result < -4095) return result;
    errno = (int)-result;
    return -1;
}

#define SYS(n, a, b, c) call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS6(n, a, b, c, d, e, f) call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

void _exit(int code) {
    for (;;) SYS(SYS_exit_group, code, 0, 0);
}

__attribute__((used)) void bare_start(long *stack) {
    char **argv = (char **)(stack + 1);
    environ = argv + *stack + 1;
    _exit(main((int)*stack, argv));
}

ssize_t read(int fd, void *to, size_t n) { return SYS(SYS_read, fd, to, n); }
ssize_t writev(int fd, const struct iovec *v, int n) { return SYS(SYS_writev, fd, v, n); }
int close(int fd) { return (int)SYS(SYS_close, fd, 0, 0); }
off_t lseek(int fd, off_t at, int whence) { return SYS(SYS_lseek, fd, at, whence); }
int flock(int fd, int how) { return (int)SYS(SYS_flock, fd, how, 0); }
int dup2(int from, int to) { return (int)SYS(SYS_dup3, from, to, 0); }
int pipe(int ends[2]) { return (int)SYS(SYS_pipe2, ends, 0, 0); }
int mkdir(const char *path, mode_t mode) { return (int)SYS(SYS_mkdirat, AT_FDCWD, path, mode); }
int access(const char *path, int how) { return (int)SYS(SYS_faccessat, AT_FDCWD, path, how); }
int socket(int family, int type, int protocol) { return (int)SYS(SYS_socket, family, type, protocol); }
int memfd_create(const char *name, unsigned flags) { return (int)SYS(SYS_memfd_create, name, flags, 0); }
int clock_gettime(clockid_t clock, struct timespec *t) { return (int)SYS(SYS_clock_gettime, clock, t, 0); }
int nanosleep(const struct timespec *t, struct timespec *left) { return (int)SYS(SYS_nanosleep, t, left, 0); }
int getentropy(void *to, size_t n) { return SYS(SYS_getrandom, to, n, 0) == (long)n ? 0 : -1; }
char *getcwd(char *to, size_t n) { return SYS(SYS_getcwd, to, n, 0) > 0 ? to : NULL; }
pid_t getpid(void) { return (pid_t)SYS(SYS_getpid, 0, 0, 0); }
pid_t fork(void) { return (pid_t)SYS6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0); }
int kill(pid_t pid, int number) { return (int)SYS(SYS_kill, pid, number, 0); }
pid_t waitpid(pid_t pid, int *status, int flags) { return (pid_t)SYS6(SYS_wait4, pid, status, flags, 0, 0, 0); }

ssize_t readlink(const char *path, char *to, size_t n) {
    return SYS6(SYS_readlinkat, AT_FDCWD, path, to, n, 0, 0);
}

int connect(int fd, const struct sockaddr *to, socklen_t n) {
    return (int)SYS(SYS_connect, fd, to, n);
}

int execve(const char *path, char *const argv[], char *const env[]) {
    return (int)SYS(SYS_execve, path, argv, env);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    return (void *)SYS6(SYS_mmap, at, n, protection, flags, fd, offset);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return (int)SYS6(SYS_openat, AT_FDCWD, path, flags, mode, 0, 0);
}

int fcntl(int fd, int command, ...) {
    va_list more;
    va_start(more, command);
    long value = command == F_SETFD || command == F_SETFL ? va_arg(more, int) : 0;
    va_end(more);
    return (int)SYS(SYS_fcntl, fd, command, value);
}

int poll(struct pollfd *files, nfds_t n, int ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    return (int)SYS6(SYS_ppoll, files, n, ms < 0 ? NULL : &t, NULL, 8, 0);
}

/* Only for SIG_IGN and SIG_DFL: a real handler would need a way back from the kernel. */
__sighandler_t signal(int number, __sighandler_t what) {
    struct {
        __sighandler_t handler;
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } action = {what, 0, NULL, 0};
    return SYS6(SYS_rt_sigaction, number, &action, NULL, 8, 0, 0) ? SIG_ERR : what;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t n) {
    if ((char *)to <= (const char *)from) return memcpy(to, from, n);
    while (n--) ((char *)to)[n] = ((const char *)from)[n];
    return to;
}

void *memset(void *to, int byte, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)to)[i] = (char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    for (; n; n--, x++, y++)
        if (*x != *y) return *x - *y;
    return 0;
}

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

int strncmp(const char *a, const char *b, size_t n) {
    for (; n; n--, a++, b++)
        if (*a != *b || !*a) return (unsigned char)*a - (unsigned char)*b;
    return 0;
}

int strcmp(const char *a, const char *b) { return strncmp(a, b, (size_t)-1); }

char *strrchr(const char *s, int c) {
    const char *found = NULL;
    for (; *s; s++)
        if (*s == c) found = s;
    return (char *)found;
}

char *getenv(const char *name) {
    size_t n = strlen(name);
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, name, n) && (*e)[n] == '=') return *e + n + 1;
    return NULL;
}
