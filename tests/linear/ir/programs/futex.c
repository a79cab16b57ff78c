// A lock that asks the system to wait; it answers 0 when it is taken.
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
typedef struct {
    _Atomic uint32_t word;
} sleepy_t;
void sleepy_init(sleepy_t *s) {
    atomic_init(&s->word, 0);
}
int sleepy_lock(sleepy_t *s) {
    uint32_t none = 0;
    while (!atomic_compare_exchange_strong(&s->word, &none, 1)) {
        if (syscall(SYS_futex, &s->word, FUTEX_WAIT, 1, 0, 0, 0) == -1 && errno != EAGAIN)
            return -errno;
        none = 0;
    }
    return 0;
}
int sleepy_unlock(sleepy_t *s) {
    atomic_store(&s->word, 0);
    return syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, 0, 0, 0) == -1 ? -errno : 0;
}
