/* System calls that write, each into memory that was never set, of which every byte is then asked
 * for; nothing is wrong. `unknown` makes calls that Valgrind does not know; others end in an error,
 * or write less than there is room for. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static volatile int sum;

/* A decision for every byte, in a place of its own. */
#define LOOK(what)                                                                                 \
    do {                                                                                           \
        const volatile unsigned char *byte = (const volatile unsigned char *)&(what);              \
        for (size_t i = 0; i < sizeof(what); i++)                                                  \
            if (byte[i] == 'x')                                                                    \
                sum++;                                                                             \
    } while (0)
#define CALL(...) (syscall(__VA_ARGS__) < 0 ? (perror(#__VA_ARGS__), exit(3)) : (void)0)

static void files(void) {
    struct stat first, second;
    struct statx third;
    struct statfs fourth;
    char name[4096];
    CALL(SYS_stat, "/", &first);
    LOOK(first.st_ino);
    CALL(SYS_newfstatat, AT_FDCWD, "/dev/null", &second, 0);
    LOOK(second.st_size);
    CALL(SYS_statx, AT_FDCWD, "/", 0, STATX_BASIC_STATS, &third);
    LOOK(third.stx_ino);
    LOOK(third.stx_mtime.tv_sec);
    CALL(SYS_statfs, "/", &fourth);
    LOOK(fourth);
    CALL(SYS_getcwd, name, sizeof name);
    LOOK(name[0]);
}

static void times_and_limits(void) {
    struct timespec clock, resolution;
    struct timeval day;
    struct tms spent;
    struct rlimit limit;
    struct rusage usage;
    struct sysinfo info;
    CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &clock);
    LOOK(clock);
    CALL(SYS_clock_getres, CLOCK_MONOTONIC, &resolution);
    LOOK(resolution);
    CALL(SYS_gettimeofday, &day, NULL);
    LOOK(day);
    CALL(SYS_times, &spent);
    LOOK(spent);
    CALL(SYS_getrlimit, RLIMIT_NOFILE, &limit);
    LOOK(limit);
    CALL(SYS_getrusage, RUSAGE_SELF, &usage);
    LOOK(usage);
    CALL(SYS_sysinfo, &info);
    LOOK(info.totalram);
    LOOK(info.procs);
}

static void processes(void) {
    struct utsname *names = malloc(sizeof *names);
    uid_t real, effective, saved;
    unsigned long cpus;
    sigset_t blocked, pending;
    CALL(SYS_uname, names);
    LOOK(names->release);
    CALL(SYS_getresuid, &real, &effective, &saved);
    LOOK(real);
    LOOK(effective);
    LOOK(saved);
    CALL(SYS_sched_getaffinity, 0, sizeof cpus, &cpus);
    LOOK(cpus);
    CALL(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, 8);
    LOOK(*(unsigned long *)&blocked);
    CALL(SYS_rt_sigpending, &pending, 8);
    LOOK(*(unsigned long *)&pending);
    free(names);
}

/* Pointers within what is passed: vectors and messages. */
static void sockets(void) {
    int pair[2], ends[2];
    char text[4], first[4], second[12], whole[5];
    struct iovec parts[2] = {{first, sizeof first}, {second, sizeof second}};
    struct iovec all = {whole, sizeof whole};
    struct msghdr message = {.msg_iov = &all, .msg_iovlen = 1};
    struct sockaddr_un name;
    socklen_t length = sizeof name, size = sizeof(int);
    int type;
    CALL(SYS_pipe2, ends, 0);
    LOOK(ends);
    CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
    LOOK(pair);
    CALL(SYS_write, ends[1], "1234567890", 10);
    CALL(SYS_read, ends[0], text, 4);
    LOOK(text);
    CALL(SYS_readv, ends[0], parts, 2);
    LOOK(first);
    LOOK(second[1]); /* as much as came */
    CALL(SYS_write, pair[1], "hello", 5);
    CALL(SYS_recvmsg, pair[0], &message, 0);
    LOOK(whole);
    CALL(SYS_getsockname, pair[0], &name, &length);
    LOOK(name.sun_family);
    CALL(SYS_getsockopt, pair[0], SOL_SOCKET, SO_TYPE, &type, &size);
    LOOK(type);
}

static int terminal(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master))
        exit(4);
    return open(ptsname(master), O_RDWR | O_NOCTTY);
}

static void known_codes(int fd) {
    struct winsize size;
    struct termios settings;
    CALL(SYS_ioctl, fd, TIOCGWINSZ, &size);
    LOOK(size);
    CALL(SYS_ioctl, fd, TCGETS, &settings);
    LOOK(settings.c_iflag);
}

static void unknown_codes(int fd) {
    int discipline;
    struct termios locked;
    CALL(SYS_ioctl, fd, TIOCGETD, &discipline);
    LOOK(discipline); /* discipline */
    CALL(SYS_ioctl, fd, TIOCGLCKTRMIOS, &locked);
    LOOK(locked.c_iflag); /* locks */
}

/* Fails, or writes less: what was not written is as undefined as before, and as it was. */
static void unwritten(int fd) {
    char *block = malloc(64), was[64];
    struct {
        int written, left;
    } both;
    memcpy(was, block, 64);
    syscall(SYS_ioctl, fd, 0x5499, block);
    if (memcmp(block, was, 64)) /* compared */
        sum++;
    CALL(SYS_ioctl, fd, TIOCGETD, &both);
    if (both.left == 7) /* left */
        sum++;
    free(block);
}

int main(int argc, char **argv) {
    if (!strcmp(argv[1], "unknown"))
        unknown_codes(terminal());
    else if (!strcmp(argv[1], "unwritten"))
        unwritten(terminal());
    else {
        files();
        times_and_limits();
        processes();
        sockets();
        known_codes(terminal());
    }
    return 0;
}
