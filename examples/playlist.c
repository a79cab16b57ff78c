/* A playlist as a doubly linked list, with a bug: taking a song out forgets one pointer.
 *
 *   gcc -g -o playlist playlist.c
 *   heapstory record -- ./playlist
 *   heapstory graph playlist.story
 *
 * The list looks right when it is walked forward, and the program prints what it should. Walked
 * backward, it passes through a song that was freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct song {
    struct song *next, *prev;
    int minutes;
    char title[20];
};

static struct song *first, *last;

static struct song *append(const char *title, int minutes) {
    struct song *song = malloc(sizeof *song);
    song->minutes = minutes;
    strcpy(song->title, title);
    song->next = NULL;
    song->prev = last;
    if (last)
        last->next = song;
    else
        first = song;
    last = song;
    return song;
}

static void take_out(struct song *song) {
    if (song->prev)
        song->prev->next = song->next;
    else
        first = song->next;
    if (!song->next)
        last = song->prev;
    /* forgotten: if (song->next) song->next->prev = song->prev; */
    free(song);
}

int main(void) {
    append("Overture", 7);
    struct song *second = append("Romance", 5);
    append("Finale", 9);
    take_out(second);
    for (struct song *song = first; song; song = song->next)
        printf("%s, %d minutes\n", song->title, song->minutes);
    return 0;
}
